package pubsub

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/memsqs/memsqs"
)

// A Consumer receives the messages of a queue and has a handler deal with them.
// Only Queue and Handler are required.
//
// Each message that it receives comes to one of three ends. It is deleted, when
// the handler has returned nil. It is released, which is to become visible
// again, when the handler has failed or the Consumer stops. Or its lease is
// lost: another receiver may have it by now, and whatever the handler returns
// has no effect. So a message may be handled more than once, and is never lost.
//
// The messages of a FIFO queue's message group are handled in order and one at a
// time, the next one when the one before has been deleted; groups are handled
// side by side. If a message is released or lost, those of its group that have
// been received after it are given back, for they must not be handled before it.
// The GroupID of a standard queue's message has no effect.
//
// A Consumer has one long poll under way, and only while there is room for what
// it may bring. It makes one call at a time to delete and one to change
// visibility timeouts, each for up to ten messages: a message that is to be
// deleted waits for the call before it and for nothing else. So a Consumer of
// Amazon SQS deals with up to ten messages per round trip. To go beyond, run
// several: a Consumer can be run any number of times, also side by side, and each
// run has its own limit.
//
// A call that is not answered in time has failed: a poll when a minute has passed
// beyond its WaitTime, any other after a third of the VisibilityTimeout, or a minute
// if that is less.
//
// A Consumer goes by the clock of package time. A queue on a [memsqs.ManualClock]
// does not suit it: what is due on the one is not on the other.
type Consumer struct {
	// Queue is where the messages come from.
	Queue Receiver

	// Handler deals with a message. It returns nil when the message has been
	// dealt with and can be deleted. An error has the message come back later;
	// see [Permanent] for those that would only come again. A panic is an error
	// too, a [*PanicError], and is logged with its stack.
	//
	// The context has the values of that of Run, but goes on when Run is to
	// stop. It is done when the lease of the message is lost or when the grace
	// period is over: [context.Cause] matches [ErrLeaseLost] or [ErrStopped].
	Handler func(ctx context.Context, m memsqs.Message) error

	// Concurrency is the most handlers that run at once, 1 or more. Zero means
	// 10. A message takes its place until it has been deleted or released. No
	// more messages are received than places are free, so that each can start at
	// once, but for those of a FIFO queue which arrive together with one of their
	// group, if MaxMessages allows it: up to nine then wait for their turn.
	Concurrency int

	// MaxMessages is the most messages that a receive asks for, 1 to 10. Zero means
	// 10, but 1 if Queue is FIFO, which it is if it has a FIFO method and that
	// returns true.
	//
	// A receive from a FIFO queue takes as many as it can from one group. What is
	// behind a message that fails, or has not been started when the Consumer stops,
	// is given back then, and has been received once without having been handled:
	// with a dead-letter queue that allows few receives, messages can end there that
	// no handler has seen. With 1 that cannot be. With more, a receive brings more,
	// which counts on Amazon SQS; let the dead-letter queue allow for it then.
	MaxMessages int

	// VisibilityTimeout is the time for which a received message is hidden from
	// other receivers, up to 12 hours. Zero means 30 seconds, or MaxVisibility if
	// that is less; the queue's own has no effect. When a third of it has passed
	// it is begun anew, for as long as the Consumer has the message. So it need
	// not be longer than a handler runs, but says how soon a message comes back
	// when the process has died.
	VisibilityTimeout time.Duration

	// MaxVisibility is the longest time for which a message is hidden after it
	// has been received, at least VisibilityTimeout. It is what ends handlers
	// that hang: the lease is lost then. Zero means 12 hours, which is all that
	// SQS grants; ten seconds of those are left for calls on their way.
	MaxVisibility time.Duration

	// WaitTime is the time of a long poll, up to 20 seconds. Zero means 20
	// seconds. An empty answer that comes before a second has passed, as from a
	// queue that does not wait, is not followed by the next poll until then.
	WaitTime time.Duration

	// Backoff says for how long a message is hidden after its handler has
	// failed, given the number of times that it has been received. Nil means
	// Exponential(time.Second, 5*time.Minute). What the message has left of its
	// MaxVisibility is the most.
	Backoff Backoff

	// DeadLetter is where a message goes whose handler returned a [Permanent]
	// error: it is sent there and then deleted. Nil means that such an error is
	// like others, so that it is up to the queue's own dead-letter queue.
	//
	// SQS moves a message only when it has been received too often. What is sent
	// here is a new message with body, attributes, trace header and group of the
	// old one; it begins with a receive count of zero, and has no
	// DeadLetterSource. In a FIFO queue the old
	// one's id is its deduplication id, and it is in [DefaultGroup] if the old one
	// had no group. If the process dies between the two calls it is both here and
	// there.
	DeadLetter Sender

	// Grace is the time that running handlers have to end after the context of
	// Run is done, before their own is. Zero means 20 seconds; less than zero,
	// none.
	Grace time.Duration

	// Hooks are told what happens.
	Hooks Hooks

	// Logger gets panics and lost messages of a queue that is gone at level
	// Error; handlers that fail, lost leases and failing calls to the queue at
	// level Warn; and the ends of messages at level Debug. Nil means
	// slog.Default().
	Logger *slog.Logger
}

// What the context of a handler ends with, as [context.Cause] returns it.
var (
	// ErrLeaseLost means that the message is the handler's no longer: it has
	// been deleted or received elsewhere, or will soon be.
	ErrLeaseLost = errors.New("pubsub: lease of the message is lost")

	// ErrStopped means that the Consumer stops and the grace period is over.
	// The message goes back as soon as the handler returns an error.
	ErrStopped = errors.New("pubsub: consumer stops")
)

// Run consumes messages until ctx is done. Then it receives no more, gives back
// what no handler has been called for, in reverse order, waits for the handlers
// that run, and returns nil when all their messages have been deleted, released
// or lost. It waits for as long as it takes: a handler should heed its context.
//
// If the queue is gone, which it is when it answers memsqs.ErrClosed, Run
// returns that error as soon as the handlers have returned; their leases are
// lost. Other errors of the queue are told to [Hooks].QueueError, and the call
// is made again with a growing backoff. A field that is out of range is refused
// with memsqs.ErrInvalidParameterValue.
//
// Run starts goroutines for handlers and calls; all have ended when it returns.
func (c Consumer) Run(ctx context.Context) error {
	c.fill()
	if err := cmp.Or(checkLoop(ctx, c.Queue), c.check()); err != nil {
		return err
	}
	return newDesk(ctx, &c).run()
}

const (
	maxVisibility = 12 * time.Hour   // of SQS, from the receive (A6.9)
	maxWaitTime   = 20 * time.Second // of SQS (A3.2)

	// lastMoments are those of the 12 hours that are not asked for: the receive
	// took place a little earlier than its answer arrived, and Amazon SQS counts
	// in whole seconds.
	lastMoments = 10 * time.Second
)

// fill replaces zero by what it means.
func (c *Consumer) fill() {
	setDefault(&c.Concurrency, 10)
	if isFIFO(c.Queue) {
		setDefault(&c.MaxMessages, 1)
	}
	setDefault(&c.MaxMessages, maxBatchEntries)
	setDefault(&c.MaxVisibility, maxVisibility)
	setDefault(&c.VisibilityTimeout, min(30*time.Second, c.MaxVisibility))
	setDefault(&c.WaitTime, maxWaitTime)
	setDefault(&c.Grace, 20*time.Second)
	if c.Backoff == nil {
		c.Backoff = Exponential(time.Second, 5*time.Minute)
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// checkLoop refuses what neither a Consumer nor a loop can work with.
func checkLoop(ctx context.Context, queue Receiver) error {
	switch {
	case ctx == nil:
		return refuse(memsqs.ErrInvalidParameterValue, "the context is nil; it must not be")
	case queue == nil:
		return refuse(memsqs.ErrMissingParameter, "there is no queue to receive from: it is nil")
	}
	return nil
}

// check refuses a Consumer that cannot work.
func (c *Consumer) check() error {
	switch {
	case c.Handler == nil:
		return refuse(memsqs.ErrMissingParameter, "the Consumer has no Handler")
	case c.Concurrency < 0:
		return refuse(memsqs.ErrInvalidParameterValue, "Concurrency is %d; it must be 1 or more, or 0 for 10", c.Concurrency)
	case c.MaxMessages < 0 || c.MaxMessages > maxBatchEntries:
		return refuse(memsqs.ErrInvalidParameterValue, "MaxMessages is %d; it must be 1 to %d, or 0 for as many, or for 1 from a FIFO queue", c.MaxMessages, maxBatchEntries)
	case c.MaxVisibility < max(1, c.VisibilityTimeout) || c.MaxVisibility > maxVisibility:
		return refuse(memsqs.ErrInvalidParameterValue, "MaxVisibility is %v; it must be from the VisibilityTimeout, %v, to %v, or 0 for that", c.MaxVisibility, c.VisibilityTimeout, maxVisibility)
	case c.VisibilityTimeout < 0 || c.VisibilityTimeout > maxVisibility:
		return refuse(memsqs.ErrInvalidParameterValue, "VisibilityTimeout is %v; it must be up to %v, or 0 for 30s", c.VisibilityTimeout, maxVisibility)
	case c.WaitTime < 0 || c.WaitTime > maxWaitTime:
		return refuse(memsqs.ErrInvalidParameterValue, "WaitTime is %v; it must be up to %v, or 0 for that", c.WaitTime, maxWaitTime)
	}
	return nil
}
