// Tests of the life of a message in a standard queue: sending, delay, order,
// receiving, and what the receiver gets.

package memsqs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// sendDelayed sends a message with a delay of its own.
func sendDelayed(t testing.TB, q queue, body string, delay time.Duration) {
	t.Helper()
	_, err := q.Send(t.Context(), memsqs.SendInput{Body: body, Delay: &delay})
	require.NoError(t, err)
}

// receiveAll receives ten messages at most, and leaves them visible.
func receiveAll(t testing.TB, q queue) []string {
	t.Helper()
	return bodies(receive(t, q, memsqs.ReceiveInput{MaxMessages: 10, VisibilityTimeout: seconds(0)}))
}

// A message that is received and not deleted comes back once its visibility
// timeout has passed, and not a nanosecond before.
func TestMessageComesBackAtTheEndOfItsVisibilityTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "hello")

		first := receiveOne(t, q)
		time.Sleep(30*time.Second - 1)
		receiveNone(t, q)
		time.Sleep(1 * time.Nanosecond)
		second := receiveOne(t, q)

		require.Equal(t, 2, second.ReceiveCount)
		require.NotEqual(t, first.ReceiptHandle, second.ReceiptHandle)
		require.NoError(t, q.Delete(t.Context(), second.ReceiptHandle))
		requireCounts(t, q, 0, 0, 0)
	})
}

// A send is answered with the id of the message, a UUID of its own, and in a
// standard queue with no sequence number (A1.8).
func TestSendAnswersWithTheMessageID(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	ids := make(map[string]bool)
	for range 100 {
		result, err := q.Send(t.Context(), memsqs.SendInput{Body: "hello"})
		require.NoError(t, err)
		require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, result.MessageID)
		require.Empty(t, result.SequenceNumber)
		ids[result.MessageID] = true
	}
	require.Len(t, ids, 100)
	for _, m := range q.Peek(100) {
		require.True(t, ids[m.ID], "%s was not in an answer", m.ID)
	}
}

// The receiver gets what was sent, to the byte, with the trace header and the
// group id, and nothing that only a FIFO queue has (A1.6, A1.10, A3.10, A3.11).
func TestReceiverGetsWhatWasSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{Name: "q"})
		in := memsqs.SendInput{
			Body: "\tfirst\r\nsecond \U0001F600\n",
			Attributes: map[string]memsqs.Attribute{
				"text":   {DataType: "String.json", StringValue: " {}\r\n"},
				"number": {DataType: "Number", StringValue: "+007.50"},
				"bytes":  {DataType: "Binary", BinaryValue: []byte{0, 0xff, '\n'}},
			},
			TraceHeader: "Root=1-5759e988-bd862e3fe1be46a994272793",
			GroupID:     "tenant",
		}
		result, err := q.Send(t.Context(), in)
		require.NoError(t, err)
		start := time.Now()

		got := receiveOne(t, q)
		require.NotEmpty(t, got.ReceiptHandle)
		require.Equal(t, memsqs.Message{
			ID:              result.MessageID,
			ReceiptHandle:   got.ReceiptHandle,
			Body:            in.Body,
			Attributes:      in.Attributes,
			TraceHeader:     in.TraceHeader,
			GroupID:         in.GroupID,
			SentAt:          start,
			FirstReceivedAt: start,
			InvisibleUntil:  start.Add(30 * time.Second),
			ReceiveCount:    1,
		}, got)
	})
}

// A message without attributes is received with none.
func TestMessageWithoutAttributesIsReceivedWithNone(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	_, err := q.Send(t.Context(), memsqs.SendInput{Body: "hello", Attributes: map[string]memsqs.Attribute{}})
	require.NoError(t, err)
	m := receiveOne(t, q)
	require.Nil(t, m.Attributes)
	require.Empty(t, m.TraceHeader)
	require.Empty(t, m.GroupID)
}

// A message in the queue is a value: what the sender, a receiver or the caller
// of Peek does to their attributes has no effect on it.
func TestMessageSharesNothingWithItsSenderOrReceivers(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	attributes := func() map[string]memsqs.Attribute {
		return map[string]memsqs.Attribute{
			"text":  {DataType: "String", StringValue: "value"},
			"bytes": {DataType: "Binary", BinaryValue: []byte("value")},
		}
	}
	spoil := func(attrs map[string]memsqs.Attribute) {
		require.Equal(t, attributes(), attrs)
		copy(attrs["bytes"].BinaryValue, "xxxxx")
		delete(attrs, "text")
		attrs["more"] = memsqs.Attribute{}
	}
	in := memsqs.SendInput{Body: "hello", Attributes: attributes()}
	_, err := q.Send(t.Context(), in)
	require.NoError(t, err)
	spoil(in.Attributes)
	for range 2 {
		spoil(q.Peek(1)[0].Attributes)
		spoil(receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})[0].Attributes)
	}
}

// Messages are received in the order in which they were sent, those of a batch
// in the order of the batch (A1.11).
func TestMessagesAreReceivedInSendOrder(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	send(t, q, "1", "2")
	_, err := q.SendBatch(t.Context(), []memsqs.SendInput{{Body: "3"}, {Body: "4"}, {Body: "5"}})
	require.NoError(t, err)
	send(t, q, "6")
	for _, want := range [][]string{{"1"}, {"2", "3", "4"}, {"5", "6"}, nil} {
		require.Equal(t, want, bodies(receive(t, q, memsqs.ReceiveInput{MaxMessages: max(1, len(want))})))
	}
}

// The order is that of becoming visible, be it after a delay, a visibility
// timeout, or at once: a message that lapsed comes before one that was sent
// later, and after one that was sent before it lapsed (A1.11).
func TestMessagesAreReceivedInTheOrderTheyBecameVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "lapsing after 30 s")
		sendDelayed(t, q, "delayed 40 s", 40*time.Second)
		sendDelayed(t, q, "delayed 20 s", 20*time.Second)
		receiveOne(t, q)
		time.Sleep(25 * time.Second)
		send(t, q, "sent after 25 s")
		time.Sleep(10 * time.Second)
		send(t, q, "sent after 35 s")
		time.Sleep(10 * time.Second)
		require.Equal(t, []string{"delayed 20 s", "sent after 25 s", "lapsing after 30 s", "sent after 35 s", "delayed 40 s"}, receiveAll(t, q))
	})
}

// What becomes visible at one instant is received in the order in which it was
// put there: a message that is handed back goes behind the others, and cannot
// keep them from being received (A3.12).
func TestMessageHandedBackGoesBehindTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "a", "b", "c")
		for _, want := range []string{"a", "b", "c", "a", "b"} {
			m := receive(t, q, memsqs.ReceiveInput{})[0]
			require.Equal(t, want, m.Body)
			require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, 0))
		}
		for _, want := range []string{"c", "a", "b", "c"} {
			require.Equal(t, want, receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})[0].Body)
		}
	})
}

// The group id of a standard queue holds nothing back, and has no effect on
// the order (A1.10).
func TestTenantsAreNoGroups(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	for _, body := range []string{"1", "2", "3"} {
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: body, GroupID: "tenant"})
		require.NoError(t, err)
	}
	for _, want := range []string{"1", "2", "3"} {
		m := receive(t, q, memsqs.ReceiveInput{})[0]
		require.Equal(t, want, m.Body)
		require.Equal(t, "tenant", m.GroupID)
	}
	require.Zero(t, q.Stats().Groups)
}

// A message is hidden for its own delay, zero included, or else the queue's,
// and is received when that has passed, not a nanosecond before (A2.1).
func TestDelayOfAMessageOverridesTheQueues(t *testing.T) {
	for _, tt := range []struct {
		queue time.Duration
		own   *time.Duration
		want  time.Duration
	}{
		{0, nil, 0},
		{10 * time.Second, nil, 10 * time.Second},
		{10 * time.Second, seconds(0), 0},
		{10 * time.Second, seconds(3), 3 * time.Second},
		{10 * time.Second, seconds(900), 15 * time.Minute},
		{0, new(time.Nanosecond), 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, memsqs.Config{Delay: tt.queue})
			_, err := q.Send(t.Context(), memsqs.SendInput{Body: "hello", Delay: tt.own})
			require.NoError(t, err)
			if tt.want > 0 {
				requireCounts(t, q, 0, 0, 1)
				time.Sleep(tt.want - 1)
				receiveNone(t, q)
				time.Sleep(1 * time.Nanosecond)
			}
			requireCounts(t, q, 1, 0, 0)
			require.Equal(t, 1, receiveOne(t, q).ReceiveCount)
		})
	}
}

// A long poll returns the moment a delayed message falls due (A2.5).
func TestLongPollReturnsWhenADelayHasPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		start := time.Now()
		sendDelayed(t, q, "hello", 5*time.Second)
		msgs := receive(t, q, memsqs.ReceiveInput{WaitTime: seconds(20)})
		require.Equal(t, []string{"hello"}, bodies(msgs))
		require.Equal(t, 5*time.Second, time.Since(start))
	})
}

// A receive returns one message unless it asks for more, and as many as it asks
// for if they are there (A3.1, A3.7).
func TestReceiveReturnsAsManyAsItAsksFor(t *testing.T) {
	for most, want := range map[int]int{0: 1, 1: 1, 2: 2, 9: 9, 10: 10} {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11")
		require.Len(t, receive(t, q, memsqs.ReceiveInput{MaxMessages: most}), want)
		requireCounts(t, q, 11-want, want, 0)
	}
}

// A receive that finds nothing waits for its own wait time, zero included, or
// else the queue's, and then returns nothing, which is no error (A3.3, A3.6).
func TestWaitTimeOfAReceiveOverridesTheQueues(t *testing.T) {
	for _, tt := range []struct {
		queue time.Duration
		own   *time.Duration
		want  time.Duration
	}{
		{0, nil, 0},
		{5 * time.Second, nil, 5 * time.Second},
		{5 * time.Second, seconds(0), 0},
		{5 * time.Second, seconds(20), 20 * time.Second},
		{0, new(time.Nanosecond), 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, memsqs.Config{WaitTime: tt.queue})
			start := time.Now()
			require.Empty(t, receive(t, q, memsqs.ReceiveInput{WaitTime: tt.own}))
			require.Equal(t, tt.want, time.Since(start))
		})
	}
}

// The receive count goes up by one with each receive. The times of sending and
// of the first receive do not change (A4.1, A4.2).
func TestReceiveCountGoesUpAndTimesStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		sent := time.Now()
		send(t, q, "hello")
		time.Sleep(time.Second + 1)
		first := time.Now()
		for count := 1; count <= 5; count++ {
			m := receiveOne(t, q)
			require.Equal(t, count, m.ReceiveCount)
			require.WithinDuration(t, sent, m.SentAt, 0)
			require.WithinDuration(t, first, m.FirstReceivedAt, 0)
			require.WithinDuration(t, time.Now().Add(30*time.Second), m.InvisibleUntil, 0)
			time.Sleep(30 * time.Second)
		}
	})
}

// Delayed, visible and in flight are counted apart (A2.4, A13.1), and a
// message that waits behind one in flight in its group is visible (A13.2).
func TestCountsTellStatesApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "a", "b", "c")
		sendDelayed(t, q, "d", 10*time.Second)
		receive(t, q, memsqs.ReceiveInput{})
		requireCounts(t, q, 2, 1, 1)
		time.Sleep(10*time.Second - 1)
		requireCounts(t, q, 2, 1, 1)
		time.Sleep(1 * time.Nanosecond)
		requireCounts(t, q, 3, 1, 0)

		fifo := newFIFOQueue(t, memsqs.FIFOConfig{})
		for _, group := range []string{"a", "b", "c"} {
			sendGroup(t, fifo, group, "1", "2")
		}
		receive(t, fifo, memsqs.ReceiveInput{})
		require.NoError(t, fifo.Delete(t.Context(), receive(t, fifo, memsqs.ReceiveInput{})[0].ReceiptHandle))
		receive(t, fifo, memsqs.ReceiveInput{})
		requireCounts(t, fifo, 3, 2, 0)
	})
}
