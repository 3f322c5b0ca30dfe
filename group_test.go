// Message groups: what of a group can be received, and in which order groups
// are served (B6, B7), and the end of a receipt handle's life (B8).

package memsqs_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// sendNamed sends messages that are named for their groups, as is "g1-m1", with
// a pause after each.
func sendNamed(t testing.TB, q *memsqs.FIFOQueue, pause time.Duration, names ...string) {
	t.Helper()
	for _, name := range names {
		group, _, _ := strings.Cut(name, "-")
		sendGroup(t, q, group, name)
		time.Sleep(pause)
	}
}

// receiveNamed requires that a receive of up to n messages returns these.
func receiveNamed(t testing.TB, q queue, n int, names ...string) []memsqs.Message {
	t.Helper()
	msgs := receive(t, q, upTo(n))
	require.Equal(t, names, bodies(msgs))
	return msgs
}

// groupOrders are the orders in which SQS was seen to serve groups (B6.11), and
// two more of the rule that they follow.
var groupOrders = []struct {
	name string
	sent []string
	then func(t *testing.T, q *memsqs.FIFOQueue)
	want []string
}{
	{
		"after a receive with a timeout of zero", []string{"g1-m1", "g2-m1", "g2-m2", "g3-m1", "g1-m2"},
		func(t *testing.T, q *memsqs.FIFOQueue) {
			msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 3, VisibilityTimeout: seconds(0)})
			require.Equal(t, []string{"g1-m1", "g1-m2", "g2-m1"}, bodies(msgs))
		},
		[]string{"g3-m1", "g1-m1", "g1-m2", "g2-m1", "g2-m2"},
	},
	{
		"after the visibility timeout", []string{"g1-m1", "g1-m2", "g1-m3", "g1-m4", "g2-m1", "g3-m1"},
		func(t *testing.T, q *memsqs.FIFOQueue) {
			receiveNamed(t, q, 2, "g1-m1", "g1-m2")
			receiveNamed(t, q, 1, "g2-m1")
			time.Sleep(30 * time.Second)
		},
		[]string{"g3-m1", "g1-m1", "g1-m2", "g1-m3", "g1-m4", "g2-m1"},
	},
	{
		"after a change of visibility to zero", []string{"g1-m1", "g1-m2", "g2-m1"},
		func(t *testing.T, q *memsqs.FIFOQueue) {
			msgs := receiveNamed(t, q, 2, "g1-m1", "g1-m2")
			changeVisibility(t, q, msgs[0], 0)
		},
		[]string{"g2-m1", "g1-m1"},
	},
	{
		"after deletion", []string{"g1-m1", "g2-m1", "g1-m2", "g2-m2", "g1-m3", "g1-m4", "g3-m1"},
		func(t *testing.T, q *memsqs.FIFOQueue) {
			deleteAll(t, q, receiveNamed(t, q, 2, "g1-m1", "g1-m2")...)
		},
		[]string{"g2-m1", "g2-m2", "g1-m3", "g1-m4", "g3-m1"},
	},
	{
		"by the order of handing back", []string{"g1-m1", "g2-m1", "g3-m1"},
		func(t *testing.T, q *memsqs.FIFOQueue) {
			msgs := receiveNamed(t, q, 10, "g1-m1", "g2-m1", "g3-m1")
			for _, i := range []int{2, 0, 1} {
				changeVisibility(t, q, msgs[i], 0)
			}
			sendNamed(t, q, 0, "g4-m1")
		},
		[]string{"g3-m1", "g1-m1", "g2-m1", "g4-m1"},
	},
	{
		"by when the head's own invisibility ended, not when those before it went", []string{"g1-m1", "g1-m2"},
		func(t *testing.T, q *memsqs.FIFOQueue) {
			msgs := receiveNamed(t, q, 10, "g1-m1", "g1-m2")
			changeVisibility(t, q, msgs[1], 0)
			sendNamed(t, q, 0, "g2-m1")
			deleteAll(t, q, msgs[0])
		},
		[]string{"g1-m2", "g2-m1"},
	},
}

// Groups are served by the time at which their heads became available (B6.12),
// also when all is done at one instant.
func TestGroupsAreServedByWhenTheirHeadsBecameAvailable(t *testing.T) {
	for _, test := range groupOrders {
		for name, pause := range map[string]time.Duration{"at one instant": 0, "one by one": time.Second} {
			runInBubble(t, test.name+"/"+name, func(t *testing.T) {
				q := newFIFOQueue(t, memsqs.FIFOConfig{})
				sendNamed(t, q, pause, test.sent...)
				test.then(t, q)
				time.Sleep(pause)
				receiveNamed(t, q, 10, test.want...)
			})
		}
	}
}

// A receive takes what it can from one group before it goes on to the next, up
// to the maximum (B6.1).
func TestReceiveFollowsOneGroupBeforeTheNext(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	sendNamed(t, q, 0, "g1-m1", "g2-m1", "g1-m2", "g1-m3")
	receiveNamed(t, q, 10, "g1-m1", "g1-m2", "g1-m3", "g2-m1")
	sendNamed(t, q, 0, "g3-m1", "g4-m1", "g3-m2", "g4-m2", "g3-m3", "g4-m3")
	receiveNamed(t, q, 2, "g3-m1", "g3-m2")
	receiveNamed(t, q, 2, "g4-m1", "g4-m2")
	requireCounts(t, q, 2, 8, 0)
}

// While a message of a group is in flight those behind it are withheld, and
// other groups flow (B6.2). New sends do not open the group (B6.3), nor does
// deleting some of what is in flight (B6.5); deleting all of it does (B6.4).
func TestGroupIsWithheldWhileAMessageOfItIsInFlight(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	sendNamed(t, q, 0, "g1-m1", "g1-m2", "g1-m3", "g2-m1")
	first := receiveNamed(t, q, 2, "g1-m1", "g1-m2")
	receiveNamed(t, q, 10, "g2-m1")
	sendNamed(t, q, 0, "g1-m4", "g3-m1")
	receiveNamed(t, q, 10, "g3-m1")
	deleteAll(t, q, first[0])
	receiveNone(t, q)
	deleteAll(t, q, first[1])
	receiveNamed(t, q, 10, "g1-m3", "g1-m4")
}

// What is deliverable of a group is its run from the head up to the first
// message that is in flight (B6.6 to B6.8, B7.2).
func TestRunOfAGroupEndsBeforeWhatIsInFlight(t *testing.T) {
	names := []string{"g-m1", "g-m2", "g-m3", "g-m4"} // the last is never received
	for _, test := range []struct {
		name     string
		timeouts []float64 // in seconds, of the three that were received
		want     []string  // after two seconds
	}{
		{"first extended", []float64{60, 1, 1}, nil},
		{"second extended", []float64{1, 60, 1}, names[:1]},
		{"third extended", []float64{1, 1, 60}, names[:2]},
		{"none extended", []float64{1, 1, 1}, names},
		{"first handed back", []float64{0, 60, 60}, names[:1]},
		{"first lapsed", []float64{1, 60, 60}, names[:1]},
		{"last handed back", []float64{60, 60, 0}, nil},
		{"all handed back, last first", []float64{0, 0, 0}, names},
	} {
		runInBubble(t, test.name, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{})
			sendNamed(t, q, 0, names...)
			msgs := receiveNamed(t, q, 3, names[:3]...)
			for i, timeout := range slices.Backward(test.timeouts) {
				changeVisibility(t, q, msgs[i], *seconds(timeout))
			}
			time.Sleep(2 * time.Second)
			receiveNamed(t, q, 10, test.want...)
			receiveNone(t, q)
		})
	}
}

// A batch whose visibility timeout has passed is received again whole, in
// order, with new handles (B6.9), before what was sent to the group meanwhile.
func TestGroupIsReceivedAgainInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		sendNamed(t, q, 0, "g-m1", "g-m2", "g-m3")
		first := receiveNamed(t, q, 10, "g-m1", "g-m2", "g-m3")
		sendNamed(t, q, 0, "g-m4")
		time.Sleep(30*time.Second - 1)
		receiveNone(t, q)
		time.Sleep(1 * time.Nanosecond)
		second := receiveNamed(t, q, 10, "g-m1", "g-m2", "g-m3", "g-m4")
		for i, count := range []int{2, 2, 2, 1} {
			require.Equal(t, count, second[i].ReceiveCount)
		}
		for i := range first {
			require.NotEqual(t, first[i].ReceiptHandle, second[i].ReceiptHandle)
		}
	})
}

// A receive with a visibility timeout of zero leaves the group open (B6.10).
func TestGroupStaysOpenAfterAReceiveWithATimeoutOfZero(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	sendNamed(t, q, 0, "g-m1", "g-m2")
	for count := range 3 {
		msgs := receiveVisible(t, q, 2)
		require.Equal(t, []string{"g-m1", "g-m2"}, bodies(msgs))
		require.Equal(t, count+1, msgs[1].ReceiveCount)
	}
	requireCounts(t, q, 2, 0, 0)
}

// A parked receive on a queue whose only group is withheld returns when
// something can be received of it, or of another group (B6.4, B6.13).
func TestParkedReceiveReturnsWhenAGroupOpens(t *testing.T) {
	type event func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message)
	sending := func(name string) event {
		return func(t *testing.T, q *memsqs.FIFOQueue, _ memsqs.Message) { sendNamed(t, q, 0, name) }
	}
	changing := func(timeout time.Duration) event {
		return func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message) { changeVisibility(t, q, m, timeout) }
	}
	deleting := func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message) { deleteAll(t, q, m) }
	for _, test := range []struct {
		name  string
		event event // after 5 s
		after time.Duration
		want  []string
	}{
		{"a send to the group", sending("g1-m3"), 15 * time.Second, []string{"g1-m1", "g1-m2", "g1-m3"}},
		{"a send to another", sending("g2-m1"), 5 * time.Second, []string{"g2-m1"}},
		{"deletion", deleting, 5 * time.Second, []string{"g1-m2"}},
		{"handing back", changing(0), 5 * time.Second, []string{"g1-m1", "g1-m2"}},
		{"a shorter timeout", changing(2 * time.Second), 7 * time.Second, []string{"g1-m1", "g1-m2"}},
		{"a timeout beyond the wait", changing(time.Minute), 20 * time.Second, nil},
	} {
		runInBubble(t, test.name, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(15)})
			sendNamed(t, q, 0, "g1-m1", "g1-m2")
			m := receiveNamed(t, q, 1, "g1-m1")[0]
			start := time.Now()
			answers := park(t.Context(), q, memsqs.ReceiveInput{MaxMessages: 10, WaitTime: seconds(20)})
			time.Sleep(5 * time.Second)
			test.event(t, q, m)
			requireAnswered(t, <-answers, start.Add(test.after), test.want...)
		})
	}
}

// handleUses are the calls that take a receipt handle.
var handleUses = map[string]func(q queue, ctx context.Context, handle string) error{
	"Delete": queue.Delete,
	"DeleteBatch": func(q queue, ctx context.Context, handle string) error {
		return q.DeleteBatch(ctx, []string{handle})
	},
	"ChangeVisibility": func(q queue, ctx context.Context, handle string) error {
		return q.ChangeVisibility(ctx, handle, time.Minute)
	},
	"ChangeVisibilityBatch": func(q queue, ctx context.Context, handle string) error {
		return q.ChangeVisibilityBatch(ctx, []memsqs.VisibilityChange{{ReceiptHandle: handle, Timeout: time.Minute}})
	},
}

// A FIFO message can be deleted and changed with its receipt handle until the
// visibility timeout has passed, extended or not (B7.1), and at the very
// instant at which it has passed no longer (B8.1, B8.2). Then the message stays.
func TestFIFOHandleExpiresWithItsVisibilityTimeout(t *testing.T) {
	for _, test := range []struct {
		name              string
		timeout, deadline time.Duration // the timeout is set 10 s after the receive
	}{
		{"as received", 20 * time.Second, 30 * time.Second},
		{"extended", 60 * time.Second, 70 * time.Second},
		{"shortened", 5 * time.Second, 15 * time.Second},
	} {
		for name, use := range handleUses {
			runInBubble(t, test.name+"/"+name, func(t *testing.T) {
				q := newFIFOQueue(t, memsqs.FIFOConfig{})
				sendNamed(t, q, 0, "g1-m1", "g2-m1")
				msgs := receiveNamed(t, q, 10, "g1-m1", "g2-m1")
				time.Sleep(10 * time.Second)
				for _, m := range msgs {
					changeVisibility(t, q, m, test.timeout)
				}
				time.Sleep(test.deadline - 10*time.Second - 1)
				require.NoError(t, use(q, t.Context(), msgs[0].ReceiptHandle))
				time.Sleep(1 * time.Nanosecond)
				err := use(q, t.Context(), msgs[1].ReceiptHandle)
				requireRefused(t, q, err, memsqs.ErrReceiptHandleExpired)
				require.ErrorIs(t, err, memsqs.ErrInvalidParameterValue)
				receiveNamed(t, q, 10, "g2-m1")
			})
		}
	}
}

// The handle of a receive with a visibility timeout of zero has expired from
// the beginning (B8.3), and that of a message handed back from then on.
func TestFIFOHandleOfAVisibleMessageHasExpired(t *testing.T) {
	for name, use := range handleUses {
		t.Run(name, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{})
			sendNamed(t, q, 0, "g-m1")
			msgs := receiveVisible(t, q, 1)
			requireRefused(t, q, use(q, t.Context(), msgs[0].ReceiptHandle), memsqs.ErrReceiptHandleExpired)
			m := receiveOne(t, q)
			changeVisibility(t, q, m, 0)
			requireRefused(t, q, use(q, t.Context(), m.ReceiptHandle), memsqs.ErrReceiptHandleExpired)
			requireCounts(t, q, 1, 0, 0)
		})
	}
}

// Only the latest handle of a FIFO message is of use (B8.1). When the message is
// gone all of them delete it without an error, and none can change it (A5.4, A6.7).
func TestOlderFIFOHandleIsRefusedWhileTheMessageIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		sendNamed(t, q, 0, "g-m1")
		older := receiveOne(t, q)
		time.Sleep(30 * time.Second)
		latest := receiveOne(t, q)
		for _, use := range handleUses {
			requireRefused(t, q, use(q, t.Context(), older.ReceiptHandle), memsqs.ErrReceiptHandleExpired)
			requireCounts(t, q, 0, 1, 0)
		}
		deleteAll(t, q, latest, latest, older)
		require.EqualValues(t, 1, q.Stats().Deleted)
		for _, m := range []memsqs.Message{older, latest} {
			err := q.ChangeVisibility(t.Context(), m.ReceiptHandle, 0)
			requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
			require.NotErrorIs(t, err, memsqs.ErrReceiptHandleExpired)
		}
	})
}
