package awssqs

import (
	"errors"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/memsqs/memsqs"
)

// A code is the Code of a [memsqs.Error] of a Queue: the engine's sentinel, which
// also matches what the SDK returned.
type code struct {
	error // the sentinel
	cause error
}

// Unwrap returns the sentinel and the cause.
func (c code) Unwrap() []error { return []error{c.error, c.cause} }

// refusal returns what a Queue returns for an error of its client.
func (q *Queue) refusal(err error) error {
	var refused smithy.APIError
	if !errors.As(err, &refused) {
		return err
	}
	sentinel := q.sentinel(refused)
	if sentinel == nil {
		return newFailure(err, refused)
	}
	return &memsqs.Error{Code: code{sentinel, err}, Queue: q.name(), Detail: err.Error()}
}

// sentinel returns the engine's error for one of the API, or nil if it has none.
func (q *Queue) sentinel(err smithy.APIError) error {
	// An endpoint that is not Amazon's may send the code of one protocol or the other.
	code := strings.TrimSuffix(strings.TrimPrefix(err.ErrorCode(), "AWS.SimpleQueueService."), "Exception")
	switch code {
	case "NonExistentQueue", "QueueDoesNotExist":
		return memsqs.ErrClosed
	case "MissingParameter", "MissingRequiredParameter":
		return memsqs.ErrMissingParameter
	case "InvalidParameterValue":
		return q.invalidParameter(err.ErrorMessage())
	case "MessageNotInflight": // A6.8
		return memsqs.ErrMessageGone
	case "ReceiptHandleIsInvalid":
		if isExpired(err.ErrorMessage()) { // B8.2
			return memsqs.ErrReceiptHandleExpired
		}
		return memsqs.ErrReceiptHandleIsInvalid
	case "InvalidMessageContents":
		return memsqs.ErrInvalidMessageContents
	case "OverLimit":
		return memsqs.ErrOverLimit
	case "EmptyBatchRequest":
		return memsqs.ErrBatchEmpty
	case "TooManyEntriesInBatchRequest":
		return memsqs.ErrBatchTooMany
	case "BatchRequestTooLong":
		return memsqs.ErrBatchTooLong
	}
	return nil
}

// invalidParameter returns the sentinel for an InvalidParameterValue. What the
// engine tells apart, SQS tells in the text alone.
func (q *Queue) invalidParameter(message string) error {
	switch {
	case isExpired(message): // B8.1
		return memsqs.ErrReceiptHandleExpired
	case strings.Contains(message, "not available for visibility timeout change"): // A6.7
		return memsqs.ErrMessageGone
	case strings.Contains(message, "not valid for this queue type") && !q.FIFO(): // A1.9
		return memsqs.ErrNotFIFO
	}
	return memsqs.ErrInvalidParameterValue
}

// isExpired reports whether a message is that of a FIFO queue's expired handle.
func isExpired(message string) bool { return strings.Contains(message, "receipt handle has expired") }

// errUnanswered is the error of an entry of a batch of which the answer says
// nothing. It may have succeeded.
var errUnanswered = errors.New("awssqs: the answer does not have this entry of the batch")

// batchError returns the error of a batch of n entries, or nil if the ids of those
// that succeeded are all there.
func (q *Queue) batchError(n int, succeeded []*string, failed []types.BatchResultErrorEntry) error {
	errs := make(map[int]error)
	for i := range n {
		errs[i] = errUnanswered
	}
	for _, id := range succeeded {
		if i, ok := index(id, n); ok {
			delete(errs, i)
		}
	}
	for _, entry := range failed {
		if i, ok := index(entry.Id, n); ok {
			errs[i] = q.refusal(entryError(entry))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return &memsqs.BatchError{Failed: errs}
}

// entryError returns the SDK's error for an entry that failed.
func entryError(entry types.BatchResultErrorEntry) error {
	fault := smithy.FaultServer
	if entry.SenderFault {
		fault = smithy.FaultClient
	}
	return &smithy.GenericAPIError{Code: aws.ToString(entry.Code), Message: aws.ToString(entry.Message), Fault: fault}
}

// index returns the index of the entry with the given id in a batch of n.
func index(id *string, n int) (int, bool) {
	i, err := strconv.Atoi(aws.ToString(id))
	return i, err == nil && 0 <= i && i < n
}
