package pubsub_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

func TestFillCallsPutsTenMessagesOfAGroupIntoACall(t *testing.T) {
	inner := makeFIFOQueue(t)
	q := &flaky{Sender: inner}
	p := pubsub.Publisher{Queue: q, FillCalls: true}
	results, err := p.PublishAll(t.Context(), plain(numbered(25)...))
	require.NoError(t, err)
	require.Equal(t, []int{10, 10, 5}, q.sizes())
	require.Equal(t, numbered(25), contents(inner))
	for i, m := range inner.Peek(25) {
		require.Equal(t, m.ID, results[i].MessageID)
	}
}

// A call goes on with the next group when the one before has no more.
func TestFillCallsMixesGroupsAndKeepsTheSize(t *testing.T) {
	inner := makeFIFOQueue(t)
	q := &flaky{Sender: inner}
	p := pubsub.Publisher{Queue: q, FillCalls: true}
	big := func(name string) string { return name + strings.Repeat("x", 400<<10) }
	in := slices.Concat(inGroup("g", "g1", "g2"), inGroup("h", big("h1"), big("h2"), big("h3")), inGroup("i", "i1"))
	_, err := p.PublishAll(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, []int{4, 2}, q.sizes())
	require.Equal(t, []string{"g1", "g2", big("h1"), big("h2"), "i1", big("h3")}, contents(inner))
}

// What failed is tried again in its order, before the rest of its group. What was
// accepted is not sent again.
func TestFillCallsSendsWhatFailedAgainInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := makeFIFOQueue(t)
		q := &flaky{Sender: inner, fault: inCalls(fault{failed: map[int]error{1: errThrottled, 8: errThrottled}})}
		p := pubsub.Publisher{Queue: q, FillCalls: true}
		_, err := p.PublishAll(t.Context(), inGroup("g", numbered(12)...))
		require.NoError(t, err)
		require.Equal(t, []int{10, 4}, q.sizes())
		require.Equal(t, []string{"m0", "m2", "m3", "m4", "m5", "m6", "m7", "m9", "m1", "m8", "m10", "m11"}, contents(inner))
	})
}

// A whole call that is lost is repeated with the same ids, and so in order.
func TestFillCallsLosesNoOrderWithAWholeCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := makeFIFOQueue(t)
		q := &flaky{Sender: inner, fault: inCalls(fault{err: errThrottled, lost: true}, fault{err: errThrottled})}
		p := pubsub.Publisher{Queue: q, FillCalls: true}
		_, err := p.PublishAll(t.Context(), inGroup("g", numbered(25)...))
		require.NoError(t, err)
		require.Equal(t, []int{10, 10, 10, 10, 5}, q.sizes())
		require.Equal(t, numbered(25), contents(inner))
	})
}

// Those behind a message that failed for good are reported as held back, but for
// those that the queue has accepted with its call.
func TestFillCallsHoldsBackWhatHasNotBeenAccepted(t *testing.T) {
	inner := makeFIFOQueue(t)
	q := &flaky{Sender: inner, fault: inCalls(fault{failed: map[int]error{
		1: errThrottled, 3: &memsqs.Error{Code: memsqs.ErrInvalidMessageContents}, 5: errThrottled,
	}})}
	p := pubsub.Publisher{Queue: q, FillCalls: true, Backoff: pubsub.Constant(0)}
	results, err := p.PublishAll(t.Context(), inGroup("g", numbered(12)...))
	failed := failures(t, err)
	require.Len(t, failed, 4)
	require.ErrorIs(t, failed[3], memsqs.ErrInvalidMessageContents)
	for _, i := range []int{5, 10, 11} {
		require.ErrorIs(t, failed[i], pubsub.ErrHeldBack)
		require.Zero(t, results[i])
	}
	require.Equal(t, []string{"m0", "m2", "m4", "m6", "m7", "m8", "m9", "m1"}, contents(inner))
}

// Amazon SQS can refuse a batch for one of its entries.
func TestFillCallsFindsTheMessageThatACallIsRefusedFor(t *testing.T) {
	refusal := &memsqs.Error{Code: memsqs.ErrInvalidParameterValue, Detail: "one of them is bad"}
	inner := makeFIFOQueue(t)
	q := &flaky{Sender: inner, fault: func(_ int, in []memsqs.SendInput) fault {
		if slices.ContainsFunc(in, func(m memsqs.SendInput) bool { return m.Body == "g2" }) {
			return fault{err: refusal}
		}
		return fault{}
	}}
	p := pubsub.Publisher{Queue: q, FillCalls: true}
	_, err := p.PublishAll(t.Context(), slices.Concat(inGroup("g", "g1", "g2", "g3"), inGroup("h", "h1", "h2")))
	require.Equal(t, map[int]error{1: refusal, 2: pubsub.ErrHeldBack}, failures(t, err))
	require.Equal(t, []string{"g1", "h1", "h2"}, contents(inner))
	require.Equal(t, []int{5, 1, 1, 1, 1}, q.sizes())
}
