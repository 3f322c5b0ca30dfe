package api_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

// An answer is what a receive answered, and how long it took.
type answer struct {
	out  *api.ReceiveMessageOutput
	err  error
	took time.Duration
}

// park starts a receive and returns when it waits.
func park(ctx context.Context, c *api.Caller, in api.ReceiveMessageInput) <-chan answer {
	answers := make(chan answer, 1)
	start := time.Now()
	go func() {
		out, err := c.ReceiveMessage(ctx, &in)
		answers <- answer{out, err, time.Since(start)}
	}()
	synctest.Wait()
	return answers
}

// A receive that waits returns when there is a message, or when the wait is over:
// its own, or the queue's if it has none (A3.3, A3.5).
func TestReceiveMessageWaits(t *testing.T) {
	for name, test := range map[string]struct {
		wait   *int
		sendAt time.Duration
		took   time.Duration
		got    []string
	}{
		"own, sent in time":  {new(20), 7 * time.Second, 7 * time.Second, []string{"a"}},
		"own, sent too late": {new(3), 7 * time.Second, 3 * time.Second, nil},
		"queue's, in time":   {nil, 2 * time.Second, 2 * time.Second, []string{"a"}},
		"queue's, too late":  {nil, 6 * time.Second, 5 * time.Second, nil},
		"zero does not wait": {new(0), time.Second, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCaller()
				addQueue(t, c, memsqs.Config{WaitTime: 5 * time.Second})
				answers := park(t.Context(), c, api.ReceiveMessageInput{QueueUrl: new(standard), WaitTimeSeconds: test.wait, MaxNumberOfMessages: new(10)})
				time.Sleep(test.sendAt)
				send(t, c, "a")
				a := <-answers
				require.NoError(t, a.err)
				require.Equal(t, test.took, a.took)
				require.Equal(t, test.got, bodies(a.out.Messages))
			})
		})
	}
}

// A timeout of 0 for a message in flight hands it to a receive that waits (A6.3).
func TestChangeMessageVisibilityWakesAReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		addQueue(t, c, memsqs.Config{})
		send(t, c, "a")
		m := receiveOne(t, c, standard)
		answers := park(t.Context(), c, api.ReceiveMessageInput{QueueUrl: new(standard), WaitTimeSeconds: new(20)})
		time.Sleep(3 * time.Second)
		_, err := c.ChangeMessageVisibility(t.Context(), &api.ChangeMessageVisibilityInput{QueueUrl: new(standard), ReceiptHandle: &m.ReceiptHandle, VisibilityTimeout: new(0)})
		require.NoError(t, err)
		a := <-answers
		require.NoError(t, a.err)
		require.Equal(t, []string{"a"}, bodies(a.out.Messages))
		require.Equal(t, 3*time.Second, a.took)
	})
}

// A receive that is cancelled while it waits ends with the error of its context.
func TestReceiveMessageIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		addQueue(t, c, memsqs.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		answers := park(ctx, c, api.ReceiveMessageInput{QueueUrl: new(standard), WaitTimeSeconds: new(20)})
		cancel()
		a := <-answers
		require.Equal(t, context.Canceled, a.err)
		require.Nil(t, a.out)
	})
}

// A countdown is a context that is done once it has been looked at a number of
// times: it ends in the middle of a call.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// A receive that is cancelled strands no message, whenever in the course of the call
// that is: what it has taken is visible again.
func TestCancelledReceiveMessageStrandsNothing(t *testing.T) {
	c := newCaller()
	q := addQueue(t, c, memsqs.Config{})
	send(t, c, "a", "b")
	for looks := 0; ; looks++ {
		out, err := c.ReceiveMessage(&countdown{t.Context(), looks}, &api.ReceiveMessageInput{QueueUrl: new(standard), MaxNumberOfMessages: new(10)})
		if err == nil {
			require.Len(t, out.Messages, 2)
			require.Equal(t, uint64(4), q.Stats().Received, "those of one receive were given back")
			return
		}
		require.Equal(t, context.Canceled, err)
		require.Nil(t, out)
		require.Equal(t, 2, q.Stats().Visible)
	}
}

// A call that is cancelled before it begins changes nothing.
func TestCancelledCallsChangeNothing(t *testing.T) {
	c := newCaller()
	q := addQueue(t, c, memsqs.Config{})
	send(t, c, "a")
	handle := receiveOne(t, c, standard).ReceiptHandle
	before := q.Stats()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range calls(&handle) {
		t.Run(name, func(t *testing.T) {
			answered, err := call(ctx, c, new(standard))
			require.Equal(t, context.Canceled, err)
			require.False(t, answered)
		})
	}
	after := q.Stats()
	before.OldestAge, after.OldestAge = 0, 0
	require.Equal(t, before, after)
}

// calls are the operations on messages, with what is good input for a standard
// queue.
func calls(handle *string) map[string]func(context.Context, *api.Caller, *string) (bool, error) {
	return map[string]func(context.Context, *api.Caller, *string) (bool, error){
		"SendMessage": func(ctx context.Context, c *api.Caller, queue *string) (bool, error) {
			out, err := c.SendMessage(ctx, &api.SendMessageInput{QueueUrl: queue, MessageBody: new("b")})
			return out != nil, err
		},
		"SendMessageBatch": func(ctx context.Context, c *api.Caller, queue *string) (bool, error) {
			out, err := c.SendMessageBatch(ctx, &api.SendMessageBatchInput{QueueUrl: queue, Entries: []api.SendMessageBatchRequestEntry{{Id: new("1"), MessageBody: new("b")}}})
			return out != nil, err
		},
		"ReceiveMessage": func(ctx context.Context, c *api.Caller, queue *string) (bool, error) {
			out, err := c.ReceiveMessage(ctx, &api.ReceiveMessageInput{QueueUrl: queue})
			return out != nil, err
		},
		"DeleteMessage": func(ctx context.Context, c *api.Caller, queue *string) (bool, error) {
			out, err := c.DeleteMessage(ctx, &api.DeleteMessageInput{QueueUrl: queue, ReceiptHandle: handle})
			return out != nil, err
		},
		"DeleteMessageBatch": func(ctx context.Context, c *api.Caller, queue *string) (bool, error) {
			out, err := c.DeleteMessageBatch(ctx, &api.DeleteMessageBatchInput{QueueUrl: queue, Entries: []api.DeleteMessageBatchRequestEntry{{Id: new("1"), ReceiptHandle: handle}}})
			return out != nil, err
		},
		"ChangeMessageVisibility": func(ctx context.Context, c *api.Caller, queue *string) (bool, error) {
			out, err := c.ChangeMessageVisibility(ctx, &api.ChangeMessageVisibilityInput{QueueUrl: queue, ReceiptHandle: handle, VisibilityTimeout: new(0)})
			return out != nil, err
		},
		"ChangeMessageVisibilityBatch": func(ctx context.Context, c *api.Caller, queue *string) (bool, error) {
			out, err := c.ChangeMessageVisibilityBatch(ctx, &api.ChangeMessageVisibilityBatchInput{QueueUrl: queue, Entries: []api.ChangeMessageVisibilityBatchRequestEntry{{Id: new("1"), ReceiptHandle: handle, VisibilityTimeout: new(0)}}})
			return out != nil, err
		},
		"PurgeQueue": func(ctx context.Context, c *api.Caller, queue *string) (bool, error) {
			out, err := c.PurgeQueue(ctx, &api.PurgeQueueInput{QueueUrl: queue})
			return out != nil, err
		},
	}
}

// An unknown queue is reported before all else that is wrong (A5.8, C3.3), in the
// words of the protocol (C2.8). So is one that is gone in mid-call, a call that
// waits included.
func TestUnknownQueue(t *testing.T) {
	const text = "The specified queue does not exist."
	for _, query := range []bool{false, true} {
		c := newCaller()
		c.Query = query
		q := addQueue(t, c, memsqs.Config{})
		want := text
		if query {
			want = "The specified queue does not exist for this wsdl version."
		}
		for name, call := range calls(new("garbage")) {
			for _, url := range []*string{nil, new("http://whatever-incorrect-queue-address"), new("other")} {
				answered, err := call(t.Context(), c, url)
				requireFault[int](t, api.QueueDoesNotExist, want, nil, err)
				require.False(t, answered, name)
			}
		}
		requireNothingChanged(t, q)
		require.NoError(t, q.Close())
		for name, call := range calls(new("garbage")) {
			answered, err := call(t.Context(), c, new(standard))
			requireFault[int](t, api.QueueDoesNotExist, want, nil, err)
			require.False(t, answered, name)
		}
	}
}

func TestQueueIsDeletedWhileAReceiveWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		q := addQueue(t, c, memsqs.Config{})
		answers := park(t.Context(), c, api.ReceiveMessageInput{QueueUrl: new(standard), WaitTimeSeconds: new(20)})
		time.Sleep(time.Second)
		require.NoError(t, q.Close())
		a := <-answers
		requireFault(t, api.QueueDoesNotExist, "The specified queue does not exist.", a.out, a.err)
		require.Equal(t, time.Second, a.took)
	})
}
