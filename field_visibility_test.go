// Scenarios of visibility timeouts and receipt handles, and what the scenarios
// of all field_*_test.go files are told with. Numbers of seconds that are not
// durations count from the beginning of a test's bubble.

package memsqs_test

import (
	"context"
	"math/big"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// bubbleStart is when the time of every bubble begins.
var bubbleStart = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// secondOf returns the second of the bubble at which tm is.
func secondOf(tm time.Time) float64 { return tm.Sub(bubbleStart).Seconds() }

// at sleeps until the given second of the bubble, which must not have passed.
func at(t testing.TB, second float64) {
	t.Helper()
	left := time.Until(bubbleStart.Add(*seconds(second)))
	require.GreaterOrEqual(t, left, time.Duration(0), "second %v has passed", second)
	time.Sleep(left)
}

// receiveExactly receives up to ten messages, without waiting, and requires
// that they have the given bodies.
func receiveExactly(t testing.TB, q queue, want ...string) []memsqs.Message {
	t.Helper()
	msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 10, WaitTime: seconds(0)})
	require.Equal(t, want, bodies(msgs))
	return msgs
}

// sendAny sends messages with different bodies to a standard queue or to one
// group of a FIFO queue.
func sendAny(t testing.TB, q queue, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: body, GroupID: "g"})
		require.NoError(t, err)
	}
}

// A visibility timeout can be changed when it has lapsed: the message is hidden
// again, and not received by that. (F01)
func TestLateChangeOfVisibilityHidesTheMessageAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(2)})
		send(t, q, "m")
		m := receiveOne(t, q)
		at(t, 4)
		changeVisibility(t, q, m, *seconds(20))
		at(t, 5)
		receiveNone(t, q)
		requireCounts(t, q, 0, 1, 0)
		at(t, 25)
		require.Equal(t, 2, receiveOne(t, q).ReceiveCount)
	})
}

// In a standard queue a message that nobody else has received is deleted with
// its handle also after the timeout has lapsed. (F03)
func TestLateDeleteFromAStandardQueueDeletes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(1)})
		send(t, q, "m")
		m := receiveOne(t, q)
		at(t, 3)
		requireCounts(t, q, 1, 0, 0)
		deleteAll(t, q, m)
		receiveNone(t, q)
		at(t, 100)
		receiveNone(t, q)
		requireCounts(t, q, 0, 0, 0)
	})
}

// A changed visibility timeout counts from the change, be it shorter or longer
// than what was left. (F05)
func TestChangedVisibilityCountsFromTheChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(30)})
		send(t, q, "m")
		m := receiveOne(t, q)
		at(t, 20)
		changeVisibility(t, q, m, *seconds(5))
		at(t, 24)
		receiveNone(t, q)
		at(t, 26)
		m = receiveOne(t, q)
		require.Equal(t, 2, m.ReceiveCount)
		at(t, 50)
		changeVisibility(t, q, m, *seconds(40))
		at(t, 57) // the timeout of the receive ended at 56
		receiveNone(t, q)
		at(t, 89)
		receiveNone(t, q)
		at(t, 91)
		require.Equal(t, 3, receiveOne(t, q).ReceiveCount)
	})
}

// In a standard queue the handle of an earlier receive still changes the
// visibility of the message. (F07)
func TestOlderHandleStillChangesVisibility(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(30)})
		send(t, q, "m")
		first := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})[0]
		second := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(30)})[0]
		require.NotEqual(t, first.ReceiptHandle, second.ReceiptHandle)
		at(t, 1)
		receiveNone(t, q)
		changeVisibility(t, q, first, *seconds(0))
		third := receiveOne(t, q)
		require.Equal(t, 3, third.ReceiveCount)
		require.NotContains(t, []string{first.ReceiptHandle, second.ReceiptHandle}, third.ReceiptHandle)
	})
}

// The timeout of a receive goes before the queue's, zero is not the same as
// none, and neither outlasts the receive; with zero the message is in the answer
// once. The queue's can be changed for later receives only. (F09, F95)
func TestVisibilityTimeoutIsTheReceivesOrElseTheQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(2)})
		send(t, q, "m")
		receiveOne(t, q)
		at(t, 1)
		receiveNone(t, q)
		at(t, 3)
		require.Len(t, receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(10)}), 1)
		at(t, 12)
		receiveNone(t, q)
		at(t, 14)
		require.Len(t, receive(t, q, memsqs.ReceiveInput{MaxMessages: 10, VisibilityTimeout: seconds(0)}), 1)
		require.Equal(t, 4, receiveOne(t, q).ReceiveCount)
		receiveNone(t, q)
		at(t, 15)
		require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.VisibilityTimeout = seconds(100) }))
		at(t, 16.5)
		require.Equal(t, 116.5, secondOf(receiveOne(t, q).InvisibleUntil))
	})
}

// A message can be deleted any number of times, alone or in a batch. (F11)
func TestDeleteCanBeRepeated(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		sendAny(t, q, "m", "other", "bystander")
		msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 2})
		deleteAll(t, q, msgs[0], msgs[0])
		requireCounts(t, q, 1, 1, 0)
		require.NoError(t, q.DeleteBatch(t.Context(), []string{msgs[0].ReceiptHandle, msgs[1].ReceiptHandle}))
		require.Equal(t, uint64(2), q.Stats().Deleted)
		if _, standard := q.(*memsqs.Queue); standard {
			at(t, 3600)
			deleteAll(t, q, msgs...)
		}
		receiveExactly(t, q, "bystander")
	})
}

// A queue that takes the place of another, under the same name, inherits
// neither its messages nor its deduplication ids, groups and handles. (F75)
func TestNewQueueInheritsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := memsqs.FIFOConfig{Name: "q.fifo"}
		original := memsqs.SendInput{Body: "m", GroupID: "g", DeduplicationID: "D"}
		old := newFIFOQueue(t, cfg)
		first, err := old.Send(t.Context(), original)
		require.NoError(t, err)
		stale := receiveOne(t, old)
		sendGroup(t, old, "g", "E")
		require.NoError(t, old.Close())

		q := newFIFOQueue(t, cfg)
		require.Equal(t, memsqs.Stats{Name: "q.fifo"}, q.Stats())
		second, err := q.Send(t.Context(), original)
		require.NoError(t, err)
		require.NotEqual(t, first.MessageID, second.MessageID)
		requireCounts(t, q, 1, 0, 0)
		require.Equal(t, second.MessageID, receiveOne(t, q).ID)
		requireRefused(t, q, q.Delete(t.Context(), stale.ReceiptHandle), memsqs.ErrReceiptHandleIsInvalid)
		requireCounts(t, q, 0, 1, 0)
	})
}

// A receive that asks for what is out of range is refused at once and receives
// nothing; a MaxMessages of zero means one. (F79)
func TestReceiveRefusesWhatIsOutOfRange(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		sendAny(t, q, "a", "b")
		for _, in := range []memsqs.ReceiveInput{
			{MaxMessages: -1}, {MaxMessages: 11}, {WaitTime: seconds(-1)}, {WaitTime: seconds(21)},
		} {
			msgs, err := q.Receive(t.Context(), in)
			requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
			require.Empty(t, msgs)
		}
		require.Zero(t, secondOf(time.Now()))
		requireCounts(t, q, 2, 0, 0)
		require.Equal(t, []string{"a"}, bodies(receive(t, q, memsqs.ReceiveInput{MaxMessages: 0})))
	})
}

// A receive whose context has been cancelled before does not touch a message
// that is there. (F51)
func TestReceiveWithACancelledContextTakesNothing(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		sendAny(t, q, "m")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		requireCancelled(t, park(ctx, q, longPoll), 0)
		requirePeek(t, q, "m Visible 0")
	})
}

// What is not a handle, or another queue's, is refused and has no effect on
// either queue. (F79)
func TestHandleOfAnotherQueueIsRefused(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		other := newQueue(t, memsqs.Config{Name: "other"})
		sendAny(t, q, "m")
		sendAny(t, other, "m")
		receiveOne(t, q)
		foreign := receiveOne(t, other).ReceiptHandle
		for _, handle := range []string{"garbage", foreign} {
			requireRefused(t, q, q.Delete(t.Context(), handle), memsqs.ErrReceiptHandleIsInvalid)
			requireRefused(t, q, q.ChangeVisibility(t.Context(), handle, time.Second), memsqs.ErrReceiptHandleIsInvalid)
		}
		at(t, 29)
		requireCounts(t, q, 0, 1, 0)
		requireCounts(t, other, 0, 1, 0)
	})
}

// What a message says of itself stays the same over its receives, but for the
// receive count and the handle. (F83)
func TestMessageKeepsItsIdentityOverReceives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{ContentBasedDeduplication: true})
		sent, err := q.Send(t.Context(), memsqs.SendInput{Body: "m", GroupID: "g"})
		require.NoError(t, err)

		handles := make(map[string]bool)
		for i, second := range []float64{5, 9} {
			at(t, second)
			m := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})[0]
			require.Equal(t, sent, memsqs.SendResult{MessageID: m.ID, SequenceNumber: m.SequenceNumber})
			require.Equal(t, i+1, m.ReceiveCount)
			require.Equal(t, [2]float64{0, 5}, [2]float64{secondOf(m.SentAt), secondOf(m.FirstReceivedAt)})
			handles[m.ReceiptHandle] = true
		}
		require.Len(t, handles, 2)
	})
}

// Sequence numbers grow from send to send, alone or in batches; a standard
// queue gives none. (F83)
func TestSequenceNumbersGrow(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{ContentBasedDeduplication: true})
	single, err := q.Send(t.Context(), memsqs.SendInput{Body: "1", GroupID: "g"})
	require.NoError(t, err)
	batch, err := q.SendBatch(t.Context(), []memsqs.SendInput{{Body: "2", GroupID: "g"}, {Body: "3", GroupID: "h"}})
	require.NoError(t, err)
	last, err := q.Send(t.Context(), memsqs.SendInput{Body: "4", GroupID: "h"})
	require.NoError(t, err)

	requireIncreasing(t, single.SequenceNumber, batch[0].SequenceNumber, batch[1].SequenceNumber, last.SequenceNumber)

	standard := newQueue(t, memsqs.Config{})
	result, err := standard.Send(t.Context(), memsqs.SendInput{Body: "m"})
	require.NoError(t, err)
	require.Empty(t, result.SequenceNumber)
	require.Empty(t, receiveOne(t, standard).SequenceNumber)
}

// requireIncreasing requires that each of some sequence numbers, taken as
// numbers, is larger than the one before.
func requireIncreasing(t testing.TB, numbers ...string) {
	t.Helper()
	last := new(big.Int)
	for _, number := range numbers {
		n, ok := new(big.Int).SetString(number, 10)
		require.True(t, ok, "%q is not a number", number)
		require.Positive(t, n.Cmp(last), "%v after %v", n, last)
		last = n
	}
}

// Receiving costs no memory that grows with the number of receives, whether
// they find a message or not. (F85)
func TestReceivesLeaveNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const receives = 50_000
		q := newQueue(t, memsqs.Config{})
		before := heapInUse()
		send(t, q, strings.Repeat("x", 1024))
		var last memsqs.Message
		for range receives {
			last = receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})[0]
		}
		require.Equal(t, receives, last.ReceiveCount)
		requireHeapGrowth(t, before, 1<<19)
		deleteAll(t, q, last)
		for range receives {
			receiveNone(t, q)
		}
		for range receives / 10 {
			require.Empty(t, receive(t, q, longPoll))
		}
		requireHeapGrowth(t, before, 1<<18)
	})
}
