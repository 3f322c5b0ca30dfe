// Scenarios of dead letters and of moving them back.

package memsqs_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// newSource returns a queue whose messages are dead letters after one receive.
func newSource(t testing.TB, name string, deadLetters *memsqs.Queue) *memsqs.Queue {
	t.Helper()
	return newQueue(t, memsqs.Config{
		Name:              name,
		VisibilityTimeout: seconds(5),
		DeadLetter:        &memsqs.DeadLetter{Queue: deadLetters, MaxReceiveCount: 1},
	})
}

// requirePeek requires what a queue holds: for each message, in the order they
// were sent, its body, state and receive count.
func requirePeek(t testing.TB, q queue, want ...string) {
	t.Helper()
	var got []string
	for _, m := range q.Peek(100) {
		got = append(got, fmt.Sprint(m.Body, " ", m.State, " ", m.ReceiveCount))
	}
	require.Equal(t, want, got)
}

// A dead letter is the same message: it keeps all that it says of itself, its
// receive count goes on, and it names the queue it came from. (F31)
func TestDeadLetterIsTheSameMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := newQueue(t, memsqs.Config{})
		source := newSource(t, "source", dead)
		in := memsqs.SendInput{
			Body: "m",
			Attributes: map[string]memsqs.Attribute{
				"text":  {DataType: "String", StringValue: "v"},
				"bytes": {DataType: "Binary.png", BinaryValue: []byte{1, 2}},
			},
			TraceHeader: "Root=1-5759e988-bd862e3fe1be46a994272793",
		}
		sent, err := source.Send(t.Context(), in)
		require.NoError(t, err)
		at(t, 5)
		require.Len(t, receive(t, source, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)}), 1)
		at(t, 9)
		receiveNone(t, source)
		at(t, 20)
		m := receiveOne(t, dead)
		require.Equal(t, in, memsqs.SendInput{Body: m.Body, Attributes: m.Attributes, TraceHeader: m.TraceHeader})
		require.Equal(t, sent.MessageID, m.ID)
		require.Equal(t, 2, m.ReceiveCount)
		require.Equal(t, [2]float64{0, 5}, [2]float64{secondOf(m.SentAt), secondOf(m.FirstReceivedAt)})
		require.Equal(t, "source", m.DeadLetterSource)
	})
}

// A redrive without a destination takes each message to the queue it came from.
// What has no such queue, or a closed one, is in flight, or arrives meanwhile,
// stays as it is. (F33)
func TestRedriveLeavesWhatItCannotDeliver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(600)})
		a, b := newSource(t, "a", dead), newSource(t, "b", dead)
		for _, n := range []string{"1", "2", "3"} {
			bury(t, a, "a"+n)
			bury(t, b, "b"+n)
		}
		send(t, dead, "d1", "d2")
		receive(t, dead, memsqs.ReceiveInput{}) // a1

		var moved int
		done := make(chan error, 1)
		go func() {
			var err error
			moved, err = dead.Redrive(t.Context(), nil, 1)
			done <- err
		}()
		at(t, 0.5) // b1 has been moved
		bury(t, a, "a4")
		at(t, 1.5) // a2 has been moved
		require.NoError(t, b.Close())
		require.NoError(t, <-done)
		require.Equal(t, 3, moved)
		requirePeek(t, a, "a2 Visible 0", "a3 Visible 0")
		requirePeek(t, b, "b1 Visible 0")
		requirePeek(t, dead, "a1 InFlight 2", "b2 Visible 1", "b3 Visible 1", "d1 Visible 0", "d2 Visible 0", "a4 Visible 1")
	})
}

// A redrive that is cancelled leaves what it has not moved as it was. (F33)
func TestCancelledRedriveLeavesTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := newQueue(t, memsqs.Config{})
		source := newSource(t, "source", dead)
		bury(t, source, "1", "2", "3", "4", "5")
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		moved, err := dead.Redrive(ctx, nil, 1)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 3, moved)
		requirePeek(t, source, "1 Visible 0", "2 Visible 0", "3 Visible 0")
		requirePeek(t, dead, "4 Visible 1", "5 Visible 1")
	})
}

// Redrives lose and repeat nothing while other goroutines make dead letters
// and a source is closed. (F33)
func TestRedriveRacingDeadLettersConservesMessages(t *testing.T) {
	dead := newQueue(t, memsqs.Config{})
	sources := []*memsqs.Queue{newSource(t, "a", dead), newSource(t, "b", dead)}
	var wg sync.WaitGroup
	for _, source := range sources {
		wg.Go(func() {
			for i := range rounds(500) {
				source.Send(t.Context(), memsqs.SendInput{Body: fmt.Sprint(source.Stats().Name, i)})
				for range 2 {
					source.Receive(t.Context(), memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})
				}
			}
		})
	}
	wg.Go(func() {
		n := rounds(100)
		for i := range n {
			if _, err := dead.Redrive(t.Context(), nil, 0); err != nil {
				t.Error(err)
			}
			if i == n/2 {
				sources[1].Close()
			}
		}
	})
	wg.Wait()

	sent := sources[0].Stats().Sent + sources[1].Stats().Sent
	seen := make(map[string]bool)
	for _, q := range append(sources, dead) {
		for _, m := range q.Peek(10_000) {
			require.False(t, seen[m.Body], "%s is there twice", m.Body)
			seen[m.Body] = true
		}
	}
	require.Len(t, seen, int(sent))
}

// A message that is moved back starts a new life: it is received again before
// it can be a dead letter again, and its times begin anew. (F35)
func TestRedrivenMessageStartsANewLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := newQueue(t, memsqs.Config{})
		source := newSource(t, "source", dead)
		bury(t, source, "m")
		first := receiveOne(t, dead)
		receiveNone(t, dead)
		at(t, 3600)
		moved, err := dead.Redrive(t.Context(), source, 0)
		require.NoError(t, err)
		require.Equal(t, 1, moved)
		requireCounts(t, dead, 0, 0, 0)
		require.Zero(t, source.Stats().OldestAge)

		m := receiveOne(t, source)
		require.Equal(t, 1, m.ReceiveCount)
		require.NotEqual(t, first.ID, m.ID)
		require.Equal(t, [2]float64{3600, 3600}, [2]float64{secondOf(m.SentAt), secondOf(m.FirstReceivedAt)})
		at(t, 3606)
		requireCounts(t, source, 1, 0, 0)
		requireCounts(t, dead, 0, 0, 0)
		receiveNone(t, source)
		receiveExactly(t, dead, "m")
	})
}

// A message is not made a dead letter by the passing of time, but by the
// receive that would return it once more. (F37)
func TestDeadLetterIsMadeByAReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := newQueue(t, memsqs.Config{})
		source := newSource(t, "source", dead)
		send(t, source, "m")
		receiveOne(t, source)
		at(t, 60)
		requireCounts(t, source, 1, 0, 0)
		receiveNone(t, dead)
		at(t, 61)
		require.Empty(t, receive(t, source, memsqs.ReceiveInput{WaitTime: seconds(1)}))
		at(t, 62)
		receiveExactly(t, dead, "m")
	})
}

// While a message that has been received too often stays in its queue, its
// retention runs on. (F37)
func TestExhaustedMessageExpiresInItsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := newQueue(t, memsqs.Config{})
		source := newSource(t, "source", dead)
		require.NoError(t, source.Configure(func(cfg *memsqs.Config) { cfg.Retention = time.Minute }))
		send(t, source, "m")
		receiveOne(t, source)
		at(t, 59)
		requireCounts(t, source, 1, 0, 0)
		at(t, 61)
		requireCounts(t, source, 0, 0, 0)
		receiveNone(t, source)
		requireCounts(t, dead, 0, 0, 0)
	})
}

// When the head of a group becomes a dead letter the group goes on, in the same
// receive if there is a next message. (F39)
func TestDeadLetteredHeadFreesItsGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, queuedBefore := range []bool{false, true} {
			dead := newFIFOQueue(t, memsqs.FIFOConfig{})
			q := newFIFOQueue(t, memsqs.FIFOConfig{
				VisibilityTimeout: seconds(60),
				DeadLetter:        &memsqs.FIFODeadLetter{Queue: dead, MaxReceiveCount: 2},
			})
			sendGroup(t, q, "g", "m1")
			if queuedBefore {
				sendGroup(t, q, "g", "m2")
			}
			for range 2 {
				msgs := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})
				require.Equal(t, []string{"m1"}, bodies(msgs))
			}
			if !queuedBefore {
				receiveNone(t, q)
				sendGroup(t, q, "g", "m2")
			}
			require.Equal(t, []string{"m2"}, bodies(receive(t, q, memsqs.ReceiveInput{WaitTime: seconds(1)})))
			require.Zero(t, secondOf(time.Now()))
			receiveExactly(t, dead, "m1")
		}
	})
}

// Deleting a message that has become a dead letter with a handle of the source
// is no error, and does not touch the dead letter. (F41)
func TestSourceHandleDoesNotDeleteTheDeadLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := newQueue(t, memsqs.Config{})
		source := newSource(t, "source", dead)
		send(t, source, "m")
		m := receiveOne(t, source)
		at(t, 6)
		receiveNone(t, source)
		at(t, 7)
		deleteAll(t, source, m)
		at(t, 8)
		receiveExactly(t, dead, "m")
	})
}

// Two queues that are each other's dead-letter queue, and one that is its own,
// neither block each other nor lose messages. (F97)
func TestMutualDeadLetterQueuesUnderLoad(t *testing.T) {
	const messages = 20
	dead := newQueue(t, memsqs.Config{})
	a := newSource(t, "a", dead)
	b := newSource(t, "b", a)
	self := newSource(t, "self", dead)
	for q, to := range map[*memsqs.Queue]*memsqs.Queue{a: b, self: self} {
		require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.DeadLetter.Queue = to }))
	}
	for i := range messages {
		send(t, a, fmt.Sprint(i))
		send(t, self, fmt.Sprint(i))
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range rounds(500) {
				q := []*memsqs.Queue{a, b, self}[(i+j)%3]
				q.Receive(t.Context(), memsqs.ReceiveInput{VisibilityTimeout: seconds(0), MaxMessages: 1 + j%10})
			}
		})
	}
	wg.Wait()
	require.Equal(t, messages, a.Stats().Visible+b.Stats().Visible)
	require.Positive(t, b.Stats().DeadLettered)
	requireCounts(t, self, messages, 0, 0)
	require.Positive(t, self.Stats().DeadLettered)
	requireCounts(t, dead, 0, 0, 0)
}

// In a chain of dead-letter queues a message goes one queue further for each
// receive that finds it exhausted. (F97)
func TestDeadLetterPassesOneQueueAtATime(t *testing.T) {
	last := newQueue(t, memsqs.Config{Name: "last"})
	second := newSource(t, "second", last)
	first := newSource(t, "first", second)
	send(t, first, "m")
	for i, q := range []*memsqs.Queue{first, second, last} {
		requirePeek(t, q, fmt.Sprint("m Visible ", i))
		msgs := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})
		require.Equal(t, []int{i + 1}, receiveCounts(msgs))
		if q != last {
			receiveNone(t, q)
			requireCounts(t, q, 0, 0, 0)
		}
	}
}
