// Examples of sending to many queues.

package pubsub_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// Each subscriber has a queue of its own, and a filter for what it wants.
func ExampleTopic() {
	ctx := context.Background()
	newQueue := func(name string) *memsqs.Queue {
		q, err := memsqs.NewQueue(memsqs.Config{Name: name})
		if err != nil {
			log.Fatal(err)
		}
		return q
	}
	audit, billing := newQueue("audit"), newQueue("billing")
	events := pubsub.Topic{Subscriptions: []pubsub.Subscription{
		{Name: "audit", Queue: audit},
		{Name: "billing", Queue: billing, Filter: pubsub.Filter{
			"event": {pubsub.Equal("order.paid"), pubsub.Prefix("refund.")},
			"total": {pubsub.AtLeast(100)},
		}},
	}}

	publish := func(event, total string) {
		err := events.Publish(ctx, memsqs.SendInput{
			Body: event + " " + total,
			Attributes: map[string]memsqs.Attribute{
				"event": {DataType: "String", StringValue: event},
				"total": {DataType: "Number", StringValue: total},
			},
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	publish("order.paid", "120")
	publish("order.paid", "80")
	publish("order.sent", "120")
	publish("refund.partial", "100")

	fmt.Println("audit has", audit.Stats().Visible)
	for _, m := range billing.Peek(10) {
		fmt.Println("billing has", m.Body)
	}
	// Output:
	// audit has 4
	// billing has order.paid 120
	// billing has refund.partial 100
}

// A subscription that cannot be delivered to does not concern the others. Its
// messages go to its dead-letter queue or, without one, are reported.
func ExampleTopic_Publish_failure() {
	ctx := context.Background()
	good, err := memsqs.NewQueue(memsqs.Config{Name: "good"})
	if err != nil {
		log.Fatal(err)
	}
	bad, err := memsqs.NewQueue(memsqs.Config{Name: "bad"})
	if err != nil {
		log.Fatal(err)
	}
	if err := bad.Close(); err != nil {
		log.Fatal(err)
	}
	topic := pubsub.Topic{Subscriptions: []pubsub.Subscription{
		{Name: "bad", Queue: bad},
		{Name: "good", Queue: good},
	}}

	err = topic.Publish(ctx, memsqs.SendInput{Body: "hello"})
	var failed *pubsub.DeliveryError
	if errors.As(err, &failed) {
		fmt.Println(failed.Subscription, "has failed")
	}
	fmt.Println("good has", good.Stats().Visible)
	// Output:
	// bad has failed
	// good has 1
}

// All queues have the messages of a group in the order in which they were
// published.
func ExampleFIFOTopic() {
	ctx := context.Background()
	newQueue := func(name string) *memsqs.FIFOQueue {
		q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{Name: name})
		if err != nil {
			log.Fatal(err)
		}
		return q
	}
	ledger, search := newQueue("ledger.fifo"), newQueue("search.fifo")
	topic := pubsub.FIFOTopic{Subscriptions: []pubsub.FIFOSubscription{{Queue: ledger}, {Queue: search}}}
	err := topic.PublishAll(ctx, []memsqs.SendInput{
		{GroupID: "ann", Body: "pay in 100"},
		{GroupID: "ann", Body: "draw 70"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range []*memsqs.FIFOQueue{ledger, search} {
		for _, m := range q.Peek(10) {
			fmt.Println(q.Config().Name, m.GroupID, m.Body)
		}
	}
	// Output:
	// ledger.fifo ann pay in 100
	// ledger.fifo ann draw 70
	// search.fifo ann pay in 100
	// search.fifo ann draw 70
}

// A range is made of two bounds. An attribute that a filter names must exist,
// unless it is to be absent.
func ExampleFilter() {
	filter := pubsub.Filter{
		"total":   {pubsub.All(pubsub.AtLeast(100), pubsub.Below(1000))},
		"country": {pubsub.AnythingBut(pubsub.Equal("US", "CA"))},
		"test":    {pubsub.Absent()},
	}
	order := map[string]memsqs.Attribute{
		"total":   {DataType: "Number", StringValue: "250.00"},
		"country": {DataType: "String", StringValue: "NZ"},
	}
	fmt.Println(filter.Match(order))
	order["test"] = memsqs.Attribute{DataType: "String", StringValue: "yes"}
	fmt.Println(filter.Match(order))
	// Output:
	// true
	// false
}
