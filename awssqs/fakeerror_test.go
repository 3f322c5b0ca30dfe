package awssqs_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// refusedCalls are calls to a server with the standard queue orders, which is empty
// and takes one message in flight, and the FIFO queue jobs.fifo.
var refusedCalls = map[string]func(context.Context, everyMethod) error{
	"no such queue": func(ctx context.Context, c everyMethod) error {
		_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String("none"), MessageBody: aws.String("x")})
		return err
	},
	"no such name": func(ctx context.Context, c everyMethod) error {
		_, err := c.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("none")})
		return err
	},
	"no input": func(ctx context.Context, c everyMethod) error {
		_, err := c.SendMessage(ctx, nil)
		return err
	},
	"no entries": func(ctx context.Context, c everyMethod) error {
		_, err := c.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: aws.String("orders")})
		return err
	},
	"members missing in an entry": func(ctx context.Context, c everyMethod) error {
		_, err := c.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{Entries: []types.SendMessageBatchRequestEntry{
			{Id: aws.String("0"), MessageAttributes: map[string]types.MessageAttributeValue{"a": {}}},
		}})
		return err
	},
	"empty body": func(ctx context.Context, c everyMethod) error {
		_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String("orders"), MessageBody: aws.String("")})
		return err
	},
	"body with characters that are not allowed": func(ctx context.Context, c everyMethod) error {
		_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String("orders"), MessageBody: aws.String("\x00")})
		return err
	},
	"delay out of range": func(ctx context.Context, c everyMethod) error {
		_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String("orders"), MessageBody: aws.String("x"), DelaySeconds: 901})
		return err
	},
	"no group": func(ctx context.Context, c everyMethod) error {
		_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String("jobs.fifo"), MessageBody: aws.String("x")})
		return err
	},
	"list of values": func(ctx context.Context, c everyMethod) error {
		_, err := c.SendMessage(ctx, &sqs.SendMessageInput{
			QueueUrl:    aws.String("orders"),
			MessageBody: aws.String("x"),
			MessageAttributes: map[string]types.MessageAttributeValue{
				"a": {DataType: aws.String("String"), StringListValues: []string{"x"}},
			},
		})
		return err
	},
	"bad handle": func(ctx context.Context, c everyMethod) error {
		_, err := c.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: aws.String("orders"), ReceiptHandle: aws.String("garbage")})
		return err
	},
	"empty batch": func(ctx context.Context, c everyMethod) error {
		_, err := c.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: aws.String("orders"), Entries: []types.DeleteMessageBatchRequestEntry{}})
		return err
	},
	"too many entries": func(ctx context.Context, c everyMethod) error {
		return sendMany(ctx, c, "x", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10")
	},
	"ids not distinct": func(ctx context.Context, c everyMethod) error { return sendMany(ctx, c, "x", "0", "0") },
	"malformed id":     func(ctx context.Context, c everyMethod) error { return sendMany(ctx, c, "x", "two words") },
	"batch too long": func(ctx context.Context, c everyMethod) error {
		return sendMany(ctx, c, strings.Repeat("x", 1<<19), "0", "1", "2")
	},
	"over the limit": func(ctx context.Context, c everyMethod) error {
		if err := sendMany(ctx, c, "x", "0", "1"); err != nil {
			return err
		}
		for {
			if _, err := c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String("orders")}); err != nil {
				return err
			}
		}
	},
	"name that exists": func(ctx context.Context, c everyMethod) error {
		_, err := c.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("orders"), Attributes: map[string]string{"DelaySeconds": "9"}})
		return err
	},
	"name of a queue that was deleted": func(ctx context.Context, c everyMethod) error {
		if _, err := c.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: aws.String("orders")}); err != nil {
			return err
		}
		_, err := c.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("orders")})
		return err
	},
	"attribute unknown": func(ctx context.Context, c everyMethod) error {
		_, err := c.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: aws.String("orders"), Attributes: map[string]string{"Colour": "red"}})
		return err
	},
	"attribute out of range": func(ctx context.Context, c everyMethod) error {
		_, err := c.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: aws.String("orders"), Attributes: map[string]string{"DelaySeconds": "901"}})
		return err
	},
	"second purge": func(ctx context.Context, c everyMethod) error {
		if _, err := c.PurgeQueue(ctx, &sqs.PurgeQueueInput{QueueUrl: aws.String("orders")}); err != nil {
			return err
		}
		_, err := c.PurgeQueue(ctx, &sqs.PurgeQueueInput{QueueUrl: aws.String("orders")})
		return err
	},
	"no such task": func(ctx context.Context, c everyMethod) error {
		_, err := c.ListMessageMoveTasks(ctx, &sqs.ListMessageMoveTasksInput{SourceArn: aws.String("arn:aws:sqs:us-east-1:000000000000:none")})
		return err
	},
	"body that is not UTF-8, whose checksum is another": func(ctx context.Context, c everyMethod) error {
		_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String("orders"), MessageBody: aws.String("\xff")})
		return err
	},
	"no region": func(ctx context.Context, c everyMethod) error {
		_, err := c.ListQueues(ctx, nil, func(o *sqs.Options) { o.Region = "" })
		return err
	},
	"context done before": func(ctx context.Context, c everyMethod) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		_, err := c.ListQueues(ctx, nil)
		return err
	},
	"context cancelled during a long poll": func(ctx context.Context, c everyMethod) error {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(time.Second, cancel)
		_, err := c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String("orders"), WaitTimeSeconds: 20})
		return err
	},
	"deadline during a long poll": func(ctx context.Context, c everyMethod) error {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String("orders"), WaitTimeSeconds: 20})
		return err
	},
}

// sendMany sends messages to orders in a batch, one for each id.
func sendMany(ctx context.Context, c everyMethod, body string, ids ...string) error {
	entries := make([]types.SendMessageBatchRequestEntry, len(ids))
	for i := range ids {
		entries[i] = types.SendMessageBatchRequestEntry{Id: &ids[i], MessageBody: &body}
	}
	_, err := c.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: aws.String("orders"), Entries: entries})
	return err
}

// A Fake returns the errors of a client: of the same types, with the same texts,
// codes and statuses.
func TestFakeErrors(t *testing.T) {
	for name, call := range refusedCalls {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := awssqs.NewClient(refusingServer(t))
				want := call(t.Context(), client)
				require.Error(t, want)
				fake := awssqs.NewFake(refusingServer(t))
				got := call(t.Context(), fake)
				require.Error(t, got, want)
				require.Equal(t, describe(want), describe(got))
			})
		})
	}
}

// refusingServer returns a server with the queues of refusedCalls.
func refusingServer(t *testing.T) *sqshttp.Server {
	server := sqshttp.NewServer(sqshttp.Options{})
	fake := awssqs.NewFake(server)
	create(t, fake, "orders", nil)
	create(t, fake, "jobs.fifo", map[string]string{"FifoQueue": "true"})
	require.NoError(t, server.Queue("orders").Configure(func(cfg *memsqs.Config) { cfg.MaxInFlight = 1 }))
	return server
}

// someID is what differs from one call to the next: the id of a request or a message.
var someID = regexp.MustCompile(`(RequestID:|message) [-0-9A-Za-z]{26,36}`)

// describe returns what a program can tell of an error.
func describe(err error) string {
	var b strings.Builder
	fmt.Fprintln(&b, someID.ReplaceAllString(err.Error(), "$1 id"))
	var api smithy.APIError
	if errors.As(err, &api) {
		fmt.Fprintln(&b, api.ErrorCode(), api.ErrorMessage(), api.ErrorFault())
	}
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		fmt.Fprintln(&b, response.HTTPStatusCode(), len(response.ServiceRequestID()) > 0, response.Response.Header.Get("X-Amzn-Requestid") == response.RequestID)
	}
	fmt.Fprintln(&b, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded))
	for ; err != nil; err = errors.Unwrap(err) {
		fmt.Fprintf(&b, "%T\n", err)
	}
	return b.String()
}

// What SQS has a type for is of that type, with the code that SQS gives it.
func TestFakeErrorIsTyped(t *testing.T) {
	fake := awssqs.NewFake(sqshttp.NewServer(sqshttp.Options{}))
	_, err := fake.GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: aws.String("none")})
	var missing *types.QueueDoesNotExist
	require.ErrorAs(t, err, &missing)
	require.Equal(t, "AWS.SimpleQueueService.NonExistentQueue", missing.ErrorCode())
	require.Equal(t, "The specified queue does not exist.", missing.ErrorMessage())
}
