package api

import (
	"context"
	"errors"

	"github.com/memsqs/memsqs"
)

const maxVisibilityTimeout = 43_200 // seconds

// ChangeMessageVisibility changes the visibility timeout of a message.
func (c *Caller) ChangeMessageVisibility(ctx context.Context, in *ChangeMessageVisibilityInput) (*ChangeMessageVisibilityOutput, error) {
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	e := ChangeMessageVisibilityBatchRequestEntry{ReceiptHandle: in.ReceiptHandle, VisibilityTimeout: in.VisibilityTimeout}
	change, fault := visibilityChange(&e, alone)
	if fault != nil {
		return nil, fault
	}
	if err := q.ChangeVisibility(ctx, change.ReceiptHandle, change.Timeout); err != nil {
		return nil, c.fault(err, func(refused *memsqs.Error) *Error { return wordsOfChange(&e, refused) })
	}
	return new(ChangeMessageVisibilityOutput), nil
}

// ChangeMessageVisibilityBatch changes the visibility timeouts of up to ten
// messages.
func (c *Caller) ChangeMessageVisibilityBatch(ctx context.Context, in *ChangeMessageVisibilityBatchInput) (*ChangeMessageVisibilityBatchOutput, error) {
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	id := func(e *ChangeMessageVisibilityBatchRequestEntry) *string { return e.Id }
	if fault := checkEnvelope(changeEntry, in.Entries, id); fault != nil {
		return nil, fault
	}
	b := prepare(in.Entries, visibilityChange)
	err = b.do(func(changes []memsqs.VisibilityChange) error { return q.ChangeVisibilityBatch(ctx, changes) }, func(at int, refused *memsqs.Error) *Error {
		return wordsOfChange(&in.Entries[at], refused)
	})
	if err != nil {
		return nil, c.fault(err, wholeCall)
	}
	out := new(ChangeMessageVisibilityBatchOutput)
	out.Successful, out.Failed = results(b, in.Entries, id, func(e *ChangeMessageVisibilityBatchRequestEntry, _ int) BatchResultEntry {
		return BatchResultEntry{Id: *e.Id}
	})
	return out, nil
}

const changeEntry = "ChangeMessageVisibilityBatchRequestEntry"

// visibilityChange returns the change that an entry asks for, or refuses it. A
// receipt handle that is empty is as good as none.
func visibilityChange(e *ChangeMessageVisibilityBatchRequestEntry, at int) (change memsqs.VisibilityChange, fault *Error) {
	switch handle := value(e.ReceiptHandle); {
	case handle == "":
		return change, missing(parameter(changeEntry, at, "ReceiptHandle"))
	case e.VisibilityTimeout == nil:
		return change, missing(parameter(changeEntry, at, "VisibilityTimeout"))
	case within(e.VisibilityTimeout, 0, maxVisibilityTimeout):
		return memsqs.VisibilityChange{ReceiptHandle: handle, Timeout: *durationOf(e.VisibilityTimeout)}, nil
	case at == alone:
		return change, invalid("VisibilityTimeout", *e.VisibilityTimeout, "Must be between 0 and 43200.") // A6.1
	}
	return change, invalid("VisibilityTimeout", *e.VisibilityTimeout, "VisibilityTimeout must be an integer between 0 and 43200.")
}

// wordsOfChange words the refusal of a change, of which nothing is missing.
func wordsOfChange(e *ChangeMessageVisibilityBatchRequestEntry, refused *memsqs.Error) *Error {
	switch handle := *e.ReceiptHandle; {
	case errors.Is(refused, memsqs.ErrReceiptHandleIsInvalid):
		return badHandle(handle)
	case errors.Is(refused, memsqs.ErrMessageGone), errors.Is(refused, memsqs.ErrReceiptHandleExpired): // A6.7, B8.4
		return invalid("ReceiptHandle", handle, "Message does not exist or is not available for visibility timeout change.")
	}
	return invalid("VisibilityTimeout", *e.VisibilityTimeout, "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]") // A6.9
}
