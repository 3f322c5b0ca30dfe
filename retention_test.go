// Tests of retention: messages expire when it has passed, whatever their state.

package memsqs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// requireExpiresAfter requires that the only message of a queue stays for
// exactly the given time from now.
func requireExpiresAfter(t testing.TB, q queue, d time.Duration) {
	t.Helper()
	expired := q.Stats().Expired
	time.Sleep(d - 1)
	require.Len(t, q.Peek(10), 1)
	require.Equal(t, expired, q.Stats().Expired)
	time.Sleep(1 * time.Nanosecond)
	require.Empty(t, q.Peek(10))
	require.Equal(t, expired+1, q.Stats().Expired)
	requireCounts(t, q, 0, 0, 0)
}

// A message expires when the retention has passed since it was sent, not a
// nanosecond before, whether it is visible, delayed, in flight or back from
// there (A11.1).
func TestMessageExpiresInEveryState(t *testing.T) {
	receiveFor := func(timeout time.Duration) func(*testing.T, *memsqs.Queue) {
		return func(t *testing.T, q *memsqs.Queue) {
			send(t, q, "hello")
			receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: &timeout})
		}
	}
	for name, prepare := range map[string]func(*testing.T, *memsqs.Queue){
		"visible":                     func(t *testing.T, q *memsqs.Queue) { send(t, q, "hello") },
		"delayed":                     func(t *testing.T, q *memsqs.Queue) { sendDelayed(t, q, "hello", 15*time.Minute) },
		"delayed to that instant":     func(t *testing.T, q *memsqs.Queue) { sendDelayed(t, q, "hello", time.Minute) },
		"in flight":                   receiveFor(12 * time.Hour),
		"in flight till that instant": receiveFor(time.Minute),
		"back":                        receiveFor(time.Second),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t, memsqs.Config{Retention: time.Minute})
				prepare(t, q)
				requireExpiresAfter(t, q, time.Minute)
				receiveNone(t, q)
				time.Sleep(24 * time.Hour)
				receiveNone(t, q)
			})
		})
	}
}

// A message is kept for 4 days if nothing else is asked for, and for 14 at most.
func TestMessageIsKeptForFourDaysByDefault(t *testing.T) {
	for retention, want := range map[time.Duration]time.Duration{
		0:                   4 * 24 * time.Hour,
		time.Minute:         time.Minute,
		14 * 24 * time.Hour: 14 * 24 * time.Hour,
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, memsqs.Config{Retention: retention})
			send(t, q, "hello")
			requireExpiresAfter(t, q, want)
		})
	}
}

// What happens to a message does not prolong its life: not a delay, nor a
// receive, nor a change of its timeout (A11.1).
func TestRetentionCountsFromTheSendAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{Retention: time.Minute})
		sendDelayed(t, q, "hello", 10*time.Second)
		time.Sleep(10 * time.Second)
		m := receiveOne(t, q)
		time.Sleep(10 * time.Second)
		require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, time.Second))
		time.Sleep(10 * time.Second)
		receiveOne(t, q)
		requireExpiresAfter(t, q, 30*time.Second)
	})
}

// Each message expires at its own time, and only those whose time has come.
func TestMessagesExpireOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{Retention: time.Minute})
		for _, body := range []string{"a", "b", "c"} {
			send(t, q, body)
			time.Sleep(10 * time.Second)
		}
		receive(t, q, memsqs.ReceiveInput{})
		time.Sleep(30*time.Second - 1)
		requireStats(t, q, memsqs.Stats{Visible: 2, InFlight: 1, OldestAge: time.Minute - 1, Sent: 3, Received: 1})
		time.Sleep(1 * time.Nanosecond)
		requireStats(t, q, memsqs.Stats{Visible: 2, OldestAge: 50 * time.Second, Sent: 3, Received: 1, Expired: 1})
		time.Sleep(10 * time.Second)
		require.Equal(t, []string{"c"}, receiveAll(t, q))
	})
}

// A message that comes back at the instant at which it expires is not received,
// not by a receive that waits for it either.
func TestExpiryComesBeforeTheEndOfATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{Retention: time.Minute})
		send(t, q, "hello")
		receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: new(time.Minute)})
		time.Sleep(50 * time.Second)
		require.Empty(t, receive(t, q, memsqs.ReceiveInput{WaitTime: seconds(20)}))
		requireStats(t, q, memsqs.Stats{Sent: 1, Received: 1, Expired: 1})
	})
}

// A message that lapsed and expired while nobody looked has done both.
func TestTimeoutAndRetentionThatPassUnseenAreBothCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{Retention: time.Minute})
		send(t, q, "hello")
		receiveOne(t, q)
		time.Sleep(time.Hour)
		requireStats(t, q, memsqs.Stats{Sent: 1, Received: 1, Returned: 1, Expired: 1})
	})
}

// Deleting a message that has expired is no error (A5.7), and deletes nothing.
func TestDeletingAnExpiredMessageIsNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{Retention: time.Minute})
		send(t, q, "hello")
		m := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: new(time.Hour)})[0]
		time.Sleep(time.Minute)
		require.NoError(t, q.Delete(t.Context(), m.ReceiptHandle))
		requireStats(t, q, memsqs.Stats{Sent: 1, Received: 1, Expired: 1})
	})
}

// A new retention is for the messages that are there too, and counts from when
// they were sent (A11.2, A12.13).
func TestNewRetentionIsForMessagesThatAreThere(t *testing.T) {
	for _, tt := range []struct{ retention, left time.Duration }{
		{2 * time.Minute, time.Minute},
		{time.Minute + 1, 1},
		{time.Hour, 59 * time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, memsqs.Config{Retention: 10 * time.Minute})
			send(t, q, "hello")
			receiveOne(t, q)
			time.Sleep(time.Minute)
			require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.Retention = tt.retention }))
			requireExpiresAfter(t, q, tt.left)
		})
	}
}

// What is older than a new retention is gone at once, in flight or not (A11.2).
func TestShorterRetentionEndsOlderMessagesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "in flight", "visible")
		m := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: new(time.Hour)})[0]
		sendDelayed(t, q, "delayed", 15*time.Minute)
		time.Sleep(1 * time.Nanosecond)
		send(t, q, "younger")
		time.Sleep(time.Minute - 1)
		require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.Retention = time.Minute }))
		require.NoError(t, q.Check())
		requireStats(t, q, memsqs.Stats{Visible: 1, OldestAge: time.Minute - 1, Sent: 4, Received: 1, Expired: 3})
		require.NoError(t, q.Delete(t.Context(), m.ReceiptHandle))
		require.Equal(t, []string{"younger"}, receiveAll(t, q))
	})
}
