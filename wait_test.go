// Tests of the long poll: what ends the wait of a receive, at which instant,
// and who is served first.

package memsqs_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// A wake is a way in which something to receive turns up while a receive waits.
type wake struct {
	name  string
	after time.Duration // when the wait ends
	want  []string      // what the receive returns
	// arrange makes the queue to wait on. What it returns besides, if
	// anything, is done when a receive has waited for a second.
	arrange func(t *testing.T) (q queue, event func() error)
}

// A receive that waits returns at the first moment at which there is something
// to return, whatever brings that about (A2.5, A6.3, B6.4, B6.13, E8).
func TestReceiveThatWaitsReturnsAtTheFirstMoment(t *testing.T) {
	for _, w := range slices.Concat(wakesOfQueues, wakesOfFIFOQueues) {
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, event := w.arrange(t)
				start := time.Now()
				answers := park(t.Context(), q, memsqs.ReceiveInput{MaxMessages: 10, WaitTime: seconds(20)})
				if event != nil {
					time.Sleep(time.Second)
					require.NoError(t, event())
				}
				requireAnswered(t, <-answers, start.Add(w.after), w.want...)
			})
		})
	}
}

// heldQueue returns a queue in which a message, a, is in flight, and then
// others have been sent.
func heldQueue(t *testing.T, cfg memsqs.Config, others ...string) (q *memsqs.Queue, handle string) {
	q = newQueue(t, cfg)
	send(t, q, "a")
	handle = receiveOne(t, q).ReceiptHandle
	send(t, q, others...)
	return q, handle
}

// heldGroup returns a queue in which a message of group g, a, is in flight, and
// others have been sent to the group after it.
func heldGroup(t *testing.T, cfg memsqs.FIFOConfig, others ...string) (q *memsqs.FIFOQueue, handle string) {
	q = newFIFOQueue(t, cfg)
	sendGroup(t, q, "g", "a")
	handle = receiveOne(t, q).ReceiptHandle
	sendGroup(t, q, "g", others...)
	return q, handle
}

var wakesOfQueues = []wake{
	{"message is sent", time.Second, []string{"a"}, func(t *testing.T) (queue, func() error) {
		q := newQueue(t, memsqs.Config{})
		return q, func() error {
			_, err := q.Send(t.Context(), memsqs.SendInput{Body: "a"})
			return err
		}
	}},
	{"delay ends", 3 * time.Second, []string{"a"}, func(t *testing.T) (queue, func() error) {
		q := newQueue(t, memsqs.Config{Delay: 3 * time.Second})
		send(t, q, "a")
		return q, nil
	}},
	{"visibility timeout ends", 3 * time.Second, []string{"a"}, func(t *testing.T) (queue, func() error) {
		q, _ := heldQueue(t, memsqs.Config{VisibilityTimeout: seconds(3)})
		return q, nil
	}},
	{"visibility timeout is changed to zero", time.Second, []string{"a"}, func(t *testing.T) (queue, func() error) {
		q, handle := heldQueue(t, memsqs.Config{})
		return q, func() error { return q.ChangeVisibility(t.Context(), handle, 0) }
	}},
	{"visibility timeout is shortened", 5 * time.Second, []string{"a"}, func(t *testing.T) (queue, func() error) {
		q, handle := heldQueue(t, memsqs.Config{})
		return q, func() error { return q.ChangeVisibility(t.Context(), handle, 4*time.Second) }
	}},
	{"visibility timeout is lengthened", 5 * time.Second, []string{"a"}, func(t *testing.T) (queue, func() error) {
		q, handle := heldQueue(t, memsqs.Config{VisibilityTimeout: seconds(3)})
		return q, func() error { return q.ChangeVisibility(t.Context(), handle, 4*time.Second) }
	}},
	{"quota is freed by a delete", time.Second, []string{"b"}, func(t *testing.T) (queue, func() error) {
		q, handle := heldQueue(t, memsqs.Config{MaxInFlight: 1}, "b")
		return q, func() error { return q.Delete(t.Context(), handle) }
	}},
	{"quota is freed by a visibility timeout", 3 * time.Second, []string{"b"}, func(t *testing.T) (queue, func() error) {
		q, _ := heldQueue(t, memsqs.Config{MaxInFlight: 1, VisibilityTimeout: seconds(3)}, "b")
		return q, nil
	}},
	{"quota is freed by retention", 3 * time.Second, []string{"b"}, func(t *testing.T) (queue, func() error) {
		q, _ := heldQueue(t, memsqs.Config{MaxInFlight: 1, VisibilityTimeout: seconds(600), Retention: time.Minute})
		time.Sleep(57 * time.Second)
		send(t, q, "b")
		return q, nil
	}},
	{"quota is raised", time.Second, []string{"b", "c"}, func(t *testing.T) (queue, func() error) {
		q, _ := heldQueue(t, memsqs.Config{MaxInFlight: 1}, "b", "c", "d")
		return q, func() error { return q.Configure(func(cfg *memsqs.Config) { cfg.MaxInFlight = 3 }) }
	}},
	{"dead letter arrives", time.Second, []string{"a"}, func(t *testing.T) (queue, func() error) {
		q := newQueue(t, memsqs.Config{})
		letters := &memsqs.DeadLetter{Queue: q, MaxReceiveCount: 1}
		source, _ := heldQueue(t, memsqs.Config{VisibilityTimeout: seconds(0), DeadLetter: letters})
		return q, func() error {
			_, err := source.Receive(t.Context(), memsqs.ReceiveInput{})
			return err
		}
	}},
}

var wakesOfFIFOQueues = []wake{
	{"FIFO, message of another group is sent", time.Second, []string{"c"}, func(t *testing.T) (queue, func() error) {
		q, _ := heldGroup(t, memsqs.FIFOConfig{}, "b")
		return q, func() error {
			_, err := q.Send(t.Context(), memsqs.SendInput{Body: "c", GroupID: "h", DeduplicationID: "c"})
			return err
		}
	}},
	{"FIFO, delay ends", 3 * time.Second, []string{"a", "b"}, func(t *testing.T) (queue, func() error) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{Delay: 3 * time.Second})
		sendGroup(t, q, "g", "a", "b")
		return q, nil
	}},
	{"FIFO, delay is lowered to what has passed", time.Second, []string{"a"}, func(t *testing.T) (queue, func() error) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{Delay: time.Minute})
		sendGroup(t, q, "g", "a")
		return q, func() error { return q.Configure(func(cfg *memsqs.FIFOConfig) { cfg.Delay = time.Second }) }
	}},
	{"FIFO, delay is lowered to what has not passed", 3 * time.Second, []string{"a"}, func(t *testing.T) (queue, func() error) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{Delay: time.Minute})
		sendGroup(t, q, "g", "a")
		return q, func() error { return q.Configure(func(cfg *memsqs.FIFOConfig) { cfg.Delay = 3 * time.Second }) }
	}},
	{"FIFO, visibility timeout of the head ends", 3 * time.Second, []string{"a", "b"}, func(t *testing.T) (queue, func() error) {
		q, _ := heldGroup(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(3)}, "b")
		return q, nil
	}},
	{"FIFO, visibility timeout of the head is changed to zero", time.Second, []string{"a"}, func(t *testing.T) (queue, func() error) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		sendGroup(t, q, "g", "a", "b", "c")
		held := receive(t, q, memsqs.ReceiveInput{MaxMessages: 2})
		return q, func() error { return q.ChangeVisibility(t.Context(), held[0].ReceiptHandle, 0) }
	}},
	{"FIFO, delete opens the group", time.Second, []string{"b"}, func(t *testing.T) (queue, func() error) {
		q, handle := heldGroup(t, memsqs.FIFOConfig{}, "b")
		return q, func() error { return q.Delete(t.Context(), handle) }
	}},
	{"FIFO, retention of the head ends", 3 * time.Second, []string{"b"}, func(t *testing.T) (queue, func() error) {
		q, _ := heldGroup(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(600), Retention: time.Minute})
		time.Sleep(57 * time.Second)
		sendGroup(t, q, "g", "b")
		return q, nil
	}},
	{"FIFO, retention is shortened", time.Second, []string{"b"}, func(t *testing.T) (queue, func() error) {
		q, _ := heldGroup(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(600)})
		time.Sleep(59 * time.Second)
		sendGroup(t, q, "g", "b")
		return q, func() error { return q.Configure(func(cfg *memsqs.FIFOConfig) { cfg.Retention = time.Minute }) }
	}},
	{"FIFO, head becomes a dead letter", 3 * time.Second, []string{"b"}, func(t *testing.T) (queue, func() error) {
		letters := &memsqs.FIFODeadLetter{Queue: newFIFOQueue(t, memsqs.FIFOConfig{}), MaxReceiveCount: 1}
		q, _ := heldGroup(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(3), DeadLetter: letters}, "b")
		return q, nil
	}},
}

// A receive waits for the queue's wait time unless it names one, zero included
// (A3.3). With nothing to return it returns nothing, and no error, at the very
// end of that time (A3.6, E8).
func TestWaitEndsEmptyWhenTheWaitTimeHasPassed(t *testing.T) {
	for _, tt := range []struct {
		ofQueue time.Duration
		given   *time.Duration
		want    time.Duration
	}{
		{0, nil, 0},
		{0, new(time.Duration(1)), 1},
		{0, seconds(20), 20 * time.Second},
		{5 * time.Second, nil, 5 * time.Second},
		{5 * time.Second, seconds(0), 0},
		{5 * time.Second, seconds(7), 7 * time.Second},
	} {
		t.Run(fmt.Sprint(tt.want), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t, memsqs.Config{WaitTime: tt.ofQueue})
				start := time.Now()
				requireAnswered(t, <-park(t.Context(), q, memsqs.ReceiveInput{WaitTime: tt.given}), start.Add(tt.want))
				require.Zero(t, q.Stats().Waiting)
			})
		})
	}
}

// A message that falls due at the very instant at which a wait ends is
// returned, to the one who has waited longest. A nanosecond later is too late.
func TestMessageThatFallsDueAsTheWaitEndsIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for late, want := range [][]string{{"a"}, nil} {
			q := newQueue(t, memsqs.Config{Delay: 5*time.Second + time.Duration(late)})
			start := time.Now()
			send(t, q, "a")
			first := park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(5)})
			synctest.Wait()
			second := park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(5)})
			requireAnswered(t, <-first, start.Add(5*time.Second), want...)
			requireAnswered(t, <-second, start.Add(5*time.Second))
		}
	})
}

// A receive does not wait until it has as many messages as it may return
// (A3.5).
func TestReceiveDoesNotWaitToFillItsAnswer(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		in := memsqs.ReceiveInput{MaxMessages: 10, WaitTime: seconds(20)}
		start := time.Now()
		sendEach(t, q, "a")
		requireAnswered(t, <-park(t.Context(), q, in), start, "a")

		answers := park(t.Context(), q, in)
		time.Sleep(time.Second)
		sendEach(t, q, "b", "c")
		requireAnswered(t, <-answers, start.Add(time.Second), "b")
	})
}

// Receives that wait are served in the order in which they came, each with as
// many messages as it may return, whenever their waits end.
func TestThoseWhoWaitAreServedInTheOrderInWhichTheyCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		start := time.Now()
		var waiting []<-chan answer
		for _, wait := range []float64{20, 5, 10, 2, 15} {
			waiting = append(waiting, park(t.Context(), q, memsqs.ReceiveInput{MaxMessages: 2, WaitTime: seconds(wait)}))
			synctest.Wait()
		}
		time.Sleep(time.Second)
		_, err := q.SendBatch(t.Context(), []memsqs.SendInput{{Body: "a"}, {Body: "b"}, {Body: "c"}})
		require.NoError(t, err)
		time.Sleep(time.Second)
		send(t, q, "d")
		time.Sleep(time.Second)
		send(t, q, "e")

		requireAnswered(t, <-waiting[0], start.Add(time.Second), "a", "b")
		requireAnswered(t, <-waiting[1], start.Add(time.Second), "c")
		requireAnswered(t, <-waiting[2], start.Add(2*time.Second), "d")
		requireAnswered(t, <-waiting[3], start.Add(2*time.Second))
		requireAnswered(t, <-waiting[4], start.Add(3*time.Second), "e")
	})
}

// Of many receives that wait as many are woken as there are messages, each with
// another one; nobody returns empty before the end of its wait.
func TestEachMessageWakesOneOfThoseWhoWait(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		start := time.Now()
		var waiting [50]<-chan answer
		for i := range waiting {
			waiting[i] = park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
			synctest.Wait()
		}
		time.Sleep(time.Second)
		sendEach(t, q, "a", "b", "c")
		require.Equal(t, 47, q.Stats().Waiting)
		for i, body := range []string{"a", "b", "c"} {
			requireAnswered(t, <-waiting[i], start.Add(time.Second), body)
		}
		for _, answers := range waiting[3:] {
			requireAnswered(t, <-answers, start.Add(20*time.Second))
		}
	})
}

// A receive that comes at the moment at which a message falls due does not get
// it if another waits for it.
func TestReceiveDoesNotOvertakeOneThatWaits(t *testing.T) {
	clock := memsqs.NewManualClock(epoch)
	q := newQueue(t, memsqs.Config{Clock: clock, Delay: time.Second})
	send(t, q, "a")
	clock.AfterFunc(time.Second, func() { receiveNone(t, q) })
	answers := parkOn(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
	clock.Advance(20 * time.Second)
	require.Equal(t, []string{"a"}, bodies((<-answers).msgs))
}
