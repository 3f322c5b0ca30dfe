package api_test

import (
	"net/http"
	"testing"

	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

// The errors have the names and the statuses of those of SQS (D1) and of its
// framework (D2).
func TestKinds(t *testing.T) {
	const (
		sqs   = "com.amazonaws.sqs#"
		coral = "com.amazon.coral.service#"
		aws   = "AWS.SimpleQueueService."
	)
	for _, want := range []struct {
		kind        *api.Kind
		shape, code string
		status      int
	}{
		{api.QueueDoesNotExist, sqs + "QueueDoesNotExist", aws + "NonExistentQueue", http.StatusBadRequest},
		{api.QueueNameExists, sqs + "QueueNameExists", "QueueAlreadyExists", http.StatusBadRequest},
		{api.QueueDeletedRecently, sqs + "QueueDeletedRecently", aws + "QueueDeletedRecently", http.StatusBadRequest},
		{api.PurgeQueueInProgress, sqs + "PurgeQueueInProgress", aws + "PurgeQueueInProgress", http.StatusForbidden},
		{api.ReceiptHandleIsInvalid, sqs + "ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", http.StatusNotFound}, // F10
		{api.InvalidMessageContents, sqs + "InvalidMessageContents", "InvalidMessageContents", http.StatusBadRequest},
		{api.InvalidAttributeName, sqs + "InvalidAttributeName", "InvalidAttributeName", http.StatusBadRequest},
		{api.InvalidAttributeValue, sqs + "InvalidAttributeValue", "InvalidAttributeValue", http.StatusBadRequest},
		{api.EmptyBatchRequest, sqs + "EmptyBatchRequest", aws + "EmptyBatchRequest", http.StatusBadRequest},
		{api.TooManyEntriesInBatchRequest, sqs + "TooManyEntriesInBatchRequest", aws + "TooManyEntriesInBatchRequest", http.StatusBadRequest},
		{api.BatchEntryIdsNotDistinct, sqs + "BatchEntryIdsNotDistinct", aws + "BatchEntryIdsNotDistinct", http.StatusBadRequest},
		{api.InvalidBatchEntryId, sqs + "InvalidBatchEntryId", aws + "InvalidBatchEntryId", http.StatusBadRequest},
		{api.BatchRequestTooLong, sqs + "BatchRequestTooLong", aws + "BatchRequestTooLong", http.StatusBadRequest},
		{api.UnsupportedOperation, sqs + "UnsupportedOperation", aws + "UnsupportedOperation", http.StatusBadRequest},
		{api.OverLimit, sqs + "OverLimit", "OverLimit", http.StatusForbidden},
		{api.ResourceNotFound, sqs + "ResourceNotFoundException", "ResourceNotFoundException", http.StatusNotFound},

		{api.InvalidParameterValue, coral + "InvalidParameterValueException", "InvalidParameterValue", http.StatusBadRequest},
		{api.MissingParameter, coral + "MissingRequiredParameterException", "MissingParameter", http.StatusBadRequest},
		{api.UnknownOperation, coral + "UnknownOperationException", "InvalidAction", http.StatusBadRequest},
		{api.Serialization, coral + "SerializationException", "MalformedInput", http.StatusBadRequest},
		{api.AccessDenied, coral + "AccessDeniedException", "AccessDenied", http.StatusForbidden},
		{api.UnrecognizedClient, coral + "UnrecognizedClientException", "InvalidClientTokenId", http.StatusForbidden},
		{api.InvalidSignature, coral + "InvalidSignatureException", "SignatureDoesNotMatch", http.StatusForbidden},
		{api.IncompleteSignature, coral + "IncompleteSignatureException", "IncompleteSignature", http.StatusBadRequest},
		{api.InternalFailure, coral + "InternalFailure", "InternalError", http.StatusInternalServerError},
	} {
		require.Equal(t, api.Kind{Shape: want.shape, Code: want.code, Status: want.status}, *want.kind)
	}
}
