// Heartbeat shows a job that takes longer than the visibility timeout of its
// queue. Without a heartbeat a second worker is given it while the first is
// still at it, and the job is done twice. With one it is done once, and would
// still come back soon if its worker died.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/memsqs/memsqs"
)

const visibility, job = 200 * time.Millisecond, 500 * time.Millisecond

func main() {
	for _, beat := range []bool{false, true} {
		fmt.Println("With a heartbeat:", beat)
		if err := run(beat); err != nil {
			log.Fatal(err)
		}
	}
}

// run gives one job to two workers, and waits for them for 0.8 seconds.
func run(beat bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), 800*time.Millisecond)
	defer cancel()
	q, err := memsqs.NewQueue(memsqs.Config{VisibilityTimeout: new(visibility), WaitTime: 20 * time.Second})
	if err != nil {
		return err
	}
	if _, err := q.Send(ctx, memsqs.SendInput{Body: "the job"}); err != nil {
		return err
	}
	var workers sync.WaitGroup
	for _, name := range []string{"ann", "bob"} {
		workers.Go(func() {
			if err := work(ctx, q, name, beat); !errors.Is(err, context.DeadlineExceeded) {
				log.Fatal(err)
			}
		})
	}
	workers.Wait()
	return nil
}

// work does jobs until ctx is done.
func work(ctx context.Context, q *memsqs.Queue, worker string, beat bool) error {
	for {
		msgs, err := q.Receive(ctx, memsqs.ReceiveInput{})
		if err != nil {
			return err
		}
		for _, m := range msgs {
			fmt.Printf("  %4d ms: %s begins %s\n", time.Since(m.SentAt).Milliseconds(), worker, m.Body)
			working, stop := context.WithCancel(ctx)
			if beat {
				go heartbeat(working, q, m.ReceiptHandle)
			}
			time.Sleep(job)
			stop()
			fmt.Printf("  %4d ms: %s has done %s\n", time.Since(m.SentAt).Milliseconds(), worker, m.Body)
			if err := q.Delete(context.WithoutCancel(ctx), m.ReceiptHandle); err != nil {
				return err
			}
		}
	}
}

// heartbeat keeps a message from other receivers until ctx is done. It beats
// three times per timeout, so that one beat that comes late does no harm.
func heartbeat(ctx context.Context, q *memsqs.Queue, receiptHandle string) {
	ticker := time.NewTicker(visibility / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if q.ChangeVisibility(ctx, receiptHandle, visibility) != nil {
				return // refused, 12 hours after the receive at the latest
			}
		}
	}
}
