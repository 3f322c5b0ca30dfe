package awssqs

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/memsqs/memsqs"
)

// timeoutAge is how long the queue's own visibility timeout is believed. SQS itself
// takes that long to spread a change of it (A12).
const timeoutAge = time.Minute

// An ownTimeout is the visibility timeout of a queue itself, as far as it is known.
type ownTimeout struct {
	mu    sync.Mutex // guards the fields below; not held during a call
	value time.Duration
	asked time.Time // zero for never
}

// visibilityTimeout returns the timeout of a receive that gives the given one.
func (q *Queue) visibilityTimeout(ctx context.Context, given *time.Duration) (time.Duration, error) {
	if given != nil {
		return time.Duration(seconds(*given)) * time.Second, nil
	}
	q.own.mu.Lock()
	value, asked := q.own.value, q.own.asked
	q.own.mu.Unlock()
	if !asked.IsZero() && time.Since(asked) < timeoutAge {
		return value, nil
	}
	asked = time.Now()
	value, err := q.askTimeout(ctx)
	if err != nil {
		return 0, err
	}
	q.own.mu.Lock()
	defer q.own.mu.Unlock()
	q.own.value, q.own.asked = value, asked
	return value, nil
}

// askTimeout asks SQS for the queue's own visibility timeout.
func (q *Queue) askTimeout(ctx context.Context) (time.Duration, error) {
	const name = types.QueueAttributeNameVisibilityTimeout
	out, err := q.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl:       &q.url,
		AttributeNames: []types.QueueAttributeName{name},
	})
	if err != nil {
		return 0, err
	}
	s, err := strconv.Atoi(out.Attributes[string(name)])
	if err != nil {
		return 0, fmt.Errorf("awssqs: %s of queue %s: %w", name, q.name(), err)
	}
	return time.Duration(s) * time.Second, nil
}

// receivedAt returns when a message was received, between the beginning and the end
// of the call. SQS says it of a first receive alone.
func receivedAt(m *memsqs.Message, began, ended time.Time) time.Time {
	if m.ReceiveCount != 1 || m.FirstReceivedAt.Before(began) {
		return began
	}
	if m.FirstReceivedAt.After(ended) {
		return ended
	}
	return m.FirstReceivedAt
}
