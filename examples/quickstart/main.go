// Quickstart hashes the files of a folder tree by way of queues. It shows how a
// program uses memsqs, and what becomes of accidents:
//
//   - The path of every regular file is put on a standard queue, files. Workers
//     receive it, hash the file and delete the message. For as long as that
//     takes they keep the message from being given to another worker.
//   - The worker that receives the first file dies with it. The message comes
//     back when its visibility timeout has passed, and another worker takes it.
//   - Every attempt to hash the second file fails. After three of them the
//     message goes to a dead-letter queue, failed.
//   - What became of each file goes to a FIFO queue, results, in one message
//     group a folder. A collector adds it up, and knows by counting when all is
//     done.
//
// At an interrupt the workers finish the files they have, and what has been
// done is shown.
//
// Usage:
//
//	go run ./examples/quickstart [DIR]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memsqs/memsqs"
)

func main() {
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), "usage: quickstart [DIR]") }
	flag.Parse()
	dir := "."
	switch flag.NArg() {
	case 0:
	case 1:
		dir = flag.Arg(0)
	default:
		flag.Usage()
		os.Exit(2)
	}
	os.Exit(hashTree(dir))
}

// hashTree hashes the files below dir, prints a report, and returns the exit
// status.
func hashTree(dir string) (status int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once

	p, err := newPipeline(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		return 1
	}
	defer p.root.Close()

	err = p.run(ctx)
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		return 1
	}
	p.report(os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart: interrupted; this is what was done until then")
		return 130
	}
	return 0
}

const (
	visibility = 300 * time.Millisecond // workers ask for more when they need it
	attempts   = 3
)

// A pipeline takes the files of a tree from queue to queue.
type pipeline struct {
	root    *os.Root
	files   *memsqs.Queue     // names of files to be hashed
	failed  *memsqs.Queue     // dead letters of files
	results *memsqs.FIFOQueue // what became of each file
	screen  *screen
	started time.Time

	redelivered atomic.Int64
	tally       tally // the collector's
}

func newPipeline(dir string) (*pipeline, error) {
	const wait = 20 * time.Second
	failed, err := memsqs.NewQueue(memsqs.Config{Name: "failed", WaitTime: wait})
	if err != nil {
		return nil, err
	}
	files, err := memsqs.NewQueue(memsqs.Config{
		Name:              "files",
		WaitTime:          wait,
		VisibilityTimeout: new(visibility),
		DeadLetter:        &memsqs.DeadLetter{Queue: failed, MaxReceiveCount: attempts},
	})
	if err != nil {
		return nil, err
	}
	results, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{Name: "results", WaitTime: wait})
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &pipeline{
		root:    root,
		files:   files,
		failed:  failed,
		results: results,
		screen:  newScreen(os.Stderr),
		started: time.Now(),
	}, nil
}

// run returns when it is known of every file what became of it, or ctx is
// done. Nobody is at work then, and all that was done has been counted.
func (p *pipeline) run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	var crew sync.WaitGroup
	start := func(work func(context.Context) error) {
		crew.Go(func() {
			if err := work(ctx); err != nil {
				stop(err) // of which the first call counts
			}
		})
	}
	start(p.putFiles)
	for range max(4, runtime.NumCPU()) {
		start(p.work)
	}
	start(p.takeFailed)
	start(p.showProgress)

	err := p.collect(ctx)
	if err != nil {
		p.screen.note("stopping, as soon as the files in hand are done")
	}
	stop(err)
	crew.Wait()
	p.screen.clear()
	if err == nil {
		return nil
	}
	if err := p.collectRest(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
