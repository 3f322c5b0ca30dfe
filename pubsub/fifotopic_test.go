package pubsub_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

func TestFIFOTopicKeepsGroupOrderAndDeduplicationIDs(t *testing.T) {
	queues := []*memsqs.FIFOQueue{makeFIFOQueue(t), makeFIFOQueue(t), makeFIFOQueue(t)}
	var topic pubsub.FIFOTopic
	for _, q := range queues {
		topic.Subscriptions = append(topic.Subscriptions, pubsub.FIFOSubscription{Queue: q})
	}
	var in []memsqs.SendInput
	want := make(map[string][]string)
	for i, body := range numbered(100) {
		group := fmt.Sprint("g", i%7)
		in = append(in, memsqs.SendInput{Body: body, GroupID: group, DeduplicationID: fmt.Sprint("d", i)})
		want[group] = append(want[group], body)
	}
	require.NoError(t, topic.PublishAll(t.Context(), in[:50]))
	for i := range in[50:] {
		require.NoError(t, topic.Publish(t.Context(), in[50+i]))
	}
	for _, q := range queues {
		got := make(map[string][]string)
		for _, m := range q.Peek(100) {
			got[m.GroupID] = append(got[m.GroupID], m.Body)
			require.Equal(t, m.Body[1:], m.DeduplicationID[1:])
			require.Equal(t, text(m.GroupID), m.Attributes[pubsub.DefaultPartitionKeyHeader])
		}
		require.Equal(t, want, got)
	}
}

func TestFIFOTopicChoosesGroupAndIDOnceForAll(t *testing.T) {
	a, b := makeFIFOQueue(t), makeFIFOQueue(t)
	topic := pubsub.FIFOTopic{
		Subscriptions:      []pubsub.FIFOSubscription{{Queue: a}, {Queue: b}},
		PartitionKeyHeader: "tenant",
	}
	in := plain("same", "same")
	in[0].Attributes = map[string]memsqs.Attribute{"tenant": text("ann")}
	require.NoError(t, topic.PublishAll(t.Context(), in))
	for i, group := range []string{"ann", "default"} {
		ofA, ofB := a.Peek(2)[i], b.Peek(2)[i]
		require.Equal(t, group, ofA.GroupID)
		require.Equal(t, group, ofB.GroupID)
		require.Equal(t, ofA.DeduplicationID, ofB.DeduplicationID)
	}
}

// So the caller can publish it again.
func TestMessagePublishedAgainIsOnNoQueueTwice(t *testing.T) {
	good, inner := makeFIFOQueue(t), makeFIFOQueue(t)
	bad := &flaky{Sender: inner, fault: inCalls(fault{err: errThrottled})}
	topic := pubsub.FIFOTopic{Subscriptions: []pubsub.FIFOSubscription{{Queue: good}, {Queue: bad, Attempts: 1}}}
	m := memsqs.SendInput{Body: "m", DeduplicationID: "d"}
	require.ErrorIs(t, topic.Publish(t.Context(), m), errThrottled)
	require.NoError(t, topic.Publish(t.Context(), m))
	require.Equal(t, []string{"m"}, contents(good))
	require.Equal(t, []string{"m"}, contents(inner))
}

func TestFilterOfAFIFOTopicSeesTheGroup(t *testing.T) {
	q := makeFIFOQueue(t)
	topic := pubsub.FIFOTopic{Subscriptions: []pubsub.FIFOSubscription{{
		Queue:  q,
		Filter: pubsub.Filter{pubsub.DefaultPartitionKeyHeader: {pubsub.Equal("ann")}},
	}}}
	require.NoError(t, topic.PublishAll(t.Context(), slices.Concat(inGroup("ann", "a"), inGroup("bob", "b"))))
	require.Equal(t, []string{"a"}, contents(q))
}

// A later one of its group must not be received by the subscriber as if it had
// come first; in the dead-letter queue they are in order.
func TestDeadLettersOfAGroupKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, dead := makeFIFOQueue(t), makeFIFOQueue(t)
		topic := pubsub.FIFOTopic{Subscriptions: []pubsub.FIFOSubscription{{
			Queue:      &flaky{Sender: inner, fault: ofBody("g2", errThrottled, 1000)},
			DeadLetter: dead,
		}}}
		in := slices.Concat(inGroup("g", "g1", "g2", "g3", "g4"), inGroup("h", "h1", "h2"))
		require.NoError(t, topic.PublishAll(t.Context(), in))
		require.Equal(t, []string{"g1", "h1", "h2"}, contents(inner))
		require.Equal(t, []string{"g2", "g3", "g4"}, contents(dead))
		require.Equal(t, "g", dead.Peek(1)[0].GroupID)
	})
}

// They are one message in the topic, but two dead letters.
func TestSubscriptionsCanShareADeadLetterQueue(t *testing.T) {
	closed, dead := makeFIFOQueue(t), makeFIFOQueue(t)
	require.NoError(t, closed.Close())
	topic := pubsub.FIFOTopic{Subscriptions: []pubsub.FIFOSubscription{
		{Queue: closed, DeadLetter: dead},
		{Queue: closed, DeadLetter: dead},
	}}
	require.NoError(t, topic.Publish(t.Context(), memsqs.SendInput{Body: "m", DeduplicationID: "d"}))
	require.Equal(t, []string{"m", "m"}, contents(dead))
}

func TestQueueThatTurnsOutNotToBeFIFOIsRefused(t *testing.T) {
	good, standard := makeFIFOQueue(t), &flaky{Sender: makeQueue(t)}
	for _, s := range []pubsub.FIFOSubscription{
		{Name: "bad", Queue: standard},
		{Name: "bad", Queue: good, DeadLetter: standard},
	} {
		topic := pubsub.FIFOTopic{Subscriptions: []pubsub.FIFOSubscription{{Queue: good}, s}}
		err := topic.Publish(t.Context(), memsqs.SendInput{Body: "m"})
		require.ErrorIs(t, err, memsqs.ErrNotFIFO)
		require.ErrorContains(t, err, `subscription "bad" is not FIFO`)
	}
	require.Empty(t, contents(good))
}

func TestFIFOTopicRefusesABinaryHeader(t *testing.T) {
	q := makeFIFOQueue(t)
	topic := pubsub.FIFOTopic{Subscriptions: []pubsub.FIFOSubscription{{Queue: q}}}
	in := plain("a", "b")
	in[1].Attributes = map[string]memsqs.Attribute{
		pubsub.DefaultPartitionKeyHeader: {DataType: "Binary", BinaryValue: []byte("x")},
	}
	err := topic.PublishAll(t.Context(), in)
	require.ErrorIs(t, err, memsqs.ErrInvalidParameterValue)
	require.ErrorContains(t, err, "message 1")
	require.Empty(t, contents(q))
}
