// Tests of what is done with a queue as a whole: Stats, Peek, Purge and Close.

package memsqs_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// requireStats requires that everything Stats says is as wanted.
func requireStats(t testing.TB, q queue, want memsqs.Stats) {
	t.Helper()
	require.Equal(t, want, q.Stats())
}

// The counts partition the messages, and the totals have counted every message
// once for each thing that happened to it (A13.1).
func TestStatsCountEverythingThatHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		graveyard := newQueue(t, memsqs.Config{Name: "graveyard"})
		q := newQueue(t, memsqs.Config{Name: "orders", Retention: time.Minute,
			DeadLetter: &memsqs.DeadLetter{Queue: graveyard, MaxReceiveCount: 2}})
		want := memsqs.Stats{Name: "orders"}
		requireStats(t, q, want)

		send(t, q, "to be deleted", "to lapse")
		want.Sent, want.Visible = 2, 2
		requireStats(t, q, want)

		msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 2})
		want.Received, want.Visible, want.InFlight = 2, 0, 2
		requireStats(t, q, want)

		for range 2 { // the second time there is nothing left to delete
			require.NoError(t, q.Delete(t.Context(), msgs[0].ReceiptHandle))
			want.Deleted, want.InFlight = 1, 1
			requireStats(t, q, want)
		}

		time.Sleep(30 * time.Second)
		want.Returned, want.InFlight, want.Visible, want.OldestAge = 1, 0, 1, 30*time.Second
		requireStats(t, q, want)

		require.NoError(t, q.ChangeVisibility(t.Context(), receiveOne(t, q).ReceiptHandle, 0))
		want.Received, want.Returned = 3, 2
		requireStats(t, q, want)

		receiveNone(t, q)
		want.DeadLettered, want.Visible, want.OldestAge = 1, 0, 0
		requireStats(t, q, want)
		requireStats(t, graveyard, memsqs.Stats{Name: "graveyard", Visible: 1, OldestAge: 30 * time.Second})
	})
}

// What a redrive has moved so far is counted while it is under way, and a message
// that stays is not.
func TestStatsCountWhatIsRedriven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, to := newQueue(t, memsqs.Config{}), newQueue(t, memsqs.Config{})
		send(t, q, "stays")
		receiveOne(t, q)
		send(t, q, "first", "second", "third")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go q.Redrive(ctx, to, 1)
		for moved := range 3 {
			synctest.Wait()
			require.EqualValues(t, moved+1, q.Stats().Redriven)
			time.Sleep(time.Second)
		}
		require.EqualValues(t, 3, q.Stats().Redriven)
		require.Zero(t, to.Stats().Redriven)
	})
}

// Messages that expire and that are purged are counted too, in whatever state
// they were.
func TestStatsCountWhatIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{Retention: time.Minute})
		send(t, q, "in flight", "visible")
		receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(100)})
		sendDelayed(t, q, "delayed", 100*time.Second)
		requireStats(t, q, memsqs.Stats{Visible: 1, InFlight: 1, Delayed: 1, Sent: 3, Received: 1})

		time.Sleep(time.Minute)
		requireStats(t, q, memsqs.Stats{Sent: 3, Received: 1, Expired: 3})

		send(t, q, "in flight", "visible")
		receive(t, q, memsqs.ReceiveInput{})
		require.NoError(t, q.Purge(t.Context()))
		requireStats(t, q, memsqs.Stats{Sent: 5, Received: 2, Expired: 3, Purged: 2})
	})
}

// A FIFO queue counts its groups, its duplicates and the deduplication ids that
// it remembers as well.
func TestStatsCountGroupsAndDeduplicationIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{ContentBasedDeduplication: true})
		for range 3 {
			for _, group := range []string{"a", "b"} {
				_, err := q.Send(t.Context(), memsqs.SendInput{Body: group, GroupID: group})
				require.NoError(t, err)
			}
		}
		want := memsqs.Stats{Visible: 2, Groups: 2, Deduplications: 2, Sent: 2, Deduplicated: 4}
		requireStats(t, q, want)

		msgs := receive(t, q, memsqs.ReceiveInput{})
		require.NoError(t, q.Delete(t.Context(), msgs[0].ReceiptHandle))
		want.Visible, want.Groups, want.Received, want.Deleted = 1, 1, 1, 1
		requireStats(t, q, want)

		time.Sleep(5 * time.Minute)
		want.Deduplications, want.OldestAge = 0, 5*time.Minute
		requireStats(t, q, want)
	})
}

// Waiting counts the receives that are in a long poll, until they end.
func TestStatsCountWaitingReceives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		for _, wait := range []float64{1, 2, 3} {
			park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(wait)})
		}
		synctest.Wait()
		for waiting := 3; waiting >= 0; waiting-- {
			requireStats(t, q, memsqs.Stats{Waiting: waiting})
			time.Sleep(time.Second)
		}
	})
}

// A message that is visible does not become so by being made visible: only
// what was hidden counts as returned.
func TestStatsCountNoReturnOfAVisibleMessage(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	send(t, q, "hello")
	handle := receiveOne(t, q).ReceiptHandle
	for range 3 {
		require.NoError(t, q.ChangeVisibility(t.Context(), handle, 0))
	}
	require.EqualValues(t, 1, q.Stats().Returned)
}

// Peek shows up to so many messages in the order they were sent, each in its
// state, and changes nothing.
func TestPeekShowsMessagesInSendOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		sent := time.Now()
		send(t, q, "in flight", "back", "visible")
		sendDelayed(t, q, "delayed", 9*time.Second)
		time.Sleep(time.Second)
		msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 2})
		require.NoError(t, q.ChangeVisibility(t.Context(), msgs[1].ReceiptHandle, 0))

		stats, states := q.Stats(), q.Peek(10)
		require.Len(t, states, 4)
		for i, want := range []struct {
			body     string
			state    memsqs.State
			receives int
			due      time.Duration // zero for none
			until    time.Duration
		}{
			{"in flight", memsqs.InFlight, 1, 31 * time.Second, 31 * time.Second},
			{"back", memsqs.Visible, 1, 0, 0},
			{"visible", memsqs.Visible, 0, 0, 0},
			{"delayed", memsqs.Delayed, 0, 9 * time.Second, 0},
		} {
			got := states[i]
			require.Equal(t, want.body, got.Body)
			require.Equal(t, want.state, got.State)
			require.Equal(t, want.receives, got.ReceiveCount)
			require.Empty(t, got.ReceiptHandle)
			require.WithinDuration(t, sent, got.SentAt, 0)
			require.Equal(t, timeAfter(sent, want.due), got.DueAt)
			require.Equal(t, timeAfter(sent, want.until), got.InvisibleUntil)
			require.Equal(t, want.receives == 0, got.FirstReceivedAt.IsZero())
		}
		require.Equal(t, stats, q.Stats())
		require.Equal(t, states, q.Peek(4))
		require.Equal(t, states[:3], q.Peek(3))
		require.Equal(t, states, q.Peek(math.MaxInt))
		require.Empty(t, q.Peek(0))
		require.Empty(t, q.Peek(-1))
	})
}

// timeAfter returns the time that comes d after t, or no time for zero.
func timeAfter(t time.Time, d time.Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return t.Add(d)
}

// A state is shown by its name.
func TestStateHasAName(t *testing.T) {
	require.Equal(t, "Visible", memsqs.Visible.String())
	require.Equal(t, "Delayed", memsqs.Delayed.String())
	require.Equal(t, "InFlight", memsqs.InFlight.String())
	require.Equal(t, "State(7)", memsqs.State(7).String())
}

// Purge removes messages in every state; those sent afterwards stay, and may be
// purged in turn at once (A14.1, A14.2).
func TestPurgeRemovesMessagesInEveryState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "in flight", "visible")
		receive(t, q, memsqs.ReceiveInput{})
		sendDelayed(t, q, "delayed", time.Second)
		requireCounts(t, q, 1, 1, 1)

		require.NoError(t, q.Purge(t.Context()))
		requireStats(t, q, memsqs.Stats{Sent: 3, Received: 1, Purged: 3})
		send(t, q, "later")
		time.Sleep(time.Hour)
		require.Equal(t, "later", receiveOne(t, q).Body)

		require.NoError(t, q.Purge(t.Context()))
		require.Empty(t, q.Peek(10))
	})
}

// A handle of a purged message is that of a message that is gone: it can be
// deleted, and not be changed (A5.7, A6.7).
func TestPurgedMessageIsGoneForItsHandle(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	send(t, q, "hello")
	handle := receiveOne(t, q).ReceiptHandle
	require.NoError(t, q.Purge(t.Context()))
	require.NoError(t, q.Delete(t.Context(), handle))
	requireRefused(t, q, q.ChangeVisibility(t.Context(), handle, 0), memsqs.ErrInvalidParameterValue)
	require.Zero(t, q.Stats().Deleted)
}

// A closed queue can still be looked at, and its messages come back and expire
// as before.
func TestClosedQueueCanBeLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{Name: "q", Retention: time.Minute})
		send(t, q, "hello")
		receiveOne(t, q)
		require.NoError(t, q.Close())

		require.Equal(t, "q", q.Config().Name)
		require.Equal(t, time.Minute, q.Config().Retention)
		requireCounts(t, q, 0, 1, 0)
		time.Sleep(30 * time.Second)
		requireCounts(t, q, 1, 0, 0)
		require.Equal(t, []string{"hello"}, []string{q.Peek(10)[0].Body})
		time.Sleep(30 * time.Second)
		requireCounts(t, q, 0, 0, 0)
		require.Empty(t, q.Peek(10))
		require.EqualValues(t, 1, q.Stats().Expired)
	})
}
