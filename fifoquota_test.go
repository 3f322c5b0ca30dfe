// The in-flight quota of a FIFO queue (B11).

package memsqs_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// When as many messages are in flight as the queue allows, a receive comes back
// empty and without an error, whether it waits or not (B11.2). What was asked
// for before that is cut to what there was room for.
func TestFIFOReceiveIsEmptyAtTheQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{MaxInFlight: 3})
		sendNamed(t, q, 0, "g1-m1", "g1-m2", "g2-m1", "g2-m2", "g3-m1")
		receiveNamed(t, q, 1, "g1-m1")
		receiveNamed(t, q, 10, "g2-m1", "g2-m2")
		receiveNone(t, q)
		start := time.Now()
		require.Empty(t, receive(t, q, memsqs.ReceiveInput{WaitTime: seconds(20)}))
		require.Equal(t, 20*time.Second, time.Since(start))
		requireCounts(t, q, 2, 3, 0)
	})
}

// A parked receive at the quota returns when there is room again.
func TestParkedFIFOReceiveReturnsWhenThereIsRoom(t *testing.T) {
	for name, makeRoom := range map[string]func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message){
		"deletion": func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message) { deleteAll(t, q, m) },
		"a shorter timeout": func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message) {
			changeVisibility(t, q, m, time.Second)
			time.Sleep(time.Second)
		},
		"retention": func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message) {
			time.Sleep(15*time.Second - 1)
			require.Equal(t, 1, q.Stats().Waiting)
			time.Sleep(1 * time.Nanosecond)
		},
		"a larger quota": func(t *testing.T, q *memsqs.FIFOQueue, _ memsqs.Message) {
			require.NoError(t, q.Configure(func(c *memsqs.FIFOConfig) { c.MaxInFlight = 3 }))
		},
		"a purge and a send": func(t *testing.T, q *memsqs.FIFOQueue, _ memsqs.Message) {
			require.NoError(t, q.Purge(t.Context()))
			sendNamed(t, q, 0, "g3-m1")
		},
	} {
		runInBubble(t, name, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{MaxInFlight: 2, VisibilityTimeout: seconds(600), Retention: time.Minute})
			sendNamed(t, q, 0, "g1-m1")
			time.Sleep(40 * time.Second)
			sendNamed(t, q, 0, "g2-m1", "g3-m1")
			msgs := receiveNamed(t, q, 10, "g1-m1", "g2-m1")
			answers := park(t.Context(), q, memsqs.ReceiveInput{MaxMessages: 10, WaitTime: seconds(20)})
			time.Sleep(5 * time.Second)
			require.Equal(t, 1, q.Stats().Waiting)
			makeRoom(t, q, msgs[0])
			now := time.Now()
			requireAnswered(t, <-answers, now, "g3-m1")
		})
	}
}

// A quota that is lowered below what is in flight takes nothing back. There is
// room again when fewer are in flight than it allows.
func TestFIFOQuotaCanBeLoweredBelowWhatIsInFlight(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	sendNamed(t, q, 0, "g1-m1", "g2-m1", "g3-m1", "g4-m1")
	msgs := receiveNamed(t, q, 3, "g1-m1", "g2-m1", "g3-m1")
	require.NoError(t, q.Configure(func(c *memsqs.FIFOConfig) { c.MaxInFlight = 1 }))
	for _, m := range msgs {
		receiveNone(t, q)
		deleteAll(t, q, m)
	}
	receiveNamed(t, q, 10, "g4-m1")
}

// An attempt is repeated at the quota too: its messages are in flight already.
func TestAttemptIsRepeatedAtTheQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{MaxInFlight: 2})
		sendNamed(t, q, 0, "g1-m1", "g2-m1", "g3-m1")
		first := receive(t, q, attempt("A"))
		require.Len(t, first, 2)
		receiveNone(t, q)
		time.Sleep(10 * time.Second)
		requireRepeat(t, first, receive(t, q, attempt("A")), 30*time.Second)
	})
}

// sendMany sends n messages, a multiple of ten, each to the group of its number.
func sendMany(t testing.TB, q *memsqs.FIFOQueue, n int, group func(i int) string) {
	t.Helper()
	batch := make([]memsqs.SendInput, 10)
	for i := range n {
		id := strconv.Itoa(i)
		batch[i%10] = memsqs.SendInput{Body: id, GroupID: group(i), DeduplicationID: id}
		if i%10 == 9 {
			_, err := q.SendBatch(t.Context(), batch)
			require.NoError(t, err)
		}
	}
}

// By default 20,000 messages can be in flight (B11.1).
func TestFIFOQuotaIsTwentyThousand(t *testing.T) {
	const quota = 20_000
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	require.Equal(t, quota, q.Config().MaxInFlight)
	sendMany(t, q, quota+10, strconv.Itoa)
	for range quota / 10 {
		require.Len(t, receive(t, q, upTo(10)), 10)
	}
	receiveNone(t, q)
	requireCounts(t, q, 10, quota, 0)
}

// A withheld group of any length does not hide the groups behind it, as one
// longer than the quota can in SQS (B11.3).
func TestWithheldGroupDoesNotHideOthers(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{MaxInFlight: 100})
	sendMany(t, q, 1000, func(int) string { return "g" })
	sendNamed(t, q, 0, "h-m1")
	require.Len(t, receive(t, q, upTo(1)), 1)
	receiveNamed(t, q, 10, "h-m1")
}
