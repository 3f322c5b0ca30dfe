// Worker publishes messages and consumes them on a queue of Amazon SQS. The same
// program on a queue in the process is in examples/worker of the root module: the
// line that opens the queue is another.
//
// It uses the endpoint of the environment variable SQS_ENDPOINT, which is
// http://127.0.0.1:9324 if not set, where cmd/memsqs listens:
//
//	go run ./cmd/memsqs &
//	go -C awssqs run ./examples/worker
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/memsqs/memsqs/examples/worker/work"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	queue, err := open(ctx, "orders.fifo")
	if err != nil {
		log.Fatal(err)
	}
	if err := work.Run(ctx, queue); err != nil {
		log.Fatal(err)
	}
}
