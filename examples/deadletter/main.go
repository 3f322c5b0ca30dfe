// Deadletter shows what becomes of an order that cannot be handled: after three
// attempts it goes to a dead-letter queue, out of the way of the others. When
// the handler has been mended, the order is moved back and handled.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/memsqs/memsqs"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	failed, err := memsqs.NewQueue(memsqs.Config{Name: "failed-orders"})
	if err != nil {
		return err
	}
	orders, err := memsqs.NewQueue(memsqs.Config{
		Name:       "orders",
		DeadLetter: &memsqs.DeadLetter{Queue: failed, MaxReceiveCount: 3},
	})
	if err != nil {
		return err
	}
	_, err = orders.SendBatch(ctx, []memsqs.SendInput{{Body: "1 apple"}, {Body: "2 pears"}, {Body: "3 plums"}})
	if err != nil {
		return err
	}

	fmt.Println("The handler knows no pears:")
	if err := consume(ctx, orders, handle); err != nil {
		return err
	}

	fmt.Println("In the dead-letter queue:")
	for _, m := range failed.Peek(10) {
		fmt.Printf("  %q from %s, received %d times\n", m.Body, m.DeadLetterSource, m.ReceiveCount)
	}

	moved, err := failed.Redrive(ctx, nil, 0)
	if err != nil {
		return err
	}
	fmt.Printf("The handler is mended, %d message moved back:\n", moved)
	return consume(ctx, orders, func(string) error { return nil })
}

// consume handles messages until there are none. One that fails is given back,
// to be received again.
func consume(ctx context.Context, q *memsqs.Queue, handle func(order string) error) error {
	for {
		msgs, err := q.Receive(ctx, memsqs.ReceiveInput{})
		if err != nil || len(msgs) == 0 {
			return err
		}
		for _, m := range msgs {
			if err = handle(m.Body); err != nil {
				fmt.Printf("  %q, attempt %d: %v\n", m.Body, m.ReceiveCount, err)
				err = q.ChangeVisibility(ctx, m.ReceiptHandle, 0)
			} else {
				fmt.Printf("  %q, attempt %d: done\n", m.Body, m.ReceiveCount)
				err = q.Delete(ctx, m.ReceiptHandle)
			}
			if err != nil {
				return err
			}
		}
	}
}

func handle(order string) error {
	if strings.Contains(order, "pear") {
		return errors.New("no such fruit")
	}
	return nil
}
