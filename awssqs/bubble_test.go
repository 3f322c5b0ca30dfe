package awssqs_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// consume receives and deletes messages until ctx is done, with long polls alone,
// and hands over the bodies of each.
func consume(ctx context.Context, client awssqs.Client, url *string, handle func(bodies []string)) error {
	for {
		out, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 20})
		if err != nil {
			return err
		}
		var bodies []string
		for _, m := range out.Messages {
			bodies = append(bodies, *m.Body)
			if _, err := client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: url, ReceiptHandle: m.ReceiptHandle}); err != nil {
				return err
			}
		}
		handle(bodies)
	}
}

// interval is the time between the messages of produce.
const interval = 7*time.Minute + 3*time.Second

// produce sends messages until ctx is done. The body says how long after the
// beginning it was sent.
func produce(ctx context.Context, client awssqs.Client, url *string) {
	began := time.Now()
	for {
		select {
		case <-time.After(interval):
		case <-ctx.Done():
			return
		}
		body := time.Since(began).String()
		_, _ = client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: url, MessageBody: &body})
	}
}

// A consumer lives through twelve hours of long polls in a bubble, and gets each
// message at the instant at which it is sent. At the end nothing is left behind:
// the bubble would not end with a goroutine in it.
func TestTwelveHoursOfLongPolls(t *testing.T) {
	for _, connect := range connections[:2] { // a bubble does not know when a socket is ready
		t.Run(connect.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := sqshttp.NewServer(sqshttp.Options{})
				client := connect.open(t, server)
				url := create(t, client, "orders", nil)
				ctx, cancel := context.WithTimeout(t.Context(), 12*time.Hour)
				defer cancel()

				began := time.Now()
				go produce(ctx, client, url)
				polls, messages := 0, 0
				err := consume(ctx, client, url, func(bodies []string) {
					polls++
					for _, body := range bodies {
						require.Equal(t, time.Since(began).String(), body)
						messages++
					}
				})
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.Equal(t, 12*time.Hour, time.Since(began))
				require.EqualValues(t, 12*time.Hour/interval, messages)
				require.Greater(t, polls, int(12*time.Hour/(20*time.Second)), "there is no poll of more than 20 seconds")
			})
		})
	}
}

// A call has no goroutine but the caller's, also while it waits.
func TestCallStartsNoGoroutine(t *testing.T) {
	for _, connect := range connections[:2] {
		t.Run(connect.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := sqshttp.NewServer(sqshttp.Options{})
				client := connect.open(t, server)
				url := create(t, client, "orders", nil)
				before := goroutines()
				polled := make(chan error)
				go func() {
					_, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: url, WaitTimeSeconds: 20})
					polled <- err
				}()
				synctest.Wait()
				require.Equal(t, 1, server.Queue("orders").Stats().Waiting)
				require.Equal(t, before+1, goroutines())
				_, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: url, MessageBody: aws.String("hello")})
				require.NoError(t, err)
				require.NoError(t, <-polled)
			})
		})
	}
}

// goroutines returns the number of goroutines in bubbles, of which there is one.
func goroutines() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), ", synctest bubble ")
}
