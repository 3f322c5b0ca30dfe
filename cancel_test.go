// Tests of receives that are cut short while they wait: by their context, and by
// Close. And of Purge, which cuts nothing short.

package memsqs_test

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

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

// A receive that waits when the queue is closed returns ErrClosed, at once. Close
// can be called again.
func TestCloseReleasesThoseWhoWait(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		start := time.Now()
		var waiting [10]<-chan answer
		for i := range waiting {
			waiting[i] = park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
		}
		time.Sleep(3 * time.Second)
		for range 2 {
			require.NoError(t, q.Close())
			require.Zero(t, q.Stats().Waiting)
		}
		for _, answers := range waiting {
			a := <-answers
			requireRefused(t, q, a.err, memsqs.ErrClosed)
			require.Empty(t, a.msgs)
			require.Equal(t, 3*time.Second, a.at.Sub(start))
		}
	})
}

// Purge neither ends a wait nor lets it miss what is sent afterwards. (F71)
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
