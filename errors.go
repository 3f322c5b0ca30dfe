package memsqs

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What a call can be refused for. Match with [errors.Is]: what the methods
// return is an [*Error], or in a batch a [*BatchError], that says more.
var (
	// ErrClosed means that the queue, or the queue that messages were to be
	// moved to, has been closed.
	ErrClosed = errors.New("queue is closed")

	// ErrMissingParameter means that something required was not given: a
	// body, a receipt handle, the message group of a FIFO message.
	ErrMissingParameter = errors.New("missing parameter")

	// ErrInvalidParameterValue means that an argument is out of range or not
	// of the required form, or does not fit the state of the message.
	ErrInvalidParameterValue = errors.New("invalid parameter value")

	// ErrNotFIFO means that an argument was given to a standard queue that
	// only a FIFO queue takes. It matches ErrInvalidParameterValue too.
	ErrNotFIFO = fmt.Errorf("%w: not valid for a standard queue", ErrInvalidParameterValue)

	// ErrInvalidAttributeValue means that a queue cannot have the given
	// configuration.
	ErrInvalidAttributeValue = errors.New("invalid attribute value")

	// ErrInvalidMessageContents means that a body holds characters that are
	// not allowed in one, or is not valid UTF-8.
	ErrInvalidMessageContents = errors.New("invalid message contents")
)

// What a receive and the use of its receipt handle can be refused for.
var (
	// ErrReceiptHandleIsInvalid means that a receipt handle is not one that
	// this queue gave out.
	ErrReceiptHandleIsInvalid = errors.New("receipt handle is invalid")

	// ErrReceiptHandleExpired means that the visibility timeout of the
	// receive that gave out the handle has passed. Only a FIFO queue returns
	// it. It matches ErrInvalidParameterValue too.
	ErrReceiptHandleExpired = fmt.Errorf("%w: receipt handle has expired", ErrInvalidParameterValue)

	// ErrMessageGone means that the message of a receipt handle is no longer
	// in the queue: it was deleted, moved or purged, or it expired. To delete
	// it is not an error, so ChangeVisibility alone returns it. It matches
	// ErrInvalidParameterValue too.
	ErrMessageGone = fmt.Errorf("%w: message is gone", ErrInvalidParameterValue)

	// ErrOverLimit means that as many messages are in flight as the queue
	// allows. Only a receive from a standard queue that does not wait
	// returns it.
	ErrOverLimit = errors.New("too many messages in flight")
)

// What a whole batch can be refused for.
var (
	// ErrBatchEmpty means that a batch has no entries.
	ErrBatchEmpty = errors.New("batch is empty")

	// ErrBatchTooMany means that a batch has more than ten entries.
	ErrBatchTooMany = errors.New("too many entries in batch")

	// ErrBatchTooLong means that the messages of a batch are together larger
	// than 1 MiB.
	ErrBatchTooLong = errors.New("batch is too long")
)

// An Error is returned for every call that a queue refuses.
type Error struct {
	Code   error  // one of the package's Err values
	Queue  string // the Name in the queue's configuration
	Detail string // what was wrong, with the offending value and the accepted range
}

// Error returns the queue, the code and the detail in one line.
func (e *Error) Error() string {
	if e.Queue == "" {
		return fmt.Sprintf("memsqs: %v: %s", e.Code, e.Detail)
	}
	return fmt.Sprintf("memsqs: queue %s: %v: %s", e.Queue, e.Code, e.Detail)
}

// Unwrap returns e.Code, so that [errors.Is] matches it.
func (e *Error) Unwrap() error { return e.Code }

// A BatchError reports the entries of a batch that failed; the others were
// applied. It matches, with [errors.Is] and [errors.As], what any of its
// entries matches.
type BatchError struct {
	Failed map[int]error // by index into the call's slice; a queue of this package makes each an *Error
}

// Error returns the errors of the failed entries in the order of the batch, but
// of no more than ten.
func (e *BatchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "memsqs: %d of the batch failed", len(e.Failed))
	for n, i := range slices.Sorted(maps.Keys(e.Failed)) {
		if n == maxBatchEntries {
			fmt.Fprintf(&b, "; and %d more", len(e.Failed)-n)
			break
		}
		fmt.Fprintf(&b, "; entry %d: %v", i, e.Failed[i])
	}
	return b.String()
}

// Unwrap returns the errors of the failed entries in the order of the batch.
func (e *BatchError) Unwrap() []error {
	errs := make([]error, 0, len(e.Failed))
	for _, i := range slices.Sorted(maps.Keys(e.Failed)) {
		errs = append(errs, e.Failed[i])
	}
	return errs
}

// failures are the errors of the entries of a batch, by index.
type failures map[int]error

// add notes that entry i failed with err, unless err is nil.
func (f *failures) add(i int, err error) {
	if err == nil {
		return
	}
	if *f == nil {
		*f = make(failures)
	}
	(*f)[i] = err
}

// err returns a *BatchError, or nil if nothing failed.
func (f failures) err() error {
	if len(f) == 0 {
		return nil
	}
	return &BatchError{Failed: f}
}
