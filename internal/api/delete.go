package api

import (
	"context"
	"errors"

	"github.com/memsqs/memsqs"
)

// DeleteMessage deletes a message. A receipt handle that is empty is as good as
// none.
func (c *Caller) DeleteMessage(ctx context.Context, in *DeleteMessageInput) (*DeleteMessageOutput, error) {
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	handle := value(in.ReceiptHandle)
	if handle == "" {
		return nil, missing("MessageHandle") // so it is called, for the name the parameter once had
	}
	if err := q.Delete(ctx, handle); err != nil {
		return nil, c.fault(err, func(refused *memsqs.Error) *Error { return wordsOfDelete(handle, alone, refused) })
	}
	return new(DeleteMessageOutput), nil
}

// DeleteMessageBatch deletes up to ten messages.
func (c *Caller) DeleteMessageBatch(ctx context.Context, in *DeleteMessageBatchInput) (*DeleteMessageBatchOutput, error) {
	const entry = "DeleteMessageBatchRequestEntry"
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	id := func(e *DeleteMessageBatchRequestEntry) *string { return e.Id }
	if fault := checkEnvelope(entry, in.Entries, id); fault != nil {
		return nil, fault
	}
	b := prepare(in.Entries, func(e *DeleteMessageBatchRequestEntry, at int) (handle string, fault *Error) {
		if handle = value(e.ReceiptHandle); handle == "" {
			fault = missing(parameter(entry, at, "ReceiptHandle"))
		}
		return handle, fault
	})
	err = b.do(func(handles []string) error { return q.DeleteBatch(ctx, handles) }, func(at int, refused *memsqs.Error) *Error {
		return wordsOfDelete(*in.Entries[at].ReceiptHandle, at, refused)
	})
	if err != nil {
		return nil, c.fault(err, wholeCall)
	}
	out := new(DeleteMessageBatchOutput)
	out.Successful, out.Failed = results(b, in.Entries, id, func(e *DeleteMessageBatchRequestEntry, _ int) BatchResultEntry {
		return BatchResultEntry{Id: *e.Id}
	})
	return out, nil
}

// wordsOfDelete words the refusal of a receipt handle, whose code is another in a
// batch (B8.1, B8.2).
func wordsOfDelete(handle string, at int, refused *memsqs.Error) *Error {
	switch expired := errors.Is(refused, memsqs.ErrReceiptHandleExpired); {
	case expired && at == alone:
		return invalid("ReceiptHandle", handle, "The receipt handle has expired.")
	case expired:
		return ReceiptHandleIsInvalid.errorf("The receipt handle has expired")
	}
	return badHandle(handle)
}
