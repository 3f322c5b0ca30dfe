// What a call moves to another queue is there when it returns, whatever others do
// meanwhile.

package memsqs_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// When Advance returns, the dead letters of what fell due have arrived, also those
// that another call took while the queue made a timer.
func TestAdvanceReturnsWhenLettersTakenByAnotherHaveArrived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sc := newSpyClock()
		dc := newSpyClock()
		d := newQueue(t, memsqs.Config{Clock: dc})
		s := newQueue(t, memsqs.Config{Clock: sc, VisibilityTimeout: seconds(10), DeadLetter: &memsqs.DeadLetter{Queue: d, MaxReceiveCount: 1}})
		send(t, s, "a")
		receiveOne(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		parked := park(ctx, s, memsqs.ReceiveInput{WaitTime: seconds(20)})
		synctest.Wait()

		// While Advance is making a timer, a call of Stats takes the letter, and
		// is held up before it has brought it.
		posting, release := make(chan bool), make(chan bool)
		var wg sync.WaitGroup
		sc.beforeAfterFunc.Store(new(func() {
			dc.beforeNow.Store(new(func() { close(posting); <-release }))
			wg.Go(func() { s.Stats() })
			<-posting
		}))
		arrived := 0
		wg.Go(func() {
			sc.Advance(10 * time.Second)
			arrived = d.Stats().Visible
		})
		<-posting
		for range 1000 {
			runtime.Gosched() // time for Advance to return too early
		}
		close(release)
		wg.Wait()
		cancel()
		<-parked
		require.Equal(t, 1, arrived, "dead letters that have arrived when Advance returns")
	})
}

// A call that is refused brings the queue to the present all the same, and what
// that moves to the dead-letter queue is there when it returns.
func TestRefusedCallBringsTheLettersOfTheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := &deafClock{now: epoch}
		d := newQueue(t, memsqs.Config{Clock: clock})
		s := newQueue(t, memsqs.Config{Clock: clock, VisibilityTimeout: seconds(10), DeadLetter: &memsqs.DeadLetter{Queue: d, MaxReceiveCount: 1}})
		send(t, s, "a")
		receiveOne(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		parked := park(ctx, s, memsqs.ReceiveInput{WaitTime: seconds(20)})
		synctest.Wait()

		clock.now = epoch.Add(10 * time.Second)
		done, stop := context.WithCancel(t.Context())
		stop()
		require.ErrorIs(t, s.Delete(done, "handle"), context.Canceled)
		require.Equal(t, 1, d.Stats().Visible)
		cancel()
		<-parked
	})
}

// A redrive decides about a message when it comes to it: what was in flight when
// the one before it was moved is moved if it is visible by then (A20.12).
func TestRedriveDecidesWhenItComesToAMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from, to := newQueue(t, memsqs.Config{}), newQueue(t, memsqs.Config{})
		send(t, from, "first", "second", "third")
		msgs := receive(t, from, memsqs.ReceiveInput{MaxMessages: 2, VisibilityTimeout: seconds(0.5)})
		require.NoError(t, from.ChangeVisibility(t.Context(), msgs[0].ReceiptHandle, 0))

		moved, err := from.Redrive(t.Context(), to, 1)
		require.NoError(t, err)
		require.Equal(t, 3, moved)
		require.Equal(t, []string{"first", "second", "third"}, bodies(receive(t, to, memsqs.ReceiveInput{MaxMessages: 10})))
	})
}

// Who sees the first message of a redrive can advance the clock over the others.
func TestRedriveHasItsTimerBeforeItsMessageIsSeen(t *testing.T) {
	for range 200 {
		clock := memsqs.NewManualClock(epoch)
		from, to := newQueue(t, memsqs.Config{Clock: clock}), newQueue(t, memsqs.Config{Clock: clock})
		send(t, from, "first", "second", "third")
		done := make(chan error)
		go func() {
			_, err := from.Redrive(t.Context(), to, 1)
			done <- err
		}()
		for to.Stats().Visible == 0 {
			runtime.Gosched()
		}
		clock.Advance(2 * time.Second)
		requireCounts(t, to, 3, 0, 0)
		require.NoError(t, <-done)
	}
}

// A deafClock never calls a function.
type deafClock struct{ now time.Time }

func (c *deafClock) Now() time.Time                               { return c.now }
func (c *deafClock) AfterFunc(time.Duration, func()) memsqs.Timer { return silent{} }

type silent struct{}

func (silent) Stop() bool { return true }
