// Examples of sending to one queue.

package pubsub_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// The group of a message is named by its header, and the deduplication id is
// nobody's concern.
func ExamplePublisher() {
	ctx := context.Background()
	q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{})
	if err != nil {
		log.Fatal(err)
	}
	p := pubsub.Publisher{Queue: q, PartitionKeyHeader: "account"}
	for _, amount := range []string{"pay 100", "pay 100"} {
		_, err := p.Publish(ctx, memsqs.SendInput{
			Body:       amount,
			Attributes: map[string]memsqs.Attribute{"account": {DataType: "String", StringValue: "ann"}},
		})
		if err != nil {
			log.Fatal(err)
		}
	}

	msgs, err := q.Receive(ctx, memsqs.ReceiveInput{MaxMessages: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range msgs {
		fmt.Println(m.Attributes["account"].StringValue, m.Body)
	}
	// Output:
	// ann pay 100
	// ann pay 100
}

// A sender that may run twice, such as the handler of another queue's messages,
// names the deduplication id itself. Then the second time has no effect.
func ExamplePublisher_Publish_deduplication() {
	ctx := context.Background()
	q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{})
	if err != nil {
		log.Fatal(err)
	}
	p := pubsub.Publisher{Queue: q}
	for range 2 {
		_, err := p.Publish(ctx, memsqs.SendInput{
			Body:            "pay 100",
			GroupID:         "ann",
			DeduplicationID: "payment-17",
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(q.Stats().Visible)
	// Output:
	// 1
}

// What was not sent is reported by its index, in an order in which it can be sent
// again once the reason is gone.
func ExamplePublisher_PublishAll() {
	ctx := context.Background()
	q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{})
	if err != nil {
		log.Fatal(err)
	}
	p := pubsub.Publisher{Queue: q}
	messages := []memsqs.SendInput{
		{GroupID: "ann", Body: "open"},
		{GroupID: "bob", Body: "open"},
		{GroupID: "ann"}, // a body is missing
		{GroupID: "bob", Body: "close"},
		{GroupID: "ann", Body: "close"},
	}
	_, err = p.PublishAll(ctx, messages)

	var failed *memsqs.BatchError
	if errors.As(err, &failed) {
		for i, m := range messages {
			switch err := failed.Failed[i]; {
			case errors.Is(err, pubsub.ErrHeldBack):
				fmt.Println(m.GroupID, m.Body, "is held back")
			case err != nil:
				fmt.Println(m.GroupID, m.Body, "has failed:", err)
			}
		}
	}
	fmt.Println(q.Stats().Visible, "sent")
	// Output:
	// ann  has failed: memsqs: missing parameter: Body is empty; it must have at least one character
	// ann close is held back
	// 3 sent
}
