// Scenarios of many messages, queues, receives and goroutines: what they cost,
// and what they leave behind.

package memsqs_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// rounds returns how often a test repeats what should be repeated n times.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// requireHeapGrowth requires that at most so many bytes are reachable more than
// before.
func requireHeapGrowth(t testing.TB, before, most int64) {
	t.Helper()
	require.LessOrEqual(t, heapInUse()-before, most)
}

// Queues that nothing is done with do nothing, and cost what they hold until
// they are dropped. (F87)
func TestIdleQueuesAreFree(t *testing.T) {
	before, goroutines := heapInUse(), runtime.NumGoroutine()
	clock := newSpyClock()
	var queues []queue
	for range 2500 {
		standard, err := memsqs.NewQueue(memsqs.Config{Clock: clock})
		require.NoError(t, err)
		fifo, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{Clock: clock})
		require.NoError(t, err)
		queues = append(queues, standard, fifo)
	}
	made, readings := heapInUse(), clock.readings.Load()
	clock.Advance(5 * time.Second)
	require.Zero(t, clock.made.Load())
	require.Equal(t, readings, clock.readings.Load())
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	requireHeapGrowth(t, made, 1<<16)
	runtime.KeepAlive(queues)
	queues = nil
	requireHeapGrowth(t, before, 1<<18)
}

// However often the visibility of a message is changed, the queue has one timer
// while a receive waits, and then none. (F91)
func TestChangesOfVisibilityShareOneTimer(t *testing.T) {
	for _, timeout := range []func(i int) time.Duration{
		func(int) time.Duration { return 10 * time.Hour },
		func(i int) time.Duration { return 15*time.Second - 2*time.Duration(i)*time.Millisecond }, // ever earlier
	} {
		synctest.Test(t, func(t *testing.T) {
			clock := newSpyClock()
			q := newQueue(t, memsqs.Config{Clock: clock})
			send(t, q, "m")
			m := receiveOne(t, q)
			poll := park(t.Context(), q, longPoll)
			synctest.Wait()
			before := heapInUse()
			for i := range 5000 {
				require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, timeout(i)))
				require.Equal(t, int64(1), clock.pending.Load())
				clock.Advance(time.Millisecond)
			}
			requireHeapGrowth(t, before, 1<<18)
			clock.Advance(20 * time.Second)
			<-poll
			require.Zero(t, clock.pending.Load())
		})
	}
}

// What is due far in the future costs nothing when it is gone before. (F91)
func TestDistantDeadlinesLeaveNothingBehind(t *testing.T) {
	const messages = 20_000
	clock := newSpyClock()
	q := newQueue(t, memsqs.Config{Clock: clock})
	before := heapInUse()
	for range messages {
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: "m", Delay: seconds(900)})
		require.NoError(t, err)
	}
	requireCounts(t, q, 0, 0, messages)
	require.NoError(t, q.Purge(t.Context()))
	requireHeapGrowth(t, before, 1<<19)

	var received []memsqs.Message
	for range messages {
		send(t, q, "m")
		received = append(received, receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(43_200)})...)
	}
	requireCounts(t, q, 0, messages, 0)
	deleteAll(t, q, received...)
	received = nil
	requireHeapGrowth(t, before, 1<<19)
	require.Zero(t, clock.made.Load())
}

// A refused call leaves its queue and others usable. (F93)
func TestRefusedCallLeavesQueuesUsable(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		ctx := t.Context()
		done, cancel := context.WithCancel(ctx)
		cancel()
		refused := map[string]func() error{
			"Send":                  func() error { _, err := q.Send(ctx, memsqs.SendInput{}); return err },
			"SendBatch":             func() error { _, err := q.SendBatch(ctx, make([]memsqs.SendInput, 1)); return err },
			"SendBatch, empty":      func() error { _, err := q.SendBatch(ctx, nil); return err },
			"Receive":               func() error { _, err := q.Receive(ctx, memsqs.ReceiveInput{MaxMessages: 11}); return err },
			"Receive, done":         func() error { _, err := q.Receive(done, longPoll); return err },
			"Delete":                func() error { return q.Delete(ctx, "garbage") },
			"DeleteBatch":           func() error { return q.DeleteBatch(ctx, []string{"garbage"}) },
			"DeleteBatch, empty":    func() error { return q.DeleteBatch(ctx, nil) },
			"ChangeVisibility":      func() error { return q.ChangeVisibility(ctx, "garbage", 0) },
			"ChangeVisibilityBatch": func() error { return q.ChangeVisibilityBatch(ctx, make([]memsqs.VisibilityChange, 1)) },
			"Purge, done":           func() error { return q.Purge(done) },
		}
		if q, ok := q.(*memsqs.Queue); ok {
			refused["Redrive"] = func() error { _, err := q.Redrive(ctx, q, 0); return err }
			refused["Configure"] = func() error { return q.Configure(func(cfg *memsqs.Config) { cfg.Delay = -1 }) }
		}
		other := newQueue(t, memsqs.Config{})
		for name, call := range refused {
			require.Error(t, call(), name)
			for _, q := range []queue{q, other} {
				sendAny(t, q, name)
				deleteAll(t, q, receiveExactly(t, q, name)...)
			}
		}
	})
}

// A queue that is full, or has been closed, answers the next call too. (F93)
func TestFullAndClosedQueuesAnswer(t *testing.T) {
	q := newQueue(t, memsqs.Config{MaxInFlight: 1})
	send(t, q, "a", "b")
	a := receiveExactly(t, q, "a")
	_, err := q.Receive(t.Context(), memsqs.ReceiveInput{})
	requireRefused(t, q, err, memsqs.ErrOverLimit)
	deleteAll(t, q, a...)
	receiveExactly(t, q, "b")
	require.NoError(t, q.Close())
	_, err = q.Send(t.Context(), memsqs.SendInput{Body: "c"})
	requireRefused(t, q, err, memsqs.ErrClosed)
	requireCounts(t, q, 0, 1, 0)
}

// A queue can be used by its own clock, and while it is being configured. (F93)
func TestQueueCanBeUsedFromWithinItsCalls(t *testing.T) {
	clock := newSpyClock()
	q := newQueue(t, memsqs.Config{Clock: clock})
	var sent uint64
	use := func() {
		sent++
		q.Send(t.Context(), memsqs.SendInput{Body: "m"})
		q.Receive(t.Context(), memsqs.ReceiveInput{})
		q.Delete(t.Context(), "garbage")
		q.Peek(1)
	}
	require.NoError(t, q.Configure(func(*memsqs.Config) { use() }))
	clock.beforeNow.Store(&use)
	clock.beforeAfterFunc.Store(&use)
	// Parked, this receive has the clock make a timer, and gets what is sent then.
	msgs, err := q.Receive(t.Context(), longPoll)
	require.NoError(t, err)
	require.Equal(t, []string{"m"}, bodies(msgs))
	require.Equal(t, sent, q.Stats().Sent)
}

// While nothing lapses, every message is received once, however many senders
// and receivers there are, and no receiver waits while there are messages. (F95)
func TestEveryMessageIsReceivedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const senders, receivers = 8, 16
		each := rounds(1000)
		q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(3600)})
		ctx, stop := context.WithTimeout(t.Context(), 19*time.Second)
		defer stop()
		var received sync.Map // bodies
		var deleted atomic.Int64
		var wg sync.WaitGroup
		for i := range senders {
			wg.Go(func() {
				for j := range each {
					q.Send(ctx, memsqs.SendInput{Body: fmt.Sprint(i, " ", j)})
				}
			})
		}
		for i := range receivers {
			wg.Go(func() {
				in := memsqs.ReceiveInput{MaxMessages: 1 + i%10, WaitTime: seconds(float64(i % 2 * 20))}
				for ctx.Err() == nil {
					msgs, _ := q.Receive(ctx, in)
					for _, m := range msgs {
						if _, again := received.LoadOrStore(m.Body, true); again || m.ReceiveCount != 1 {
							t.Errorf("%s was received twice", m.Body)
						}
						q.Delete(ctx, m.ReceiptHandle)
						if deleted.Add(1) == int64(senders*each) {
							stop()
						}
					}
					time.Sleep(time.Millisecond) // lets time pass, should messages be lost
				}
			})
		}
		wg.Wait()
		require.Equal(t, int64(senders*each), deleted.Load())
		requireCounts(t, q, 0, 0, 0)
	})
}

// One jump of the clock over several deadlines meets each of them in its turn:
// a message that comes back before the end of a wait is received. (F99)
func TestOneJumpOverVisibilityAndWait(t *testing.T) {
	for name, c := range map[string]struct {
		late time.Duration // of timers, as after a computer has been asleep
		at   float64       // when the message is received
	}{"in time": {0, 8}, "late": {time.Hour, 3608}} {
		t.Run(name, func(t *testing.T) {
			clock := newSpyClock()
			q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(8), Clock: clock})
			send(t, q, "m")
			receiveOne(t, q)
			poll := parkOn(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(10)})
			clock.ahead.Store(int64(c.late))
			clock.Advance(time.Hour)
			a := <-poll
			require.NoError(t, a.err)
			require.Equal(t, []string{"m"}, bodies(a.msgs))
			require.Equal(t, epoch.Add(*seconds(c.at + 8)), a.msgs[0].InvisibleUntil)
			require.LessOrEqual(t, clock.made.Load(), int64(2), "timers, of the receive and of parkOn")
		})
	}
}

// One jump of the clock over delays and the deduplication window leaves the
// messages in the order in which they were sent, and no id remembered. (F99)
func TestOneJumpOverDelaysAndDeduplication(t *testing.T) {
	clock := memsqs.NewManualClock(bubbleStart)
	q := newFIFOQueue(t, memsqs.FIFOConfig{Delay: 3 * time.Second, Clock: clock})
	first := make(map[string]memsqs.SendResult)
	for _, body := range []string{"c", "b", "a"} {
		clock.Advance(time.Second)
		first[body] = sendAs(t, q, "g", body, body) // due at 4, 5 and 6
	}
	clock.Advance(time.Hour)
	require.Zero(t, q.Stats().Deduplications)
	for _, m := range receiveExactly(t, q, "c", "b", "a") {
		require.NotEqual(t, first[m.Body], sendAs(t, q, "g", m.Body, m.Body))
	}
}
