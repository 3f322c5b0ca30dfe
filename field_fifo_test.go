// Scenarios of message groups, deduplication and receive attempts.

package memsqs_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// receiveCounts returns the receive counts of messages.
func receiveCounts(msgs []memsqs.Message) []int {
	var counts []int
	for _, m := range msgs {
		counts = append(counts, m.ReceiveCount)
	}
	return counts
}

// Messages that come back are before those sent meanwhile, in the order they
// were sent and not in that of their timeouts. (F13)
func TestGroupKeepsTheOrderOfSendingOverTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(10)})
		sendGroup(t, q, "g", "a", "b", "c")
		msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 2})
		require.Equal(t, []string{"a", "b"}, bodies(msgs))
		at(t, 1)
		sendGroup(t, q, "g", "d")
		changeVisibility(t, q, msgs[1], *seconds(1))
		at(t, 5) // b is visible, a still in flight
		requireCounts(t, q, 3, 1, 0)
		receiveNone(t, q)
		at(t, 11)
		require.Equal(t, []int{2, 2, 1, 1}, receiveCounts(receiveExactly(t, q, "a", "b", "c", "d")))
	})
}

// A group that has become empty works for the next message, however often that
// happens, and so does a new one. (F15)
func TestEmptiedGroupTakesTheNextMessage(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	for i := range rounds(5000) {
		for _, group := range []string{"g", fmt.Sprint("g", i)} {
			body := fmt.Sprint("m", i)
			sendGroup(t, q, group, body)
			deleteAll(t, q, receiveExactly(t, q, body)...)
			receiveNone(t, q)
			receiveNone(t, q)
		}
	}
	require.Zero(t, q.Stats().Groups)
}

// Deleting some of the messages received from a group leaves the rest of it
// held back; deleting the last of them lets it go on in order. (F17)
func TestGroupGoesOnWhenAllThatWasReceivedIsDeleted(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	for _, m := range []struct{ group, body string }{
		{"g1", "a"}, {"g2", "x"}, {"g1", "b"}, {"g2", "y"}, {"g1", "c"}, {"g1", "d"}, {"g3", "z"},
	} {
		sendGroup(t, q, m.group, m.body)
	}
	msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 2})
	require.Equal(t, []string{"a", "b"}, bodies(msgs))
	deleteAll(t, q, msgs[0])
	receiveExactly(t, q, "x", "y", "z")
	deleteAll(t, q, msgs[1])
	receiveExactly(t, q, "c", "d")
}

// A message that is made visible is received while one behind it is in flight;
// what is behind that one stays held back. (F19)
func TestHeadMadeVisibleIsNotHeldBackByThoseBehindIt(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(30)})
	sendGroup(t, q, "g1", "m1", "m2", "m3")
	sendGroup(t, q, "g2", "n1")
	msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 2})
	require.Equal(t, []string{"m1", "m2"}, bodies(msgs))
	changeVisibility(t, q, msgs[0], *seconds(0))
	again := receiveExactly(t, q, "n1", "m1")
	deleteAll(t, q, again[1])
	receiveNone(t, q)
	deleteAll(t, q, msgs[1])
	receiveExactly(t, q, "m3")
}

// When the retention of a message in flight ends, its group goes on, and who
// waits is woken. (F67)
func TestExpiredHeadFreesItsGroup(t *testing.T) {
	for _, parked := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{Retention: time.Minute, VisibilityTimeout: seconds(600)})
			sendGroup(t, q, "g", "a")
			receiveOne(t, q)
			at(t, 30)
			sendGroup(t, q, "g", "b")
			if parked {
				at(t, 50)
				requireAnsweredAt(t, park(t.Context(), q, longPoll), 60, "b")
				return
			}
			at(t, 59)
			receiveNone(t, q)
			at(t, 61)
			receiveExactly(t, q, "b")
		})
	}
}

// Messages of a group that are handed back in reverse come again in order. (F49)
func TestGroupHandedBackInReverseKeepsItsOrder(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(300)})
	sendGroup(t, q, "g", "a", "b")
	msgs := receiveExactly(t, q, "a", "b")
	changeVisibility(t, q, msgs[1], *seconds(0))
	changeVisibility(t, q, msgs[0], *seconds(0))
	receiveExactly(t, q, "a", "b")
}

// A deduplication id is looked for in the whole queue or, if so configured, in
// its group. A change of that brings nothing back. (F21)
func TestDeduplicationScope(t *testing.T) {
	whole := newFIFOQueue(t, memsqs.FIFOConfig{})
	first := sendAs(t, whole, "g1", "D", "m")
	require.Equal(t, first, sendAs(t, whole, "g2", "D", "m"))
	requireCounts(t, whole, 1, 0, 0)

	byGroup := newFIFOQueue(t, memsqs.FIFOConfig{DeduplicationScope: memsqs.DeduplicateGroup})
	first = sendAs(t, byGroup, "g1", "D", "m")
	require.NotEqual(t, first, sendAs(t, byGroup, "g2", "D", "m"))
	require.Equal(t, first, sendAs(t, byGroup, "g1", "D", "m"))
	requireCounts(t, byGroup, 2, 0, 0)

	receiveExactly(t, whole, "m")
	require.NoError(t, whole.Configure(func(cfg *memsqs.FIFOConfig) { cfg.DeduplicationScope = memsqs.DeduplicateGroup }))
	receiveNone(t, whole)
	requireCounts(t, whole, 0, 1, 0)
	sendAs(t, whole, "g2", "D", "after")
	receiveExactly(t, whole, "after") // ids of the other scope have no effect
}

// A duplicate of a message that has been received and deleted is accepted with
// the first one's identity, and dropped, for five minutes. (F23)
func TestDuplicateOfADeletedMessageIsDropped(t *testing.T) {
	for name, in := range map[string]memsqs.SendInput{
		"id":      {Body: "m", GroupID: "g", DeduplicationID: "D"},
		"content": {Body: "m", GroupID: "g"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newFIFOQueue(t, memsqs.FIFOConfig{ContentBasedDeduplication: true})
				first, err := q.Send(t.Context(), in)
				require.NoError(t, err)
				at(t, 1)
				deleteAll(t, q, receiveOne(t, q))
				for _, second := range []float64{2, 299} {
					at(t, second)
					again, err := q.Send(t.Context(), in)
					require.NoError(t, err)
					require.Equal(t, first, again)
					require.Empty(t, receive(t, q, memsqs.ReceiveInput{WaitTime: seconds(1)}))
				}
				at(t, 301)
				renewed, err := q.Send(t.Context(), in)
				require.NoError(t, err)
				require.NotEqual(t, first, renewed)
				receiveExactly(t, q, "m")
			})
		})
	}
}

// A duplicate of a message in the same batch is reported as that message, and
// dropped. (F25)
func TestDuplicateInABatchIsDropped(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	results, err := q.SendBatch(t.Context(), []memsqs.SendInput{
		{Body: "a", GroupID: "g", DeduplicationID: "D"},
		{Body: "b", GroupID: "g", DeduplicationID: "D"},
		{Body: "c", GroupID: "g", DeduplicationID: "E"},
	})
	require.NoError(t, err)
	require.Len(t, results, 3)
	require.Equal(t, results[0], results[1])
	require.NotEqual(t, results[0].MessageID, results[2].MessageID)
	receiveExactly(t, q, "a", "c")
	require.Equal(t, results[0], sendAs(t, q, "g", "D", "d"))
	requireCounts(t, q, 0, 2, 0)
}

// Deduplication ids and groups are forgotten without receives to do that, and
// without goroutines. (F89)
func TestForgottenDuplicatesAndGroupsAreReleased(t *testing.T) {
	const messages = 20_000
	clock := newSpyClock()
	q := newFIFOQueue(t, memsqs.FIFOConfig{Clock: clock})
	before, goroutines := heapInUse(), runtime.NumGoroutine()
	for i := range messages {
		sendAs(t, q, fmt.Sprint("g", i), fmt.Sprint("D", i), "m")
		deleteAll(t, q, receiveOne(t, q))
	}
	require.Equal(t, messages, q.Stats().Deduplications)
	require.Zero(t, q.Stats().Groups)
	clock.Advance(301 * time.Second)
	sendAs(t, q, "g", "D", "m")
	requireHeapGrowth(t, before, 1<<19)
	require.Equal(t, [2]int{1, 1}, [2]int{q.Stats().Deduplications, q.Stats().Groups})
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	require.Zero(t, clock.made.Load())
}

// A receive attempt cannot be repeated once its visibility timeout has passed
// and another receive has the messages. (F27)
func TestAttemptEndsWithItsVisibilityTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(5)})
		sendGroup(t, q, "g", "a")
		first := receive(t, q, memsqs.ReceiveInput{AttemptID: "A"})[0]
		at(t, 6)
		second := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(60)})[0]
		require.NotEqual(t, first.ReceiptHandle, second.ReceiptHandle)
		at(t, 7)
		require.Empty(t, receive(t, q, memsqs.ReceiveInput{AttemptID: "A"}))
		deleteAll(t, q, second) // the attempt has not touched it
	})
}

// A receive attempt is forgotten after five minutes, although its messages are
// still in flight. (F27)
func TestForgottenAttemptDoesNotRepeatItsReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(600)})
		sendGroup(t, q, "g", "a")
		first := receive(t, q, memsqs.ReceiveInput{AttemptID: "B"})
		at(t, 301)
		require.Empty(t, receive(t, q, memsqs.ReceiveInput{AttemptID: "B"}))
		requireCounts(t, q, 0, 1, 0)
		deleteAll(t, q, first...)
	})
}

// Receive attempts cost no memory when they have been forgotten. (F27)
func TestForgottenAttemptsAreReleased(t *testing.T) {
	const attempts = 50_000
	clock := memsqs.NewManualClock(bubbleStart)
	q := newFIFOQueue(t, memsqs.FIFOConfig{Clock: clock})
	sendGroup(t, q, "g", "a")
	before := heapInUse()
	for i := range attempts {
		receive(t, q, memsqs.ReceiveInput{AttemptID: fmt.Sprint("A", i), VisibilityTimeout: seconds(0)})
	}
	clock.Advance(301 * time.Second)
	require.Equal(t, attempts+1, receiveOne(t, q).ReceiveCount)
	requireHeapGrowth(t, before, 1<<19)
}

// An empty answer is not remembered under the id of its receive attempt. (F29)
func TestAttemptWithAnEmptyAnswerCanBeRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		require.Empty(t, receive(t, q, memsqs.ReceiveInput{AttemptID: "A"}))
		at(t, 1)
		sendGroup(t, q, "g", "m")
		at(t, 2)
		require.Equal(t, []string{"m"}, bodies(receive(t, q, memsqs.ReceiveInput{AttemptID: "A"})))
		at(t, 10)
		poll := park(t.Context(), q, memsqs.ReceiveInput{AttemptID: "B", WaitTime: seconds(20)})
		at(t, 13)
		sendGroup(t, q, "h", "n")
		requireAnsweredAt(t, poll, 13, "n")
	})
}

// The order of a group is that of its sends, also when all of them are at one
// instant, and over a timeout. (F101)
func TestOrderDoesNotDependOnTheClock(t *testing.T) {
	const n = 1000
	clock := memsqs.NewManualClock(bubbleStart)
	q := newFIFOQueue(t, memsqs.FIFOConfig{Clock: clock})
	var sent, sequence []string
	for i := range n {
		sent = append(sent, fmt.Sprint("m", i))
		sequence = append(sequence, sendAs(t, q, "g", fmt.Sprint("D", i), sent[i]).SequenceNumber)
	}
	requireIncreasing(t, sequence...)
	for tens := range n / 10 {
		want := sent[10*tens:][:10]
		receiveExactly(t, q, want...)
		clock.Advance(30 * time.Second)
		deleteAll(t, q, receiveExactly(t, q, want...)...)
	}
	receiveNone(t, q)
}

// Messages of a standard queue that lapse at one instant come back in the order
// in which they were received. (F101)
func TestMessagesThatLapseTogetherKeepTheirOrder(t *testing.T) {
	clock := memsqs.NewManualClock(bubbleStart)
	q := newQueue(t, memsqs.Config{Clock: clock})
	var sent, received []string
	for i := range 1000 {
		sent = append(sent, fmt.Sprint("m", i))
	}
	send(t, q, sent...)
	for range 2 {
		received = nil
		for range len(sent) / 10 {
			received = append(received, bodies(receive(t, q, memsqs.ReceiveInput{MaxMessages: 10}))...)
		}
		require.Equal(t, sent, received)
		clock.Advance(30 * time.Second)
	}
}

// Deadlines that fall on one instant are all met by the next call. (F101)
func TestDeadlinesAtOneInstantAreMetTogether(t *testing.T) {
	clock := memsqs.NewManualClock(bubbleStart)
	q := newFIFOQueue(t, memsqs.FIFOConfig{Clock: clock})
	for i := range 1000 {
		sendAs(t, q, "g", fmt.Sprint("D", i), "m")
	}
	clock.Advance(5*time.Minute - 1)
	require.Equal(t, 1000, q.Stats().Deduplications)
	clock.Advance(1)
	require.Zero(t, q.Stats().Deduplications)
	clock.Advance(4*24*time.Hour - 5*time.Minute - 1)
	requireCounts(t, q, 1000, 0, 0)
	clock.Advance(1)
	requireCounts(t, q, 0, 0, 0)
	require.Equal(t, uint64(1000), q.Stats().Expired)
}
