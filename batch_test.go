// Tests of the batch forms of Send, Delete and ChangeVisibility.

package memsqs_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// receiveTen returns a queue and ten messages of it, "0" to "9", in flight.
func receiveTen(t testing.TB) (*memsqs.Queue, []memsqs.Message) {
	t.Helper()
	q := newQueue(t, memsqs.Config{Name: "q"})
	for i := range 10 {
		send(t, q, strconv.Itoa(i))
	}
	msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 10})
	require.Len(t, msgs, 10)
	return q, msgs
}

// changesTo returns changes of the timeouts of messages.
func changesTo(timeout time.Duration, msgs []memsqs.Message) []memsqs.VisibilityChange {
	var all []memsqs.VisibilityChange
	for _, m := range msgs {
		all = append(all, memsqs.VisibilityChange{ReceiptHandle: m.ReceiptHandle, Timeout: timeout})
	}
	return all
}

// A batch has 1 to 10 entries, and is else refused as a whole (A15.1).
func TestBatchHasOneToTenEntries(t *testing.T) {
	q, msgs := receiveTen(t)
	messages, stats := q.Peek(10), q.Stats()
	eleven := append(msgs, msgs[0])
	for _, tt := range []struct {
		msgs []memsqs.Message
		code error
		part string
	}{
		{nil, memsqs.ErrBatchEmpty, "0 entries"},
		{eleven, memsqs.ErrBatchTooMany, "11 entries"},
	} {
		_, sendErr := q.SendBatch(t.Context(), make([]memsqs.SendInput, len(tt.msgs)))
		for _, err := range []error{
			sendErr,
			q.DeleteBatch(t.Context(), handlesOf(tt.msgs...)),
			q.ChangeVisibilityBatch(t.Context(), changesTo(0, tt.msgs)),
		} {
			requireRefused(t, q, err, tt.code)
			requireDetail(t, err, tt.code, tt.part, "1 to 10")
		}
	}
	require.Equal(t, messages, q.Peek(10))
	require.Equal(t, stats.Sent, q.Stats().Sent)

	require.NoError(t, q.ChangeVisibilityBatch(t.Context(), changesTo(time.Hour, msgs)))
	require.NoError(t, q.DeleteBatch(t.Context(), handlesOf(msgs...)))
	requireCounts(t, q, 0, 0, 0)
	for _, n := range []int{1, 10} {
		results, err := q.SendBatch(t.Context(), slices.Repeat([]memsqs.SendInput{{Body: "b"}}, n))
		require.NoError(t, err)
		require.Len(t, results, n)
	}
	requireCounts(t, q, 11, 0, 0)
}

// An entry that breaks a rule fails alone: its result is zero, and the others
// are sent, in order, with one result each (A15.4, A1.9).
func TestEntryOfASendBatchFailsAlone(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "q", MaxMessageSize: 1024})
	attributes := func(value string) map[string]memsqs.Attribute {
		return map[string]memsqs.Attribute{"n": {DataType: "Number", StringValue: value}}
	}
	results, err := q.SendBatch(t.Context(), []memsqs.SendInput{
		{Body: "first"},
		{},
		{Body: strings.Repeat("x", 1025)},
		{Body: "\x00"},
		{Body: "b", DeduplicationID: "d"},
		{Body: "sixth", Attributes: attributes("6")},
		{Body: "b", Attributes: attributes("six")},
		{Body: "b", GroupID: " "},
		{Body: "b", Delay: seconds(901)},
		{Body: "last"},
	})
	requireFailed(t, q, err, map[int]error{
		1: memsqs.ErrMissingParameter,
		2: memsqs.ErrInvalidParameterValue,
		3: memsqs.ErrInvalidMessageContents,
		4: memsqs.ErrNotFIFO,
		6: memsqs.ErrInvalidParameterValue,
		7: memsqs.ErrInvalidParameterValue,
		8: memsqs.ErrInvalidParameterValue,
	})
	require.Len(t, results, 10)
	got := q.Peek(10)
	require.Len(t, got, 3)
	for i, m := range map[int]memsqs.MessageState{0: got[0], 5: got[1], 9: got[2]} {
		require.Equal(t, memsqs.SendResult{MessageID: m.ID}, results[i])
		results[i] = memsqs.SendResult{}
	}
	require.Equal(t, make([]memsqs.SendResult, 10), results)
	require.Equal(t, []string{"first", "sixth", "last"}, receiveAll(t, q))
}

// A batch of which every entry fails is still no refused call: there are
// results, all zero.
func TestBatchCanFailInEveryEntry(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "q"})
	results, err := q.SendBatch(t.Context(), make([]memsqs.SendInput, 2))
	requireFailed(t, q, err, map[int]error{0: memsqs.ErrMissingParameter, 1: memsqs.ErrMissingParameter})
	require.Equal(t, make([]memsqs.SendResult, 2), results)
	requireStats(t, q, memsqs.Stats{Name: "q"})
}

// The messages of a batch have at most 1 MiB together, attributes included, and
// the batch is else refused as a whole, whatever the queue allows for one
// message, and though it be one entry that is too long (A15.2).
func TestSendBatchHasOneMebibyte(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "q"})
	small := newQueue(t, memsqs.Config{Name: "small", MaxMessageSize: 1024})
	body := func(size int) memsqs.SendInput { return memsqs.SendInput{Body: strings.Repeat("x", size)} }
	withAttribute := body(1<<19 - 10)
	withAttribute.Attributes = map[string]memsqs.Attribute{"a": {DataType: "String", StringValue: "123"}}
	withAttribute.TraceHeader = "does not count"

	for _, in := range [][]memsqs.SendInput{
		{body(1<<20 + 1)},
		{body(1 << 20), body(1)},
		{body(1<<19 + 1), withAttribute},
		{{}, body(1 << 20), body(1)},
	} {
		for _, q := range []*memsqs.Queue{q, small} {
			results, err := q.SendBatch(t.Context(), in)
			require.Nil(t, results)
			requireRefused(t, q, err, memsqs.ErrBatchTooLong)
			requireDetail(t, err, memsqs.ErrBatchTooLong, "1048577 bytes", "at most 1048576")
			require.Zero(t, q.Stats().Sent)
		}
	}
	for _, in := range [][]memsqs.SendInput{{body(1 << 20)}, {body(1 << 19), withAttribute}} {
		_, err := q.SendBatch(t.Context(), in)
		require.NoError(t, err)
	}
	require.EqualValues(t, 3, q.Stats().Sent)
}

// The limit of the queue is for each entry, and not for their sum (A15.3).
func TestEntriesTogetherMayBeLargerThanAMessage(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "q", MaxMessageSize: 1024})
	in := slices.Repeat([]memsqs.SendInput{{Body: strings.Repeat("x", 1024)}}, 10)
	in[3].Body += "x"
	_, err := q.SendBatch(t.Context(), in)
	requireFailed(t, q, err, map[int]error{3: memsqs.ErrInvalidParameterValue})
	requireDetail(t, failedEntries(t, err)[3], memsqs.ErrInvalidParameterValue, "1025 bytes", "at most 1024")
	requireCounts(t, q, 9, 0, 0)
}

// The number of entries is looked at before their size, and that before what
// they are (E.10).
func TestBatchIsRefusedAsAWholeFirst(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "q"})
	long := memsqs.SendInput{Body: strings.Repeat("\x00", 1<<20)}
	_, err := q.SendBatch(t.Context(), slices.Repeat([]memsqs.SendInput{long}, 11))
	requireRefused(t, q, err, memsqs.ErrBatchTooMany)
	_, err = q.SendBatch(t.Context(), []memsqs.SendInput{long, {Body: "x", DeduplicationID: "d"}})
	requireRefused(t, q, err, memsqs.ErrBatchTooLong)
	requireStats(t, q, memsqs.Stats{Name: "q"})
}

// An entry of a DeleteBatch with a bad handle fails alone; a handle that comes
// twice does not (A15.4, A5.4).
func TestEntryOfADeleteBatchFailsAlone(t *testing.T) {
	q, msgs := receiveTen(t)
	err := q.DeleteBatch(t.Context(), []string{
		msgs[0].ReceiptHandle, "garbage", msgs[5].ReceiptHandle, "", msgs[5].ReceiptHandle, msgs[9].ReceiptHandle,
	})
	requireFailed(t, q, err, map[int]error{1: memsqs.ErrReceiptHandleIsInvalid, 3: memsqs.ErrMissingParameter})
	requireCounts(t, q, 0, 7, 0)
	require.EqualValues(t, 3, q.Stats().Deleted)
	for _, m := range q.Peek(10) {
		require.NotContains(t, []string{"0", "5", "9"}, m.Body)
	}
}

// An entry of a ChangeVisibilityBatch that cannot be fails alone; entries are
// applied in order, so that of two for one message the second counts (A6.11).
func TestEntryOfAChangeVisibilityBatchFailsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, msgs := receiveTen(t)
		require.NoError(t, q.Delete(t.Context(), msgs[9].ReceiptHandle))
		change := func(i int, timeout time.Duration) memsqs.VisibilityChange {
			return memsqs.VisibilityChange{ReceiptHandle: msgs[i].ReceiptHandle, Timeout: timeout}
		}
		err := q.ChangeVisibilityBatch(t.Context(), []memsqs.VisibilityChange{
			change(0, time.Hour),
			{ReceiptHandle: "garbage"},
			change(1, 12*time.Hour+1),
			change(2, -1),
			{},
			change(9, 0),
			change(3, time.Hour),
			change(4, 0),
			change(3, time.Second),
		})
		requireFailed(t, q, err, map[int]error{
			1: memsqs.ErrReceiptHandleIsInvalid,
			2: memsqs.ErrInvalidParameterValue,
			3: memsqs.ErrInvalidParameterValue,
			4: memsqs.ErrMissingParameter,
			5: memsqs.ErrMessageGone,
		})
		for i, want := range []time.Duration{time.Hour, 30 * time.Second, 30 * time.Second, time.Second, 0, 30 * time.Second} {
			require.Equal(t, timeAfter(msgs[i].SentAt, want), q.Peek(10)[i].DueAt)
		}
	})
}

// What a batch makes visible is received in the order of the batch.
func TestChangeVisibilityBatchGivesBackInItsOrder(t *testing.T) {
	q, msgs := receiveTen(t)
	slices.Reverse(msgs)
	require.NoError(t, q.ChangeVisibilityBatch(t.Context(), changesTo(0, msgs)))
	require.Equal(t, bodies(msgs), receiveAll(t, q))
}
