// Package narrow is a program that has defined for itself what it needs of an SQS
// client: one method. A test of such a program gives it a mock, which says what its
// author believes about SQS. Here the test gives it an [awssqs.Fake], which knows.
package narrow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// A Sender sends messages. A [*sqs.Client] is one.
type Sender interface {
	SendMessage(context.Context, *sqs.SendMessageInput, ...func(*sqs.Options)) (*sqs.SendMessageOutput, error)
}

// ErrClosed means that the shop takes no orders: its queue is gone.
var ErrClosed = errors.New("shop is closed")

// An Order is what a customer wants.
type Order struct {
	ID       string
	Customer string
	Item     string
}

// A Shop passes orders on: those of a customer in order, and each of them once.
type Shop struct {
	Queue    Sender
	QueueURL string // of a FIFO queue
}

// Place places an order. It can be called again with an order of which it is not
// known whether it was placed.
func (s *Shop) Place(ctx context.Context, o Order) error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = s.Queue.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl:               &s.QueueURL,
		MessageBody:            aws.String(string(body)),
		MessageGroupId:         &o.Customer,
		MessageDeduplicationId: &o.ID,
	})
	var gone *types.QueueDoesNotExist
	if errors.As(err, &gone) {
		return ErrClosed
	}
	if err != nil {
		return fmt.Errorf("order %s: %w", o.ID, err)
	}
	return nil
}
