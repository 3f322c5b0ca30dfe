package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// A service is what the command serves.
type service struct {
	*config
	queues []*queue
	server *sqshttp.Server
	log    *slog.Logger
}

// newService returns the service that c describes, with its queues created. An
// error is one of c or of its files.
func newService(ctx context.Context, c *config, stderr io.Writer) (*service, error) {
	s := &service{
		config: c,
		log:    slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: c.logLevel})),
	}
	opts := sqshttp.Options{
		Region:  c.region,
		Account: c.account,
		Logger:  s.log,
		Relaxed: c.relaxed,
		Control: c.control || c.manualClock,
	}
	if c.manualClock {
		opts.Clock = memsqs.NewManualClock(time.Now())
	}
	var err error
	if c.verifyFile != "" {
		if opts.Verify, err = readKeys(c.verifyFile); err != nil {
			return nil, err
		}
	}
	if s.queues, err = readQueues(c); err != nil {
		return nil, err
	}
	s.server = sqshttp.NewServer(opts)
	return s, createQueues(ctx, s.server.API().Caller("", "", ""), s.queues)
}

// listen listens at the address of the command line.
func (s *service) listen() (net.Listener, error) {
	l, err := net.Listen("tcp", s.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("the address %s is in use, perhaps by another memsqs; -addr 127.0.0.1:0 takes a free port", s.addr)
	}
	return l, err
}

// serve serves until ctx is done, and then until the requests under way have been
// answered.
func (s *service) serve(ctx context.Context, l net.Listener) error {
	h := s.httpServer()
	drained := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { drained <- drain(h) })
	defer stop()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-drained
}

const (
	readTime = 30 * time.Second // that a client may take for a request, or an answer
	pollTime = 20 * time.Second // that a long poll takes at most
)

// httpServer returns the server for serve. Slow clients do not hold it up.
func (s *service) httpServer() *http.Server {
	h := &http.Server{
		Handler:           s.server,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	// Both of these go on while a request waits for messages, and end it when they
	// pass. On a clock that is advanced by hand it may wait for ever.
	if !s.manualClock {
		h.ReadTimeout = readTime + pollTime
		h.WriteTimeout = readTime + pollTime
	}
	h.RegisterOnShutdown(s.server.Drain)
	return h
}

// patience is how long the last requests may take.
const patience = 10 * time.Second

// drain closes the listener and waits for the requests under way.
func drain(h *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		h.Close()
		return fmt.Errorf("a client did not finish its request within %v, and was cut off", patience)
	}
	return nil
}
