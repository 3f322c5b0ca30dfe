// Package api provides the operations of Amazon SQS on queues of package memsqs:
// all that is the same whether a call comes in either protocol or from Go. The
// numbers in its comments are those of the facts in sqs-behaviour.md.
package api

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/memsqs/memsqs"
)

// Options are the options of a Service.
type Options struct {
	Region  string       // of callers that name none
	Account string       // of callers that name none: 12 digits
	Clock   memsqs.Clock // nil for package time
	Relaxed bool         // a queue can be purged, and its name used again, at any time
}

// A Service is a registry of named queues.
type Service struct {
	Options

	setup sync.Mutex // held while queues are made, deleted or set; taken before mu

	mu         sync.Mutex // guards the fields below; taken before that of a queue
	namespaces map[place]*namespace
	deleted    recent
}

// A place is where a queue lives. Queues of different places are apart.
type place struct{ region, account string }

// A namespace holds the queues of a place. It is there as long as it holds one.
type namespace struct {
	queues  map[string]*queue // by name
	orphans map[string]bool   // names of deleted queues that a RedrivePolicy still names, or has named
}

// A queue is a registered queue: the engine's queue, and what the API knows of it
// that the engine does not.
//
// What the engine's configuration says is kept there alone, so that what Go code
// configures is seen in the API.
type queue struct {
	engine
	standard *memsqs.Queue     // or
	fifo     *memsqs.FIFOQueue // one of the two is nil

	arn       arn
	created   bool // by CreateQueue
	createdAt time.Time

	named bool // by a RedrivePolicy, perhaps in vain; the setup mutex of the service guards it

	mu     sync.Mutex // guards the fields below
	extras extras
	tags   map[string]string
	purged time.Time   // the latest purge by the API, or zero
	moves  []*moveTask // the latest, oldest first
}

// An engine is what both types of the engine's queues can do.
type engine interface {
	Send(context.Context, memsqs.SendInput) (memsqs.SendResult, error)
	SendBatch(context.Context, []memsqs.SendInput) ([]memsqs.SendResult, error)
	Receive(context.Context, memsqs.ReceiveInput) ([]memsqs.Message, error)
	Delete(ctx context.Context, receiptHandle string) error
	DeleteBatch(ctx context.Context, receiptHandles []string) error
	ChangeVisibility(ctx context.Context, receiptHandle string, timeout time.Duration) error
	ChangeVisibilityBatch(context.Context, []memsqs.VisibilityChange) error
	Purge(context.Context) error
	Stats() memsqs.Stats
	Peek(max int) []memsqs.MessageState
	Close() error
	Closed() bool
}

// A Caller is who calls: its methods are the operations. Each returns an *Error
// if it refuses the call, the error of the context if that was done, and no
// others.
type Caller struct {
	Service  *Service
	place           // of the queues it finds by name
	Endpoint string // what the URLs of queues begin with: a scheme and a host

	QueueURL    *string // for inputs without one: the path they came on, or nil (C1.7, C2.5)
	TraceHeader string  // for messages that are sent without one (A10.3)
	Query       bool    // words its errors as the Query protocol does (C2.8)
}

// NewService returns a service without queues.
func NewService(opts Options) *Service {
	return &Service{Options: opts, namespaces: make(map[place]*namespace)}
}

// Caller returns a caller with the given region and account, or those of the
// service where they are empty.
func (s *Service) Caller(region, account, endpoint string) *Caller {
	return &Caller{
		Service:  s,
		place:    place{cmp.Or(region, s.Region), cmp.Or(account, s.Account)},
		Endpoint: endpoint,
	}
}

// IsAccount reports whether s can be an account id. An access key that can be is
// one: it names the account that calls.
func IsAccount(s string) bool {
	return len(s) == 12 && strings.Trim(s, "0123456789") == ""
}

// Now returns the time on the service's clock.
func (s *Service) Now() time.Time {
	if s.Clock == nil {
		return time.Now()
	}
	return s.Clock.Now()
}

// lookUp returns the queue with the given ARN, or nil. One that its owner has closed is
// as good as none.
func (s *Service) lookUp(a arn) *queue {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ns := s.namespaces[a.place]; ns != nil {
		if q := ns.queues[a.name]; q != nil && !q.Closed() {
			return q
		}
	}
	return nil
}

// find returns the queue that a caller names by its URL, whatever its host, or by
// its name alone (C3.2, C3.3).
func (c *Caller) find(queueURL *string) (*queue, error) {
	if queueURL = cmp.Or(queueURL, c.QueueURL); queueURL != nil {
		if q := c.Service.lookUp(c.parseQueueURL(*queueURL)); q != nil {
			return q, nil
		}
	}
	return nil, c.noSuchQueue()
}

// noSuchQueue is the refusal of a call on a queue that is not there (C2.8).
func (c *Caller) noSuchQueue() *Error {
	if c.Query {
		return QueueDoesNotExist.errorf("The specified queue does not exist for this wsdl version.")
	}
	return QueueDoesNotExist.errorf("The specified queue does not exist.")
}

// An Inspector looks into a queue, and changes nothing.
type Inspector interface {
	Stats() memsqs.Stats
	Peek(max int) []memsqs.MessageState
}

// Inspect returns the queue that a caller names by its URL or by its name alone, or
// nil.
func (c *Caller) Inspect(queueURL string) Inspector {
	q, err := c.find(&queueURL)
	if err != nil {
		return nil
	}
	return q
}

// parseQueueURL returns the ARN of the queue that a URL or a name is of.
func (c *Caller) parseQueueURL(queueURL string) arn {
	path := queueURL
	if _, rest, ok := strings.Cut(queueURL, "://"); ok {
		_, path, _ = strings.Cut(rest, "/")
	}
	account, name, ok := strings.Cut(strings.Trim(path, "/"), "/")
	if !ok {
		account, name = c.account, account
	}
	return arn{place{c.region, account}, name}
}

// queueURL returns the URL of a queue, as the caller sees it.
func (c *Caller) queueURL(q *queue) string {
	return c.Endpoint + "/" + q.arn.account + "/" + q.arn.name
}

// An arn is the Amazon Resource Name of a queue.
type arn struct {
	place
	name string
}

func (a arn) String() string {
	return "arn:aws:sqs:" + a.region + ":" + a.account + ":" + a.name
}

// parseARN returns the ARN that s is, or false if it is not the ARN of a queue.
func parseARN(s string) (a arn, ok bool) {
	part := strings.Split(s, ":")
	if len(part) != 6 || part[0] != "arn" || part[2] != "sqs" {
		return a, false
	}
	return arn{place{part[3], part[4]}, part[5]}, true
}
