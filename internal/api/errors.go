package api

import (
	"fmt"
	"net/http"
)

// An Error is the answer to a call that is refused.
type Error struct {
	*Kind
	Message string
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// A Kind is one of the errors of the API (D1, D2).
type Kind struct {
	Shape  string // its name in the JSON protocol, with its namespace
	Code   string // its name in the Query protocol, and in the entries of a batch
	Status int    // of the HTTP response
}

// errorf returns an error of kind k.
func (k *Kind) errorf(format string, args ...any) *Error {
	return &Error{k, fmt.Sprintf(format, args...)}
}

const (
	sqs   = "com.amazonaws.sqs#"
	coral = "com.amazon.coral.service#"
)

// The errors of SQS (D1).
var (
	QueueDoesNotExist            = &Kind{sqs + "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", http.StatusBadRequest}
	QueueNameExists              = &Kind{sqs + "QueueNameExists", "QueueAlreadyExists", http.StatusBadRequest}
	QueueDeletedRecently         = &Kind{sqs + "QueueDeletedRecently", "AWS.SimpleQueueService.QueueDeletedRecently", http.StatusBadRequest}
	PurgeQueueInProgress         = &Kind{sqs + "PurgeQueueInProgress", "AWS.SimpleQueueService.PurgeQueueInProgress", http.StatusForbidden}
	ReceiptHandleIsInvalid       = &Kind{sqs + "ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", http.StatusNotFound}
	InvalidMessageContents       = &Kind{sqs + "InvalidMessageContents", "InvalidMessageContents", http.StatusBadRequest}
	InvalidAttributeName         = &Kind{sqs + "InvalidAttributeName", "InvalidAttributeName", http.StatusBadRequest}
	InvalidAttributeValue        = &Kind{sqs + "InvalidAttributeValue", "InvalidAttributeValue", http.StatusBadRequest}
	EmptyBatchRequest            = &Kind{sqs + "EmptyBatchRequest", "AWS.SimpleQueueService.EmptyBatchRequest", http.StatusBadRequest}
	TooManyEntriesInBatchRequest = &Kind{sqs + "TooManyEntriesInBatchRequest", "AWS.SimpleQueueService.TooManyEntriesInBatchRequest", http.StatusBadRequest}
	BatchEntryIdsNotDistinct     = &Kind{sqs + "BatchEntryIdsNotDistinct", "AWS.SimpleQueueService.BatchEntryIdsNotDistinct", http.StatusBadRequest}
	InvalidBatchEntryId          = &Kind{sqs + "InvalidBatchEntryId", "AWS.SimpleQueueService.InvalidBatchEntryId", http.StatusBadRequest}
	BatchRequestTooLong          = &Kind{sqs + "BatchRequestTooLong", "AWS.SimpleQueueService.BatchRequestTooLong", http.StatusBadRequest}
	UnsupportedOperation         = &Kind{sqs + "UnsupportedOperation", "AWS.SimpleQueueService.UnsupportedOperation", http.StatusBadRequest}
	OverLimit                    = &Kind{sqs + "OverLimit", "OverLimit", http.StatusForbidden}
	ResourceNotFound             = &Kind{sqs + "ResourceNotFoundException", "ResourceNotFoundException", http.StatusNotFound}
)

// The errors of the framework that SQS stands on (D2).
var (
	InvalidParameterValue = &Kind{coral + "InvalidParameterValueException", "InvalidParameterValue", http.StatusBadRequest}
	MissingParameter      = &Kind{coral + "MissingRequiredParameterException", "MissingParameter", http.StatusBadRequest}
	UnknownOperation      = &Kind{coral + "UnknownOperationException", "InvalidAction", http.StatusBadRequest}
	Serialization         = &Kind{coral + "SerializationException", "MalformedInput", http.StatusBadRequest}
	AccessDenied          = &Kind{coral + "AccessDeniedException", "AccessDenied", http.StatusForbidden}
	UnrecognizedClient    = &Kind{coral + "UnrecognizedClientException", "InvalidClientTokenId", http.StatusForbidden}
	InvalidSignature      = &Kind{coral + "InvalidSignatureException", "SignatureDoesNotMatch", http.StatusForbidden}
	IncompleteSignature   = &Kind{coral + "IncompleteSignatureException", "IncompleteSignature", http.StatusBadRequest}
	InternalFailure       = &Kind{coral + "InternalFailure", "InternalError", http.StatusInternalServerError}
)
