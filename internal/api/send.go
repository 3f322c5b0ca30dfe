package api

import (
	"cmp"
	"context"

	"github.com/memsqs/memsqs"
)

const (
	maxDelay     = 900     // seconds
	maxBatchSize = 1 << 20 // bytes (A15.2)
)

// SendMessage sends a message.
func (c *Caller) SendMessage(ctx context.Context, in *SendMessageInput) (*SendMessageOutput, error) {
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	e := SendMessageBatchRequestEntry{
		MessageBody:             in.MessageBody,
		DelaySeconds:            in.DelaySeconds,
		MessageAttributes:       in.MessageAttributes,
		MessageSystemAttributes: in.MessageSystemAttributes,
		MessageDeduplicationId:  in.MessageDeduplicationId,
		MessageGroupId:          in.MessageGroupId,
	}
	if fault := q.checkWhole(&e, alone); fault != nil {
		return nil, fault
	}
	msg, fault := c.message(q, &e, alone)
	if fault != nil {
		return nil, fault
	}
	sent, err := q.Send(ctx, msg)
	if err != nil {
		return nil, c.fault(err, func(refused *memsqs.Error) *Error { return c.wordsOfSend(q, &e, alone, refused) })
	}
	return &SendMessageOutput{
		MD5OfMessageAttributes:       md5OfAttributes(e.MessageAttributes),
		MD5OfMessageBody:             md5OfBody(msg.Body),
		MD5OfMessageSystemAttributes: md5OfAttributes(e.MessageSystemAttributes),
		MessageId:                    sent.MessageID,
		SequenceNumber:               sent.SequenceNumber,
	}, nil
}

// SendMessageBatch sends up to ten messages. An entry that breaks a rule fails
// alone, but for one with a list of values, or that lacks an id in a FIFO queue.
func (c *Caller) SendMessageBatch(ctx context.Context, in *SendMessageBatchInput) (*SendMessageBatchOutput, error) {
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	if fault := q.checkSendBatch(in.Entries); fault != nil {
		return nil, fault
	}
	b := prepare(in.Entries, func(e *SendMessageBatchRequestEntry, at int) (memsqs.SendInput, *Error) {
		return c.message(q, e, at)
	})
	var sent []memsqs.SendResult
	err = b.do(func(msgs []memsqs.SendInput) (err error) {
		sent, err = q.SendBatch(ctx, msgs)
		return err
	}, func(at int, refused *memsqs.Error) *Error {
		return c.wordsOfSend(q, &in.Entries[at], at, refused)
	})
	if err != nil {
		return nil, c.fault(err, wholeCall)
	}
	out := new(SendMessageBatchOutput)
	out.Successful, out.Failed = results(b, in.Entries, sendEntryID, func(e *SendMessageBatchRequestEntry, arg int) SendMessageBatchResultEntry {
		return SendMessageBatchResultEntry{
			Id:                           *e.Id,
			MessageId:                    sent[arg].MessageID,
			MD5OfMessageBody:             md5OfBody(*e.MessageBody),
			MD5OfMessageAttributes:       md5OfAttributes(e.MessageAttributes),
			MD5OfMessageSystemAttributes: md5OfAttributes(e.MessageSystemAttributes),
			SequenceNumber:               sent[arg].SequenceNumber,
		}
	})
	return out, nil
}

const sendEntry = "SendMessageBatchRequestEntry"

func sendEntryID(e *SendMessageBatchRequestEntry) *string { return e.Id }

// checkSendBatch refuses a batch of messages as a whole.
func (q *queue) checkSendBatch(entries []SendMessageBatchRequestEntry) *Error {
	if fault := checkEnvelope(sendEntry, entries, sendEntryID); fault != nil {
		return fault
	}
	total := 0
	for i := range entries {
		total += sizeOf(&entries[i])
	}
	if total > maxBatchSize {
		return BatchRequestTooLong.errorf("Batch requests cannot be longer than %d bytes. You have sent %d bytes.", maxBatchSize, total)
	}
	for i := range entries {
		if fault := q.checkWhole(&entries[i], i); fault != nil {
			return fault
		}
	}
	return nil
}

// checkWhole refuses a message for what in a batch refuses the whole of it.
func (q *queue) checkWhole(e *SendMessageBatchRequestEntry, at int) *Error {
	return cmp.Or(checkNoLists(e, at), q.checkMissing(e, at))
}

// checkMissing refuses a message, or the whole of its batch, for an id that it
// lacks in a FIFO queue (B1.1 to B1.3).
func (q *queue) checkMissing(e *SendMessageBatchRequestEntry, at int) *Error {
	switch {
	case q.fifo == nil:
		return nil
	case e.MessageGroupId == nil:
		fault := missing("MessageGroupId")
		if at != alone {
			fault.Kind = InvalidParameterValue
		}
		return fault
	case e.MessageDeduplicationId == nil && !q.fifo.Config().ContentBasedDeduplication:
		return InvalidParameterValue.errorf("The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly")
	}
	return nil
}

// message returns the message that an entry asks to send, or refuses it. It looks
// for what the engine cannot know: what it is given has no absent values, only
// empty ones.
func (c *Caller) message(q *queue, e *SendMessageBatchRequestEntry, at int) (msg memsqs.SendInput, fault *Error) {
	if value(e.MessageBody) == "" { // A1.1
		return msg, missing(parameter(sendEntry, at, "MessageBody"))
	}
	if fault := q.checkSendParameters(e, at); fault != nil {
		return msg, fault
	}
	msg = memsqs.SendInput{
		Body:            *e.MessageBody,
		Delay:           durationOf(e.DelaySeconds),
		GroupID:         value(e.MessageGroupId),
		DeduplicationID: value(e.MessageDeduplicationId),
		Attributes:      attributesOf(e.MessageAttributes),
	}
	msg.TraceHeader, fault = traceHeaderOf(e.MessageSystemAttributes, c.TraceHeader)
	return msg, fault
}

// checkSendParameters refuses the delay and the ids of a message.
func (q *queue) checkSendParameters(e *SendMessageBatchRequestEntry, at int) *Error {
	if id := e.MessageDeduplicationId; id != nil && q.fifo == nil { // A1.9
		if at != alone {
			return InvalidParameterValue.errorf(notForThisType)
		}
		return invalid("MessageDeduplicationId", *id, notForThisType+".")
	}
	if fault := checkID("MessageGroupId", e.MessageGroupId); fault != nil { // A1.10
		return fault
	}
	if fault := checkID("MessageDeduplicationId", e.MessageDeduplicationId); fault != nil {
		return fault
	}
	switch delay := e.DelaySeconds; {
	case !within(delay, 0, maxDelay): // A2.2
		return invalid("DelaySeconds", *delay, "DelaySeconds must be >= 0 and <= 900.")
	case q.fifo != nil && !within(delay, 0, 0): // B2.1
		return invalid("DelaySeconds", *delay, notForThisType+".")
	}
	return nil
}

// wordsOfSend words the refusal of a message. What it can be refused for by its
// contents alone, the API does not look for before.
func (c *Caller) wordsOfSend(q *queue, e *SendMessageBatchRequestEntry, at int, refused *memsqs.Error) *Error {
	if fault := q.checkMissing(e, at); fault != nil { // the configuration has changed
		return fault
	}
	if refused.Code == memsqs.ErrInvalidMessageContents { // A1.5
		char, _ := findDisallowed(*e.MessageBody)
		return InvalidMessageContents.errorf("Invalid binary character '%s' was found in the message body, %s", char, allowed)
	}
	if most := q.maxMessageSize(); sizeOf(e) > most { // A1.2, A15.4
		verb := "are invalid"
		if at != alone {
			verb = "cannot be validated"
		}
		return InvalidParameterValue.errorf("One or more parameters %s. Reason: Message must be shorter than %d bytes.", verb, most)
	}
	header, _ := traceHeaderOf(e.MessageSystemAttributes, c.TraceHeader)
	if char, bad := findDisallowed(header); bad {
		return InvalidParameterValue.errorf("Invalid binary character '%s' was found in the message system attribute '%s' value, %s", char, traceHeader, allowed)
	}
	if fault := wordsOfAttributes(e.MessageAttributes); fault != nil {
		return fault
	}
	return wholeCall(refused)
}

// sizeOf returns the size of a message: of what counts toward it (A1.4).
func sizeOf(e *SendMessageBatchRequestEntry) int {
	n := len(value(e.MessageBody))
	for name, a := range e.MessageAttributes {
		n += len(name) + len(value(a.DataType)) + len(value(a.StringValue)) + len(a.BinaryValue)
	}
	return n
}

// maxMessageSize returns the most bytes that a message of the queue can have.
func (q *queue) maxMessageSize() int {
	if q.fifo != nil {
		return q.fifo.Config().MaxMessageSize
	}
	return q.standard.Config().MaxMessageSize
}
