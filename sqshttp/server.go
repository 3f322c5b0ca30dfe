package sqshttp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
)

// Options are the options of a [Server]. The zero value is a server with the
// defaults, which checks no signatures and logs nothing.
type Options struct {
	Region  string            // of requests that name none; "us-east-1" if empty
	Account string            // of requests that name none, 12 digits; "000000000000" if empty
	Clock   memsqs.Clock      // of the server and of queues that are created over the wire; nil for package time
	Logger  *slog.Logger      // nil for none
	Relaxed bool              // do without the 60 seconds between two purges, and before a deleted queue's name is free
	Verify  map[string]string // secret access keys by access key id; nil if signatures are not to be checked
	Control bool              // serve /_memsqs/
}

// A Server is Amazon SQS as an [http.Handler]. It is safe for use by many goroutines.
type Server struct {
	opts Options
	log  *slog.Logger
	api  *api.Service
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
	}
}

// Add registers a queue under the Name of its configuration, in the server's own
// region and account.
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

// Reset closes all queues, those that were added too, and forgets all.
func (s *Server) Reset() { s.api.Reset() }

// API returns what the server serves. It is there for package awssqs: its type is
// internal to this module.
func (s *Server) API() *api.Service { return s.api }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, err := s.answer(r)
	if err != nil {
		return
	}
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	w.Write(a.body)
}

// A request is a request under way.
type request struct {
	*http.Request
	id     string // of the request, as answers name it
	body   []byte // all of it; it must not be kept
	caller *api.Caller
}

// A reply is the answer to a request.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// A protocol is one of the two that clients speak. Its methods are called by
// one request after another and by many at once: it has no state.
type protocol interface {
	// decode returns the operation that a request calls, and its input. A
	// request that it cannot make out is refused with an *api.Error.
	decode(*request) (*api.Operation, any, error)
	// encode returns the answer to a call that was done.
	encode(*request, *api.Operation, any) *reply
	// refuse returns the answer to a call that was refused.
	refuse(*request, *api.Error) *reply
}

// answer answers a request. An error is that of the request's context.
func (s *Server) answer(r *http.Request) (*reply, error) {
	req := &request{Request: r}
	var p protocol = queryProtocol{}
	if r.Header.Get("X-Amz-Target") != "" {
		p = jsonProtocol{}
	}
	op, in, err := p.decode(req)
	if err != nil {
		return s.refuse(p, req, err)
	}
	out, err := op.Call(r.Context(), req.caller, in)
	if err != nil {
		return s.refuse(p, req, err)
	}
	return p.encode(req, op, out), nil
}

// refuse returns the answer to a request that ended in err.
func (s *Server) refuse(p protocol, r *request, err error) (*reply, error) {
	var refused *api.Error
	if errors.As(err, &refused) {
		return p.refuse(r, refused), nil
	}
	return nil, err
}

// now returns the time on the server's clock.
func (s *Server) now() time.Time {
	if s.opts.Clock == nil {
		return time.Now()
	}
	return s.opts.Clock.Now()
}
