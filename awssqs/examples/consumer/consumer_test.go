package consumer_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/awssqs/examples/consumer"
	"github.com/memsqs/memsqs/sqshttp"
)

// A message whose handling fails is tried again when its visibility timeout has
// passed, and is in the dead-letter queue after three times, six hours later.
func TestPoisonEndsInTheDeadLetterQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := sqshttp.NewServer(sqshttp.Options{})
		client := awssqs.NewClient(server)
		create(t, client, "dead", nil)
		url := create(t, client, "orders", map[string]string{
			"VisibilityTimeout": "7200",
			"RedrivePolicy":     `{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":"3"}`,
		})
		tried := run(t, client, url, func(body string) error { return errors.New("poison: " + body) })
		send(t, client, url, "order 1")

		time.Sleep(6*time.Hour - 1)
		require.Zero(t, server.Queue("dead").Stats().Visible)
		time.Sleep(1 * time.Nanosecond)
		synctest.Wait()
		require.Equal(t, 1, server.Queue("dead").Stats().Visible)
		require.Equal(t, []time.Duration{0, 2 * time.Hour, 4 * time.Hour}, *tried)
	})
}

// A message is handled at the instant at which it is sent, however long the
// consumer has waited for it, and is gone then.
func TestConsumerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := sqshttp.NewServer(sqshttp.Options{})
		client := awssqs.NewClient(server)
		url := create(t, client, "orders", nil)
		tried := run(t, client, url, func(string) error { return nil })

		time.Sleep(12 * time.Hour)
		send(t, client, url, "order 1")
		synctest.Wait()
		require.Equal(t, []time.Duration{12 * time.Hour}, *tried)
		require.EqualValues(t, 1, server.Queue("orders").Stats().Deleted)
	})
}

// run runs a consumer until the end of the test, and returns when it began to
// handle messages, from now on. It is to be read when the bubble is at rest.
func run(t *testing.T, client *sqs.Client, url string, handle func(body string) error) *[]time.Duration {
	began, tried := time.Now(), new([]time.Duration)
	c := consumer.Consumer{
		Client:   client,
		QueueURL: url,
		Handle: func(_ context.Context, body string) error {
			*tried = append(*tried, time.Since(began))
			return handle(body)
		},
	}
	go func() {
		if err := c.Run(t.Context()); err != nil {
			t.Errorf("Run: %v", err)
		}
	}()
	synctest.Wait()
	return tried
}

func create(t *testing.T, client *sqs.Client, name string, attributes map[string]string) (url string) {
	t.Helper()
	out, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	require.NoError(t, err)
	return *out.QueueUrl
}

func send(t *testing.T, client *sqs.Client, url, body string) {
	t.Helper()
	_, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &url, MessageBody: aws.String(body)})
	require.NoError(t, err)
}
