// Worker publishes messages and consumes them on a queue in the process. The same
// program on Amazon SQS is in awssqs/examples/worker: the line that opens the
// queue is another.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/examples/worker/work"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	queue, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{Name: "orders.fifo"})
	if err != nil {
		log.Fatal(err)
	}
	if err := work.Run(ctx, queue); err != nil {
		log.Fatal(err)
	}
}
