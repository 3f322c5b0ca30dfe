package awssqs

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/memsqs/memsqs"
)

// A Client is what a [Queue] needs of a client: a [*sqs.Client] has it, and a
// [*Fake]. One that wraps another must hand on the options of a call, which write
// the zeros that the SDK would leave out: for SQS no delay is the queue's delay, and
// the engine can ask for none. One that makes up its answers must name each entry of
// a batch in them: what SQS says nothing of has failed.
type Client interface {
	SendMessage(context.Context, *sqs.SendMessageInput, ...func(*sqs.Options)) (*sqs.SendMessageOutput, error)
	SendMessageBatch(context.Context, *sqs.SendMessageBatchInput, ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error)
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessage(context.Context, *sqs.DeleteMessageInput, ...func(*sqs.Options)) (*sqs.DeleteMessageOutput, error)
	DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput, ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error)
	ChangeMessageVisibility(context.Context, *sqs.ChangeMessageVisibilityInput, ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error)
	ChangeMessageVisibilityBatch(context.Context, *sqs.ChangeMessageVisibilityBatchInput, ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityBatchOutput, error)
	PurgeQueue(context.Context, *sqs.PurgeQueueInput, ...func(*sqs.Options)) (*sqs.PurgeQueueOutput, error)
	GetQueueAttributes(context.Context, *sqs.GetQueueAttributesInput, ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error)
}

// A Queue is a queue of Amazon SQS with the methods of a [memsqs.Queue] and a
// [memsqs.FIFOQueue]: those on messages, with the same inputs and results. It is
// safe for use by many goroutines.
//
// SQS counts in whole seconds. Every duration is rounded up to the next, so that a
// delay of a nanosecond is one of a second.
//
// A call that SQS refuses returns a [*memsqs.Error], which matches with [errors.Is]
// what the engine's would, and with [errors.As] the SDK's error too; its Code wraps
// both. In the [*memsqs.BatchError] of a batch, where SQS says less, the latter is a
// [*smithy.GenericAPIError]. [memsqs.ErrClosed] means that there is no such queue.
//
// Other errors are the client's: of a done context, a lost connection, a lack of
// permission, a fault of SQS. The call may have taken effect. What SQS itself
// answered has a method Retryable() bool, which says whether it may pass.
//
// SQS promises less than the engine. A standard queue may deliver a message twice,
// out of order, or late, and a receive may return fewer messages than there are, or
// none if it does not wait. Purge can be called once a minute.
type Queue struct {
	client Client
	url    string
	own    ownTimeout
}

// NewQueue returns the queue with the given URL. It makes no call.
func NewQueue(client Client, url string) *Queue {
	return &Queue{client: client, url: url}
}

// name returns the queue's name, which is the last part of its URL.
func (q *Queue) name() string { return q.url[strings.LastIndexByte(q.url, '/')+1:] }

// FIFO reports whether the queue is a FIFO queue, which its name says.
func (q *Queue) FIFO() bool { return strings.HasSuffix(q.url, ".fifo") }

// Send sends a message, as [memsqs.Queue.Send] and [memsqs.FIFOQueue.Send] do.
func (q *Queue) Send(ctx context.Context, in memsqs.SendInput) (memsqs.SendResult, error) {
	out, err := q.client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl:                &q.url,
		MessageBody:             text(in.Body),
		DelaySeconds:            optionalSeconds(in.Delay),
		MessageAttributes:       attributes(in.Attributes),
		MessageSystemAttributes: systemAttributes(in.TraceHeader),
		MessageGroupId:          optional(in.GroupID),
		MessageDeduplicationId:  optional(in.DeduplicationID),
	}, writeZeros)
	if err != nil {
		return memsqs.SendResult{}, q.refusal(err)
	}
	return memsqs.SendResult{MessageID: aws.ToString(out.MessageId), SequenceNumber: aws.ToString(out.SequenceNumber)}, nil
}

// SendBatch sends up to ten messages, as [memsqs.Queue.SendBatch] does.
func (q *Queue) SendBatch(ctx context.Context, in []memsqs.SendInput) ([]memsqs.SendResult, error) {
	entries := make([]types.SendMessageBatchRequestEntry, len(in))
	for i, m := range in {
		entries[i] = types.SendMessageBatchRequestEntry{
			Id:                      aws.String(strconv.Itoa(i)),
			MessageBody:             text(m.Body),
			DelaySeconds:            optionalSeconds(m.Delay),
			MessageAttributes:       attributes(m.Attributes),
			MessageSystemAttributes: systemAttributes(m.TraceHeader),
			MessageGroupId:          optional(m.GroupID),
			MessageDeduplicationId:  optional(m.DeduplicationID),
		}
	}
	out, err := q.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: &q.url, Entries: entries}, writeZeros)
	if err != nil {
		return nil, q.refusal(err)
	}
	results := make([]memsqs.SendResult, len(in))
	ids := make([]*string, len(out.Successful))
	for n, sent := range out.Successful {
		ids[n] = sent.Id
		if i, ok := index(sent.Id, len(in)); ok {
			results[i] = memsqs.SendResult{MessageID: aws.ToString(sent.MessageId), SequenceNumber: aws.ToString(sent.SequenceNumber)}
		}
	}
	return results, q.batchError(len(in), ids, out.Failed)
}

// Receive receives messages, as [memsqs.Queue.Receive] does.
//
// SQS does not say how long it hides a message, and so InvisibleUntil is worked out.
// It counts from FirstReceivedAt on a first receive, and from the beginning of the
// call on a later one: during a long poll SQS may have handed the message out at any
// time. So it is not later than it should be, unless this machine's clock is behind
// that of SQS, and then by no more than the call took. If in has no
// VisibilityTimeout, it is the queue's that counts: Receive gets it with a call of
// GetQueueAttributes, once a minute at most, and fails if that fails.
func (q *Queue) Receive(ctx context.Context, in memsqs.ReceiveInput) ([]memsqs.Message, error) {
	timeout, err := q.visibilityTimeout(ctx, in.VisibilityTimeout)
	if err != nil {
		return nil, q.refusal(err)
	}
	began := time.Now()
	out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl:                    &q.url,
		MaxNumberOfMessages:         toInt32(in.MaxMessages),
		VisibilityTimeout:           optionalSeconds(in.VisibilityTimeout),
		WaitTimeSeconds:             optionalSeconds(in.WaitTime),
		ReceiveRequestAttemptId:     optional(in.AttemptID),
		MessageAttributeNames:       []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	}, writeZeros)
	if err != nil {
		return nil, q.refusal(err)
	}
	msgs := make([]memsqs.Message, len(out.Messages))
	for i, m := range out.Messages {
		msgs[i] = message(m)
		msgs[i].InvisibleUntil = receivedAt(&msgs[i], began, time.Now()).Add(timeout)
	}
	return msgs, nil
}

// Delete deletes a message, as [memsqs.Queue.Delete] does.
func (q *Queue) Delete(ctx context.Context, receiptHandle string) error {
	_, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &q.url, ReceiptHandle: &receiptHandle})
	return q.refusal(err)
}

// DeleteBatch deletes up to ten messages, as [memsqs.Queue.DeleteBatch] does.
func (q *Queue) DeleteBatch(ctx context.Context, receiptHandles []string) error {
	entries := make([]types.DeleteMessageBatchRequestEntry, len(receiptHandles))
	for i := range receiptHandles {
		entries[i] = types.DeleteMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), ReceiptHandle: &receiptHandles[i]}
	}
	out, err := q.client.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: &q.url, Entries: entries})
	if err != nil {
		return q.refusal(err)
	}
	ids := make([]*string, len(out.Successful))
	for n, done := range out.Successful {
		ids[n] = done.Id
	}
	return q.batchError(len(entries), ids, out.Failed)
}

// ChangeVisibility changes the visibility timeout of a message, as
// [memsqs.Queue.ChangeVisibility] does. In a FIFO queue SQS does not tell a handle
// that has expired from one whose message is gone: the error is
// [memsqs.ErrMessageGone] for both.
func (q *Queue) ChangeVisibility(ctx context.Context, receiptHandle string, timeout time.Duration) error {
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl:          &q.url,
		ReceiptHandle:     &receiptHandle,
		VisibilityTimeout: seconds(timeout),
	})
	return q.refusal(err)
}

// ChangeVisibilityBatch changes the visibility timeouts of up to ten messages, as
// [memsqs.Queue.ChangeVisibilityBatch] does.
func (q *Queue) ChangeVisibilityBatch(ctx context.Context, in []memsqs.VisibilityChange) error {
	entries := make([]types.ChangeMessageVisibilityBatchRequestEntry, len(in))
	for i := range in {
		entries[i] = types.ChangeMessageVisibilityBatchRequestEntry{
			Id:                aws.String(strconv.Itoa(i)),
			ReceiptHandle:     &in[i].ReceiptHandle,
			VisibilityTimeout: seconds(in[i].Timeout),
		}
	}
	out, err := q.client.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: &q.url, Entries: entries})
	if err != nil {
		return q.refusal(err)
	}
	ids := make([]*string, len(out.Successful))
	for n, done := range out.Successful {
		ids[n] = done.Id
	}
	return q.batchError(len(entries), ids, out.Failed)
}

// Purge deletes all messages, as [memsqs.Queue.Purge] does. SQS does not purge a
// queue twice within a minute; the error for that is the SDK's alone, a
// [*types.PurgeQueueInProgress].
func (q *Queue) Purge(ctx context.Context) error {
	_, err := q.client.PurgeQueue(ctx, &sqs.PurgeQueueInput{QueueUrl: &q.url})
	return q.refusal(err)
}
