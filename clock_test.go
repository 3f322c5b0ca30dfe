// Tests of clocks: ManualClock by itself, queues on it, and queues on clocks
// that are not as well behaved.

package memsqs_test

import (
	"context"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// parkOn is park for tests outside a bubble: when it returns the receive waits,
// behind those before it.
func parkOn(ctx context.Context, q queue, in memsqs.ReceiveInput) <-chan answer {
	before := q.Stats().Waiting
	answers := park(ctx, q, in)
	for q.Stats().Waiting == before {
		runtime.Gosched()
	}
	return answers
}

// Advance calls the functions of timers in the order in which they fall due,
// and at one instant in the order in which they were made, each at its own
// instant. A timer falls due at the very instant, and not a nanosecond before.
func TestManualClockCallsTimersInOrder(t *testing.T) {
	clock := memsqs.NewManualClock(epoch)
	var called []string
	at := func(d time.Duration, name string) {
		clock.AfterFunc(d, func() {
			called = append(called, name)
			require.Equal(t, epoch.Add(d), clock.Now(), name)
		})
	}
	at(3*time.Second, "d")
	at(time.Second, "a")
	at(2*time.Second, "c")
	at(time.Second, "b")

	clock.Advance(time.Second - 1)
	require.Empty(t, called)
	clock.Advance(1)
	require.Equal(t, []string{"a", "b"}, called)
	clock.Advance(time.Hour)
	require.Equal(t, []string{"a", "b", "c", "d"}, called)
	require.Equal(t, epoch.Add(time.Hour+time.Second), clock.Now())
}

// Timers that are made while the clock is moved are called in the same Advance
// if they fall due in it.
func TestManualClockCallsTimersThatAreMadeOnTheWay(t *testing.T) {
	clock := memsqs.NewManualClock(epoch)
	var called []time.Duration
	var tick func()
	tick = func() {
		called = append(called, clock.Now().Sub(epoch))
		clock.AfterFunc(time.Second, tick)
	}
	clock.AfterFunc(time.Second, tick)
	clock.Advance(3 * time.Second)
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second}, called)
}

// A timer's function can move the clock too. Time does not go back then.
func TestManualClockCanBeMovedOnTheWay(t *testing.T) {
	clock := memsqs.NewManualClock(epoch)
	clock.AfterFunc(time.Second, func() { clock.Advance(10 * time.Second) })
	clock.Advance(2 * time.Second)
	require.WithinRange(t, clock.Now(), epoch.Add(11*time.Second), epoch.Add(12*time.Second))
}

// A timer whose time has passed when it is made is called in the next Advance,
// and a negative Advance moves nothing.
func TestManualClockTakesNegativeDurationsForZero(t *testing.T) {
	clock := memsqs.NewManualClock(epoch)
	called := 0
	for _, d := range []time.Duration{0, -1, math.MinInt64} {
		clock.AfterFunc(d, func() { called++ })
	}
	require.Zero(t, called)
	clock.Advance(math.MinInt64)
	require.Equal(t, 3, called)
	require.Equal(t, epoch, clock.Now())
}

// The clock stops 146 years from where it started, which is when timers of the
// longest durations would be called; queues can be used there too.
func TestManualClockStopsAtTheEndOfItsTime(t *testing.T) {
	const end = time.Duration(1<<62 - 1)
	clock := memsqs.NewManualClock(epoch)
	q := newQueue(t, memsqs.Config{Clock: clock})
	send(t, q, "old")
	var last []time.Duration
	for range 3 {
		for _, d := range []time.Duration{math.MaxInt64, end, end - 1} {
			clock.AfterFunc(d, func() { last = append(last, d) })
		}
		clock.Advance(math.MaxInt64)
		require.Equal(t, epoch.Add(end), clock.Now())
	}
	require.Equal(t, []time.Duration{end - 1, math.MaxInt64, end}, last)

	send(t, q, "new")
	require.Equal(t, "new", receiveOne(t, q).Body)
	requireCounts(t, q, 0, 1, 0)
	require.Equal(t, uint64(1), q.Stats().Expired)
}

// Stop keeps a timer's function from being called, also from the function of
// another timer, and reports whether it did.
func TestManualClockStopsTimers(t *testing.T) {
	clock := memsqs.NewManualClock(epoch)
	called := 0
	call := func() { called++ }
	first, third := clock.AfterFunc(time.Second, call), clock.AfterFunc(2*time.Second, call)
	second := clock.AfterFunc(time.Second, func() { require.True(t, third.Stop()) })
	require.True(t, first.Stop())
	require.False(t, first.Stop())
	clock.Advance(time.Hour)
	require.False(t, second.Stop())
	require.False(t, third.Stop())
	require.Zero(t, called)
}

// The zero ManualClock stands at the zero time, and is as good as any other:
// a dead letter that was sent at that time keeps it (A19.6).
func TestZeroManualClock(t *testing.T) {
	var clock memsqs.ManualClock
	require.True(t, clock.Now().IsZero())
	dead := newQueue(t, memsqs.Config{Clock: &clock})
	q := newQueue(t, memsqs.Config{Clock: &clock, DeadLetter: &memsqs.DeadLetter{Queue: dead, MaxReceiveCount: 1}})
	send(t, q, "a")
	require.True(t, receiveOne(t, q).SentAt.IsZero())
	clock.Advance(30 * time.Second)
	receiveNone(t, q)
	require.Zero(t, receiveOne(t, dead).SentAt)
}

// When Advance returns, the receives on all queues of the clock have been
// served, each at its own instant, however far the clock was moved (E8).
func TestAdvanceServesEachReceiveAtItsInstant(t *testing.T) {
	clock := memsqs.NewManualClock(epoch)
	in := memsqs.ReceiveInput{WaitTime: seconds(10)}
	dead := newQueue(t, memsqs.Config{Clock: clock})
	source := newQueue(t, memsqs.Config{Clock: clock, DeadLetter: &memsqs.DeadLetter{Queue: dead, MaxReceiveCount: 1}})
	delayed := newQueue(t, memsqs.Config{Clock: clock, Delay: 10 * time.Second})
	tooLate := newQueue(t, memsqs.Config{Clock: clock, Delay: 10*time.Second + 1})
	send(t, source, "a")
	receive(t, source, memsqs.ReceiveInput{VisibilityTimeout: seconds(3)})
	_, err := source.Send(t.Context(), memsqs.SendInput{Body: "b", Delay: seconds(7)})
	require.NoError(t, err)
	send(t, delayed, "c")
	send(t, tooLate, "d")
	waits := []struct {
		answers <-chan answer
		body    string
		after   time.Duration
	}{
		{parkOn(t.Context(), delayed, in), "c", 10 * time.Second},
		{parkOn(t.Context(), source, in), "b", 7 * time.Second},
		{parkOn(t.Context(), dead, in), "a", 3 * time.Second},
	}
	empty := parkOn(t.Context(), tooLate, in)

	clock.Advance(time.Hour)
	for _, w := range waits {
		a := <-w.answers
		require.Equal(t, []string{w.body}, bodies(a.msgs))
		require.Equal(t, epoch.Add(w.after+30*time.Second), a.msgs[0].InvisibleUntil, w.body)
	}
	require.Empty(t, (<-empty).msgs)
}

// When Advance returns, messages have been handed over: they are in flight, and
// their receivers get them although their context is cancelled then.
func TestAdvanceHandsOverBeforeItReturns(t *testing.T) {
	clock := memsqs.NewManualClock(epoch)
	q := newQueue(t, memsqs.Config{Clock: clock, Delay: time.Second})
	for range 100 {
		send(t, q, "a")
		ctx, cancel := context.WithCancel(t.Context())
		answers := parkOn(ctx, q, memsqs.ReceiveInput{WaitTime: seconds(20), VisibilityTimeout: seconds(600)})
		clock.Advance(time.Second)
		requireCounts(t, q, 0, 1, 0)
		require.Zero(t, q.Stats().Waiting)
		cancel()
		a := <-answers
		require.NoError(t, a.err)
		require.NoError(t, q.Delete(t.Context(), a.msgs[0].ReceiptHandle))
	}
}

// While the clock is behind a time that it has shown before, the queue's time
// stands still.
func TestTimeStandsStillWhileTheClockIsBehind(t *testing.T) {
	clock := newSpyClock()
	q := newQueue(t, memsqs.Config{Clock: clock})
	clock.ahead.Store(int64(time.Hour))
	send(t, q, "a")
	receiveOne(t, q)
	clock.ahead.Store(0)
	send(t, q, "b")
	for i, body := range []string{"a", "b"} {
		require.Equal(t, body, q.Peek(2)[i].Body)
		require.Equal(t, epoch.Add(time.Hour), q.Peek(2)[i].SentAt)
	}
	clock.Advance(time.Hour + 30*time.Second - 1)
	requireCounts(t, q, 1, 1, 0)
	clock.Advance(1)
	requireCounts(t, q, 2, 0, 0)
}

// A receive that waits is answered, without another call, when the clock shows
// the time, although its timer went off while the clock was behind.
func TestWaitEndsWhenTheClockHasCaughtUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newSpyClock()
		q := newQueue(t, memsqs.Config{Clock: clock})
		defer q.Close()
		answers := park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(5)})
		synctest.Wait()
		clock.ahead.Store(-int64(time.Second))
		clock.Advance(6*time.Second - 1)
		synctest.Wait()
		require.Empty(t, answers)
		clock.Advance(1)
		synctest.Wait()
		require.Len(t, answers, 1)
	})
}

// A receive that waits is answered in time, although the clock moved on while
// its timer was being made, be it to before the end of the wait or beyond.
func TestWaitEndsInTimeAlthoughTheClockMovesWhileATimerIsMade(t *testing.T) {
	for _, moved := range []time.Duration{3 * time.Second, 10 * time.Second} {
		t.Run(moved.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clock := newSpyClock()
				q := newQueue(t, memsqs.Config{Clock: clock})
				defer q.Close()
				clock.beforeAfterFunc.Store(new(func() { clock.Advance(moved) }))
				answers := park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(5)})
				synctest.Wait()
				clock.Advance(5*time.Second - moved)
				synctest.Wait()
				require.Len(t, answers, 1)
			})
		})
	}
}

// Stats do not depend on timers: a message that has fallen due has been handed
// to whoever waits for it, although the timer has not gone off.
func TestStatsDoNotDependOnTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newSpyClock()
		q := newQueue(t, memsqs.Config{Clock: clock, Delay: 5 * time.Second})
		send(t, q, "a")
		park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
		synctest.Wait()
		clock.ahead.Store(int64(5 * time.Second))
		s := q.Stats()
		require.Equal(t, []int{0, 1, 0}, []int{s.Visible, s.InFlight, s.Waiting})
	})
}

// A clock can call the queue whenever the queue calls it, for the queue holds no
// lock then.
func TestClockCanCallTheQueue(t *testing.T) {
	for name, before := range map[string]func(*spyClock) *atomic.Pointer[func()]{
		"Now":       func(c *spyClock) *atomic.Pointer[func()] { return &c.beforeNow },
		"AfterFunc": func(c *spyClock) *atomic.Pointer[func()] { return &c.beforeAfterFunc },
		"Stop":      func(c *spyClock) *atomic.Pointer[func()] { return &c.beforeStop },
	} {
		t.Run(name, func(t *testing.T) {
			clock := newSpyClock()
			q := newQueue(t, memsqs.Config{Clock: clock})
			before(clock).Store(new(func() {
				q.Send(context.Background(), memsqs.SendInput{Body: "a", Delay: seconds(600)})
				q.Peek(10)
			}))
			ctx, cancel := context.WithCancel(t.Context())
			answers := parkOn(ctx, q, memsqs.ReceiveInput{WaitTime: seconds(20)})
			cancel()
			require.ErrorIs(t, (<-answers).err, context.Canceled)
			require.Positive(t, q.Stats().Delayed)
		})
	}
}
