// Scenarios of long polls: what wakes them, and what becomes of messages when
// they are cancelled.

package memsqs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// longPoll asks for one message and waits for as long as a receive can.
var longPoll = memsqs.ReceiveInput{WaitTime: seconds(20)}

// requireAnsweredAt waits for the answer of a parked receive, and requires that it
// came at the given second of the bubble with messages of the given bodies.
func requireAnsweredAt(t testing.TB, poll <-chan answer, second float64, want ...string) []memsqs.Message {
	t.Helper()
	a := <-poll
	require.NoError(t, a.err)
	require.Equal(t, want, bodies(a.msgs))
	require.Equal(t, second, secondOf(a.at))
	return a.msgs
}

// requireCancelled waits for the answer of a parked receive, and requires that
// it came at the given second of the bubble, with the error of its context.
func requireCancelled(t testing.TB, poll <-chan answer, second float64) {
	t.Helper()
	a := <-poll
	require.ErrorIs(t, a.err, context.Canceled)
	require.Empty(t, a.msgs)
	require.Equal(t, second, secondOf(a.at))
}

// parkCancellable parks a receive that can be cancelled.
func parkCancellable(t testing.TB, q queue) (<-chan answer, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	return park(ctx, q, longPoll), cancel
}

// parkInOrder parks n receives, one after the other.
func parkInOrder(t testing.TB, q queue, n int) []<-chan answer {
	t.Helper()
	var polls []<-chan answer
	for range n {
		polls = append(polls, park(t.Context(), q, longPoll))
		synctest.Wait()
	}
	require.Equal(t, n, q.Stats().Waiting)
	return polls
}

// A receive that finds only groups that are held back waits, and does nothing
// meanwhile, until a head comes back or another group has a message. (F43)
func TestPollWaitsForAGroupThatIsHeldBack(t *testing.T) {
	for _, other := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(30)})
			sendGroup(t, q, "g", "a", "b")
			require.Equal(t, []string{"a"}, bodies(receive(t, q, memsqs.ReceiveInput{})))
			at(t, 10)
			requireAnsweredAt(t, park(t.Context(), q, memsqs.ReceiveInput{MaxMessages: 10, WaitTime: seconds(5)}), 15)
			at(t, 20)
			poll := park(t.Context(), q, memsqs.ReceiveInput{MaxMessages: 10, WaitTime: seconds(20)})
			at(t, 25)
			if other {
				sendGroup(t, q, "h", "c")
				requireAnsweredAt(t, poll, 25, "c")
				return
			}
			requireAnsweredAt(t, poll, 30, "a", "b")
		})
	}
}

// A receive that finds only groups that are held back does not look at them
// again and again: until something is due the clock is not even read. (F43)
func TestPollOnAGroupThatIsHeldBackIsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := newSpyClock()
		q := newFIFOQueue(t, memsqs.FIFOConfig{Clock: clock})
		sendGroup(t, q, "g", "a", "b")
		receive(t, q, memsqs.ReceiveInput{})
		poll := park(t.Context(), q, longPoll)
		synctest.Wait()
		readings := clock.readings.Load()
		for range 19 {
			clock.Advance(time.Second)
		}
		require.Equal(t, readings, clock.readings.Load())
		require.Equal(t, int64(1), clock.made.Load())
		clock.Advance(time.Second)
		require.Empty(t, (<-poll).msgs)
	})
}

// A parked receive gets a message when another goroutine makes it visible, at
// once or after a time. (F45)
func TestChangeOfVisibilityWakesAPoll(t *testing.T) {
	for hidden, second := range map[float64]float64{0: 3, 4: 7} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(600)})
			send(t, q, "m")
			m := receiveOne(t, q)
			poll := park(t.Context(), q, longPoll)
			at(t, 3)
			changeVisibility(t, q, m, *seconds(hidden))
			require.Equal(t, 2, requireAnsweredAt(t, poll, second, "m")[0].ReceiveCount)
		})
	}
}

// Each message that is sent wakes the receive that waits for longest, and only
// that. The others wait to their end, and keep no other call waiting. (F47, F93)
func TestEachMessageWakesOnePoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		polls := parkInOrder(t, q, 50)
		at(t, 1)
		send(t, q, "a", "b", "c")
		for i, body := range []string{"a", "b", "c"} {
			requireAnsweredAt(t, polls[i], 1, body)
		}
		at(t, 2)
		require.Equal(t, 47, q.Stats().Waiting)
		require.Equal(t, 2.0, secondOf(time.Now()))
		for _, poll := range polls[3:] {
			requireAnsweredAt(t, poll, 20)
		}
	})
}

// As long as enough receives wait that are not cancelled, every message finds
// one of them, whichever others are cancelled at the same time. (F47)
func TestMessagesFindPollsWhileOthersAreCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		for range rounds(300) {
			var polls [50]<-chan answer
			var cancels [50]context.CancelFunc
			for i := range polls {
				polls[i], cancels[i] = parkCancellable(t, q)
			}
			synctest.Wait()
			start := time.Now()
			cancelled := rand.IntN(48)
			for _, cancel := range cancels[:cancelled] {
				go cancel()
			}
			_, err := q.SendBatch(t.Context(), []memsqs.SendInput{{Body: "a"}, {Body: "b"}, {Body: "c"}})
			require.NoError(t, err)
			var got []memsqs.Message
			for i, poll := range polls {
				a := <-poll
				cancels[i]()
				switch waited := a.at.Sub(start); {
				case a.err != nil:
					require.ErrorIs(t, a.err, context.Canceled)
					require.Less(t, i, cancelled)
					require.Zero(t, waited)
				case len(a.msgs) == 0:
					require.Equal(t, 20*time.Second, waited)
				default:
					require.Zero(t, waited)
					got = append(got, a.msgs...)
				}
			}
			require.ElementsMatch(t, []string{"a", "b", "c"}, bodies(got))
			deleteAll(t, q, got...)
			requireCounts(t, q, 0, 0, 0)
		}
	})
}

// A message that is handed back goes to a receive that waits, also one of the
// same consumer; when that has been cancelled before, it stays for others. (F49)
func TestMessageHandedBackOnStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(300)})
		send(t, q, "m")
		m := receiveOne(t, q)
		poll := park(t.Context(), q, longPoll)
		at(t, 1)
		changeVisibility(t, q, m, *seconds(0))
		m = requireAnsweredAt(t, poll, 1, "m")[0]
		require.Equal(t, 2, m.ReceiveCount)

		poll, cancel := parkCancellable(t, q)
		at(t, 2)
		cancel()
		requireCancelled(t, poll, 2)
		changeVisibility(t, q, m, *seconds(0))
		requireCounts(t, q, 1, 0, 0)
		require.Equal(t, 3, receiveOne(t, q).ReceiveCount)
	})
}

// A watchedContext can be cancelled by who looks whether it has been.
type watchedContext struct {
	context.Context
	onErr atomic.Pointer[context.CancelFunc] // called by Err, which has seen nothing of it
}

func (c *watchedContext) Err() error {
	err := c.Context.Err()
	if cancel := c.onErr.Load(); cancel != nil {
		(*cancel)()
	}
	return err
}

// A receive that is cancelled while it is being handed a message has either
// returned the message or not touched it, and returns at once. One that was
// cancelled before the message was sent does not touch it. (F51)
func TestCancelRacingTheHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		for i := range rounds(10_000) {
			parent, cancel := context.WithCancel(t.Context())
			ctx := &watchedContext{Context: parent}
			poll := park(ctx, q, longPoll)
			synctest.Wait()
			switch i % 3 {
			case 0:
				cancel()
			case 1:
				go cancel()
			case 2:
				ctx.onErr.Store(&cancel)
			}
			send(t, q, "m")
			a := <-poll
			require.Zero(t, secondOf(a.at))
			if i%3 == 0 || a.err != nil {
				require.ErrorIs(t, a.err, context.Canceled)
				require.Empty(t, a.msgs)
				a.msgs = receiveExactly(t, q, "m")
			}
			require.Equal(t, []int{1}, receiveCounts(a.msgs))
			deleteAll(t, q, a.msgs...)
			requireCounts(t, q, 0, 0, 0)
			cancel()
		}
	})
}

// A poll that has been cancelled takes no message that is sent afterwards: that
// is not in flight, its group not held back, and it is no dead letter. (F53)
func TestAbandonedPollTakesNothing(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		var dead queue
		switch q := q.(type) {
		case *memsqs.Queue:
			to := newQueue(t, memsqs.Config{})
			dead = to
			require.NoError(t, q.Configure(func(cfg *memsqs.Config) {
				cfg.VisibilityTimeout, cfg.DeadLetter = seconds(200), &memsqs.DeadLetter{Queue: to, MaxReceiveCount: 1}
			}))
		case *memsqs.FIFOQueue:
			to := newFIFOQueue(t, memsqs.FIFOConfig{})
			dead = to
			require.NoError(t, q.Configure(func(cfg *memsqs.FIFOConfig) {
				cfg.VisibilityTimeout, cfg.DeadLetter = seconds(200), &memsqs.FIFODeadLetter{Queue: to, MaxReceiveCount: 1}
			}))
		}
		poll, cancel := parkCancellable(t, q)
		at(t, 2)
		cancel()
		requireCancelled(t, poll, 2)
		at(t, 3)
		sendAny(t, q, "m")
		require.Equal(t, 1, receiveOne(t, q).ReceiveCount)
		requireCounts(t, dead, 0, 0, 0)
	})
}

// While senders, receivers and purges race, every message is received and
// deleted, or purged; and a purge never drops what is sent after it. (F71)
func TestPurgeRacingSendersAndReceivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		ctx, stop := context.WithCancel(t.Context())
		var senders, receivers sync.WaitGroup
		var received sync.Map // bodies
		for i := range 4 {
			senders.Go(func() {
				for j := range rounds(1000) {
					q.Send(ctx, memsqs.SendInput{Body: fmt.Sprint(i, " ", j)})
				}
			})
			receivers.Go(func() {
				for ctx.Err() == nil {
					msgs, _ := q.Receive(ctx, memsqs.ReceiveInput{MaxMessages: 10, WaitTime: seconds(20)})
					for _, m := range msgs {
						if _, again := received.LoadOrStore(m.Body, true); again {
							t.Errorf("%s was received twice", m.Body)
						}
						q.Delete(ctx, m.ReceiptHandle)
					}
				}
			})
		}
		purges := rounds(200)
		for i := range purges {
			require.NoError(t, q.Purge(ctx))
			body := fmt.Sprint("after purge ", i)
			send(t, q, body)
			kept := slices.ContainsFunc(q.Peek(10_000), func(m memsqs.MessageState) bool { return m.Body == body })
			if _, ok := received.Load(body); !kept && !ok {
				t.Errorf("%s is lost", body)
			}
		}
		senders.Wait()
		synctest.Wait() // the receivers have emptied the queue
		requireCounts(t, q, 0, 0, 0)
		s := q.Stats()
		require.Equal(t, uint64(4*rounds(1000)+purges), s.Sent)
		require.Equal(t, s.Sent, s.Deleted+s.Purged)
		stop()
		receivers.Wait()
	})
}
