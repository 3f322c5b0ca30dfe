// Tests of what all methods have in common: that they change nothing when they
// are refused, because the context has ended or the queue is closed.

package memsqs_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// A kindOfQueue is *Queue or *FIFOQueue, Q, with its configuration, C.
type kindOfQueue[Q, C any] interface {
	queue
	Redrive(context.Context, Q, int) (int, error)
	StartRedrive(context.Context, Q, int) (*memsqs.Redrive, error)
	Configure(func(*C)) error
	Config() C
}

// A call is a call of one of the methods of a queue.
type call func(context.Context) error

// everyCall returns a call of each method that takes a context; a redrive is to
// the given queue. If the handle is that of a message in flight, and another is
// visible, they all succeed and change something.
func everyCall[Q kindOfQueue[Q, C], C any](q, to Q, handle string) map[string]call {
	in := memsqs.SendInput{Body: "sent", GroupID: "sent"}
	return map[string]call{
		"Send": func(ctx context.Context) error {
			_, err := q.Send(ctx, in)
			return err
		},
		"SendBatch": func(ctx context.Context) error {
			_, err := q.SendBatch(ctx, []memsqs.SendInput{in})
			return err
		},
		"Receive": func(ctx context.Context) error {
			_, err := q.Receive(ctx, memsqs.ReceiveInput{})
			return err
		},
		"Receive that waits": func(ctx context.Context) error {
			_, err := q.Receive(ctx, memsqs.ReceiveInput{WaitTime: seconds(20)})
			return err
		},
		"Delete": func(ctx context.Context) error {
			return q.Delete(ctx, handle)
		},
		"DeleteBatch": func(ctx context.Context) error {
			return q.DeleteBatch(ctx, []string{handle})
		},
		"ChangeVisibility": func(ctx context.Context) error {
			return q.ChangeVisibility(ctx, handle, time.Second)
		},
		"ChangeVisibilityBatch": func(ctx context.Context) error {
			return q.ChangeVisibilityBatch(ctx, []memsqs.VisibilityChange{{ReceiptHandle: handle}})
		},
		"Purge": q.Purge,
		"Redrive": func(ctx context.Context) error {
			_, err := q.Redrive(ctx, to, 0)
			return err
		},
		"StartRedrive": func(ctx context.Context) error {
			_, err := q.StartRedrive(ctx, to, 0)
			return err
		},
	}
}

// configureCall returns a call of Configure, which takes no context.
func configureCall[Q kindOfQueue[Q, C], C any](q Q) call {
	return func(context.Context) error { return q.Configure(func(*C) {}) }
}

// A stage is a queue of either kind, on a clock that stands still, with one
// message in flight and one visible.
type stage struct {
	queue
	clock *spyClock
}

// onEveryCall runs a test for each method that is given, on a new stage.
func onEveryCall(t *testing.T, test func(*testing.T, stage, call)) {
	onEveryCallOf(t, "Queue", func(t *testing.T, clock memsqs.Clock) *memsqs.Queue {
		return newQueue(t, memsqs.Config{Name: "q", Clock: clock})
	}, test)
	onEveryCallOf(t, "FIFOQueue", func(t *testing.T, clock memsqs.Clock) *memsqs.FIFOQueue {
		return newFIFOQueue(t, memsqs.FIFOConfig{Name: "q", Clock: clock, ContentBasedDeduplication: true})
	}, test)
}

func onEveryCallOf[Q kindOfQueue[Q, C], C any](t *testing.T, kind string, newQ func(*testing.T, memsqs.Clock) Q, test func(*testing.T, stage, call)) {
	for name := range everyCall(newQ(t, nil), newQ(t, nil), "") {
		t.Run(kind+"."+name, func(t *testing.T) {
			clock := newSpyClock()
			q := newQ(t, clock)
			_, err := q.SendBatch(t.Context(), []memsqs.SendInput{{Body: "a", GroupID: "a"}, {Body: "b", GroupID: "b"}})
			require.NoError(t, err)
			msgs := receive(t, q, memsqs.ReceiveInput{})
			test(t, stage{q, clock}, everyCall(q, newQ(t, nil), msgs[0].ReceiptHandle)[name])
		})
	}
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

// A call whose context is done before it takes effect returns the context's
// error and has changed nothing, also when there is a message at hand, and
// whenever in the course of the call that is.
func TestCallWhoseContextEndsChangesNothing(t *testing.T) {
	onEveryCall(t, func(t *testing.T, q stage, call call) {
		messages, stats := q.Peek(10), q.Stats()
		for looks := 0; ; looks++ {
			err := call(&countdown{t.Context(), looks})
			if err == nil {
				require.Positive(t, looks, "it has not looked at its context")
				return
			}
			require.Equal(t, context.Canceled, err)
			require.Equal(t, messages, q.Peek(10))
			require.Equal(t, stats, q.Stats())
		}
	})
}

// A call without a context is refused.
func TestCallWithoutAContextIsRefused(t *testing.T) {
	onEveryCall(t, func(t *testing.T, q stage, call call) {
		stats := q.Stats()
		requireRefused(t, q, call(nil), memsqs.ErrInvalidParameterValue)
		require.Equal(t, stats, q.Stats())
	})
}

// A call that a Close overtakes is refused with ErrClosed and has changed
// nothing.
func TestCallThatCloseOvertakesIsRefused(t *testing.T) {
	onEveryCall(t, func(t *testing.T, q stage, call call) {
		messages, stats := q.Peek(10), q.Stats()
		q.clock.beforeNow.Store(new(func() { require.NoError(t, q.Close()) }))
		requireRefused(t, q, call(t.Context()), memsqs.ErrClosed)
		require.Equal(t, messages, q.Peek(10))
		require.Equal(t, stats, q.Stats())
	})
}

// Every method of a closed queue is refused with ErrClosed and changes nothing,
// but for those that only look, and Close.
func TestClosedQueueTakesNoCalls(t *testing.T) {
	onEveryCall(t, func(t *testing.T, q stage, call call) {
		require.False(t, q.Closed())
		require.NoError(t, q.Close())
		require.True(t, q.Closed())
		messages, stats := q.Peek(10), q.Stats()
		require.Len(t, messages, 2)
		requireRefused(t, q, call(t.Context()), memsqs.ErrClosed)
		require.Equal(t, messages, q.Peek(10))
		require.Equal(t, stats, q.Stats())
	})
}

// The zero queue is one that has been closed.
func TestZeroQueueIsClosed(t *testing.T) {
	testZeroQueue(t, new(memsqs.Queue))
	testZeroQueue(t, new(memsqs.FIFOQueue))
}

func testZeroQueue[Q kindOfQueue[Q, C], C any](t *testing.T, q Q) {
	calls := everyCall(q, q, "handle")
	calls["Receive with an attempt id"] = func(ctx context.Context) error {
		_, err := q.Receive(ctx, memsqs.ReceiveInput{AttemptID: "a"})
		return err
	}
	calls["empty batch"] = func(ctx context.Context) error { return q.DeleteBatch(ctx, nil) }
	calls["Configure"] = configureCall(q)
	for name, call := range calls {
		err := call(t.Context())
		require.ErrorIs(t, err, memsqs.ErrClosed, name)
		requireRefused(t, q, err, memsqs.ErrClosed)
	}
	requireStats(t, q, memsqs.Stats{})
	require.Empty(t, q.Peek(10))
	require.NotPanics(t, func() { q.Config() })
	require.True(t, q.Closed())
	require.NoError(t, q.Close())
	require.NoError(t, q.Check())
}

// Messages cannot be moved to a queue that is closed, the zero Queue included.
func TestRedriveToAClosedQueueIsRefused(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	send(t, q, "hello")
	moved, err := q.Redrive(t.Context(), new(memsqs.Queue), 0)
	require.ErrorIs(t, err, memsqs.ErrClosed)
	require.Zero(t, moved)
	requireCounts(t, q, 1, 0, 0)
}

// A closed queue refuses a call before it looks at what was asked for (E.10).
func TestClosedQueueIsRefusedBeforeAnythingElse(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	require.NoError(t, q.Close())
	for _, err := range []error{
		q.Delete(t.Context(), "garbage"),
		q.DeleteBatch(t.Context(), nil),
		q.ChangeVisibility(t.Context(), "", -1),
		q.Configure(func(*memsqs.Config) { t.Error("called on a closed queue") }),
	} {
		requireRefused(t, q, err, memsqs.ErrClosed)
	}
	err := sendError(t, q, memsqs.SendInput{})
	requireRefused(t, q, err, memsqs.ErrClosed)
	_, err = q.SendBatch(t.Context(), make([]memsqs.SendInput, 11))
	requireRefused(t, q, err, memsqs.ErrClosed)
	err = receiveError(t, q, memsqs.ReceiveInput{MaxMessages: 11, AttemptID: "a"})
	requireRefused(t, q, err, memsqs.ErrClosed)
}

// A context that is done comes before all other mistakes, and before a closed
// queue.
func TestContextComesBeforeAllOtherMistakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		<-ctx.Done()
		require.Equal(t, context.DeadlineExceeded, q.Delete(ctx, ""))
		require.Equal(t, context.DeadlineExceeded, q.DeleteBatch(ctx, nil))
		require.NoError(t, q.Close())
		require.Equal(t, context.DeadlineExceeded, q.Delete(ctx, ""))
	})
}
