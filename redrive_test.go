// Redrives (A20): what is moved, where to, how fast, and what is left when one
// ends early.

package memsqs_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// redrive moves messages between queues of one kind.
func redrive(ctx context.Context, from, to queue, maxPerSecond int) (moved int, err error) {
	if from, ok := from.(*memsqs.Queue); ok {
		to, _ := to.(*memsqs.Queue)
		return from.Redrive(ctx, to, maxPerSecond)
	}
	fifo, _ := to.(*memsqs.FIFOQueue)
	return from.(*memsqs.FIFOQueue).Redrive(ctx, fifo, maxPerSecond)
}

// requireMoved requires that a redrive without a limit moves n messages.
func requireMoved(t testing.TB, n int, from, to queue) {
	t.Helper()
	moved, err := redrive(t.Context(), from, to, 0)
	require.NoError(t, err)
	require.Equal(t, n, moved)
}

// bury sends messages to a queue that allows one receive, and has them moved to
// its dead-letter queue.
func bury(t testing.TB, q queue, bodies ...string) {
	t.Helper()
	sendEach(t, q, bodies...)
	receiveVisible(t, q, len(bodies))
	receiveNone(t, q)
}

// held returns the bodies of all messages in a queue, in the order in which
// they were sent.
func held(q queue) []string {
	var all []string
	for _, m := range q.Peek(1000) {
		all = append(all, m.Body)
	}
	return all
}

// Without a destination each message goes back to the queue that it was moved
// from, also where there are several (A20.3). What was sent straight to the
// dead-letter queue stays, as does what comes from a queue that has been closed,
// be it half-way, and what comes from the dead-letter queue itself.
func TestRedriveToTheOrigins(t *testing.T) {
	eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
		a, b, letters := makeQueue(memsqs.Config{}), makeQueue(memsqs.Config{}), makeQueue(memsqs.Config{Name: "letters"})
		for _, q := range []queue{a, b, letters} {
			setDeadLetter(t, q, letters, 1)
		}
		for i, body := range []string{"a0", "b0", "a1", "b1", "a2"} {
			bury(t, []queue{a, b}[i%2], body)
		}
		sendEach(t, letters, "straight")
		stay := letters.Peek(10)
		stay = []memsqs.MessageState{stay[3], stay[5]}

		time.AfterFunc(1500*time.Millisecond, func() { b.Close() })
		moved, err := redrive(t.Context(), letters, nil, 1)
		require.NoError(t, err)
		require.Equal(t, 4, moved)
		require.Equal(t, []string{"a0", "a1", "a2"}, held(a))
		require.Equal(t, []string{"b0"}, held(b))
		require.Equal(t, stay, letters.Peek(10))

		receiveVisible(t, letters, 2) // and so "straight" becomes its own dead letter
		receiveNone(t, letters)
		requireMoved(t, 0, letters, nil)
		require.Equal(t, "letters", letters.Peek(10)[1].DeadLetterSource)
		requireMoved(t, 0, a, nil)
	})
}

// With a destination all messages go there, wherever they come from.
func TestRedriveToAGivenQueue(t *testing.T) {
	eachPair(t, 1, memsqs.Config{}, func(t *testing.T, source, letters queue) {
		bury(t, source, "a")
		sendEach(t, letters, "b")
		require.NoError(t, source.Close())
		other := newQueueLike(t, source)
		requireMoved(t, 2, letters, other)
		receiveNamed(t, other, 10, "a", "b")
		requireCounts(t, letters, 0, 0, 0)
	})
}

// What is visible or delayed is moved, and what is in flight stays as it is.
func TestRedriveLeavesWhatIsInFlight(t *testing.T) {
	eachPair(t, 1, memsqs.Config{Delay: time.Minute}, func(t *testing.T, source, letters queue) {
		bury(t, source, "a", "b", "c")
		m := receiveNamed(t, letters, 1, "a")[0]
		sendEach(t, letters, "d")
		requireCounts(t, letters, 2, 1, 1)
		before := letters.Peek(1)
		requireMoved(t, 3, letters, newQueueLike(t, letters))
		require.Equal(t, before, letters.Peek(10))
		require.NoError(t, letters.Delete(t.Context(), m.ReceiptHandle))
		requireCounts(t, letters, 0, 0, 0)
	})
}

// A message that is moved starts a new life, as if it had been sent then, with
// a new id (A20.11). So it can be received in a queue that allows one receive,
// and only after that is it moved again.
func TestRedriveBeginsANewLife(t *testing.T) {
	eachPair(t, 1, memsqs.Config{}, func(t *testing.T, source, letters queue) {
		_, err := source.Send(t.Context(), memsqs.SendInput{
			Body: "a", GroupID: "g", TraceHeader: "Root=1",
			Attributes: map[string]memsqs.Attribute{"n": {DataType: "Number", StringValue: "1"}},
		})
		require.NoError(t, err)
		first := receiveVisible(t, source, 1)[0]
		receiveNone(t, source)
		time.Sleep(time.Hour)
		requireMoved(t, 1, letters, nil)
		moved := time.Now()
		time.Sleep(time.Second)
		second := receiveOne(t, source)

		require.NotEqual(t, first.ID, second.ID)
		require.NotEqual(t, first.ReceiptHandle, second.ReceiptHandle)
		want := first
		want.ID, want.ReceiptHandle, want.InvisibleUntil = second.ID, second.ReceiptHandle, second.InvisibleUntil
		want.DeduplicationID, want.SequenceNumber = second.DeduplicationID, second.SequenceNumber
		want.SentAt, want.FirstReceivedAt = moved, time.Now()
		require.Equal(t, want, second)
		require.GreaterOrEqual(t, second.SequenceNumber, first.SequenceNumber)

		changeVisibility(t, source, second, 0)
		requireCounts(t, letters, 0, 0, 0)
		receiveNone(t, source)
		require.Equal(t, second.ID, receiveOne(t, letters).ID)
	})
}

// The delay and the retention of the destination count from the move (A20.11).
func TestDelayAndRetentionOfARedrivenMessage(t *testing.T) {
	eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
		from := makeQueue(memsqs.Config{})
		to := makeQueue(memsqs.Config{Delay: 10 * time.Second, Retention: time.Minute})
		sendEach(t, from, "a")
		time.Sleep(time.Hour)
		requireMoved(t, 1, from, to)
		time.Sleep(10*time.Second - 1)
		requireCounts(t, to, 0, 0, 1)
		time.Sleep(1 * time.Nanosecond)
		requireCounts(t, to, 1, 0, 0)
		time.Sleep(50*time.Second - 1)
		requireCounts(t, to, 1, 0, 0)
		time.Sleep(1 * time.Nanosecond)
		requireCounts(t, to, 0, 0, 0)
	})
}

// Messages are moved oldest first (A20.12): by when they were sent, which for
// a dead letter of a FIFO queue is when it was moved there (A19.6).
func TestRedriveIsOldestFirst(t *testing.T) {
	eachPair(t, 1, memsqs.Config{}, func(t *testing.T, source, letters queue) {
		sendEach(t, source, "a")
		time.Sleep(time.Second)
		sendEach(t, source, "b")
		changeVisibility(t, source, receiveNamed(t, source, 10, "a", "b")[1], 0)
		receiveNone(t, source) // moves b
		time.Sleep(30 * time.Second)
		receiveNone(t, source) // moves a
		requireMoved(t, 2, letters, nil)
		if _, fifo := source.(*memsqs.FIFOQueue); fifo {
			receiveNamed(t, source, 10, "b", "a")
		} else {
			receiveNamed(t, source, 10, "a", "b")
		}
	})
}

// A FIFO message comes to the end of its group in the destination.
func TestRedriveKeepsGroups(t *testing.T) {
	from, to := newFIFOQueue(t, memsqs.FIFOConfig{}), newFIFOQueue(t, memsqs.FIFOConfig{})
	sendNamed(t, from, 0, "g-m1", "h-m1", "g-m2")
	sendNamed(t, to, 0, "g-m0")
	requireMoved(t, 3, from, to)
	msgs := receiveNamed(t, to, 10, "g-m0", "g-m1", "g-m2", "h-m1")
	require.Equal(t, "g", msgs[2].GroupID)
	require.Equal(t, "h", msgs[3].GroupID)
}

// A receive that is parked on the destination returns when a message is moved
// there.
func TestRedriveWakesAParkedReceive(t *testing.T) {
	eachPair(t, 1, memsqs.Config{}, func(t *testing.T, source, letters queue) {
		bury(t, source, "a")
		answers := park(t.Context(), source, memsqs.ReceiveInput{WaitTime: seconds(20)})
		time.Sleep(5 * time.Second)
		now := time.Now()
		requireMoved(t, 1, letters, nil)
		requireAnswered(t, <-answers, now, "a")
	})
}

// What arrives while a redrive works stays (api.md), be it sent or moved there.
func TestRedriveLeavesWhatArrivesMeanwhile(t *testing.T) {
	eachPair(t, 1, memsqs.Config{}, func(t *testing.T, source, letters queue) {
		bury(t, source, "a", "b", "c")
		time.AfterFunc(1500*time.Millisecond, func() {
			sendEach(t, letters, "d")
			bury(t, source, "e")
		})
		moved, err := redrive(t.Context(), letters, newQueueLike(t, letters), 1)
		require.NoError(t, err)
		require.Equal(t, 3, moved)
		require.ElementsMatch(t, []string{"d", "e"}, held(letters))
	})
}

// A redrive with a limit moves one message at once and the others at equal
// intervals, so that no second has more than the limit (A20.5).
func TestRedriveKeepsToItsRate(t *testing.T) {
	for _, rate := range []int{1, 2, 3, 7, 10, 500} {
		t.Run(strconv.Itoa(rate), func(t *testing.T) {
			eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
				from, to := makeQueue(memsqs.Config{}), makeQueue(memsqs.Config{})
				n := 2*rate + 1
				for i := range n {
					sendEach(t, from, strconv.Itoa(i))
				}
				start := time.Now()
				moved, err := redrive(t.Context(), from, to, rate)
				require.NoError(t, err)
				require.Equal(t, n, moved)
				require.InDelta(t, 2*time.Second, time.Since(start), float64(n))
				for i, m := range to.Peek(n) {
					after := m.SentAt.Sub(start) * time.Duration(rate)
					require.GreaterOrEqual(t, after, time.Duration(i)*time.Second, "message %d", i)
				}
			})
		})
	}
}

// On a ManualClock a redrive takes all steps that fall due in an Advance before
// that returns, each at its own instant.
func TestRedriveOnAManualClock(t *testing.T) {
	eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		clock := memsqs.NewManualClock(start)
		from, to := makeQueue(memsqs.Config{Clock: clock}), makeQueue(memsqs.Config{Clock: clock})
		sendEach(t, from, "a", "b", "c", "d", "e")
		r, err := startRedrive(t.Context(), from, to, 2)
		require.NoError(t, err)
		require.Equal(t, []string{"a"}, held(to))
		clock.Advance(500*time.Millisecond - 1)
		require.Equal(t, []string{"a"}, held(to))
		clock.Advance(1)
		require.Equal(t, []string{"a", "b"}, held(to))
		clock.Advance(time.Hour)
		require.Equal(t, []string{"a", "b", "c", "d", "e"}, held(to))
		for i, m := range to.Peek(5) {
			require.Equal(t, time.Duration(i)*500*time.Millisecond, m.SentAt.Sub(start))
		}
		requireEnded(t, r, true, 5, nil)
	})
}

// A redrive ends early when its context is done, at once, and when either queue
// is closed (A20.7, A20.10). It returns how many it has moved, and the others
// are as they were.
func TestRedriveEndsEarly(t *testing.T) {
	for _, test := range []struct {
		name    string
		stop    func(from, to queue, cancel func()) // after 2.5 s
		within  time.Duration
		want    error
		message string
	}{
		{"cancelled", func(_, _ queue, cancel func()) { cancel() }, 2500 * time.Millisecond, context.Canceled, ""},
		{"source closed", func(from, _ queue, _ func()) { from.Close() }, 3 * time.Second, memsqs.ErrClosed, "queue from:"},
		{"destination closed", func(_, to queue, _ func()) { to.Close() }, 3 * time.Second, memsqs.ErrClosed, "queue to:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
				from, to := makeQueue(memsqs.Config{Name: "from"}), makeQueue(memsqs.Config{Name: "to"})
				sendEach(t, from, "a", "b", "c", "d", "e")
				before := from.Peek(5)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				start := time.Now()
				time.AfterFunc(2500*time.Millisecond, func() { test.stop(from, to, cancel) })
				moved, err := redrive(ctx, from, to, 1)
				require.LessOrEqual(t, time.Since(start), test.within)
				require.ErrorIs(t, err, test.want)
				require.ErrorContains(t, err, test.message)
				require.Equal(t, 3, moved)
				time.Sleep(10 * time.Second)
				require.Equal(t, []string{"a", "b", "c"}, held(to))
				require.Equal(t, before[3:], from.Peek(5))
			})
		})
	}
}

// A redrive to the queue itself, with a negative rate, from or to a closed queue,
// or whose context is done is refused, and moves nothing (A20.13).
func TestRedriveIsRefused(t *testing.T) {
	eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
		from, to, closed := makeQueue(memsqs.Config{Name: "from"}), makeQueue(memsqs.Config{}), makeQueue(memsqs.Config{Name: "closed"})
		sendEach(t, from, "a")
		sendEach(t, closed, "b")
		closed.Close()
		for _, test := range []struct {
			from, to queue
			rate     int
			by       queue
			want     error
		}{
			{from, from, 0, from, memsqs.ErrInvalidParameterValue},
			{from, to, -1, from, memsqs.ErrInvalidParameterValue},
			{from, nil, -1, from, memsqs.ErrInvalidParameterValue},
			{from, closed, 0, closed, memsqs.ErrClosed},
			{closed, to, 0, closed, memsqs.ErrClosed},
		} {
			moved, err := redrive(t.Context(), test.from, test.to, test.rate)
			requireRefused(t, test.by, err, test.want)
			require.Zero(t, moved)
		}
		done, cancel := context.WithCancel(t.Context())
		cancel()
		moved, err := redrive(done, from, to, 0)
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, moved)
		requireCounts(t, from, 1, 0, 0)
		requireCounts(t, to, 0, 0, 0)
	})
}
