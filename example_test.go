// Examples of a standard queue, from the sending of a message to its deletion.

package memsqs_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/memsqs/memsqs"
)

// A message is sent, received and, when it has been dealt with, deleted.
func Example() {
	ctx := context.Background()
	q, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := q.Send(ctx, memsqs.SendInput{Body: "hello"}); err != nil {
		log.Fatal(err)
	}

	msgs, err := q.Receive(ctx, memsqs.ReceiveInput{MaxMessages: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range msgs {
		fmt.Println(m.Body)
		if err := q.Delete(ctx, m.ReceiptHandle); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// hello
}

// Fields that are left out have the defaults of SQS. The optional ones, for
// which zero means something else, are pointers: new makes one of a value.
func ExampleConfig() {
	q, err := memsqs.NewQueue(memsqs.Config{
		Name:              "orders",
		VisibilityTimeout: new(5 * time.Minute),
		WaitTime:          20 * time.Second,
	})
	if err != nil {
		log.Fatal(err)
	}

	cfg := q.Config()
	fmt.Println(*cfg.VisibilityTimeout, cfg.WaitTime, cfg.Retention)
	// Output:
	// 5m0s 20s 96h0m0s
}

// Attributes are sent beside the body. A delay keeps the message from being
// received for a time.
func ExampleQueue_Send() {
	ctx := context.Background()
	q, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		log.Fatal(err)
	}

	_, err = q.Send(ctx, memsqs.SendInput{
		Body:  `{"order": 17}`,
		Delay: new(10 * time.Minute),
		Attributes: map[string]memsqs.Attribute{
			"kind":  {DataType: "String", StringValue: "created"},
			"total": {DataType: "Number", StringValue: "99.50"},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("delayed:", q.Stats().Delayed)
	// Output:
	// delayed: 1
}

// The entries of a batch succeed or fail one by one.
func ExampleQueue_SendBatch() {
	ctx := context.Background()
	q, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		log.Fatal(err)
	}

	batch := []memsqs.SendInput{
		{Body: "first"},
		{Body: "a bell \a is not allowed"},
		{Body: "third"},
	}
	_, err = q.SendBatch(ctx, batch)
	if partly, ok := errors.AsType[*memsqs.BatchError](err); ok {
		for i := range partly.Failed {
			fmt.Printf("not sent: %q\n", batch[i].Body)
		}
	} else if err != nil {
		log.Fatal(err) // nothing was sent
	}
	fmt.Println("visible:", q.Stats().Visible)
	// Output:
	// not sent: "a bell \a is not allowed"
	// visible: 2
}

// With a wait time, a receive is a long poll: it returns as soon as there is a
// message.
func ExampleQueue_Receive() {
	ctx := context.Background()
	q, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		if _, err := q.Send(ctx, memsqs.SendInput{Body: "hello"}); err != nil {
			log.Print(err)
		}
	}()

	msgs, err := q.Receive(ctx, memsqs.ReceiveInput{WaitTime: new(20 * time.Second)})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range msgs { // none, if none came in 20 seconds
		fmt.Println(m.Body)
	}
	// Output:
	// hello
}

// A consumer that needs more time than the visibility timeout asks for it. One
// that cannot deal with a message gives it back.
func ExampleQueue_ChangeVisibility() {
	ctx := context.Background()
	q, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := q.Send(ctx, memsqs.SendInput{Body: "hello"}); err != nil {
		log.Fatal(err)
	}
	msgs, err := q.Receive(ctx, memsqs.ReceiveInput{})
	if err != nil {
		log.Fatal(err)
	}
	handle := msgs[0].ReceiptHandle

	// Five minutes from now, whatever is left of the queue's 30 seconds.
	if err := q.ChangeVisibility(ctx, handle, 5*time.Minute); err != nil {
		log.Fatal(err)
	}
	fmt.Println("in flight:", q.Stats().InFlight)

	// At once.
	if err := q.ChangeVisibility(ctx, handle, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Println("visible:", q.Stats().Visible)
	// Output:
	// in flight: 1
	// visible: 1
}

// Up to ten messages can be deleted at once.
func ExampleQueue_DeleteBatch() {
	ctx := context.Background()
	q, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := q.SendBatch(ctx, []memsqs.SendInput{{Body: "a"}, {Body: "b"}}); err != nil {
		log.Fatal(err)
	}

	msgs, err := q.Receive(ctx, memsqs.ReceiveInput{MaxMessages: 10})
	if err != nil {
		log.Fatal(err)
	}
	var done []string
	for _, m := range msgs {
		done = append(done, m.ReceiptHandle)
	}
	if err := q.DeleteBatch(ctx, done); err != nil {
		log.Fatal(err)
	}
	fmt.Println("deleted:", q.Stats().Deleted)
	// Output:
	// deleted: 2
}

// Consumers end when the queue is closed.
func ExampleQueue_Close() {
	ctx := context.Background()
	q, err := memsqs.NewQueue(memsqs.Config{WaitTime: 20 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	consumed := make(chan error)
	go func() {
		for {
			if _, err := q.Receive(ctx, memsqs.ReceiveInput{}); err != nil {
				consumed <- err
				return
			}
		}
	}()

	if err := q.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(errors.Is(<-consumed, memsqs.ErrClosed))
	// Output:
	// true
}
