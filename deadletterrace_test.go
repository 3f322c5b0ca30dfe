// Dead letters and redrives under many goroutines: no message is lost or
// doubled, and no queue waits for another for ever.

package memsqs_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// Two queues that are each other's dead-letter queue lose and double no message
// under many goroutines, and do not lock each other up.
func TestMutualDeadLetterQueuesConserveMessages(t *testing.T) {
	eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
		queues := []queue{makeQueue(memsqs.Config{Name: "a"}), makeQueue(memsqs.Config{Name: "b"})}
		setDeadLetter(t, queues[0], queues[1], 1)
		setDeadLetter(t, queues[1], queues[0], 2)
		var workers sync.WaitGroup
		for i := range 8 {
			workers.Go(func() { useAtRandom(t, queues, rand.New(rand.NewPCG(uint64(i), 0))) })
		}
		workers.Wait()
		requireConserved(t, queues...)
		for _, q := range queues {
			require.NotZero(t, q.Stats().DeadLettered)
		}
	})
}

// useAtRandom sends to queues, every message with a body of its own, receives
// from them, and deletes some of that. What is refused does not matter: a handle
// may have expired, or its message have been moved.
func useAtRandom(t *testing.T, queues []queue, rng *rand.Rand) {
	for range 300 {
		q := queues[rng.IntN(len(queues))]
		if rng.IntN(3) == 0 {
			in := memsqs.SendInput{Body: strconv.FormatUint(rng.Uint64(), 16), GroupID: strconv.Itoa(rng.IntN(10))}
			q.Send(t.Context(), in)
			continue
		}
		in := memsqs.ReceiveInput{MaxMessages: 3, VisibilityTimeout: new(time.Duration(rng.IntN(3)))}
		if rng.IntN(4) == 0 {
			in.WaitTime = new(time.Duration(rng.IntN(3)))
		}
		msgs, _ := q.Receive(t.Context(), in)
		time.Sleep(time.Duration(rng.IntN(3)))
		if len(msgs) > 0 && rng.IntN(2) == 0 {
			q.Delete(t.Context(), msgs[0].ReceiptHandle)
		}
	}
}

// requireConserved requires that every message that was sent to one of the
// queues and not deleted or expired is in one of them, once.
func requireConserved(t testing.TB, queues ...queue) {
	t.Helper()
	left, bodies := 0, make(map[string]bool)
	for _, q := range queues {
		s := q.Stats()
		left += int(s.Sent) - int(s.Deleted) - int(s.Expired)
		for _, m := range q.Peek(s.Visible + s.InFlight + s.Delayed) {
			require.NotContains(t, bodies, m.Body)
			bodies[m.Body] = true
		}
	}
	require.NotZero(t, left)
	require.Len(t, bodies, left)
}

// Redrives lose and double no message, while dead letters arrive and are
// received, while redrives are cancelled, and while a destination is closed.
// What they say that they moved is exact.
func TestRedrivesConserveMessages(t *testing.T) {
	eachPair(t, 1, memsqs.Config{}, func(t *testing.T, source, letters queue) {
		other := newQueueLike(t, source)
		var workers sync.WaitGroup
		var toOrigin, toOther atomic.Int64
		for i := range 4 {
			workers.Go(func() { useAtRandom(t, []queue{source, letters}, rand.New(rand.NewPCG(uint64(i), 0))) })
			workers.Go(func() { redriveAtRandom(t, letters, nil, &toOrigin, rand.New(rand.NewPCG(uint64(i), 1))) })
		}
		workers.Go(func() { redriveAtRandom(t, letters, other, &toOther, rand.New(rand.NewPCG(0, 2))) })
		workers.Go(func() {
			time.Sleep(100 * time.Nanosecond)
			other.Close()
		})
		workers.Wait()
		requireConserved(t, source, letters, other)
		require.NotZero(t, toOrigin.Load())
		require.NotZero(t, toOther.Load())
		require.EqualValues(t, toOther.Load(), other.Stats().Visible)
	})
}

// redriveAtRandom redrives again and again, each time for a few nanoseconds,
// and adds up how many messages were moved.
func redriveAtRandom(t *testing.T, from, to queue, total *atomic.Int64, rng *rand.Rand) {
	for range 100 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+rng.IntN(3)))
		moved, _ := redrive(ctx, from, to, []int{0, int(time.Second)}[rng.IntN(2)]) // at once, or one a nanosecond
		total.Add(int64(moved))
		cancel()
		time.Sleep(time.Duration(rng.IntN(5)))
	}
}

// newQueueLike returns a new queue of the kind of q.
func newQueueLike(t testing.TB, q queue) queue {
	t.Helper()
	if _, ok := q.(*memsqs.Queue); ok {
		return newQueue(t, memsqs.Config{Name: "other"})
	}
	return newFIFOQueue(t, memsqs.FIFOConfig{Name: "other", ContentBasedDeduplication: true})
}

// When a redrive returns, what it says that it moved is in the destination,
// also while others move messages of the same queue.
func TestRedriveReturnsWhenItsMessagesHaveArrived(t *testing.T) {
	eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
		from := makeQueue(memsqs.Config{})
		var movers sync.WaitGroup
		var early atomic.Int64 // returns
		for i := range 4 {
			to := makeQueue(memsqs.Config{})
			movers.Go(func() {
				total := 0
				for n := range 500 {
					from.Send(t.Context(), memsqs.SendInput{Body: strconv.Itoa(1000*i + n), GroupID: "g"})
					moved, _ := redrive(t.Context(), from, to, 0)
					if total += moved; to.Stats().Visible != total {
						early.Add(1)
					}
				}
			})
		}
		movers.Wait()
		require.Zero(t, early.Load())
	})
}
