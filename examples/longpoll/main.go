// Longpoll shows when a receive that waits returns: as soon as there is a
// message, be it sent, due or come back, and otherwise when its wait time has
// passed or its context is done.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/memsqs/memsqs"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	q, err := memsqs.NewQueue(memsqs.Config{
		VisibilityTimeout: new(300 * time.Millisecond),
		WaitTime:          400 * time.Millisecond,
	})
	if err != nil {
		return err
	}

	time.AfterFunc(200*time.Millisecond, func() {
		if _, err := q.Send(ctx, memsqs.SendInput{Body: "news"}); err != nil {
			log.Fatal(err)
		}
	})
	receive(ctx, q, "sent after 0.2 s")
	msgs := receive(ctx, q, "come back after 0.3 s, for it was not deleted")
	for _, m := range msgs {
		if err := q.Delete(ctx, m.ReceiptHandle); err != nil {
			return err
		}
	}

	if _, err := q.Send(ctx, memsqs.SendInput{Body: "old news", Delay: new(250 * time.Millisecond)}); err != nil {
		return err
	}
	receive(ctx, q, "due after 0.25 s")
	if err := q.Purge(ctx); err != nil {
		return err
	}

	receive(ctx, q, "nothing for the wait time, 0.4 s")

	ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	receive(ctx, q, "nothing for the context's 0.1 s")
	return nil
}

// receive receives a message and says how long that took.
func receive(ctx context.Context, q *memsqs.Queue, why string) []memsqs.Message {
	start := time.Now()
	msgs, err := q.Receive(ctx, memsqs.ReceiveInput{})
	fmt.Printf("waited %3d ms, received %d: %s", time.Since(start).Milliseconds(), len(msgs), why)
	if err != nil {
		fmt.Printf(" (%v)", err)
	}
	fmt.Println()
	return msgs
}
