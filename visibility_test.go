// Tests of visibility timeouts, and of changing them.

package memsqs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// requireBackAfter requires that the only message of a queue is hidden for
// exactly the given time from now, and receives it then.
func requireBackAfter(t testing.TB, q queue, d time.Duration) memsqs.Message {
	t.Helper()
	if d > 0 {
		time.Sleep(d - 1)
		requireCounts(t, q, 0, 1, 0)
		receiveNone(t, q)
		time.Sleep(1 * time.Nanosecond)
	}
	requireCounts(t, q, 1, 0, 0)
	return receiveOne(t, q)
}

// A received message is hidden for the receive's own visibility timeout, zero
// included, or else the queue's; the longest is 12 hours (A3.4). The next
// receive has the queue's again (A3.8).
func TestVisibilityTimeoutOfAReceiveOverridesTheQueues(t *testing.T) {
	const longest = 12 * time.Hour
	for _, tt := range []struct {
		queue, own *time.Duration
		want       time.Duration
		next       time.Duration
	}{
		{nil, nil, 30 * time.Second, 30 * time.Second},
		{seconds(5), nil, 5 * time.Second, 5 * time.Second},
		{seconds(5), seconds(0), 0, 5 * time.Second},
		{seconds(5), new(longest), longest, 5 * time.Second},
		{new(longest), seconds(1), time.Second, longest},
		{seconds(0), seconds(1), time.Second, 0},
		{seconds(0), new(time.Nanosecond), 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, memsqs.Config{VisibilityTimeout: tt.queue})
			send(t, q, "hello")
			m := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: tt.own})[0]
			require.WithinDuration(t, time.Now().Add(tt.want), m.InvisibleUntil, 0)
			requireBackAfter(t, q, tt.want)
			require.Equal(t, 3, requireBackAfter(t, q, tt.next).ReceiveCount)
		})
	}
}

// One timeout is for every message of a receive (A3.4).
func TestVisibilityTimeoutIsForAllMessagesOfAReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "a", "b", "c")
		require.Len(t, receive(t, q, memsqs.ReceiveInput{MaxMessages: 10, VisibilityTimeout: seconds(7)}), 3)
		time.Sleep(7*time.Second - 1)
		requireCounts(t, q, 0, 3, 0)
		time.Sleep(1 * time.Nanosecond)
		requireCounts(t, q, 3, 0, 0)
	})
}

// A receive with a visibility timeout of zero counts, gives a handle that can be
// used, and leaves the message visible (A3.8).
func TestReceiveWithoutTimeoutLeavesTheMessageVisible(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	send(t, q, "hello")
	in := memsqs.ReceiveInput{VisibilityTimeout: seconds(0)}
	first, second := receive(t, q, in)[0], receive(t, q, in)[0]
	require.Equal(t, 1, first.ReceiveCount)
	require.Equal(t, 2, second.ReceiveCount)
	require.NotEqual(t, first.ReceiptHandle, second.ReceiptHandle)
	requireCounts(t, q, 1, 0, 0)
	require.NoError(t, q.Delete(t.Context(), second.ReceiptHandle))
	requireCounts(t, q, 0, 0, 0)
}

// Within one receive no message comes twice, also if they stay visible (A3.9).
func TestReceiveWithoutTimeoutMeetsNoMessageTwice(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	send(t, q, "a", "b", "c")
	require.Equal(t, []string{"a", "b", "c"}, receiveAll(t, q))
	require.Equal(t, []string{"a", "b", "c"}, receiveAll(t, q))
}

// A new timeout counts from the call, not from the receive, be it longer or
// shorter than what was left, and is for this receive only (A6.2). Zero makes
// the message visible at once (A6.3).
func TestNewTimeoutCountsFromTheCall(t *testing.T) {
	for _, timeout := range []time.Duration{0, 1, time.Second, time.Minute, 12*time.Hour - 10*time.Second} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, memsqs.Config{})
			send(t, q, "hello")
			m := receiveOne(t, q)
			time.Sleep(10 * time.Second)
			require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, timeout))
			requireBackAfter(t, q, timeout)
			requireBackAfter(t, q, 30*time.Second)
		})
	}
}

// The latest change is the one that counts.
func TestTimeoutCanBeChangedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "hello")
		m := receiveOne(t, q)
		for _, timeout := range []time.Duration{time.Hour, time.Second, time.Minute} {
			require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, timeout))
		}
		require.WithinDuration(t, time.Now().Add(time.Minute), q.Peek(1)[0].DueAt, 0)
		requireBackAfter(t, q, time.Minute)
	})
}

// A waiting receive gets a message the moment its timeout is changed to zero
// (A6.3).
func TestWaitingReceiveGetsAMessageMadeVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "hello")
		m := receiveOne(t, q)
		answers := park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
		time.Sleep(3 * time.Second)
		require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, 0))
		a := <-answers
		require.Equal(t, []string{"hello"}, bodies(a.msgs))
		require.WithinDuration(t, m.SentAt.Add(3*time.Second), a.at, 0)
	})
}

// A handle whose timeout has passed still changes the message, and hides it
// again (A6.4). So does one of a message made visible before (A6.5).
func TestLapsedHandleHidesTheMessageAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "hello")
		m := receiveOne(t, q)
		time.Sleep(time.Minute)
		requireCounts(t, q, 1, 0, 0)
		require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, 10*time.Second))
		require.Equal(t, 2, requireBackAfter(t, q, 10*time.Second).ReceiveCount)

		require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, 0))
		requireCounts(t, q, 1, 0, 0)
		require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, 10*time.Second))
		require.Equal(t, 3, requireBackAfter(t, q, 10*time.Second).ReceiveCount)
	})
}

// The handle of an earlier receive still acts after a later one (A6.6).
func TestOlderHandleChangesTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "hello")
		first := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})[0]
		receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(3)})
		receiveNone(t, q)
		require.NoError(t, q.ChangeVisibility(t.Context(), first.ReceiptHandle, 0))
		requireBackAfter(t, q, 0)
		require.NoError(t, q.ChangeVisibility(t.Context(), first.ReceiptHandle, 40*time.Second))
		requireBackAfter(t, q, 40*time.Second)
	})
}

// The timeout of a message that is gone cannot be changed, however it went
// (A6.7).
func TestTimeoutOfAMessageThatIsGoneCannotBeChanged(t *testing.T) {
	for name, leave := range map[string]func(*testing.T, *memsqs.Queue, string){
		"deleted": func(t *testing.T, q *memsqs.Queue, handle string) {
			require.NoError(t, q.Delete(t.Context(), handle))
		},
		"expired":       func(*testing.T, *memsqs.Queue, string) { time.Sleep(4 * 24 * time.Hour) },
		"purged":        func(t *testing.T, q *memsqs.Queue, _ string) { require.NoError(t, q.Purge(t.Context())) },
		"dead-lettered": func(t *testing.T, q *memsqs.Queue, _ string) { time.Sleep(time.Minute); receiveNone(t, q) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				graveyard := newQueue(t, memsqs.Config{})
				q := newQueue(t, memsqs.Config{Name: "q", DeadLetter: &memsqs.DeadLetter{Queue: graveyard, MaxReceiveCount: 1}})
				send(t, q, "hello")
				m := receiveOne(t, q)
				leave(t, q, m.ReceiptHandle)
				err := q.ChangeVisibility(t.Context(), m.ReceiptHandle, time.Second)
				requireDetail(t, err, memsqs.ErrMessageGone, "does not exist any more")
				requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
			})
		})
	}
}

// A timeout is 0 to 12 hours (A6.1). One that is refused changes nothing.
func TestTimeoutOutOfRangeIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "hello")
		m := receiveOne(t, q)
		for _, timeout := range []time.Duration{-1, 12*time.Hour + 1, -1 << 63, 1<<63 - 1} {
			err := q.ChangeVisibility(t.Context(), m.ReceiptHandle, timeout)
			requireDetail(t, err, memsqs.ErrInvalidParameterValue, timeout.String(), "0 to 12h0m0s")
			require.WithinDuration(t, m.InvisibleUntil, q.Peek(1)[0].DueAt, 0)
		}
		require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, 12*time.Hour))
		requireBackAfter(t, q, 12*time.Hour)
	})
}

// A receive can keep a message invisible for 12 hours in all, counted from the
// receive, to the nanosecond, however often it is changed (A6.9, A6.10).
func TestReceiveKeepsAMessageForTwelveHoursInAll(t *testing.T) {
	const limit = 12 * time.Hour
	for _, passed := range []time.Duration{1, time.Second, time.Hour, limit - 1, limit} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, memsqs.Config{})
			send(t, q, "hello")
			m := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: new(limit)})[0]
			time.Sleep(passed)
			for range 2 {
				left := limit - passed
				err := q.ChangeVisibility(t.Context(), m.ReceiptHandle, left+1)
				requireDetail(t, err, memsqs.ErrInvalidParameterValue, (left + 1).String(), "0 to "+left.String())
				require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, left))
			}
			requireBackAfter(t, q, limit-passed)
		})
	}
}

// The 12 hours count from the latest receive, whichever handle is used (A6.9).
func TestTwelveHoursCountFromTheLatestReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "hello")
		first := receiveOne(t, q)
		time.Sleep(time.Hour)
		second := receiveOne(t, q)
		time.Sleep(time.Hour)
		for _, m := range []memsqs.Message{first, second} {
			err := q.ChangeVisibility(t.Context(), m.ReceiptHandle, 11*time.Hour+1)
			requireDetail(t, err, memsqs.ErrInvalidParameterValue, "0 to 11h0m0s")
			require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, 11*time.Hour))
		}
		requireBackAfter(t, q, 11*time.Hour)
	})
}

// When the 12 hours are over nothing is left to ask for (A6.9), and the error
// does not claim that there is.
func TestAfterTwelveHoursNoTimeoutIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "hello")
		m := receiveOne(t, q)
		time.Sleep(12 * time.Hour)
		require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, 0))
		time.Sleep(1 * time.Nanosecond)
		for _, timeout := range []time.Duration{0, 1, time.Hour} {
			err := q.ChangeVisibility(t.Context(), m.ReceiptHandle, timeout)
			requireDetail(t, err, memsqs.ErrInvalidParameterValue, timeout.String())
			require.NotContains(t, err.Error(), "must be 0 to 0s")
		}
		requireCounts(t, q, 1, 0, 0)
		require.NoError(t, q.Delete(t.Context(), m.ReceiptHandle))
	})
}
