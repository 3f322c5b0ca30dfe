// Examples of dead-letter queues.

package memsqs_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/memsqs/memsqs"
)

// A message that cannot be dealt with is moved out of the way: here when it
// has been received twice.
func ExampleDeadLetter() {
	ctx := context.Background()
	failed, err := memsqs.NewQueue(memsqs.Config{Name: "failed orders"})
	if err != nil {
		log.Fatal(err)
	}
	orders, err := memsqs.NewQueue(memsqs.Config{
		Name:       "orders",
		DeadLetter: &memsqs.DeadLetter{Queue: failed, MaxReceiveCount: 2},
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := orders.Send(ctx, memsqs.SendInput{Body: "order 17"}); err != nil {
		log.Fatal(err)
	}

	for {
		msgs, err := orders.Receive(ctx, memsqs.ReceiveInput{})
		if err != nil {
			log.Fatal(err)
		}
		if len(msgs) == 0 {
			break
		}
		fmt.Println("attempt", msgs[0].ReceiveCount, "fails")
		if err := orders.ChangeVisibility(ctx, msgs[0].ReceiptHandle, 0); err != nil {
			log.Fatal(err)
		}
	}

	msgs, err := failed.Receive(ctx, memsqs.ReceiveInput{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(msgs[0].Body, "from", msgs[0].DeadLetterSource)
	// Output:
	// attempt 1 fails
	// attempt 2 fails
	// order 17 from orders
}

// In a FIFO queue, those behind a dead letter in its group can then be
// received.
func ExampleFIFODeadLetter() {
	ctx := context.Background()
	failed, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{})
	if err != nil {
		log.Fatal(err)
	}
	orders, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{
		ContentBasedDeduplication: true,
		DeadLetter:                &memsqs.FIFODeadLetter{Queue: failed, MaxReceiveCount: 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = orders.SendBatch(ctx, []memsqs.SendInput{
		{GroupID: "ann", Body: "poison"},
		{GroupID: "ann", Body: "order 18"},
	})
	if err != nil {
		log.Fatal(err)
	}

	for range 2 {
		msgs, err := orders.Receive(ctx, memsqs.ReceiveInput{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(msgs[0].Body)
		if err := orders.ChangeVisibility(ctx, msgs[0].ReceiptHandle, 0); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("dead letters:", failed.Stats().Visible)
	// Output:
	// poison
	// order 18
	// dead letters: 1
}

// When what made messages fail has been mended, they are moved back.
func ExampleQueue_Redrive() {
	ctx := context.Background()
	failed, err := memsqs.NewQueue(memsqs.Config{Name: "failed orders"})
	if err != nil {
		log.Fatal(err)
	}
	orders, err := memsqs.NewQueue(memsqs.Config{
		Name:       "orders",
		DeadLetter: &memsqs.DeadLetter{Queue: failed, MaxReceiveCount: 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := orders.Send(ctx, memsqs.SendInput{Body: "order 17"}); err != nil {
		log.Fatal(err)
	}
	// It is received once and not deleted; the second receive moves it.
	for range 2 {
		if _, err := orders.Receive(ctx, memsqs.ReceiveInput{VisibilityTimeout: new(time.Duration(0))}); err != nil {
			log.Fatal(err)
		}
	}

	// Each message goes back to the queue that it came from. To be gentle
	// with its consumers, set a number of messages per second.
	moved, err := failed.Redrive(ctx, nil, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("moved:", moved)
	fmt.Println("orders:", orders.Stats().Visible, "failed:", failed.Stats().Visible)
	// Output:
	// moved: 1
	// orders: 1 failed: 0
}
