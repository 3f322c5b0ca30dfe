// Tests of the limit on messages in flight of a standard queue.

package memsqs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// fullQueue returns a queue with two messages in flight, which are returned as
// well and are as many as it allows, and one more message.
func fullQueue(t testing.TB) (*memsqs.Queue, []memsqs.Message) {
	t.Helper()
	q := newQueue(t, memsqs.Config{Name: "q", MaxInFlight: 2, Retention: time.Hour})
	send(t, q, "a", "b", "c")
	msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 10})
	require.Equal(t, []string{"a", "b"}, bodies(msgs))
	requireCounts(t, q, 1, 2, 0)
	return q, msgs
}

// requireOverLimit requires that a receive that does not wait is refused.
func requireOverLimit(t testing.TB, q queue) {
	t.Helper()
	err := receiveError(t, q, memsqs.ReceiveInput{WaitTime: seconds(0)})
	requireRefused(t, q, err, memsqs.ErrOverLimit)
}

// A receive that does not wait is refused with ErrOverLimit when as many
// messages are in flight as the queue allows, also if there is none to be
// received (A7.2).
func TestShortPollAtTheLimitIsRefused(t *testing.T) {
	q, _ := fullQueue(t)
	err := receiveError(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})
	requireDetail(t, err, memsqs.ErrOverLimit, "2 messages are in flight", "at most 2")
	requireOverLimit(t, q)
	requireCounts(t, q, 1, 2, 0)
	require.EqualValues(t, 2, q.Stats().Received)

	full := newQueue(t, memsqs.Config{MaxInFlight: 1})
	receiveNone(t, full)
	send(t, full, "hello")
	receiveOne(t, full)
	requireOverLimit(t, full)
}

// A receive that waits finds nothing at the limit, which is no error (A7.2).
func TestLongPollAtTheLimitFindsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, _ := fullQueue(t)
		start := time.Now()
		require.Empty(t, receive(t, q, memsqs.ReceiveInput{WaitTime: seconds(20)}))
		require.Equal(t, 20*time.Second, time.Since(start))
		requireCounts(t, q, 1, 2, 0)

		require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.WaitTime = time.Second }))
		require.Empty(t, receive(t, q, memsqs.ReceiveInput{}))
		require.Equal(t, 21*time.Second, time.Since(start))
		requireOverLimit(t, q)
	})
}

// Whatever ends the flight of a message makes room for another: then a receive
// that does not wait gets one, and so does one that has waited (A7.1).
func TestEndOfAFlightMakesRoom(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *memsqs.Queue, string){
		"delete": func(t *testing.T, q *memsqs.Queue, handle string) {
			require.NoError(t, q.Delete(t.Context(), handle))
		},
		"visibility": func(t *testing.T, q *memsqs.Queue, handle string) {
			require.NoError(t, q.ChangeVisibility(t.Context(), handle, 0))
		},
		"limit": func(t *testing.T, q *memsqs.Queue, _ string) {
			require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.MaxInFlight = 3 }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			q, msgs := fullQueue(t)
			end(t, q, msgs[0].ReceiptHandle)
			require.Equal(t, []string{"c"}, bodies(receive(t, q, memsqs.ReceiveInput{})))
			requireOverLimit(t, q)
		})
		t.Run(name+", waiting", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q, msgs := fullQueue(t)
				answers := park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
				time.Sleep(time.Second)
				end(t, q, msgs[0].ReceiptHandle)
				a := <-answers
				require.Equal(t, []string{"c"}, bodies(a.msgs))
				require.WithinDuration(t, msgs[0].SentAt.Add(time.Second), a.at, 0)
			})
		})
	}
}

// Room is made by the passing of time too, to the nanosecond: when a timeout
// has passed, and when a retention has.
func TestEndOfATimeoutMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, msgs := fullQueue(t)
		require.NoError(t, q.ChangeVisibility(t.Context(), msgs[1].ReceiptHandle, time.Hour-1))
		time.Sleep(30*time.Second - 1)
		requireOverLimit(t, q)
		time.Sleep(1 * time.Nanosecond)
		require.Equal(t, []string{"c"}, bodies(receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: new(2 * time.Hour)})))
		requireOverLimit(t, q)

		time.Sleep(time.Hour - 30*time.Second - 1)
		require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.MaxInFlight = 1 }))
		send(t, q, "d")
		requireOverLimit(t, q)
		time.Sleep(1 * time.Nanosecond)
		requireCounts(t, q, 1, 0, 0)
		require.Equal(t, "d", receiveOne(t, q).Body)
	})
}

// A purge makes room for all.
func TestPurgeMakesRoom(t *testing.T) {
	q, _ := fullQueue(t)
	require.NoError(t, q.Purge(t.Context()))
	receiveNone(t, q)
	send(t, q, "d", "e")
	require.Len(t, receive(t, q, memsqs.ReceiveInput{MaxMessages: 10}), 2)
	requireOverLimit(t, q)
}

// A receive gets no more messages than there is room for.
func TestReceiveGetsWhatThereIsRoomFor(t *testing.T) {
	q := newQueue(t, memsqs.Config{MaxInFlight: 5})
	send(t, q, "1", "2", "3", "4", "5", "6", "7")
	require.Len(t, receive(t, q, memsqs.ReceiveInput{MaxMessages: 3}), 3)
	require.Len(t, receive(t, q, memsqs.ReceiveInput{MaxMessages: 10}), 2)
	requireOverLimit(t, q)
	requireCounts(t, q, 2, 5, 0)
}

// A limit lower than what is in flight leaves that alone, and allows no more
// until enough of it has ended.
func TestLowerLimitLeavesFlightsAlone(t *testing.T) {
	q := newQueue(t, memsqs.Config{MaxInFlight: 5})
	send(t, q, "1", "2", "3", "4", "5", "6")
	msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 10})
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.MaxInFlight = 2 }))
	requireCounts(t, q, 1, 5, 0)
	for _, m := range msgs[:4] {
		requireOverLimit(t, q)
		require.NoError(t, q.Delete(t.Context(), m.ReceiptHandle))
	}
	require.Equal(t, []string{"6"}, bodies(receive(t, q, memsqs.ReceiveInput{MaxMessages: 10})))
	requireOverLimit(t, q)
}

// Messages that stay visible when they are received take no room.
func TestReceiveWithoutTimeoutTakesNoRoom(t *testing.T) {
	q := newQueue(t, memsqs.Config{MaxInFlight: 1, VisibilityTimeout: seconds(0)})
	send(t, q, "a", "b")
	for range 3 {
		require.Len(t, receive(t, q, memsqs.ReceiveInput{MaxMessages: 10}), 1)
	}
	requireCounts(t, q, 2, 0, 0)
}
