// Dead letters (A19, B12): when a message is moved, what goes with it, and
// what becomes of those that wait on either side.

package memsqs_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// eachKind runs a test for either kind of queue, in a bubble, with a function
// that makes such queues.
func eachKind(t *testing.T, test func(t *testing.T, makeQueue func(memsqs.Config) queue)) {
	t.Helper()
	runInBubble(t, "standard", func(t *testing.T) {
		test(t, func(cfg memsqs.Config) queue { return newQueue(t, cfg) })
	})
	runInBubble(t, "FIFO", func(t *testing.T) {
		test(t, func(cfg memsqs.Config) queue {
			return newFIFOQueue(t, memsqs.FIFOConfig{
				Name: cfg.Name, Delay: cfg.Delay, Retention: cfg.Retention, MaxInFlight: cfg.MaxInFlight, Clock: cfg.Clock,
				ContentBasedDeduplication: true,
			})
		})
	})
}

// setDeadLetter makes letters the dead-letter queue of q, which is of the same
// kind.
func setDeadLetter(t testing.TB, q, letters queue, maxReceiveCount int) {
	t.Helper()
	switch q := q.(type) {
	case *memsqs.Queue:
		require.NoError(t, q.Configure(func(c *memsqs.Config) {
			c.DeadLetter = &memsqs.DeadLetter{Queue: letters.(*memsqs.Queue), MaxReceiveCount: maxReceiveCount}
		}))
	case *memsqs.FIFOQueue:
		require.NoError(t, q.Configure(func(c *memsqs.FIFOConfig) {
			c.DeadLetter = &memsqs.FIFODeadLetter{Queue: letters.(*memsqs.FIFOQueue), MaxReceiveCount: maxReceiveCount}
		}))
	}
}

// eachPair runs a test for either kind of queue, in a bubble, with a queue and
// its dead-letter queue, which has the given configuration.
func eachPair(t *testing.T, maxReceiveCount int, cfg memsqs.Config, test func(t *testing.T, source, letters queue)) {
	t.Helper()
	eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
		cfg.Name = "letters"
		source, letters := makeQueue(memsqs.Config{Name: "source"}), makeQueue(cfg)
		setDeadLetter(t, source, letters, maxReceiveCount)
		test(t, source, letters)
	})
}

// A message is received as often as is allowed, and moved by the receive after
// that (A19.2), which does not count: the receive count goes on from the last
// one (A19.4).
func TestDeadLetterIsMovedByTheReceiveAfterTheLastAllowed(t *testing.T) {
	for _, most := range []int{1, 2, 1000} {
		t.Run(strconv.Itoa(most), func(t *testing.T) {
			eachPair(t, most, memsqs.Config{}, func(t *testing.T, source, letters queue) {
				sendEach(t, source, "a")
				for count := range most {
					require.Equal(t, count+1, receiveVisible(t, source, 1)[0].ReceiveCount)
				}
				requireCounts(t, source, 1, 0, 0)
				receiveNone(t, source)
				requireCounts(t, source, 0, 0, 0)
				requireCounts(t, letters, 1, 0, 0)
				require.Equal(t, most+1, receiveOne(t, letters).ReceiveCount)

				s := source.Stats()
				require.EqualValues(t, most, s.Received)
				require.EqualValues(t, 1, s.DeadLettered)
				require.Zero(t, letters.Stats().Sent)
			})
		})
	}
}

// Nothing is moved by the passing of time, nor by anything else than a receive
// of the source (A19.3).
func TestDeadLetterIsMovedByNothingButAReceive(t *testing.T) {
	eachPair(t, 1, memsqs.Config{}, func(t *testing.T, source, letters queue) {
		sendEach(t, source, "a")
		receiveOne(t, source)
		time.Sleep(time.Hour)
		sendEach(t, source, "b")
		source.Peek(10)
		receiveNone(t, letters)
		requireCounts(t, source, 2, 0, 0)
		require.Equal(t, "b", receiveOne(t, source).Body)
		require.Equal(t, "a", receiveOne(t, letters).Body)
	})
}

// A receive that moves messages fills its answer from the rest of the queue.
func TestReceiveThatMovesDeadLettersFillsItsAnswer(t *testing.T) {
	eachPair(t, 1, memsqs.Config{}, func(t *testing.T, source, letters queue) {
		sendEach(t, source, "a", "b", "c")
		receiveVisible(t, source, 3)
		sendEach(t, source, "d", "e", "f")
		receiveNamed(t, source, 2, "d", "e")
		receiveNamed(t, letters, 10, "a", "b", "c")
		receiveNamed(t, source, 2, "f")
	})
}

// A dead letter keeps its id, body, attributes, trace header and times (A19.5).
// On a FIFO queue it counts as sent when it was moved (A19.6), has a new
// sequence number, and its message id for a deduplication id (A19.7).
func TestWhatGoesWithADeadLetter(t *testing.T) {
	eachPair(t, 1, memsqs.Config{}, func(t *testing.T, source, letters queue) {
		_, err := source.Send(t.Context(), memsqs.SendInput{
			Body: "a", GroupID: "g", TraceHeader: "Root=1",
			Attributes: map[string]memsqs.Attribute{"n": {DataType: "Number", StringValue: "1"}},
		})
		require.NoError(t, err)
		time.Sleep(5 * time.Second)
		first := receiveOne(t, source)
		require.Empty(t, first.DeadLetterSource)
		time.Sleep(35 * time.Second)
		receiveNone(t, source)
		moved := time.Now()
		time.Sleep(10 * time.Second)
		second := receiveOne(t, letters)

		want := first
		want.ReceiptHandle = second.ReceiptHandle
		want.InvisibleUntil = time.Now().Add(30 * time.Second)
		want.DeadLetterSource = "source"
		want.ReceiveCount = 2
		if first.SequenceNumber != "" {
			require.Regexp(t, `^[0-9]{20}$`, second.SequenceNumber)
			want.SequenceNumber = second.SequenceNumber
			want.DeduplicationID = first.ID
			want.SentAt = moved
		}
		require.NotEqual(t, first.ReceiptHandle, second.ReceiptHandle)
		require.Equal(t, want, second)
	})
}

// The retention of a dead letter counts from when it was sent in a standard
// queue, and from when it was moved in a FIFO queue (A19.6).
func TestRetentionOfADeadLetter(t *testing.T) {
	const moved = 500 * time.Second
	for _, retention := range []time.Duration{400 * time.Second, moved, moved + 1, 600 * time.Second} {
		t.Run(retention.String(), func(t *testing.T) {
			eachPair(t, 1, memsqs.Config{Retention: retention}, func(t *testing.T, source, letters queue) {
				sendEach(t, source, "a")
				receiveVisible(t, source, 1)
				time.Sleep(moved)
				receiveNone(t, source)
				left := retention
				if _, standard := letters.(*memsqs.Queue); standard {
					left = retention - moved
				}
				if left > 0 {
					time.Sleep(left - 1)
					requireCounts(t, letters, 1, 0, 0)
					time.Sleep(1 * time.Nanosecond)
				}
				requireCounts(t, letters, 0, 0, 0)
				require.EqualValues(t, 1, letters.Stats().Expired)
			})
		})
	}
}

// Dead letters can have been sent with the same deduplication id, and none is
// remembered for them where they come to (B12.3).
func TestDeadLettersAreNotDeduplicated(t *testing.T) {
	letters := newFIFOQueue(t, memsqs.FIFOConfig{})
	source := newFIFOQueue(t, memsqs.FIFOConfig{
		DeduplicationScope: memsqs.DeduplicateGroup,
		DeadLetter:         &memsqs.FIFODeadLetter{Queue: letters, MaxReceiveCount: 1},
	})
	sendAs(t, source, "g", "d", "body")
	sendAs(t, source, "h", "d", "body")
	receiveVisible(t, source, 2)
	receiveNone(t, source)
	requireCounts(t, letters, 2, 0, 0)
	sendAs(t, letters, "i", "d", "body")
	requireCounts(t, letters, 3, 0, 0)
}

// When the head of a group has been moved, those behind it can be received
// (A19.8), by the same receive. In the dead-letter queue the messages of a
// group have the order in which they were moved (B12.2).
func TestDeadLetterFreesItsGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		letters := newFIFOQueue(t, memsqs.FIFOConfig{})
		source := newFIFOQueue(t, memsqs.FIFOConfig{DeadLetter: &memsqs.FIFODeadLetter{Queue: letters, MaxReceiveCount: 1}})
		sendNamed(t, source, 0, "g-m1", "g-m2", "g-m3")
		receiveNamed(t, source, 2, "g-m1", "g-m2")
		time.Sleep(30 * time.Second)
		receiveNamed(t, source, 10, "g-m3")
		receiveNamed(t, letters, 1, "g-m1")
		receiveNone(t, letters)
		time.Sleep(30 * time.Second)
		receiveNone(t, source)
		receiveNamed(t, letters, 10, "g-m1", "g-m2", "g-m3")
		sendNamed(t, source, 0, "g-m4")
		receiveNamed(t, source, 10, "g-m4")
	})
}

// A receive that is parked on the dead-letter queue returns when a message is
// moved there. One on the source moves exhausted messages, those that it meets
// and those that lapse meanwhile, and waits on.
func TestParkedReceivesAndDeadLetters(t *testing.T) {
	eachPair(t, 1, memsqs.Config{}, func(t *testing.T, source, letters queue) {
		start := time.Now()
		wait := memsqs.ReceiveInput{WaitTime: seconds(20)}
		sendEach(t, source, "a", "b")
		for i, m := range receiveNamed(t, source, 10, "a", "b") {
			changeVisibility(t, source, m, time.Duration(i)*5*time.Second)
		}
		onLetters, onSource := park(t.Context(), letters, wait), park(t.Context(), source, wait)
		requireAnswered(t, <-onLetters, start, "a")
		requireAnswered(t, <-park(t.Context(), letters, wait), start.Add(5*time.Second), "b")
		time.Sleep(5 * time.Second)
		sendEach(t, source, "c")
		requireAnswered(t, <-onSource, start.Add(10*time.Second), "c")
	})
}

// The delay of the dead-letter queue has no effect on dead letters, and its
// in-flight quota does not keep them out.
func TestDelayAndQuotaOfTheDeadLetterQueue(t *testing.T) {
	eachPair(t, 1, memsqs.Config{Delay: time.Minute, MaxInFlight: 1}, func(t *testing.T, source, letters queue) {
		bury(t, source, "a")
		requireCounts(t, letters, 1, 0, 0)
		receiveOne(t, letters)
		bury(t, source, "b")
		requireCounts(t, letters, 1, 1, 0)
	})
}

// While the dead-letter queue is closed, messages stay in the source and are
// received on, and are moved when there is an open one again.
func TestMessagesStayWhileTheDeadLetterQueueIsClosed(t *testing.T) {
	eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
		source, letters, open := makeQueue(memsqs.Config{}), makeQueue(memsqs.Config{}), makeQueue(memsqs.Config{})
		setDeadLetter(t, source, letters, 1)
		sendEach(t, source, "a")
		require.NoError(t, letters.Close())
		for count := range 5 {
			require.Equal(t, count+1, receiveVisible(t, source, 1)[0].ReceiveCount)
		}
		require.Zero(t, source.Stats().DeadLettered)
		setDeadLetter(t, source, open, 3)
		receiveNone(t, source)
		require.Equal(t, 6, receiveOne(t, open).ReceiveCount)
		requireCounts(t, letters, 0, 0, 0)
	})
}

// With the handle of a message that was moved, the message is gone from the
// source (A5.4, A6.7), and in the dead-letter queue the handle is not good.
func TestHandlesOfADeadLetter(t *testing.T) {
	eachPair(t, 1, memsqs.Config{}, func(t *testing.T, source, letters queue) {
		sendEach(t, source, "a")
		m := receiveVisible(t, source, 1)[0]
		receiveNone(t, source)
		deleteAll(t, source, m)
		require.Zero(t, source.Stats().Deleted)
		requireRefused(t, source, source.ChangeVisibility(t.Context(), m.ReceiptHandle, 0), memsqs.ErrInvalidParameterValue)
		requireRefused(t, letters, letters.Delete(t.Context(), m.ReceiptHandle), memsqs.ErrReceiptHandleIsInvalid)
		requireCounts(t, letters, 1, 0, 0)
	})
}

// A queue can be its own dead-letter queue (A19.13), two can be each other's,
// and they can form a chain. In each a message is received as often as that
// queue allows, and its receive count goes on.
func TestDeadLettersOfDeadLetterQueues(t *testing.T) {
	for _, test := range []struct {
		name   string
		next   []int // by queue: the one that its dead letters go to
		places []int // by receive: the queue where the message is
	}{
		{"itself", []int{0}, []int{0, 0, 0, 0, 0, 0}},
		{"each other", []int{1, 0}, []int{0, 0, 1, 1, 0, 0, 1, 1}},
		{"chain", []int{1, 2, 2}, []int{0, 0, 1, 1, 2, 2, 2, 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
				queues := make([]queue, len(test.next))
				for i := range queues {
					queues[i] = makeQueue(memsqs.Config{Name: strconv.Itoa(i)})
				}
				for i, next := range test.next {
					setDeadLetter(t, queues[i], queues[next], 2)
				}
				sendEach(t, queues[0], "a")
				for i, place := range test.places {
					if i > 0 && i%2 == 0 {
						receiveNone(t, queues[test.places[i-1]]) // moves it
					}
					m := receiveVisible(t, queues[place], 1)[0]
					require.Equal(t, i+1, m.ReceiveCount)
					if i >= 2 {
						require.Equal(t, strconv.Itoa(test.places[i/2*2-1]), m.DeadLetterSource)
					}
				}
			})
		})
	}
}

// A dead-letter queue must be given, and a receive count of 1 to 1000 (A19.11).
func TestDeadLetterPolicyIsChecked(t *testing.T) {
	q, fifo := newQueue(t, memsqs.Config{}), newFIFOQueue(t, memsqs.FIFOConfig{})
	for _, test := range []struct {
		letters *memsqs.Queue
		fifo    *memsqs.FIFOQueue
		most    int
	}{{q, fifo, -1}, {q, fifo, 0}, {q, fifo, 1001}, {nil, nil, 1}} {
		requireRefused(t, q, q.Configure(func(c *memsqs.Config) {
			c.DeadLetter = &memsqs.DeadLetter{Queue: test.letters, MaxReceiveCount: test.most}
		}), memsqs.ErrInvalidAttributeValue)
		requireRefused(t, fifo, fifo.Configure(func(c *memsqs.FIFOConfig) {
			c.DeadLetter = &memsqs.FIFODeadLetter{Queue: test.fifo, MaxReceiveCount: test.most}
		}), memsqs.ErrInvalidAttributeValue)
	}
}
