package sqshttp

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
)

// Options are the options of a [Server]. The zero value is a server with the
// defaults, which checks no signatures and logs nothing.
type Options struct {
	// Region and Account are those of requests that name none, and of queues
	// that are added: "us-east-1" and "000000000000" if empty. An account must
	// have 12 digits, and a region the characters of those of AWS: they are in
	// ARNs and URLs as they are given.
	Region  string
	Account string

	// Clock is the clock of the server, and of the queues that are created by
	// a request. Nil means package time.
	Clock memsqs.Clock

	// Logger gets a panic at level Error, a refused request at Info, and any
	// other at Debug. Nil means that nothing is logged.
	Logger *slog.Logger

	// Relaxed lifts the limits of 60 seconds: between two purges of a queue,
	// and before the name of a deleted queue can be used again.
	Relaxed bool

	// Verify holds the secret access keys that requests can be signed with, by
	// access key id. If it is not nil, a request that is not signed with one
	// of them is refused; an empty one is none. The map must not be changed. Nil
	// means that signatures are not checked, and not needed.
	//
	// The date of a signature must be within 15 minutes of the server's clock.
	// Clients sign by package time. Where the clock is another one, answers have
	// a Date on it, by which most AWS SDKs correct themselves when they try again.
	// Those in Python do not.
	Verify map[string]string

	// Control makes the server serve /_memsqs/, to everyone.
	Control bool
}

// A Server is Amazon SQS as an [http.Handler], and as an HTTP client. [NewServer]
// makes one. It is safe for use by many goroutines, and starts none. Servers share
// nothing.
type Server struct {
	opts  Options
	log   *slog.Logger
	api   *api.Service
	drain drain
}

// A Queue is a [*memsqs.Queue] or a [*memsqs.FIFOQueue].
type Queue interface {
	Stats() memsqs.Stats
	Peek(max int) []memsqs.MessageState
	Purge(context.Context) error
	Close() error
}

// NewServer returns a server without queues.
func NewServer(opts Options) *Server {
	opts.Region = cmp.Or(opts.Region, "us-east-1")
	opts.Account = cmp.Or(opts.Account, "000000000000")
	return &Server{
		opts: opts,
		log:  cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
		api: api.NewService(api.Options{
			Region:  opts.Region,
			Account: opts.Account,
			Clock:   opts.Clock,
			Relaxed: opts.Relaxed,
		}),
		drain: newDrain(),
	}
}

// Add registers a queue under the Name of its configuration, in the server's own
// region and account, until the queue is closed. It can be added to several servers.
// On a clock other than the server's, its messages keep their own time.
//
// An error matches [memsqs.ErrInvalidParameterValue]: the queue is nil, closed or of
// another type, or its name is taken or none that SQS allows for its type.
func (s *Server) Add(q Queue) error {
	if err := s.api.Add(q); err != nil {
		return fmt.Errorf("sqshttp: %w", err)
	}
	return nil
}

// Queue returns the standard queue of that name in the server's own region and
// account, or nil.
func (s *Server) Queue(name string) *memsqs.Queue { return s.api.Queue(name) }

// FIFOQueue returns the FIFO queue of that name in the server's own region and
// account, or nil.
func (s *Server) FIFOQueue(name string) *memsqs.FIFOQueue { return s.api.FIFOQueue(name) }

// Reset forgets all queues. It closes those that were created by a request; those
// that were added are their owner's.
func (s *Server) Reset() { s.api.Reset() }

// API returns what the server serves. It is there for package awssqs: its type is
// internal to this module.
func (s *Server) API() *api.Service { return s.api }
