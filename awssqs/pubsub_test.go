package awssqs_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/pubsub"
	"github.com/memsqs/memsqs/sqshttp"
)

// A Queue is what a publisher, a consumer and a topic work on.
var (
	_ pubsub.FIFOSender = (*awssqs.Queue)(nil)
	_ pubsub.Receiver   = (*awssqs.Queue)(nil)
)

// A topic's messages, by way of the SDK, are on all queues as on those of the
// engine.
func TestFIFOTopicWorksOnQueuesOfSQS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := awssqs.NewClient(sqshttp.NewServer(sqshttp.Options{}))
		here, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{})
		require.NoError(t, err)
		there := awssqs.NewQueue(client, *create(t, client, "there.fifo", map[string]string{"FifoQueue": "true"}))
		topic := pubsub.FIFOTopic{Subscriptions: []pubsub.FIFOSubscription{{Queue: here}, {Queue: there}}}
		var in []memsqs.SendInput
		for i := range 25 {
			in = append(in, memsqs.SendInput{Body: "same", GroupID: fmt.Sprint("g", i%4)})
		}
		require.NoError(t, topic.PublishAll(t.Context(), in))

		for range 25 {
			want, err := here.Receive(t.Context(), memsqs.ReceiveInput{})
			require.NoError(t, err)
			got, err := there.Receive(t.Context(), memsqs.ReceiveInput{})
			require.NoError(t, err)
			require.Equal(t, want[0].GroupID, got[0].GroupID)
			require.Equal(t, want[0].DeduplicationID, got[0].DeduplicationID)
			require.Equal(t, want[0].Attributes, got[0].Attributes)
			require.NoError(t, here.Delete(t.Context(), want[0].ReceiptHandle))
			require.NoError(t, there.Delete(t.Context(), got[0].ReceiptHandle))
		}
	})
}

// Which the compiler cannot know.
func TestFIFOTopicRefusesAStandardQueueOfSQS(t *testing.T) {
	client := awssqs.NewClient(sqshttp.NewServer(sqshttp.Options{}))
	q := awssqs.NewQueue(client, *create(t, client, "standard", nil))
	topic := pubsub.FIFOTopic{Subscriptions: []pubsub.FIFOSubscription{{Queue: q}}}
	err := topic.Publish(t.Context(), memsqs.SendInput{Body: "m"})
	require.ErrorIs(t, err, memsqs.ErrNotFIFO)
	p := pubsub.Publisher{Queue: q}
	_, err = p.Publish(t.Context(), memsqs.SendInput{Body: "m", GroupID: "g"})
	require.ErrorIs(t, err, memsqs.ErrNotFIFO)
}
