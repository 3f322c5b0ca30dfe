// Deduplication of FIFO sends (B5): what makes a message a duplicate, for how
// long, and what its sender is told.

package memsqs_test

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// requireSends requires the numbers of messages stored and of duplicates.
func requireSends(t testing.TB, q queue, sent, deduplicated uint64) {
	t.Helper()
	s := q.Stats()
	require.Equal(t, [2]uint64{sent, deduplicated}, [2]uint64{s.Sent, s.Deduplicated}, "sent, deduplicated")
}

// A duplicate is accepted and dropped, whatever its body (B5.1). Its sender is
// told the id and the sequence number of the first message (B5.7).
func TestDuplicateIsAcceptedAndDropped(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	first, err := q.Send(t.Context(), memsqs.SendInput{Body: "first", GroupID: "g", DeduplicationID: "d"})
	require.NoError(t, err)
	second, err := q.Send(t.Context(), memsqs.SendInput{Body: "second", GroupID: "g", DeduplicationID: "d"})
	require.NoError(t, err)
	require.Equal(t, first, second)

	requireSends(t, q, 1, 1)
	m := receiveOne(t, q)
	require.Equal(t, "first", m.Body)
	require.Equal(t, first, memsqs.SendResult{MessageID: m.ID, SequenceNumber: m.SequenceNumber})
}

// A duplicate that breaks a rule is refused as any other message.
func TestDuplicateIsCheckedAsAnyOtherMessage(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	sendAs(t, q, "g", "d", "body")
	_, err := q.Send(t.Context(), memsqs.SendInput{Body: "\x00", GroupID: "g", DeduplicationID: "d"})
	requireRefused(t, q, err, memsqs.ErrInvalidMessageContents)
	requireSends(t, q, 1, 0)
}

// A deduplication id counts for the whole queue, or with the scope of the
// group for its group alone (B5.4, B4.2).
func TestDeduplicationHasAScope(t *testing.T) {
	for _, test := range []struct {
		name      string
		scope     memsqs.DeduplicationScope
		group, id string // of a message after "g", "d"
		duplicate bool
	}{
		{"queue, same group", memsqs.DeduplicateQueue, "g", "d", true},
		{"queue, other group", memsqs.DeduplicateQueue, "h", "d", true},
		{"queue, other id", memsqs.DeduplicateQueue, "g", "e", false},
		{"group, same group", memsqs.DeduplicateGroup, "g", "d", true},
		{"group, other group", memsqs.DeduplicateGroup, "h", "d", false},
		{"group, other id", memsqs.DeduplicateGroup, "g", "e", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{DeduplicationScope: test.scope})
			first, second := sendAs(t, q, "g", "d", "body"), sendAs(t, q, test.group, test.id, "body")
			if test.duplicate {
				require.Equal(t, first, second)
				requireSends(t, q, 1, 1)
			} else {
				require.NotEqual(t, first.MessageID, second.MessageID)
				requireSends(t, q, 2, 0)
			}
		})
	}
}

// A change of the scope brings back no message that was dropped, and from then
// on ids are looked for in the new scope (B5.9).
func TestDeduplicationScopeCanBeChanged(t *testing.T) {
	setScope := func(q *memsqs.FIFOQueue, scope memsqs.DeduplicationScope) {
		require.NoError(t, q.Configure(func(c *memsqs.FIFOConfig) { c.DeduplicationScope = scope }))
	}
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	first := sendAs(t, q, "g", "d", "body")
	require.Equal(t, first, sendAs(t, q, "h", "d", "body"))
	setScope(q, memsqs.DeduplicateGroup)
	require.Len(t, receive(t, q, upTo(10)), 1)

	inGroup := sendAs(t, q, "g", "d", "body")
	require.NotEqual(t, first, inGroup)
	require.Equal(t, inGroup, sendAs(t, q, "g", "d", "body"))
	requireSends(t, q, 2, 2)
	setScope(q, memsqs.DeduplicateQueue)
	require.Equal(t, first, sendAs(t, q, "i", "d", "body"))
	requireSends(t, q, 2, 3)
}

// sameHash is the SHA-256 of "same", as SQS showed it (B5.5).
const sameHash = "0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5"

// With content based deduplication the id is the SHA-256 of the body alone
// (B5.5). An id that is given takes its place (B5.5); if it is the same text it
// is a duplicate (B5.6).
func TestContentBasedDeduplicationIsByTheBody(t *testing.T) {
	same := memsqs.SendInput{Body: "same", GroupID: "g"}
	for _, test := range []struct {
		name          string
		first, second memsqs.SendInput
		firstID       string
		duplicate     bool
	}{
		{"same body", same, same, sameHash, true},
		{"other group", same, memsqs.SendInput{Body: "same", GroupID: "h"}, sameHash, true},
		{"other attributes", same, memsqs.SendInput{Body: "same", GroupID: "g",
			Attributes: map[string]memsqs.Attribute{"n": {DataType: "Number", StringValue: "1"}}}, sameHash, true},
		{"other body", same, memsqs.SendInput{Body: "Same", GroupID: "g"}, sameHash, false},
		{"id of its own", same, memsqs.SendInput{Body: "same", GroupID: "g", DeduplicationID: "d"}, sameHash, false},
		{"hash given second", same, memsqs.SendInput{Body: "b", GroupID: "g", DeduplicationID: sameHash}, sameHash, true},
		{"hash given first", memsqs.SendInput{Body: "b", GroupID: "g", DeduplicationID: sameHash}, same, sameHash, true},
		{"same id, other body", memsqs.SendInput{Body: "a", GroupID: "g", DeduplicationID: "d"},
			memsqs.SendInput{Body: "b", GroupID: "g", DeduplicationID: "d"}, "d", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{ContentBasedDeduplication: true})
			first, err := q.Send(t.Context(), test.first)
			require.NoError(t, err)
			second, err := q.Send(t.Context(), test.second)
			require.NoError(t, err)
			require.Equal(t, test.duplicate, first == second)
			require.Equal(t, test.firstID, q.Peek(1)[0].DeduplicationID)
		})
	}
}

// An id is remembered for the window from when its first message was accepted
// (B5.2), to the nanosecond. Duplicates do not extend it; the first message
// after it begins a new one.
func TestDeduplicationWindowRunsFromTheFirstSend(t *testing.T) {
	for _, window := range []time.Duration{0, time.Second, time.Hour} {
		runInBubble(t, window.String(), func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{DeduplicationWindow: window})
			if window == 0 {
				window = 5 * time.Minute
			}
			last := memsqs.SendResult{}
			for range 3 {
				first := sendAs(t, q, "g", "d", "body")
				require.NotEqual(t, last, first)
				for _, wait := range []time.Duration{window / 2, window/2 - 1} {
					time.Sleep(wait)
					require.Equal(t, first, sendAs(t, q, "g", "d", "body"))
				}
				require.Equal(t, 1, q.Stats().Deduplications)
				last = first
				time.Sleep(1 * time.Nanosecond)
			}
			require.Zero(t, q.Stats().Deduplications)
			requireSends(t, q, 3, 6)
		})
	}
}

// An id stays a duplicate's when its message has gone, whichever way (B5.3,
// A19.7).
func TestDeduplicationIDOutlivesItsMessage(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, q, letters *memsqs.FIFOQueue){
		"received": func(t *testing.T, q, _ *memsqs.FIFOQueue) { receiveOne(t, q) },
		"deleted":  func(t *testing.T, q, _ *memsqs.FIFOQueue) { deleteAll(t, q, receiveOne(t, q)) },
		"dead-lettered": func(t *testing.T, q, letters *memsqs.FIFOQueue) {
			receiveOne(t, q)
			time.Sleep(30 * time.Second)
			receiveNone(t, q)
			requireCounts(t, letters, 1, 0, 0)
		},
		"moved": func(t *testing.T, q, letters *memsqs.FIFOQueue) {
			moved, err := q.Redrive(t.Context(), letters, 0)
			require.NoError(t, err)
			require.Equal(t, 1, moved)
		},
		"expired": func(t *testing.T, q, _ *memsqs.FIFOQueue) {
			time.Sleep(60 * time.Second)
			requireCounts(t, q, 0, 0, 0)
		},
	} {
		runInBubble(t, name, func(t *testing.T) {
			letters := newFIFOQueue(t, memsqs.FIFOConfig{})
			q := newFIFOQueue(t, memsqs.FIFOConfig{
				Retention:  60 * time.Second,
				DeadLetter: &memsqs.FIFODeadLetter{Queue: letters, MaxReceiveCount: 1},
			})
			start := time.Now()
			first := sendAs(t, q, "g", "d", "body")
			leave(t, q, letters)
			time.Sleep(5*time.Minute - 1 - time.Since(start))
			require.Equal(t, first, sendAs(t, q, "g", "d", "body"))
			time.Sleep(1 * time.Nanosecond)
			require.NotEqual(t, first, sendAs(t, q, "g", "d", "body"))
			requireSends(t, q, 2, 1)
		})
	}
}

// A purge forgets the ids (B5.8).
func TestPurgeForgetsDeduplicationIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		first := sendAs(t, q, "g", "d", "body")
		time.Sleep(time.Minute)
		require.NoError(t, q.Purge(t.Context()))
		require.Zero(t, q.Stats().Deduplications)
		require.Zero(t, q.Stats().Groups)
		second := sendAs(t, q, "g", "d", "body")
		require.NotEqual(t, first, second)
		require.Equal(t, second.MessageID, receiveOne(t, q).ID)

		time.Sleep(5*time.Minute - 1) // past the window of the first
		require.Equal(t, second, sendAs(t, q, "g", "d", "body"))
	})
}

// Duplicates within a batch are each answered as accepted, with the result of
// the first (B5.10), and the batch goes on after them.
func TestDuplicatesWithinABatchAreAccepted(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	before := sendAs(t, q, "g", "0", "body")
	results, err := q.SendBatch(t.Context(), []memsqs.SendInput{
		{Body: "a", GroupID: "g", DeduplicationID: "1"},
		{Body: "b", GroupID: "g", DeduplicationID: "1"},
		{Body: "c", GroupID: "g", DeduplicationID: "0"},
		{Body: "d", GroupID: "g", DeduplicationID: "2"},
	})
	require.NoError(t, err)
	require.Equal(t, results[0], results[1])
	require.Equal(t, before, results[2])
	receiveNamed(t, q, 10, "body", "a", "d")
	requireSends(t, q, 3, 2)
}

// A duplicate does not wake a parked receive: there is nothing to receive.
func TestDuplicateDoesNotWakeAParkedReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		sendAs(t, q, "g", "d", "body")
		deleteAll(t, q, receiveOne(t, q))
		start := time.Now()
		answers := park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
		time.Sleep(time.Second)
		sendAs(t, q, "g", "d", "body")
		requireAnswered(t, <-answers, start.Add(20*time.Second))
	})
}

// A queue remembers the ids of one window and no more.
func TestDeduplicationMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{Retention: 60 * time.Second})
		for i := range 3600 {
			sendAs(t, q, "g", strconv.Itoa(i), "body")
			require.Equal(t, min(i+1, 300), q.Stats().Deduplications)
			time.Sleep(time.Second)
		}
		time.Sleep(5*time.Minute - time.Second - 1)
		require.Equal(t, 1, q.Stats().Deduplications)
		time.Sleep(1 * time.Nanosecond)
		require.Zero(t, q.Stats().Deduplications)
	})
}

// Of sends with one id at the same time one is accepted, and all are told of it.
func TestConcurrentDuplicatesAreOneMessage(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	results := make([]memsqs.SendResult, 8)
	for round := range 100 {
		var senders sync.WaitGroup
		for i := range results {
			senders.Go(func() {
				in := memsqs.SendInput{Body: "body", GroupID: "g", DeduplicationID: strconv.Itoa(round)}
				results[i], _ = q.Send(t.Context(), in)
			})
		}
		senders.Wait()
		require.NotZero(t, results[0])
		for _, r := range results {
			require.Equal(t, results[0], r)
		}
	}
	requireSends(t, q, 100, 700)
	requireCounts(t, q, 100, 0, 0)
}
