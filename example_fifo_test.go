// Examples of a FIFO queue: groups, deduplication and receive attempts.

package memsqs_test

import (
	"context"
	"fmt"
	"log"

	"github.com/memsqs/memsqs"
)

// The messages of a group are received in the order in which they were sent.
// While one is in flight those behind it wait; other groups do not.
func ExampleFIFOQueue() {
	ctx := context.Background()
	q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{ContentBasedDeduplication: true})
	if err != nil {
		log.Fatal(err)
	}
	_, err = q.SendBatch(ctx, []memsqs.SendInput{
		{GroupID: "ann", Body: "ann pays in 100"},
		{GroupID: "ann", Body: "ann draws 70"},
		{GroupID: "bob", Body: "bob pays in 20"},
	})
	if err != nil {
		log.Fatal(err)
	}
	receive := func() (receiptHandle string) {
		msgs, err := q.Receive(ctx, memsqs.ReceiveInput{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(msgs[0].Body)
		return msgs[0].ReceiptHandle
	}

	first := receive()
	receive()
	if err := q.Delete(ctx, first); err != nil {
		log.Fatal(err)
	}
	receive()
	// Output:
	// ann pays in 100
	// bob pays in 20
	// ann draws 70
}

// A sender that does not know whether its message arrived sends it again, with
// the same deduplication id. For five minutes it is told of the first one.
func ExampleFIFOQueue_deduplication() {
	ctx := context.Background()
	q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{})
	if err != nil {
		log.Fatal(err)
	}
	payment := memsqs.SendInput{GroupID: "ann", DeduplicationID: "payment-17", Body: "pay 100"}

	first, err := q.Send(ctx, payment)
	if err != nil {
		log.Fatal(err)
	}
	again, err := q.Send(ctx, payment)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("same message:", again == first)
	fmt.Println("on the queue:", q.Stats().Visible)
	// Output:
	// same message: true
	// on the queue: 1
}

// With DeduplicateGroup, an id is a duplicate in its message group alone.
func ExampleFIFOConfig() {
	ctx := context.Background()
	q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{
		Name:               "payments.fifo",
		DeduplicationScope: memsqs.DeduplicateGroup,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, group := range []string{"ann", "bob", "ann"} {
		_, err := q.Send(ctx, memsqs.SendInput{GroupID: group, DeduplicationID: "1", Body: "pay 100"})
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(q.Stats().Sent, "sent,", q.Stats().Deduplicated, "dropped")
	// Output:
	// 2 sent, 1 dropped
}

// A receive that lost its answer is repeated with the same attempt id: without
// it, the group would be held back until the visibility timeout has passed.
func ExampleFIFOQueue_Receive() {
	ctx := context.Background()
	q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = q.Send(ctx, memsqs.SendInput{GroupID: "ann", DeduplicationID: "1", Body: "pay 100"})
	if err != nil {
		log.Fatal(err)
	}

	attempt := memsqs.ReceiveInput{AttemptID: "attempt-1"}
	lost, err := q.Receive(ctx, attempt)
	if err != nil {
		log.Fatal(err)
	}
	again, err := q.Receive(ctx, attempt)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again[0].Body)
	fmt.Println("same receipt handle:", again[0].ReceiptHandle == lost[0].ReceiptHandle)
	// Output:
	// pay 100
	// same receipt handle: true
}
