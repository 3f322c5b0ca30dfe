package pubsub_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// A consumer handles messages until its context is done. The second one fails at
// first, and comes back.
func ExampleConsumer() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	queue, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = queue.SendBatch(ctx, []memsqs.SendInput{{Body: "one"}, {Body: "two"}, {Body: "three"}})
	if err != nil {
		log.Fatal(err)
	}

	left := 3
	err = pubsub.Consumer{
		Queue:       queue,
		Concurrency: 1,
		Backoff:     pubsub.Constant(50 * time.Millisecond),
		Handler: func(_ context.Context, m memsqs.Message) error {
			fmt.Println(m.Body, m.ReceiveCount)
			if m.Body == "two" && m.ReceiveCount == 1 {
				return errors.New("not yet")
			}
			return nil
		},
		Hooks: pubsub.Hooks{Deleted: func(memsqs.Message, time.Duration) {
			if left--; left == 0 {
				stop()
			}
		}},
		Logger: slog.New(slog.DiscardHandler),
	}.Run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// one 1
	// two 1
	// three 1
	// two 2
}

// What can never be handled is put aside at once.
func ExamplePermanent() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	orders, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		log.Fatal(err)
	}
	failed, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := orders.Send(ctx, memsqs.SendInput{Body: "order no. x"}); err != nil {
		log.Fatal(err)
	}

	err = pubsub.Consumer{
		Queue:      orders,
		DeadLetter: failed,
		Handler: func(_ context.Context, m memsqs.Message) error {
			var number int
			if _, err := fmt.Sscanf(m.Body, "order no. %d", &number); err != nil {
				return pubsub.Permanent(err)
			}
			return nil
		},
		Hooks: pubsub.Hooks{
			Failed:  func(_ memsqs.Message, err error, _ time.Duration) { fmt.Println("failed:", err) },
			Deleted: func(memsqs.Message, time.Duration) { stop() },
		},
		Logger: slog.New(slog.DiscardHandler),
	}.Run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("put aside:", failed.Peek(1)[0].Body)
	// Output:
	// failed: expected integer
	// put aside: order no. x
}

// A loop over the messages of a queue deletes what it has dealt with.
func ExampleMessages() {
	ctx := context.Background()
	queue, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = queue.SendBatch(ctx, []memsqs.SendInput{{Body: "one"}, {Body: "two"}, {Body: "three"}})
	if err != nil {
		log.Fatal(err)
	}

	for m, err := range pubsub.Messages(ctx, queue) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Body)
		if err := queue.Delete(ctx, m.ReceiptHandle); err != nil {
			log.Fatal(err)
		}
		if m.Body == "two" {
			break
		}
	}
	fmt.Println("left:", queue.Stats().Visible)
	// Output:
	// one
	// two
	// left: 1
}
