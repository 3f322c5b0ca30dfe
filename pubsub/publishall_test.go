package pubsub_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// numbered returns n bodies.
func numbered(n int) []string {
	var bodies []string
	for i := range n {
		bodies = append(bodies, fmt.Sprint("m", i))
	}
	return bodies
}

func TestPublishAllMakesCallsOfTen(t *testing.T) {
	inner := makeQueue(t)
	q := &flaky{Sender: inner}
	p := pubsub.Publisher{Queue: q}
	results, err := p.PublishAll(t.Context(), plain(numbered(25)...))
	require.NoError(t, err)
	require.Equal(t, []int{10, 10, 5}, q.sizes())
	require.Equal(t, numbered(25), contents(inner))
	for i, m := range inner.Peek(25) {
		require.Equal(t, m.ID, results[i].MessageID)
	}
}

func TestPublishAllKeepsCallsWithinTheirSize(t *testing.T) {
	inner := makeQueue(t)
	q := &flaky{Sender: inner}
	p := pubsub.Publisher{Queue: q}
	third := strings.Repeat("x", 1<<20/3)
	whole := strings.Repeat("y", 1<<20)
	in := plain(third, third, third, third, whole, third)
	in[0].Body = in[0].Body[:len(third)-len("n"+"String"+"v")]
	in[0].Attributes = map[string]memsqs.Attribute{"n": text("v")}
	_, err := p.PublishAll(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, []int{3, 1, 1, 1}, q.sizes())
	require.Len(t, contents(inner), 6)
}

// A call has a mebibyte and not a byte more. What the Publisher adds counts.
func TestPublishAllSplitsToTheByte(t *testing.T) {
	half := strings.Repeat("x", 1<<19)
	q := &flaky{Sender: makeQueue(t)}
	p := pubsub.Publisher{Queue: q}
	_, err := p.PublishAll(t.Context(), plain(half, half, half, half+"y"))
	require.NoError(t, err)
	require.Equal(t, []int{2, 1, 1}, q.sizes())

	q = &flaky{Sender: makeFIFOQueue(t)}
	p = pubsub.Publisher{Queue: q}
	rest := half[len(pubsub.DefaultPartitionKeyHeader+"String"+"g"):]
	_, err = p.PublishAll(t.Context(), slices.Concat(
		inGroup("g", rest), inGroup("h", rest), inGroup("i", rest), inGroup("j", rest+"y")))
	require.NoError(t, err)
	require.Equal(t, []int{2, 1, 1}, q.sizes())
}

// A message that is too large for any call is refused alone, with its size.
func TestPublishAllReportsWhatIsTooLarge(t *testing.T) {
	q := makeQueue(t)
	p := pubsub.Publisher{Queue: q}
	_, err := p.PublishAll(t.Context(), plain("a", strings.Repeat("x", 1<<20+1), "b"))
	failed := failures(t, err)
	require.Len(t, failed, 1)
	require.ErrorIs(t, failed[1], memsqs.ErrInvalidParameterValue)
	require.ErrorContains(t, failed[1], "1048577 bytes")
	require.Equal(t, []string{"a", "b"}, contents(q))
}

func TestPublishAllOfNothingMakesNoCall(t *testing.T) {
	q := &flaky{Sender: makeQueue(t)}
	p := pubsub.Publisher{Queue: q}
	results, err := p.PublishAll(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, results)
	require.Empty(t, q.calls)
}

func TestPublishAllKeepsTheOrderOfEachGroup(t *testing.T) {
	q := makeFIFOQueue(t)
	p := pubsub.Publisher{Queue: q}
	var in []memsqs.SendInput
	want := make(map[string][]string)
	for i, body := range numbered(200) {
		group := fmt.Sprint("g", i*i%13)
		in = append(in, inGroup(group, body)...)
		want[group] = append(want[group], body)
	}
	_, err := p.PublishAll(t.Context(), in)
	require.NoError(t, err)
	got := make(map[string][]string)
	for _, m := range q.Peek(200) {
		got[m.GroupID] = append(got[m.GroupID], m.Body)
	}
	require.Equal(t, want, got)
}

// If two messages of a group were in one call, the first could fail and the second
// not.
func TestNoCallHasTwoMessagesOfAGroup(t *testing.T) {
	inner := makeFIFOQueue(t)
	q := &flaky{Sender: inner}
	p := pubsub.Publisher{Queue: q}
	in := slices.Concat(inGroup("g", "g1", "g2", "g3"), inGroup("h", "h1", "h2"), inGroup("i", "i1"))
	_, err := p.PublishAll(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, []string{"g1", "h1", "i1", "g2", "h2", "g3"}, contents(inner))
	require.Equal(t, []int{3, 2, 1}, q.sizes())
}

func TestWhatFollowsInAGroupDoesNotOvertakeARetry(t *testing.T) {
	inner := makeFIFOQueue(t)
	q := &flaky{Sender: inner, fault: ofBody("g1", errThrottled, 3)}
	p := pubsub.Publisher{Queue: q, Backoff: pubsub.Constant(0)}
	_, err := p.PublishAll(t.Context(), slices.Concat(inGroup("g", "g1", "g2"), inGroup("h", "h1", "h2")))
	require.NoError(t, err)
	require.Equal(t, []string{"h1", "h2", "g1", "g2"}, contents(inner))
}

// So that the caller can send the rest again, in its order.
func TestWhatFollowsAMessageThatFailedForGoodIsHeldBack(t *testing.T) {
	q := makeFIFOQueue(t)
	p := pubsub.Publisher{Queue: q}
	in := slices.Concat(inGroup("g", "g1", "\x00", "g3", "g4"), inGroup("h", "h1", "h2", "h3"))
	results, err := p.PublishAll(t.Context(), in)
	failed := failures(t, err)
	require.Len(t, failed, 3)
	require.ErrorIs(t, failed[1], memsqs.ErrInvalidMessageContents)
	require.ErrorIs(t, failed[2], pubsub.ErrHeldBack)
	require.ErrorIs(t, failed[3], pubsub.ErrHeldBack)
	require.Equal(t, []string{"g1", "h1", "h2", "h3"}, contents(q))
	for i := range in {
		require.Equal(t, failed[i] == nil, results[i] != memsqs.SendResult{}, "result %d", i)
	}
}

func TestMessagesToAStandardQueueAreNotHeldBack(t *testing.T) {
	q := makeQueue(t)
	p := pubsub.Publisher{Queue: q}
	in := plain("a", "\x00", "b")
	in[0].GroupID = "g"
	_, err := p.PublishAll(t.Context(), in)
	failed := failures(t, err)
	require.Len(t, failed, 2)
	require.ErrorIs(t, failed[0], memsqs.ErrNotFIFO)
	require.ErrorIs(t, failed[1], memsqs.ErrInvalidMessageContents)
	require.Equal(t, []string{"b"}, contents(q))
}

// Amazon SQS can refuse a batch for one of its entries.
func TestCallThatIsRefusedAsAWholeIsMadeAgainMessageByMessage(t *testing.T) {
	refusal := &memsqs.Error{Code: memsqs.ErrInvalidParameterValue, Detail: "one of them is bad"}
	inner := makeQueue(t)
	q := &flaky{Sender: inner, fault: func(_ int, in []memsqs.SendInput) fault {
		if slices.ContainsFunc(in, func(m memsqs.SendInput) bool { return m.Body == "m3" }) {
			return fault{err: refusal}
		}
		return fault{}
	}}
	p := pubsub.Publisher{Queue: q}
	_, err := p.PublishAll(t.Context(), plain(numbered(12)...))
	require.Equal(t, map[int]error{3: refusal}, failures(t, err))
	require.Equal(t, []int{10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, q.sizes())
	require.Equal(t, slices.Delete(numbered(12), 3, 4), contents(inner))
}

func TestErrorThatNoMessageIsToBlameForEndsPublishAll(t *testing.T) {
	denied := verdict{errors.New("access denied"), false}
	for _, n := range []int{1, 25} {
		q := &flaky{Sender: makeQueue(t), fault: always(fault{err: denied})}
		p := pubsub.Publisher{Queue: q}
		_, err := p.PublishAll(t.Context(), plain(numbered(n)...))
		failed := failures(t, err)
		require.Len(t, failed, n)
		require.Equal(t, denied, failed[n-1])
		require.Len(t, q.calls, 1)
	}
}

func TestClosedQueueEndsPublishAll(t *testing.T) {
	inner := makeFIFOQueue(t)
	require.NoError(t, inner.Close())
	q := &flaky{Sender: inner}
	p := pubsub.Publisher{Queue: q}
	_, err := p.PublishAll(t.Context(), slices.Concat(inGroup("g", numbered(5)...), inGroup("h", numbered(20)...)))
	failed := failures(t, err)
	require.Len(t, failed, 25)
	for _, err := range failed {
		require.ErrorIs(t, err, memsqs.ErrClosed)
	}
	require.Len(t, q.calls, 1)
}
