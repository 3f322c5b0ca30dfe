package pubsub_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// A call that does not return is abandoned in time for another.
func TestRenewalThatHangsIsAbandoned(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue:   &hanging{Receiver: q, changes: 1},
			Handler: sleeper(j, 45*time.Second), Hooks: j.hooks(),
		})
		j.second(t, 50)
		require.NoError(t, stop())
		require.Equal(t, []string{"20 queueError context deadline exceeded"}, j.of("queueError"))
		require.Equal(t, []string{"45 deleted a"}, j.of("deleted"))
		require.EqualValues(t, 1, q.Stats().Received)
	})
}

// However long the visibility timeout is: else nothing would be deleted, or received,
// for hours.
func TestCallThatHangsIsAbandonedAfterAMinute(t *testing.T) {
	for name, tt := range map[string]struct {
		queue hanging
		after float64 // seconds
	}{
		"delete": {hanging{deletes: 1}, 60},
		"poll":   {hanging{receives: 1}, 65},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				q := standardQueue(t, memsqs.Config{})
				put(t, q, "a")
				j := newJournal()
				tt.queue.Receiver = q
				stop := consume(t, pubsub.Consumer{
					Queue: &tt.queue, VisibilityTimeout: 12 * time.Hour, WaitTime: 5 * time.Second,
					Handler: sleeper(j, 0), Hooks: j.hooks(),
				})
				j.second(t, tt.after-1)
				require.Empty(t, j.of("queueError"))
				j.second(t, tt.after+1)
				require.NoError(t, stop())
				require.Equal(t, []string{fmt.Sprint(tt.after, " queueError context deadline exceeded")}, j.of("queueError"))
				require.Len(t, j.of("deleted"), 1)
			})
		})
	}
}

// A dead-letter queue that does not answer is not waited for as long as the lease
// can be renewed, which is twelve hours.
func TestDeadLetterQueueThatHangsHasFailed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: q, DeadLetter: hungSender{}, Hooks: j.hooks(), Backoff: pubsub.Constant(time.Minute),
			Handler: failing(j, 1, pubsub.Permanent(errors.New("no such order"))),
		})
		j.second(t, 11)
		require.NoError(t, stop())
		require.Equal(t, []string{"10 released a for 1m0s"}, j.of("released"))
	})
}

// A hungSender answers no call before its context is done.
type hungSender struct{}

func (hungSender) Send(ctx context.Context, _ memsqs.SendInput) (memsqs.SendResult, error) {
	return memsqs.SendResult{}, hang(ctx)
}

func (hungSender) SendBatch(ctx context.Context, _ []memsqs.SendInput) ([]memsqs.SendResult, error) {
	return nil, hang(ctx)
}

// A hanging queue does not answer to the first calls of a kind before their
// contexts are done.
type hanging struct {
	pubsub.Receiver
	receives, deletes, changes int
}

func hang(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func (q *hanging) Receive(ctx context.Context, in memsqs.ReceiveInput) ([]memsqs.Message, error) {
	if q.receives--; q.receives >= 0 {
		return nil, hang(ctx)
	}
	return q.Receiver.Receive(ctx, in)
}

func (q *hanging) DeleteBatch(ctx context.Context, handles []string) error {
	if q.deletes--; q.deletes >= 0 {
		return hang(ctx)
	}
	return q.Receiver.DeleteBatch(ctx, handles)
}

func (q *hanging) ChangeVisibilityBatch(ctx context.Context, in []memsqs.VisibilityChange) error {
	if q.changes--; q.changes >= 0 {
		return hang(ctx)
	}
	return q.Receiver.ChangeVisibilityBatch(ctx, in)
}
