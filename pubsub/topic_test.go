package pubsub_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

func TestTopicDeliversToEverySubscription(t *testing.T) {
	a, b, c := makeQueue(t), makeQueue(t), makeFIFOQueue(t)
	topic := pubsub.Topic{Subscriptions: []pubsub.Subscription{{Queue: a}, {Queue: b}, {Queue: c}}}
	require.NoError(t, topic.Publish(t.Context(), memsqs.SendInput{Body: "m0"}))
	require.NoError(t, topic.PublishAll(t.Context(), plain(numbered(25)[1:]...)))
	require.Equal(t, numbered(25), contents(a))
	require.Equal(t, numbered(25), contents(b))
	require.Equal(t, numbered(25), contents(c))
}

func TestTopicWithoutSubscriptionsDropsMessages(t *testing.T) {
	var topic pubsub.Topic
	require.NoError(t, topic.Publish(t.Context(), memsqs.SendInput{Body: "m"}))
}

func TestSubscriptionGetsWhatItsFilterMatches(t *testing.T) {
	orders, all := makeQueue(t), makeQueue(t)
	topic := pubsub.Topic{Subscriptions: []pubsub.Subscription{
		{Queue: orders, Filter: pubsub.Filter{"kind": {pubsub.Equal("order")}}},
		{Queue: all},
	}}
	in := plain("a", "b", "c")
	in[0].Attributes = map[string]memsqs.Attribute{"kind": text("order")}
	in[1].Attributes = map[string]memsqs.Attribute{"kind": text("invoice")}
	require.NoError(t, topic.PublishAll(t.Context(), in))
	require.Equal(t, []string{"a"}, contents(orders))
	require.Equal(t, []string{"a", "b", "c"}, contents(all))
}

func TestFIFOQueueOfATopicIsGroupedByTheHeader(t *testing.T) {
	q := makeFIFOQueue(t)
	topic := pubsub.Topic{Subscriptions: []pubsub.Subscription{{Queue: q}}, PartitionKeyHeader: "tenant"}
	in := plain("same", "same")
	in[0].Attributes = map[string]memsqs.Attribute{"tenant": text("ann")}
	require.NoError(t, topic.PublishAll(t.Context(), in))
	require.Equal(t, "ann", q.Peek(2)[0].GroupID)
	require.Equal(t, "default", q.Peek(2)[1].GroupID)
}

func TestTopicTakesNoGroupAndNoDeduplicationID(t *testing.T) {
	q := makeFIFOQueue(t)
	topic := pubsub.Topic{Subscriptions: []pubsub.Subscription{{Queue: q}}}
	for _, bad := range []memsqs.SendInput{{Body: "m", GroupID: "g"}, {Body: "m", DeduplicationID: "d"}} {
		err := topic.PublishAll(t.Context(), []memsqs.SendInput{{Body: "good"}, bad})
		require.ErrorIs(t, err, memsqs.ErrNotFIFO)
		require.ErrorContains(t, err, "message 1")
	}
	require.Empty(t, contents(q))
}

func TestFailedDeliveryNeitherHoldsUpNorRepeatsTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good, better := makeQueue(t), makeQueue(t)
		var meanwhile [][]string
		slow := &flaky{Sender: makeQueue(t), fault: func(int, []memsqs.SendInput) fault {
			time.Sleep(time.Hour)
			meanwhile = append(meanwhile, contents(good), contents(better))
			return fault{err: errThrottled}
		}}
		topic := pubsub.Topic{Subscriptions: []pubsub.Subscription{
			{Queue: slow, Attempts: 2, Backoff: pubsub.Constant(0)}, {Queue: good}, {Queue: better},
		}}
		start := time.Now()
		err := topic.Publish(t.Context(), memsqs.SendInput{Body: "m"})
		require.ErrorIs(t, err, errThrottled)
		require.Equal(t, 2*time.Hour, time.Since(start), "Publish returns when all deliveries have ended")
		m := []string{"m"}
		require.Equal(t, [][]string{m, m, m, m}, meanwhile)
		require.Equal(t, m, contents(good))
		require.Equal(t, m, contents(better))
	})
}

func TestFailedDeliveryIsReportedBySubscriptionAndIndex(t *testing.T) {
	small, err := memsqs.NewQueue(memsqs.Config{MaxMessageSize: 1 << 10})
	require.NoError(t, err)
	closed := makeQueue(t)
	require.NoError(t, closed.Close())
	topic := pubsub.Topic{Subscriptions: []pubsub.Subscription{
		{Name: "small", Queue: small, Filter: pubsub.Filter{"skip": {pubsub.Absent()}}},
		{Name: "closed", Queue: closed},
		{Name: "good", Queue: makeQueue(t)},
	}}
	in := plain("skipped", "a", strings.Repeat("x", 2<<10), "b")
	in[0].Attributes = map[string]memsqs.Attribute{"skip": text("yes")}
	err = topic.PublishAll(t.Context(), in)

	failed := make(map[string]map[int]error)
	for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		delivery, ok := errors.AsType[*pubsub.DeliveryError](err)
		require.True(t, ok)
		require.ErrorContains(t, err, delivery.Subscription)
		failed[delivery.Subscription] = failures(t, delivery)
	}
	require.Len(t, failed, 2)
	require.Len(t, failed["small"], 1)
	require.ErrorContains(t, failed["small"][2], "2048 bytes")
	require.Len(t, failed["closed"], 4)
	require.ErrorIs(t, failed["closed"][3], memsqs.ErrClosed)
	require.Equal(t, []string{"a", "b"}, contents(small))
}

func TestUndeliveredMessageGoesToTheSubscriptionsDeadLetterQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead, good := makeQueue(t), makeQueue(t)
		bad := &flaky{Sender: makeQueue(t), fault: ofBody("m1", errThrottled, 1000)}
		topic := pubsub.Topic{Subscriptions: []pubsub.Subscription{
			{Queue: bad, DeadLetter: dead},
			{Queue: good},
		}}
		in := plain("m0", "m1", "m2")
		in[1].Attributes = map[string]memsqs.Attribute{"kind": text("order")}
		require.NoError(t, topic.PublishAll(t.Context(), in))
		require.Equal(t, []string{"m1"}, contents(dead))
		require.Equal(t, in[1].Attributes, dead.Peek(1)[0].Attributes, "as it was published")
		require.Equal(t, []string{"m0", "m1", "m2"}, contents(good))
	})
}

func TestDeadLetterQueueThatFailsTooIsReported(t *testing.T) {
	closed := makeQueue(t)
	require.NoError(t, closed.Close())
	refused := errors.New("refused")
	topic := pubsub.Topic{Subscriptions: []pubsub.Subscription{{
		Queue:      &flaky{Sender: makeQueue(t), fault: always(fault{err: refused})},
		DeadLetter: closed,
		Attempts:   1,
	}}}
	err := topic.Publish(t.Context(), memsqs.SendInput{Body: "m"})
	require.ErrorIs(t, err, refused)
	require.ErrorIs(t, err, memsqs.ErrClosed)
	require.ErrorContains(t, err, "dead-letter queue: ")
}

// The caller has given up, and is told so.
func TestCancelledDeliveryIsReportedAndNoDeadLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead, good := makeQueue(t), makeQueue(t)
		topic := pubsub.Topic{Subscriptions: []pubsub.Subscription{
			{Queue: &flaky{Sender: makeQueue(t), fault: always(fault{err: errThrottled})}, DeadLetter: dead, Backoff: pubsub.Constant(time.Hour)},
			{Queue: good},
		}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, topic.Publish(ctx, memsqs.SendInput{Body: "m"}), context.DeadlineExceeded)
		require.Empty(t, contents(dead))
		require.Equal(t, []string{"m"}, contents(good))
	})
}

func TestSubscriptionThatCannotWorkIsRefusedBeforeAnyDelivery(t *testing.T) {
	q := makeQueue(t)
	for code, bad := range map[error]pubsub.Subscription{
		memsqs.ErrMissingParameter:      {Name: "mail", DeadLetter: q},
		memsqs.ErrInvalidParameterValue: {Name: "mail", DeadLetter: q, Queue: q, Attempts: -1},
	} {
		topic := pubsub.Topic{Subscriptions: []pubsub.Subscription{{Queue: q}, bad}}
		err := topic.Publish(t.Context(), memsqs.SendInput{Body: "m"})
		require.ErrorIs(t, err, code)
		require.ErrorContains(t, err, `subscription "mail"`)
		require.Empty(t, contents(q))
	}
}

func TestTopicsRefuseANilContext(t *testing.T) {
	var none context.Context
	require.ErrorIs(t, new(pubsub.Topic).Publish(none, memsqs.SendInput{Body: "m"}), memsqs.ErrInvalidParameterValue)
	require.ErrorIs(t, new(pubsub.FIFOTopic).Publish(none, memsqs.SendInput{Body: "m"}), memsqs.ErrInvalidParameterValue)
}
