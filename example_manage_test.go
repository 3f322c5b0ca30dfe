// Examples of what surrounds the sending and receiving of messages: looking
// into a queue, changing it, its errors, and a clock for tests.

package memsqs_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"runtime"
	"time"

	"github.com/memsqs/memsqs"
)

// Peek shows what is in a queue without receiving it.
func ExampleQueue_Peek() {
	ctx := context.Background()
	q, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = q.SendBatch(ctx, []memsqs.SendInput{
		{Body: "first"},
		{Body: "second"},
		{Body: "third", Delay: new(time.Minute)},
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := q.Receive(ctx, memsqs.ReceiveInput{}); err != nil {
		log.Fatal(err)
	}

	for _, m := range q.Peek(10) {
		fmt.Println(m.Body, m.State, m.ReceiveCount)
	}
	// Output:
	// first InFlight 1
	// second Visible 0
	// third Delayed 0
}

// The numbers of a queue are exact.
func ExampleQueue_Stats() {
	ctx := context.Background()
	q, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := q.SendBatch(ctx, []memsqs.SendInput{{Body: "a"}, {Body: "b"}, {Body: "c"}}); err != nil {
		log.Fatal(err)
	}
	if _, err := q.Receive(ctx, memsqs.ReceiveInput{}); err != nil {
		log.Fatal(err)
	}

	s := q.Stats()
	fmt.Printf("%d visible, %d in flight; %d sent in all\n", s.Visible, s.InFlight, s.Sent)
	// Output:
	// 2 visible, 1 in flight; 3 sent in all
}

// A change is made as a whole, or not at all.
func ExampleQueue_Configure() {
	q, err := memsqs.NewQueue(memsqs.Config{Name: "orders"})
	if err != nil {
		log.Fatal(err)
	}

	err = q.Configure(func(cfg *memsqs.Config) {
		cfg.Retention = 24 * time.Hour
		cfg.Delay = 10 * time.Second
	})
	fmt.Println(err, q.Config().Retention, q.Config().Delay)

	err = q.Configure(func(cfg *memsqs.Config) {
		cfg.Retention = time.Hour
		cfg.Delay = time.Hour
	})
	fmt.Println(errors.Is(err, memsqs.ErrInvalidAttributeValue), q.Config().Retention, q.Config().Delay)
	// Output:
	// <nil> 24h0m0s 10s
	// true 24h0m0s 10s
}

// Errors are matched by what a call was refused for, and say more.
func ExampleError() {
	q, err := memsqs.NewQueue(memsqs.Config{Name: "orders"})
	if err != nil {
		log.Fatal(err)
	}

	err = q.Delete(context.Background(), "not a receipt handle")
	if errors.Is(err, memsqs.ErrReceiptHandleIsInvalid) {
		fmt.Println("no such handle")
	}
	var refused *memsqs.Error
	if errors.As(err, &refused) {
		fmt.Println("queue: ", refused.Queue)
		fmt.Println("code:  ", refused.Code)
		fmt.Println("detail:", refused.Detail)
	}
	// Output:
	// no such handle
	// queue:  orders
	// code:   receipt handle is invalid
	// detail: "not a receipt handle" was not given out by this queue
}

// A queue on a manual clock stands still until the test moves it.
func ExampleManualClock() {
	ctx := context.Background()
	clock := memsqs.NewManualClock(time.Now())
	q, err := memsqs.NewQueue(memsqs.Config{Clock: clock, VisibilityTimeout: new(12 * time.Hour)})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := q.Send(ctx, memsqs.SendInput{Body: "hello"}); err != nil {
		log.Fatal(err)
	}
	receive := func() {
		msgs, err := q.Receive(ctx, memsqs.ReceiveInput{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("received:", len(msgs))
	}

	receive()
	clock.Advance(12*time.Hour - 1)
	receive()
	clock.Advance(1)
	receive()
	// Output:
	// received: 1
	// received: 0
	// received: 1
}

// Before the clock is moved for a receive that waits, be sure that it does.
func ExampleManualClock_Advance() {
	ctx := context.Background()
	clock := memsqs.NewManualClock(time.Now())
	q, err := memsqs.NewQueue(memsqs.Config{Clock: clock, WaitTime: 20 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := q.Send(ctx, memsqs.SendInput{Body: "hello", Delay: new(15 * time.Second)}); err != nil {
		log.Fatal(err)
	}

	received := make(chan string)
	go func() {
		msgs, err := q.Receive(ctx, memsqs.ReceiveInput{})
		if err != nil {
			log.Fatal(err)
		}
		received <- msgs[0].Body
	}()
	for q.Stats().Waiting == 0 {
		runtime.Gosched()
	}
	clock.Advance(15 * time.Second)
	fmt.Println(<-received)
	// Output:
	// hello
}
