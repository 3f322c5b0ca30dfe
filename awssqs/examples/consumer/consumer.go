// Package consumer is a small consumer of Amazon SQS, written against the client of
// the SDK as a program would have it. Its test is what it is here for: it runs the
// consumer against queues in the process, in a bubble in which hours pass at once.
package consumer

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// A Consumer handles the messages of a queue, one at a time.
type Consumer struct {
	Client   *sqs.Client
	QueueURL string
	Handle   func(ctx context.Context, body string) error
}

// Run handles messages until ctx is done, which is no error. A message that has
// been handled is deleted; one whose handling failed comes back.
func (c *Consumer) Run(ctx context.Context) error {
	for {
		out, err := c.Client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl:            &c.QueueURL,
			MaxNumberOfMessages: 10,
			WaitTimeSeconds:     20,
		})
		if errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, m := range out.Messages {
			if err := c.handle(ctx, m); err != nil {
				return err
			}
		}
	}
}

// handle handles one message.
func (c *Consumer) handle(ctx context.Context, m types.Message) error {
	if c.Handle(ctx, *m.Body) != nil {
		return nil
	}
	_, err := c.Client.DeleteMessage(context.WithoutCancel(ctx), &sqs.DeleteMessageInput{
		QueueUrl:      &c.QueueURL,
		ReceiptHandle: m.ReceiptHandle,
	})
	return err
}
