package api

import (
	"context"

	"github.com/memsqs/memsqs"
)

const (
	maxMessages = 10
	maxWait     = 20 // seconds
)

// ReceiveMessage receives messages.
//
// If ctx is done when they have been received, but not returned yet, they are made
// visible again: nobody will delete them. A caller that gives a receive request
// attempt id can get them by asking again, and so they wait for that (B10.2).
func (c *Caller) ReceiveMessage(ctx context.Context, in *ReceiveMessageInput) (*ReceiveMessageOutput, error) {
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	if fault := q.checkReceive(in); fault != nil {
		return nil, fault
	}
	msgs, err := q.Receive(ctx, memsqs.ReceiveInput{
		MaxMessages:       number(in.MaxNumberOfMessages),
		VisibilityTimeout: durationOf(in.VisibilityTimeout),
		WaitTime:          durationOf(in.WaitTimeSeconds),
		AttemptID:         value(in.ReceiveRequestAttemptId),
	})
	if err != nil {
		return nil, c.fault(err, func(refused *memsqs.Error) *Error { return wordsOfReceive(in, refused) })
	}
	if err := ctx.Err(); err != nil {
		if in.ReceiveRequestAttemptId == nil {
			q.giveBack(ctx, msgs)
		}
		return nil, err
	}
	return q.received(in, msgs), nil
}

// checkReceive refuses what is out of range.
func (q *queue) checkReceive(in *ReceiveMessageInput) *Error {
	switch {
	case !within(in.MaxNumberOfMessages, 1, maxMessages): // A3.1
		return invalid("MaxNumberOfMessages", *in.MaxNumberOfMessages, "Must be between 1 and 10, if provided.")
	case !within(in.WaitTimeSeconds, 0, maxWait): // A3.2
		return invalid("WaitTimeSeconds", *in.WaitTimeSeconds, "Must be >= 0 and <= 20, if provided.")
	case !within(in.VisibilityTimeout, 0, maxVisibilityTimeout): // A3.4
		return invalid("VisibilityTimeout", *in.VisibilityTimeout, "Must be >= 0 and <= 43200, if provided.")
	case in.ReceiveRequestAttemptId != nil && q.fifo == nil: // B10.5
		return invalid("ReceiveRequestAttemptId", *in.ReceiveRequestAttemptId, notForThisType+".")
	}
	return checkID("ReceiveRequestAttemptId", in.ReceiveRequestAttemptId) // B10.1
}

// wordsOfReceive words the refusal of a receive.
func wordsOfReceive(in *ReceiveMessageInput, refused *memsqs.Error) *Error {
	if refused.Code == memsqs.ErrOverLimit { // A7.2, A7.3
		return OverLimit.errorf("Too many messages have been received without being deleted. Please delete your received messages or let them timeout before receiving more.")
	}
	return invalid("ReceiveRequestAttemptId", value(in.ReceiveRequestAttemptId), "The receiveRequestAttemptId is not valid anymore since the receive call is not retryable.") // B10.3
}

// giveBack makes messages visible that have been received for a call that is over.
// What cannot be given back is visible already, or its queue is gone.
func (q *queue) giveBack(ctx context.Context, msgs []memsqs.Message) {
	changes := make([]memsqs.VisibilityChange, len(msgs))
	for i := range msgs {
		changes[i].ReceiptHandle = msgs[i].ReceiptHandle
	}
	_ = q.ChangeVisibilityBatch(context.WithoutCancel(ctx), changes)
}

// received returns messages as their receiver has asked to see them (A3.10).
func (q *queue) received(in *ReceiveMessageInput, msgs []memsqs.Message) *ReceiveMessageOutput {
	out := new(ReceiveMessageOutput)
	if len(msgs) == 0 {
		return out
	}
	system := selectSystem(in.AttributeNames, in.MessageSystemAttributeNames)
	out.Messages = make([]Message, len(msgs))
	for i := range msgs {
		m := &msgs[i]
		attrs := selectAttributes(in.MessageAttributeNames, m.Attributes)
		out.Messages[i] = Message{
			MessageId:              m.ID,
			ReceiptHandle:          m.ReceiptHandle,
			MD5OfBody:              md5OfBody(m.Body),
			Body:                   m.Body,
			Attributes:             system.of(q, m),
			MD5OfMessageAttributes: md5OfAttributes(attrs),
			MessageAttributes:      attrs,
		}
	}
	return out
}
