// Tests of calls that are cut short: by their context, and by Close. And of
// Purge, which cuts nothing short.

package memsqs_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// calls are the methods that take a context. The handle is that of a message in
// flight.
var calls = []struct {
	name string
	do   func(ctx context.Context, q queue, handle string) error
}{
	{"Send", func(ctx context.Context, q queue, _ string) error {
		_, err := q.Send(ctx, memsqs.SendInput{Body: "new", GroupID: "g"})
		return err
	}},
	{"SendBatch", func(ctx context.Context, q queue, _ string) error {
		_, err := q.SendBatch(ctx, []memsqs.SendInput{{Body: "new", GroupID: "g"}})
		return err
	}},
	{"Receive", func(ctx context.Context, q queue, _ string) error {
		_, err := q.Receive(ctx, memsqs.ReceiveInput{})
		return err
	}},
	{"ReceiveThatWaits", func(ctx context.Context, q queue, _ string) error {
		_, err := q.Receive(ctx, memsqs.ReceiveInput{WaitTime: seconds(20)})
		return err
	}},
	{"Delete", func(ctx context.Context, q queue, handle string) error {
		return q.Delete(ctx, handle)
	}},
	{"DeleteBatch", func(ctx context.Context, q queue, handle string) error {
		return q.DeleteBatch(ctx, []string{handle})
	}},
	{"ChangeVisibility", func(ctx context.Context, q queue, handle string) error {
		return q.ChangeVisibility(ctx, handle, 0)
	}},
	{"ChangeVisibilityBatch", func(ctx context.Context, q queue, handle string) error {
		return q.ChangeVisibilityBatch(ctx, []memsqs.VisibilityChange{{ReceiptHandle: handle}})
	}},
	{"Purge", func(ctx context.Context, q queue, _ string) error {
		return q.Purge(ctx)
	}},
	{"Redrive", func(ctx context.Context, q queue, _ string) error {
		if q, ok := q.(*memsqs.FIFOQueue); ok {
			to, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{})
			_, redriveErr := q.Redrive(ctx, to, 0)
			return errors.Join(err, redriveErr)
		}
		to, err := memsqs.NewQueue(memsqs.Config{})
		_, redriveErr := q.(*memsqs.Queue).Redrive(ctx, to, 0)
		return errors.Join(err, redriveErr)
	}},
}

// requireNoEffect requires that a call, on a queue that has a message in flight
// and one at hand, fails with the given error and changes nothing.
func requireNoEffect(t *testing.T, q queue, want error, call func(handle string) error) {
	t.Helper()
	sendEach(t, q, "held")
	handle := receiveOne(t, q).ReceiptHandle
	sendEach(t, q, "at-hand")
	stats, messages := q.Stats(), q.Peek(10)

	require.ErrorIs(t, call(handle), want)
	require.Equal(t, stats, q.Stats())
	require.Equal(t, messages, q.Peek(10))
}

// A call whose context is done returns the context's error, which is not the
// cause of its being done, and changes nothing, although there is a message at
// hand.
func TestCallWhoseContextIsDoneChangesNothing(t *testing.T) {
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("a cause"))
	expired, stop := context.WithTimeout(t.Context(), 0)
	defer stop()
	for _, c := range calls {
		for _, ctx := range []context.Context{cancelled, expired} {
			t.Run(c.name+"/"+ctx.Err().Error(), func(t *testing.T) {
				onBothKinds(t, nil, func(t *testing.T, q queue) {
					requireNoEffect(t, q, ctx.Err(), func(handle string) error { return c.do(ctx, q, handle) })
				})
			})
		}
	}
}

// A call whose context is cancelled before it takes effect changes nothing
// either, also when it has begun: here, when it asks for the time.
func TestCallWhoseContextIsCancelledBeforeItTakesEffectChangesNothing(t *testing.T) {
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			clock := newSpyClock()
			onBothKinds(t, clock, func(t *testing.T, q queue) {
				ctx, cancel := context.WithCancel(t.Context())
				requireNoEffect(t, q, context.Canceled, func(handle string) error {
					clock.onCall = func(string) { cancel() }
					defer func() { clock.onCall = nil }()
					return c.do(ctx, q, handle)
				})
			})
		})
	}
}

// So does a call on a queue that is closed before the call takes effect.
func TestCallOnAQueueThatIsClosedBeforeItTakesEffectChangesNothing(t *testing.T) {
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			clock := newSpyClock()
			onBothKinds(t, clock, func(t *testing.T, q queue) {
				requireNoEffect(t, q, memsqs.ErrClosed, func(handle string) error {
					clock.onCall = func(string) {
						clock.onCall = nil
						q.Close()
					}
					return c.do(t.Context(), q, handle)
				})
			})
		})
	}
}

// A call without a context is refused.
func TestCallWhoseContextIsNilIsRefused(t *testing.T) {
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			onBothKinds(t, nil, func(t *testing.T, q queue) {
				requireNoEffect(t, q, memsqs.ErrInvalidParameterValue, func(handle string) error {
					var none context.Context
					err := c.do(none, q, handle)
					requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
					return err
				})
			})
		})
	}
}

// A receive that waits returns the error of its context at the moment at which
// that is done, and is not in the line any more.
func TestWaitEndsWhenTheContextIsDone(t *testing.T) {
	for _, want := range []error{context.Canceled, context.DeadlineExceeded} {
		t.Run(want.Error(), func(t *testing.T) {
			onBothKinds(t, nil, func(t *testing.T, q queue) {
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				if want == context.Canceled {
					ctx, cancel = context.WithCancel(t.Context())
					time.AfterFunc(3*time.Second, cancel)
				}
				defer cancel()
				a := <-park(ctx, q, memsqs.ReceiveInput{WaitTime: seconds(20)})
				require.ErrorIs(t, a.err, want)
				require.Empty(t, a.msgs)
				require.Equal(t, 3*time.Second, a.at.Sub(start))
				require.Zero(t, q.Stats().Waiting)
			})
		})
	}
}

// When the context of a receive that waits has been cancelled, whatever becomes
// visible then is left to others and does not count as received, also while the
// receive has not returned yet.
func TestCancelledReceiveLeavesEverythingToOthers(t *testing.T) {
	for _, w := range slices.Concat(wakesOfQueues, wakesOfFIFOQueues) {
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, event := w.arrange(t)
				start := time.Now()
				ctx, cancel := context.WithCancel(t.Context())
				in := memsqs.ReceiveInput{MaxMessages: 10, WaitTime: seconds(20)}
				cancelled := park(ctx, q, in)
				time.Sleep(time.Second)
				received := q.Stats().Received

				cancel()
				if event != nil {
					require.NoError(t, event())
				}
				require.Equal(t, received, q.Stats().Received)
				other := park(t.Context(), q, in)
				require.ErrorIs(t, (<-cancelled).err, context.Canceled)
				requireAnswered(t, <-other, start.Add(w.after), w.want...)
			})
		})
	}
}

// A receive that is cancelled gives up its place in the line to those behind
// it, wherever in the line that is.
func TestCancelledReceiveLeavesTheLine(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		var waiting [6]<-chan answer
		var cancel [6]context.CancelFunc
		for i := range waiting {
			var ctx context.Context
			ctx, cancel[i] = context.WithCancel(t.Context())
			defer cancel[i]()
			waiting[i] = park(ctx, q, memsqs.ReceiveInput{WaitTime: seconds(20)})
			synctest.Wait()
		}
		for _, i := range []int{0, 2, 5} {
			cancel[i]()
		}
		sendEach(t, q, "a", "b", "c", "d")

		for _, i := range []int{0, 2, 5} {
			require.ErrorIs(t, (<-waiting[i]).err, context.Canceled)
		}
		for i, body := range map[int]string{1: "a", 3: "b", 4: "c"} {
			requireAnswered(t, <-waiting[i], time.Now(), body)
		}
		require.Equal(t, "d", receiveOne(t, q).Body)
	})
}

// A receive that has been handed a message returns it, although its context is
// cancelled before it gets to do so.
func TestMessageThatWasHandedOverIsReturned(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		for range 100 { // for a select that has a choice chooses by lot
			ctx, cancel := context.WithCancel(t.Context())
			answers := park(ctx, q, memsqs.ReceiveInput{WaitTime: seconds(20)})
			synctest.Wait()
			body := rand.Text()
			sendEach(t, q, body)
			cancel()
			requireAnswered(t, <-answers, time.Now(), body)
		}
	})
}

// A receive that was cancelled before the end of its wait returns the error of
// its context, although the wait ends before it gets to do so.
func TestReceiveThatIsCancelledAsItsWaitEndsReturnsAnError(t *testing.T) {
	clock := memsqs.NewManualClock(epoch)
	q := newQueue(t, memsqs.Config{Clock: clock})
	parkOn(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
	for range 15 {
		ctx, cancel := context.WithCancel(t.Context())
		answers := parkOn(ctx, q, memsqs.ReceiveInput{WaitTime: seconds(1)})
		cancel()
		clock.Advance(time.Second)
		require.ErrorIs(t, (<-answers).err, context.Canceled)
	}
}

// A receive that waits when the queue is closed returns ErrClosed, at once.
func TestCloseReleasesThoseWhoWait(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		start := time.Now()
		var waiting [10]<-chan answer
		for i := range waiting {
			waiting[i] = park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
		}
		time.Sleep(3 * time.Second)
		require.NoError(t, q.Close())
		require.Zero(t, q.Stats().Waiting)
		for _, answers := range waiting {
			a := <-answers
			requireRefused(t, q, a.err, memsqs.ErrClosed)
			require.Empty(t, a.msgs)
			require.Equal(t, 3*time.Second, a.at.Sub(start))
		}
	})
}

// Purge neither ends a wait nor lets it miss what is sent afterwards.
func TestPurgeDoesNotConcernThoseWhoWait(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		sendEach(t, q, "held")
		receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(3)})
		start := time.Now()
		var waiting [11]<-chan answer
		for i := range waiting {
			waiting[i] = park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
			synctest.Wait()
		}
		time.Sleep(time.Second)
		require.NoError(t, q.Purge(t.Context()))
		time.Sleep(4 * time.Second)
		require.Equal(t, len(waiting), q.Stats().Waiting)
		for i := range 10 {
			sendEach(t, q, strconv.Itoa(i))
		}
		for i, answers := range waiting[:10] {
			requireAnswered(t, <-answers, start.Add(5*time.Second), strconv.Itoa(i))
		}
		requireAnswered(t, <-waiting[10], start.Add(20*time.Second))
	})
}
