package awssqs_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// newQueue returns a queue of the engine, and the same through a client.
func newQueue(t *testing.T, cfg memsqs.Config) (*memsqs.Queue, *awssqs.Queue) {
	t.Helper()
	cfg.Name = "orders"
	q, err := memsqs.NewQueue(cfg)
	require.NoError(t, err)
	server := sqshttp.NewServer(sqshttp.Options{})
	require.NoError(t, server.Add(q))
	return q, awssqs.NewQueue(awssqs.NewClient(server), "orders")
}

// receiveOne receives one message.
func receiveOne(t *testing.T, q *awssqs.Queue, in memsqs.ReceiveInput) memsqs.Message {
	t.Helper()
	msgs, err := q.Receive(t.Context(), in)
	require.NoError(t, err)
	require.Len(t, msgs, 1)
	return msgs[0]
}

// A delay of a nanosecond is one of a second.
func TestDelayIsRoundedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, q := newQueue(t, memsqs.Config{})
		began := time.Now()
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: "hello", Delay: new(time.Nanosecond)})
		require.NoError(t, err)
		receiveOne(t, q, memsqs.ReceiveInput{WaitTime: new(20 * time.Second)})
		require.Equal(t, time.Second, time.Since(began))
	})
}

// An explicit wait of zero does not wait, though the queue's default does.
func TestNoWaitIsNotTheQueuesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, q := newQueue(t, memsqs.Config{WaitTime: 20 * time.Second})
		for wait, want := range map[*time.Duration]time.Duration{nil: 20 * time.Second, new(time.Duration(0)): 0} {
			began := time.Now()
			msgs, err := q.Receive(t.Context(), memsqs.ReceiveInput{WaitTime: wait})
			require.NoError(t, err)
			require.Empty(t, msgs)
			require.Equal(t, want, time.Since(began))
		}
	})
}

// The timeout of a message counts from when it was received, where SQS says when
// that was: of the first receive.
func TestInvisibleUntilOfAFirstReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, q := newQueue(t, memsqs.Config{})
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: "hello", Delay: new(7 * time.Second)})
		require.NoError(t, err)
		m := receiveOne(t, q, memsqs.ReceiveInput{WaitTime: new(20 * time.Second), VisibilityTimeout: new(time.Minute - 1)})
		require.True(t, m.InvisibleUntil.Equal(time.Now().Add(time.Minute)), m.InvisibleUntil)
	})
}

// The timeout of a message that was received before counts from the beginning of
// the call.
func TestInvisibleUntilOfALaterReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, q := newQueue(t, memsqs.Config{})
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: "hello"})
		require.NoError(t, err)
		receiveOne(t, q, memsqs.ReceiveInput{VisibilityTimeout: new(7 * time.Second)})
		began := time.Now()
		m := receiveOne(t, q, memsqs.ReceiveInput{WaitTime: new(20 * time.Second), VisibilityTimeout: new(time.Minute)})
		require.Equal(t, 7*time.Second, time.Since(began))
		require.True(t, m.InvisibleUntil.Equal(began.Add(time.Minute)), m.InvisibleUntil)
	})
}

// A clock that is not that of SQS moves the end of a timeout no further than the
// call itself took.
func TestInvisibleUntilWithAnotherClock(t *testing.T) {
	for name, skew := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, q := newQueue(t, memsqs.Config{Clock: memsqs.NewManualClock(time.Now().Add(skew))})
				_, err := q.Send(t.Context(), memsqs.SendInput{Body: "hello"})
				require.NoError(t, err)
				m := receiveOne(t, q, memsqs.ReceiveInput{VisibilityTimeout: new(time.Minute)})
				require.True(t, m.InvisibleUntil.Equal(time.Now().Add(time.Minute)), m.InvisibleUntil)
			})
		})
	}
}

// An asked client counts how often it is asked for attributes.
type asked struct {
	awssqs.Client
	times int
	err   error
}

func (a *asked) GetQueueAttributes(ctx context.Context, in *sqs.GetQueueAttributesInput, optFns ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error) {
	a.times++
	if a.err != nil {
		return nil, a.err
	}
	return a.Client.GetQueueAttributes(ctx, in, optFns...)
}

// Without a timeout in the input, the queue's own counts, which is asked for once a
// minute.
func TestInvisibleUntilByTheQueuesTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := sqshttp.NewServer(sqshttp.Options{})
		client := &asked{Client: awssqs.NewClient(server)}
		q := awssqs.NewQueue(client, *create(t, awssqs.NewFake(server), "orders", nil))
		for range 4 {
			_, err := q.Send(t.Context(), memsqs.SendInput{Body: "hello"})
			require.NoError(t, err)
		}
		receiveOne(t, q, memsqs.ReceiveInput{VisibilityTimeout: new(time.Hour)})
		require.Zero(t, client.times)
		for range 2 {
			m := receiveOne(t, q, memsqs.ReceiveInput{})
			require.True(t, m.InvisibleUntil.Equal(time.Now().Add(30*time.Second)), m.InvisibleUntil)
			require.Equal(t, 1, client.times)
		}
		err := server.Queue("orders").Configure(func(cfg *memsqs.Config) { cfg.VisibilityTimeout = new(time.Minute) })
		require.NoError(t, err)
		time.Sleep(time.Minute)
		m := receiveOne(t, q, memsqs.ReceiveInput{})
		require.True(t, m.InvisibleUntil.Equal(time.Now().Add(time.Minute)), m.InvisibleUntil)
		require.Equal(t, 2, client.times)

		time.Sleep(time.Minute)
		client.err = &smithy.GenericAPIError{Code: "AccessDenied", Fault: smithy.FaultClient}
		_, err = q.Receive(t.Context(), memsqs.ReceiveInput{})
		require.ErrorIs(t, err, client.err)
	})
}

// A queue can be used by many goroutines, also at first, when nobody knows its
// timeout.
func TestQueueByManyGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, q := newQueue(t, memsqs.Config{})
		for range 20 {
			go func() {
				msgs, err := q.Receive(t.Context(), memsqs.ReceiveInput{WaitTime: new(20 * time.Second)})
				assert.NoError(t, err)
				for _, m := range msgs {
					assert.NoError(t, q.Delete(t.Context(), m.ReceiptHandle))
				}
			}()
			go func() {
				_, err := q.Send(t.Context(), memsqs.SendInput{Body: "hello"})
				assert.NoError(t, err)
			}()
		}
		synctest.Wait()
		require.EqualValues(t, 20, engine.Stats().Deleted)
	})
}

// What SQS refuses matches the engine's error and the SDK's.
func TestErrorMatchesBoth(t *testing.T) {
	client := awssqs.NewClient(sqshttp.NewServer(sqshttp.Options{}))
	q := awssqs.NewQueue(client, "https://sqs.us-east-1.amazonaws.com/000000000000/orders")
	_, err := q.Send(t.Context(), memsqs.SendInput{Body: "hello"})
	require.ErrorIs(t, err, memsqs.ErrClosed)
	var refused *memsqs.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "orders", refused.Queue)
	require.ErrorContains(t, err, "memsqs: queue orders: queue is closed: operation error SQS: SendMessage, https response error StatusCode: 400, RequestID: ")
	require.ErrorContains(t, err, "The specified queue does not exist.")
	var missing *types.QueueDoesNotExist
	require.ErrorAs(t, err, &missing)
	var operation *smithy.OperationError
	require.ErrorAs(t, err, &operation)
	require.Equal(t, "SendMessage", operation.Operation())
}

// An entry of a batch that failed matches the engine's error and an error of the
// SDK with the code and the text that SQS gave it.
func TestBatchErrorMatchesBoth(t *testing.T) {
	_, q := newQueue(t, memsqs.Config{})
	err := q.DeleteBatch(t.Context(), []string{"garbage"})
	require.ErrorIs(t, err, memsqs.ErrReceiptHandleIsInvalid)
	var refused smithy.APIError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "ReceiptHandleIsInvalid", refused.ErrorCode())
	require.Equal(t, smithy.FaultClient, refused.ErrorFault())
	require.Contains(t, refused.ErrorMessage(), "garbage")
}

// An entry of which the answer of a broken endpoint says nothing is not taken to
// have succeeded: a message would be lost.
func TestEntryThatTheAnswerDoesNotHaveHasFailed(t *testing.T) {
	q := awssqs.NewQueue(curt{}, "orders")
	results, err := q.SendBatch(t.Context(), []memsqs.SendInput{{Body: "a"}, {Body: "b"}, {Body: "c"}})
	require.Equal(t, "id", results[1].MessageID)
	for name, err := range map[string]error{
		"send":   err,
		"delete": q.DeleteBatch(t.Context(), []string{"a", "b", "c"}),
		"change": q.ChangeVisibilityBatch(t.Context(), make([]memsqs.VisibilityChange, 3)),
	} {
		batch, ok := errors.AsType[*memsqs.BatchError](err)
		require.True(t, ok, name)
		require.Len(t, batch.Failed, 2, name)
		require.ErrorContains(t, batch.Failed[0], "the answer does not have this entry", name)
		require.ErrorContains(t, batch.Failed[2], "the answer does not have this entry", name)
		_, refused := errors.AsType[*memsqs.Error](err)
		require.False(t, refused, "it is worth another try")
	}
}

// A curt client answers for the second entry of a batch alone, and for one that
// there is not.
type curt struct{ awssqs.Client }

var (
	second = aws.String("1")
	stray  = []types.BatchResultErrorEntry{{Id: aws.String("10"), Code: aws.String("InternalError")}}
)

func (curt) SendMessageBatch(context.Context, *sqs.SendMessageBatchInput, ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error) {
	return &sqs.SendMessageBatchOutput{Failed: stray, Successful: []types.SendMessageBatchResultEntry{{Id: second, MessageId: aws.String("id")}}}, nil
}

func (curt) DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput, ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	return &sqs.DeleteMessageBatchOutput{Failed: stray, Successful: []types.DeleteMessageBatchResultEntry{{Id: second}}}, nil
}

func (curt) ChangeMessageVisibilityBatch(context.Context, *sqs.ChangeMessageVisibilityBatchInput, ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityBatchOutput, error) {
	return &sqs.ChangeMessageVisibilityBatchOutput{Failed: stray, Successful: []types.ChangeMessageVisibilityBatchResultEntry{{Id: second}}}, nil
}

// Endpoints that are not Amazon's may send the codes of one protocol or the other;
// what the engine has no error for is returned as it is.
func TestCodesOfErrors(t *testing.T) {
	for code, want := range map[string]error{
		"AWS.SimpleQueueService.NonExistentQueue":             memsqs.ErrClosed,
		"QueueDoesNotExist":                                   memsqs.ErrClosed,
		"MissingParameter":                                    memsqs.ErrMissingParameter,
		"MissingRequiredParameterException":                   memsqs.ErrMissingParameter,
		"InvalidParameterValue":                               memsqs.ErrInvalidParameterValue,
		"InvalidParameterValueException":                      memsqs.ErrInvalidParameterValue,
		"AWS.SimpleQueueService.MessageNotInflight":           memsqs.ErrMessageGone,
		"ReceiptHandleIsInvalid":                              memsqs.ErrReceiptHandleIsInvalid,
		"InvalidMessageContents":                              memsqs.ErrInvalidMessageContents,
		"OverLimit":                                           memsqs.ErrOverLimit,
		"AWS.SimpleQueueService.EmptyBatchRequest":            memsqs.ErrBatchEmpty,
		"EmptyBatchRequest":                                   memsqs.ErrBatchEmpty,
		"AWS.SimpleQueueService.TooManyEntriesInBatchRequest": memsqs.ErrBatchTooMany,
		"AWS.SimpleQueueService.BatchRequestTooLong":          memsqs.ErrBatchTooLong,
		"AccessDenied":                                        nil,
		"AWS.SimpleQueueService.PurgeQueueInProgress":         nil,
	} {
		cause := &smithy.GenericAPIError{Code: code}
		q := awssqs.NewQueue(&asked{err: cause}, "orders")
		_, err := q.Receive(t.Context(), memsqs.ReceiveInput{})
		require.ErrorIs(t, err, cause)
		var refused *memsqs.Error
		require.Equal(t, want != nil, errors.As(err, &refused), code)
		if want != nil {
			require.ErrorIs(t, err, want)
		}
	}
}

// A purge that comes too soon is the SDK's error alone.
func TestPurgeTwice(t *testing.T) {
	_, q := newQueue(t, memsqs.Config{})
	require.NoError(t, q.Purge(t.Context()))
	err := q.Purge(t.Context())
	var early *types.PurgeQueueInProgress
	require.ErrorAs(t, err, &early)
	var refused *memsqs.Error
	require.False(t, errors.As(err, &refused))
}

// A done context ends a long poll, and takes no message with it.
func TestQueueReceiveCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, q := newQueue(t, memsqs.Config{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := q.Receive(ctx, memsqs.ReceiveInput{WaitTime: new(20 * time.Second)})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = q.Send(ctx, memsqs.SendInput{Body: "hello"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, memsqs.Stats{Name: "orders"}, engine.Stats())
	})
}

// The name of a queue says whether it is a FIFO queue.
func TestFIFO(t *testing.T) {
	require.True(t, awssqs.NewQueue(nil, "https://sqs.us-east-1.amazonaws.com/000000000000/jobs.fifo").FIFO())
	require.False(t, awssqs.NewQueue(nil, "https://sqs.us-east-1.amazonaws.com/000000000000/orders").FIFO())
}
