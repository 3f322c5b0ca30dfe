// Fifo has three workers handle the orders of three customers. Each customer is
// a message group: what happened to an order is handled in the order in which it
// happened, by one worker at a time, while the other customers are served
// beside it. A payment that is sent twice is handled once.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/memsqs/memsqs"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{
		WaitTime:                  20 * time.Second,
		ContentBasedDeduplication: true,
	})
	if err != nil {
		return err
	}
	customers := []string{"ann", "bob", "cem"}
	for _, event := range []string{"ordered", "paid", "paid", "packed", "shipped"} {
		for _, customer := range customers {
			in := memsqs.SendInput{GroupID: customer, Body: customer + " " + event}
			if _, err := q.Send(ctx, in); err != nil {
				return err
			}
		}
	}
	s := q.Stats()
	fmt.Printf("%d messages, and %d duplicates that were dropped\n\n", s.Sent, s.Deduplicated)
	fmt.Println("worker 1        worker 2        worker 3")

	var workers, toDo sync.WaitGroup
	toDo.Add(int(s.Sent))
	for column := range 3 {
		workers.Go(func() {
			if err := work(ctx, q, column, toDo.Done); !errors.Is(err, memsqs.ErrClosed) {
				log.Fatal(err)
			}
		})
	}
	toDo.Wait()
	q.Close() // which ends the workers
	workers.Wait()
	return nil
}

// work handles messages until the queue is closed. It prints them in a column
// of its own.
func work(ctx context.Context, q *memsqs.FIFOQueue, column int, done func()) error {
	for {
		msgs, err := q.Receive(ctx, memsqs.ReceiveInput{})
		if err != nil {
			return err
		}
		for _, m := range msgs {
			time.Sleep(rand.N(200 * time.Millisecond)) // stands for work
			fmt.Println(strings.Repeat(" ", 16*column) + m.Body)
			if err := q.Delete(ctx, m.ReceiptHandle); err != nil {
				return err
			}
			done()
		}
	}
}
