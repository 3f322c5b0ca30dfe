// Memsqs is a local endpoint of Amazon SQS. It serves queues in memory to any SDK,
// in any language, until it is told to stop.
//
// Usage:
//
//	memsqs [-addr HOST:PORT] [-queue NAME]... [-config FILE] [-manual-clock] [-relaxed] ...
//
// memsqs -h prints its manual.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

//go:embed manual.txt
var manual string

// run is the program: it serves until ctx is done, and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		io.WriteString(stdout, manual)
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "memsqs: %v\nmemsqs -h prints the manual\n", err)
		return 2
	}
	s, err := newService(ctx, c, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "memsqs: %v\n", err)
		return 2
	}
	if err := s.run(ctx, stdout); err != nil {
		fmt.Fprintf(stderr, "memsqs: %v\n", err)
		return 1
	}
	return 0
}

// run listens, says where, and serves.
func (s *service) run(ctx context.Context, stdout io.Writer) error {
	l, err := s.listen()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(stdout, s.announcement(l.Addr())); err != nil {
		l.Close()
		return err
	}
	return s.serve(ctx, l)
}
