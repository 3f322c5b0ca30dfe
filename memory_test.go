// Tests of what queues hold on to: memory, goroutines and timers.

package memsqs_test

import (
	"bytes"
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

const mebibyte = 1 << 20

// skipUnlessMeasurable skips a test that measures the heap if the race detector
// would distort that, or if it would take too long.
func skipUnlessMeasurable(t *testing.T) {
	info, _ := debug.ReadBuildInfo()
	if testing.Short() || slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("with -short or -race the heap is not measured")
	}
}

// receiveMany receives n messages, hides them for the given time, and does
// something with each ten of them.
func receiveMany(t *testing.T, q queue, n int, hide time.Duration, do func(handles []string) error) {
	for i := 0; i < n; i += 10 {
		var handles []string
		for _, m := range receive(t, q, memsqs.ReceiveInput{MaxMessages: 10, VisibilityTimeout: &hide}) {
			handles = append(handles, m.ReceiptHandle)
		}
		require.Len(t, handles, 10)
		require.NoError(t, do(handles))
	}
}

// many is the number of messages that are sent to see where memory goes.
const many = 50_000

// waysOut are the ways in which many messages leave a queue.
var waysOut = []struct {
	name  string
	leave func(t *testing.T, q *memsqs.FIFOQueue)
}{
	{"deleted", func(t *testing.T, q *memsqs.FIFOQueue) {
		receiveMany(t, q, many, 12*time.Hour, func(handles []string) error { return q.DeleteBatch(t.Context(), handles) })
		time.Sleep(5 * time.Minute)
	}},
	{"expired", func(t *testing.T, q *memsqs.FIFOQueue) {
		time.Sleep(4 * 24 * time.Hour)
	}},
	{"expired in flight", func(t *testing.T, q *memsqs.FIFOQueue) {
		receiveMany(t, q, many, 12*time.Hour, func([]string) error { return nil })
		require.NoError(t, q.Configure(func(cfg *memsqs.FIFOConfig) { cfg.Retention = 5 * time.Minute }))
		time.Sleep(5 * time.Minute)
	}},
	{"purged", func(t *testing.T, q *memsqs.FIFOQueue) {
		receiveMany(t, q, many/2, 12*time.Hour, func([]string) error { return nil })
		require.NoError(t, q.Purge(t.Context()))
	}},
	{"dead-lettered and redriven", func(t *testing.T, q *memsqs.FIFOQueue) {
		dead, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{})
		require.NoError(t, err)
		require.NoError(t, q.Configure(func(cfg *memsqs.FIFOConfig) {
			cfg.DeadLetter = &memsqs.FIFODeadLetter{Queue: dead, MaxReceiveCount: 1}
		}))
		receiveMany(t, q, many, time.Second, func([]string) error { return nil })
		time.Sleep(5 * time.Minute)
		receiveNone(t, q)
		third, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{})
		require.NoError(t, err)
		moved, err := dead.Redrive(t.Context(), third, 0)
		require.NoError(t, err)
		require.Equal(t, many, moved)
	}},
}

// The memory of a message, of its group, and of its deduplication id is free
// when the message has left the queue, in whatever way, and the id has been
// forgotten.
func TestMemoryOfWhatHasLeftTheQueueIsFree(t *testing.T) {
	skipUnlessMeasurable(t)
	for _, way := range waysOut {
		t.Run(way.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newFIFOQueue(t, memsqs.FIFOConfig{MaxInFlight: many})
				before := heapInUse()
				sendMany(t, q, many, strconv.Itoa)
				require.Greater(t, heapInUse(), before+5*mebibyte)
				way.leave(t, q)
				requireCounts(t, q, 0, 0, 0)
				require.Zero(t, q.Stats().Groups+q.Stats().Deduplications)
				require.Less(t, heapInUse(), before+mebibyte/2)
			})
		})
	}
}

// The body of a message that is gone is free, although the receive attempt by
// which it was received is remembered for minutes.
func TestReceiveAttemptKeepsNoBodies(t *testing.T) {
	skipUnlessMeasurable(t)
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	before := heapInUse()
	for i := range 20 {
		id := strconv.Itoa(i)
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: strings.Repeat("a", mebibyte/2), GroupID: id, DeduplicationID: id})
		require.NoError(t, err)
		m := receive(t, q, memsqs.ReceiveInput{AttemptID: id})[0]
		require.NoError(t, q.Delete(t.Context(), m.ReceiptHandle))
	}
	require.Less(t, heapInUse(), before+mebibyte)
	_, err := q.Receive(t.Context(), memsqs.ReceiveInput{AttemptID: "0"})
	require.ErrorIs(t, err, memsqs.ErrInvalidParameterValue)
}

// What is done to a message again and again leaves nothing behind, and nor does
// what finds nothing.
func TestRepeatedCallsTakeNoMemory(t *testing.T) {
	skipUnlessMeasurable(t)
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "a")
		handle := receiveOne(t, q).ReceiptHandle
		before := heapInUse()
		for i := range 50_000 {
			require.NoError(t, q.ChangeVisibility(t.Context(), handle, time.Hour+time.Duration(i)))
			receiveNone(t, q)
			require.NoError(t, q.ChangeVisibility(t.Context(), handle, 0))
			receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})
		}
		require.Less(t, heapInUse(), before+mebibyte/2)
		require.Equal(t, 50_001, q.Peek(1)[0].ReceiveCount)
	})
}

// Receives that have waited, in whatever number and to whatever end, leave
// nothing behind.
func TestMemoryOfWaitsIsFree(t *testing.T) {
	skipUnlessMeasurable(t)
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		waits := func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			for _, ctx := range slices.Repeat([]context.Context{t.Context(), ctx}, 2000) {
				park(ctx, q, memsqs.ReceiveInput{WaitTime: seconds(20)})
			}
			synctest.Wait()
			require.Equal(t, 4000, q.Stats().Waiting)
			time.Sleep(20 * time.Second)
			synctest.Wait()
			require.Zero(t, q.Stats().Waiting)
		}
		waits() // the runtime keeps the goroutines for the next time
		before := heapInUse()
		waits()
		require.Less(t, heapInUse(), before+mebibyte/4)
	})
}

// A queue that is dropped is garbage, with all that it holds, although it has
// not been closed and its clock and its senders live on.
func TestDroppedQueueIsGarbage(t *testing.T) {
	clock := newSpyClock()
	drop := func() (a, b weak.Pointer[memsqs.Queue]) {
		dead, err := memsqs.NewQueue(memsqs.Config{Clock: clock})
		require.NoError(t, err)
		q, err := memsqs.NewQueue(memsqs.Config{Clock: clock, DeadLetter: &memsqs.DeadLetter{Queue: dead, MaxReceiveCount: 1}})
		require.NoError(t, err)
		require.NoError(t, dead.Configure(func(cfg *memsqs.Config) {
			cfg.DeadLetter = &memsqs.DeadLetter{Queue: q, MaxReceiveCount: 1}
		}))
		send(t, q, "a", "b", "c")
		receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})
		receive(t, q, memsqs.ReceiveInput{MaxMessages: 3})
		requireCounts(t, q, 0, 2, 0)
		answers := parkOn(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
		send(t, q, "d")
		require.Len(t, (<-answers).msgs, 1)
		return weak.Make(q), weak.Make(dead)
	}
	q, dead := drop()
	for i := 0; i < 100 && (q.Value() != nil || dead.Value() != nil); i++ {
		runtime.GC()
	}
	require.Nil(t, q.Value())
	require.Nil(t, dead.Value())
	runtime.KeepAlive(clock)
}

// goroutinesInside returns how many goroutines the package has started, or are
// in one of its functions.
func goroutinesInside() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	inside := 0
	for stack := range bytes.SplitSeq(stacks, []byte("\n\n")) {
		if bytes.Contains(stack, []byte("github.com/memsqs/memsqs.(")) {
			inside++
		}
	}
	return inside
}

// However its wait ends, a receive leaves no goroutine behind.
func TestNoGoroutineIsLeftBehind(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, ctx := range slices.Repeat([]context.Context{t.Context(), ctx}, 10) {
			for _, wait := range []float64{0.5, 2, 20} {
				park(ctx, q, memsqs.ReceiveInput{WaitTime: seconds(wait)})
			}
		}
		synctest.Wait()
		require.Equal(t, 60, goroutinesInside())
		sendEach(t, q, "a", "b", "c")
		time.Sleep(3 * time.Second)
		require.NoError(t, q.Close())
		synctest.Wait()
		require.Zero(t, goroutinesInside())
	})
}

// A queue on which nobody waits has no goroutine and no timer, whatever is to
// happen to its messages.
func TestIdleQueueHasNoGoroutineAndNoTimer(t *testing.T) {
	clock := newSpyClock()
	for range 500 {
		q := newQueue(t, memsqs.Config{Clock: clock})
		send(t, q, "a", "b")
		receive(t, q, memsqs.ReceiveInput{})
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: "c", Delay: seconds(9)})
		require.NoError(t, err)
		requireCounts(t, q, 1, 1, 1)
		sendGroup(t, newFIFOQueue(t, memsqs.FIFOConfig{Clock: clock}), "g", "a")
	}
	require.Zero(t, clock.pending.Load())
	require.Zero(t, goroutinesInside())
}

// A queue on which somebody waits has one timer, however many wait and whatever
// changes what they wait for. It is stopped when the last wait ends, in
// whatever way that does.
func TestQueueHasOneTimerWhileSomebodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newSpyClock()
		q := newQueue(t, memsqs.Config{Clock: clock})
		requireTimers := func(want int64) {
			t.Helper()
			synctest.Wait()
			require.Equal(t, want, clock.pending.Load())
		}
		send(t, q, "a")
		handle := receiveOne(t, q).ReceiptHandle
		ctx, cancel := context.WithCancel(t.Context())
		park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
		requireTimers(1)
		park(ctx, q, memsqs.ReceiveInput{WaitTime: seconds(10)})
		requireTimers(1)
		for i := range 100 {
			require.NoError(t, q.ChangeVisibility(t.Context(), handle, time.Duration(1+i*7%13)*time.Second))
			requireTimers(1)
		}
		require.NoError(t, q.ChangeVisibility(t.Context(), handle, 0))
		requireTimers(1)
		cancel()
		requireTimers(0)
		park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(10)})
		requireTimers(1)
		clock.Advance(10 * time.Second)
		requireTimers(0)
		park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
		requireTimers(1)
		send(t, q, "b")
		requireTimers(0)
		park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
		requireTimers(1)
		require.NoError(t, q.Close())
		requireTimers(0)
	})
}

// Whoever sees in Stats that a receive waits can rely on its timer: there is
// one, although the receive may not have come to making it.
func TestReceiveThatIsSeenWaitingHasATimer(t *testing.T) {
	clock := newSpyClock()
	q := newQueue(t, memsqs.Config{Clock: clock})
	pending := make(chan int64, 1)
	clock.beforeAfterFunc.Store(new(func() {
		if q.Stats().Waiting == 1 {
			pending <- clock.pending.Load()
		}
		close(pending)
	}))
	answers := park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(5)})
	require.Equal(t, int64(1), <-pending)
	clock.Advance(5 * time.Second)
	require.NoError(t, (<-answers).err)
}
