// Package work is a worker on a FIFO queue, whichever queue that is: one in the
// process, or one of Amazon SQS.
package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// A Queue is what the worker needs of one. A *memsqs.FIFOQueue has it, and an
// *awssqs.Queue.
type Queue interface {
	pubsub.FIFOSender
	pubsub.Receiver
}

// Run publishes what has happened to the orders of three customers, and handles
// it, each customer's in order and the customers side by side. It returns when
// all has been handled, or ctx is done.
func Run(ctx context.Context, queue Queue) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()

	var events []memsqs.SendInput
	for _, event := range []string{"ordered", "paid", "packed", "shipped"} {
		for _, customer := range []string{"ann", "bob", "cem"} {
			events = append(events, memsqs.SendInput{Body: event, GroupID: customer})
		}
	}
	publisher := pubsub.Publisher{Queue: queue}
	if _, err := publisher.PublishAll(ctx, events); err != nil {
		return err
	}

	left := len(events)
	return pubsub.Consumer{
		Queue:   queue,
		Handler: handle,
		Backoff: pubsub.Constant(time.Second),
		Hooks: pubsub.Hooks{Deleted: func(memsqs.Message, time.Duration) {
			if left--; left == 0 {
				stop()
			}
		}},
		Logger: slog.New(slog.DiscardHandler), // handle prints what there is to say
	}.Run(ctx)
}

// handle takes a moment for each event. Bob's bank does not answer at first: what
// has happened to bob's order since then waits behind the payment.
func handle(_ context.Context, m memsqs.Message) error {
	if m.GroupID == "bob" && m.Body == "paid" && m.ReceiveCount == 1 {
		fmt.Println(m.GroupID, m.Body, "failed, will be tried again in a second")
		return errors.New("the bank does not answer")
	}
	time.Sleep(20 * time.Millisecond)
	fmt.Println(m.GroupID, m.Body)
	return nil
}
