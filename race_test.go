// Tests of calls that race. They run in bubbles: there calls that are to race
// are made at the same instant, a receive that waits in vain is seen as time
// that passes, and a goroutine that is left behind fails the test.

package memsqs_test

import (
	"context"
	"crypto/rand"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// A message that is sent while a wait ends, because it is cancelled or because
// its time has passed, is either returned or still there: never neither, never
// both, and never counted twice.
func TestEndOfAWaitRacesWithAHandOver(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		for round := range 600 {
			ctx, cancel := context.WithCancel(t.Context())
			answers := park(ctx, q, memsqs.ReceiveInput{WaitTime: seconds(1)})
			var wg sync.WaitGroup
			switch round % 3 {
			case 0:
				synctest.Wait()
				wg.Go(cancel)
			case 1:
				wg.Go(cancel)
			case 2:
				time.Sleep(time.Second)
			}
			sendEach(t, q, rand.Text())
			a := <-answers
			wg.Wait()
			cancel()

			if a.err != nil {
				require.ErrorIs(t, a.err, context.Canceled)
				require.Empty(t, a.msgs)
			}
			if len(a.msgs) == 0 {
				a.msgs = []memsqs.Message{receiveOne(t, q)}
			}
			require.Equal(t, 1, a.msgs[0].ReceiveCount)
			require.NoError(t, q.Delete(t.Context(), a.msgs[0].ReceiptHandle))
			requireCounts(t, q, 0, 0, 0)
		}
	})
}

// A delete at the very moment at which the visibility timeout ends works in a
// standard queue, also when the message is received at that moment (A5.2). In
// a FIFO queue it is always too late, and the message is received (B8.1).
func TestDeleteRacesWithTheEndOfTheVisibilityTimeout(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		for range 300 {
			sendEach(t, q, rand.Text())
			first := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(5)})[0]
			answers := park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
			time.Sleep(5 * time.Second)
			err := q.Delete(t.Context(), first.ReceiptHandle)
			a := <-answers
			require.NoError(t, a.err)
			for _, m := range a.msgs {
				require.Equal(t, 2, m.ReceiveCount)
			}
			if _, standard := q.(*memsqs.Queue); standard {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, memsqs.ErrReceiptHandleExpired)
				require.NoError(t, q.Delete(t.Context(), a.msgs[0].ReceiptHandle))
			}
			requireCounts(t, q, 0, 0, 0)
		}
	})
}

// When retention and a visibility timeout end at the same instant the message is
// gone: a delete then is no error, and a receive that waits gets nothing (A11.1).
func TestDeleteRacesWithTheEndOfRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{Retention: time.Minute, VisibilityTimeout: seconds(60)})
		for range 100 {
			send(t, q, "a")
			handle := receiveOne(t, q).ReceiptHandle
			time.Sleep(50 * time.Second)
			answers := park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
			time.Sleep(10 * time.Second)
			require.NoError(t, q.Delete(t.Context(), handle))
			require.Empty(t, (<-answers).msgs)
		}
		require.Equal(t, uint64(100), q.Stats().Expired)
	})
}

// race sends, receives, deletes, hands back, lets lapse, and looks, in many
// goroutines at the same instants, and does something else in one more. What
// can happen to a call because of others is not an error.
func race(t *testing.T, q queue, rival func(round int) error) {
	var wg sync.WaitGroup
	start := func(do func(round int) error) {
		wg.Go(func() {
			for round := range 100 {
				err := do(round)
				if err != nil && !errors.Is(err, memsqs.ErrInvalidParameterValue) && !errors.Is(err, memsqs.ErrOverLimit) && !errors.Is(err, memsqs.ErrClosed) {
					t.Error(err)
				}
				time.Sleep(time.Second)
			}
		})
	}
	start(rival)
	for range 3 {
		start(func(round int) error {
			_, err := q.SendBatch(t.Context(), []memsqs.SendInput{
				{Body: rand.Text(), GroupID: strconv.Itoa(round % 5)},
				{Body: rand.Text(), GroupID: "g"},
			})
			return err
		})
		start(func(round int) error {
			msgs, err := q.Receive(t.Context(), memsqs.ReceiveInput{MaxMessages: 1 + round%10, WaitTime: seconds(float64(round % 3))})
			for i, m := range msgs {
				switch (round + i) % 4 {
				case 0:
					err = errors.Join(err, q.ChangeVisibility(t.Context(), m.ReceiptHandle, 0))
				case 1, 2:
					err = errors.Join(err, q.Delete(t.Context(), m.ReceiptHandle))
				}
			}
			return err
		})
	}
	start(func(int) error {
		if s := q.Stats(); len(q.Peek(1000)) > 1000 || s.Visible < 0 || s.InFlight < 0 || s.Delayed < 0 || s.Waiting < 0 {
			t.Errorf("impossible: %+v", s)
		}
		return nil
	})
	wg.Wait()
	requireNoneLost(t, q, 0)
}

// requireNoneLost requires that all messages that have come to a queue, by a
// send or otherwise, are there or have left it in one of the ways that exist.
func requireNoneLost(t *testing.T, q queue, otherwise uint64) {
	t.Helper()
	synctest.Wait() // until nobody is in the queue
	s := q.Stats()
	there := uint64(s.Visible + s.InFlight + s.Delayed)
	require.Equal(t, s.Sent+otherwise, s.Deleted+s.Expired+s.Purged+s.DeadLettered+s.Redriven+there, "%+v", s)
	require.Zero(t, s.Waiting)
}

// Purge races with everything else: each message is received or purged, and
// none is lost (A14.1).
func TestPurgeRacesWithEverything(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		race(t, q, func(round int) error { return q.Purge(t.Context()) })
		require.Positive(t, q.Stats().Purged)
		require.Positive(t, q.Stats().Deleted)
	})
}

// Configure races with everything else.
func TestConfigureRacesWithEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := newFIFOQueue(t, memsqs.FIFOConfig{})
		letters := []*memsqs.FIFODeadLetter{nil, {Queue: dead, MaxReceiveCount: 2}}
		q := newFIFOQueue(t, memsqs.FIFOConfig{ContentBasedDeduplication: true})
		race(t, q, func(round int) error {
			return q.Configure(func(cfg *memsqs.FIFOConfig) {
				cfg.Delay = time.Duration(round%4) * time.Second
				cfg.VisibilityTimeout = seconds(float64(round % 3))
				cfg.Retention = time.Duration(60+round%5) * time.Second
				cfg.DeduplicationWindow = time.Duration(1+round%7) * time.Second
				cfg.MaxInFlight = 1 + round%6
				cfg.DeadLetter = letters[round%2]
			})
		})
		require.Positive(t, q.Stats().DeadLettered)
		requireNoneLost(t, dead, q.Stats().DeadLettered)
	})
}

// Configurations that are changed at the same time do not undo each other: the
// change that comes too late is made again, to what the other has made of it.
func TestConfigureRacesWithConfigure(t *testing.T) {
	q := newQueue(t, memsqs.Config{MaxInFlight: 1})
	increment := func(cfg *memsqs.Config) { cfg.MaxInFlight++ }
	calls := 0
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) {
		if calls++; calls <= 3 {
			var other sync.WaitGroup
			other.Go(func() { q.Configure(increment) })
			other.Wait()
		}
		increment(cfg)
	}))
	require.Equal(t, 4, calls)
	require.Equal(t, 1+3+1, q.Config().MaxInFlight)
}

// Close races with everything else: nothing that is called later has an effect.
func TestCloseRacesWithEverything(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		var closed memsqs.Stats
		race(t, q, func(round int) error {
			if round != 50 {
				return nil
			}
			err := q.Close()
			closed = q.Stats()
			return err
		})
		s := q.Stats()
		require.Equal(t, [3]uint64{closed.Sent, closed.Received, closed.Deleted}, [3]uint64{s.Sent, s.Received, s.Deleted})
	})
}

// handleAll receives messages, with each of the inputs in a goroutine of its own,
// and handles and deletes them until n have been handled. One is handled at a
// time. No time may pass meanwhile: nobody waits in vain.
func handleAll(t *testing.T, q queue, n int, ins []memsqs.ReceiveInput, handle func(memsqs.Message)) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	start := time.Now()
	var wg sync.WaitGroup
	var mu sync.Mutex // guards n
	for _, in := range ins {
		wg.Go(func() {
			for ctx.Err() == nil {
				msgs, _ := q.Receive(ctx, in)
				for _, m := range msgs {
					mu.Lock()
					handle(m)
					if n--; n == 0 {
						cancel()
					}
					mu.Unlock()
					if err := q.Delete(t.Context(), m.ReceiptHandle); err != nil {
						t.Error(err)
					}
				}
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	synctest.Wait()
	require.Zero(t, time.Since(start))
	requireCounts(t, q, 0, 0, 0)
}

// While no visibility timeout ends, every message is received exactly once, and
// at once, however many senders and receivers there are.
func TestEveryMessageIsReceivedExactlyOnce(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		var ins []memsqs.ReceiveInput
		for i := range 8 {
			go func() {
				for j := range 100 {
					sendEach(t, q, strconv.Itoa(i*100+j))
				}
			}()
			ins = append(ins, memsqs.ReceiveInput{MaxMessages: 1 + i}, memsqs.ReceiveInput{MaxMessages: 1 + i, WaitTime: seconds(20)})
		}
		received := make(map[string]bool)
		handleAll(t, q, 800, ins, func(m memsqs.Message) {
			if received[m.Body] || m.ReceiveCount != 1 {
				t.Errorf("%s was received before", m.Body)
			}
			received[m.Body] = true
		})
		require.Len(t, received, 800)
	})
}

// Consumers that delete what they have received before they receive more handle
// each group in the order in which it was sent, however many there are (B6.2).
func TestGroupsStayInOrderWithManyConsumers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		var sent []string
		for i := range 40 {
			sent = append(sent, strconv.Itoa(i))
		}
		for group := range 10 {
			go sendGroup(t, q, strconv.Itoa(group), sent...)
		}
		ins := slices.Repeat([]memsqs.ReceiveInput{{MaxMessages: 3, WaitTime: seconds(20)}}, 8)
		handled := make(map[string][]string)
		handleAll(t, q, 400, ins, func(m memsqs.Message) {
			handled[m.GroupID] = append(handled[m.GroupID], m.Body)
		})
		require.Len(t, handled, 10)
		for _, bodies := range handled {
			require.Equal(t, sent, bodies)
		}
	})
}

// A ManualClock can be used by many goroutines: each timer is called or
// stopped, and never both.
func TestManualClockIsSafeForManyGoroutines(t *testing.T) {
	clock := memsqs.NewManualClock(epoch)
	var called, stopped atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 200 {
				timer := clock.AfterFunc(time.Duration(i%3), func() { called.Add(1) })
				clock.Advance(time.Duration(i % 2))
				if timer.Stop() {
					stopped.Add(1)
				}
			}
		})
	}
	wg.Wait()
	clock.Advance(time.Second)
	require.Equal(t, int64(8*200), called.Load()+stopped.Load())
}
