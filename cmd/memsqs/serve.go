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
	queues queues
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
	if opts.Verify, err = readKeys(c.verifyFile); err != nil {
		return nil, err
	}
	s.server = sqshttp.NewServer(opts)
	if s.queues, err = readQueues(c); err != nil {
		return nil, err
	}
	return s, s.queues.create(ctx, s.server.API().Caller("", "", ""))
}

// readKeys returns the secret access keys in a file by access key id, or nil if
// there is no file.
func readKeys(path string) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	var keys map[string]string
	if err := readJSON(path, &keys); err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf(`%s has no access keys; it must be an object as {"KEY ID": "SECRET"}`, path)
	}
	return keys, nil
}

// serve serves until ctx is done, and then until the requests under way are
// answered.
func (s *service) serve(ctx context.Context, stdout io.Writer) error {
	listener, err := net.Listen("tcp", s.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("address %s is in use, perhaps by another memsqs; -addr 127.0.0.1:0 takes a free port", s.addr)
	}
	if err != nil {
		return err
	}
	if err := s.announce(stdout, listener.Addr()); err != nil {
		listener.Close()
		return err
	}
	h := s.httpServer()
	drained := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { drained <- drain(h) })
	defer stop()
	if err := h.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-drained
}

// longestPoll is more than a long poll takes.
const longestPoll = 20*time.Second + 10*time.Second

// httpServer returns the server of the requests. Slow clients do not hold it up.
func (s *service) httpServer() *http.Server {
	h := &http.Server{
		Handler:           s.server,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	// These two also run while a request is being answered, and end it when they
	// pass. A poll on a clock that is advanced by hand takes as long as that hand.
	if !s.manualClock {
		h.ReadTimeout = 30*time.Second + longestPoll
		h.WriteTimeout = h.ReadTimeout
	}
	h.RegisterOnShutdown(s.server.Drain)
	return h
}

// patience is how long the last requests may take.
const patience = 10 * time.Second

// drain takes no more connections and waits for the requests under way.
func drain(h *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		h.Close()
		return fmt.Errorf("a client did not end its request within %v and was cut off", patience)
	}
	return nil
}
