package memsqs

import (
	"cmp"
	"context"
	"time"
)

// A Queue is a standard queue. Its methods can be called by any number of
// goroutines.
//
// Messages are received in the order in which they became visible, and those
// that became visible at one instant in the order in which they were last sent,
// received or changed.
//
// Make one with [NewQueue]; the zero Queue is one that has been closed.
type Queue struct {
	core
}

// A Config is the configuration of a [Queue]. Its zero value is a queue with
// the defaults of Amazon SQS.
type Config struct {
	// Name is shown in errors, in Stats and in dead letters.
	Name string

	// VisibilityTimeout is the time for which a message that has been
	// received is hidden from other receives, 0 to 12 hours. Nil means 30
	// seconds. A change has effect on later receives.
	VisibilityTimeout *time.Duration

	// Delay is the time for which a message that has been sent is delayed, 0
	// to 15 minutes. A change has effect on later sends.
	Delay time.Duration

	// WaitTime is the time for which a receive waits if there is no message,
	// 0 to 20 seconds. A change has effect on later receives.
	WaitTime time.Duration

	// Retention is the time after which a message is dropped, whatever its
	// state, 60 seconds to 14 days from when it was sent. Zero means 4 days.
	// A change has effect on the messages that are there.
	Retention time.Duration

	// MaxMessageSize is the most bytes that a message can have, its
	// attributes included, 1 KiB to 1 MiB. Zero means 1 MiB. A change has
	// effect on later sends.
	MaxMessageSize int

	// MaxInFlight is the most messages that can be in flight. Zero means
	// 120,000.
	MaxInFlight int

	// DeadLetter says where messages go that have been received too often.
	// Nil means that they stay.
	DeadLetter *DeadLetter

	// Clock tells the queue the time. Nil means package time. It cannot be
	// changed.
	Clock Clock
}

// NewQueue returns a new, empty queue. A configuration that is out of range is
// refused with ErrInvalidAttributeValue.
func NewQueue(cfg Config) (*Queue, error) {
	q := new(Queue)
	if err := q.init(cfg.Name, cfg.Clock, cfg.settings()); err != nil {
		return nil, err
	}
	return q, nil
}

func (cfg *Config) settings() settings {
	s := settings{
		visibilityTimeout:   defaultVisibilityTimeout,
		delay:               cfg.Delay,
		waitTime:            cfg.WaitTime,
		retention:           cmp.Or(cfg.Retention, defaultRetention),
		maxMessageSize:      cmp.Or(cfg.MaxMessageSize, maxMessageSize),
		maxInFlight:         cmp.Or(cfg.MaxInFlight, defaultMaxInFlight),
		deduplicationWindow: defaultDeduplicationWindow,
	}
	if cfg.VisibilityTimeout != nil {
		s.visibilityTimeout = *cfg.VisibilityTimeout
	}
	if d := cfg.DeadLetter; d != nil {
		s.deadLetters = deadLetters{given: true, queue: d.Queue, maxReceiveCount: d.MaxReceiveCount}
	}
	return s
}

func (q *Queue) config(s settings) Config {
	cfg := Config{
		Name:              q.name,
		VisibilityTimeout: new(s.visibilityTimeout),
		Delay:             s.delay,
		WaitTime:          s.waitTime,
		Retention:         s.retention,
		MaxMessageSize:    s.maxMessageSize,
		MaxInFlight:       s.maxInFlight,
		Clock:             q.clock,
	}
	if d := s.deadLetters; d.given {
		cfg.DeadLetter = &DeadLetter{d.queue, d.maxReceiveCount}
	}
	return cfg
}

// Config returns the queue's configuration with the defaults filled in; a
// Clock that was nil stays so. It works in a closed queue too.
func (q *Queue) Config() Config { return q.config(*q.current()) }

// Configure changes the queue's configuration: change is called with the
// present one, and what it makes of it is checked and put in force as a whole.
// It is called again if the configuration is changed by someone else at the
// same time. It can call the queue's other methods.
//
// What is out of range, and a change of Name or Clock, is refused with
// ErrInvalidAttributeValue, and then nothing is changed.
func (q *Queue) Configure(change func(*Config)) error {
	return q.configure(func(old settings) (settings, error) {
		cfg := q.config(old)
		change(&cfg)
		return cfg.settings(), q.checkIdentity(cfg.Name, cfg.Clock)
	})
}

// Send puts a message on the queue. When Send returns the message can be
// received, unless it is delayed.
//
// What breaks a rule of [SendInput] is refused: with ErrMissingParameter if
// Body is empty, with ErrInvalidMessageContents if it has characters that are
// not allowed, with ErrNotFIFO if there is a DeduplicationID, and otherwise
// with ErrInvalidParameterValue.
func (q *Queue) Send(ctx context.Context, in SendInput) (SendResult, error) {
	return q.send(ctx, in, q.draft, q.put)
}

// SendBatch is [Queue.Send] for up to 10 messages at once, which together have
// at most 1 MiB. Its results have the order of the messages. If some are
// refused it returns a [*BatchError], and their results are zero.
//
// The whole batch is refused, without results, with ErrBatchEmpty,
// ErrBatchTooMany or ErrBatchTooLong.
func (q *Queue) SendBatch(ctx context.Context, in []SendInput) ([]SendResult, error) {
	if err := q.checkSendBatch(ctx, in); err != nil {
		return nil, err
	}
	return q.sendBatch(ctx, in, q.draft, q.put)
}

// Receive receives messages that are visible: at least one if there is one,
// and at most in.MaxMessages. If there is none it waits for one, for the wait
// time; when that has passed it returns no messages and no error. Receives
// that wait are served in the order in which they came.
//
// The messages are in flight when Receive returns: no other receive returns
// them until the visibility timeout has passed, counted from when they were
// taken. Each has a new receipt handle, with which to delete it or to change
// the timeout.
//
// A message that has been received as often as the queue's [DeadLetter]
// allows is moved instead of being returned, and the answer is filled from
// those behind it.
//
// If ctx is done before messages are taken, Receive returns its error and has
// taken none. When ctx has been cancelled, what becomes visible afterwards is
// left to others, also while Receive has not returned yet. If the queue is
// closed, a receive that waits returns ErrClosed.
//
// When as many messages are in flight as the queue allows, a receive that does
// not wait is refused with ErrOverLimit, and one that waits finds none.
func (q *Queue) Receive(ctx context.Context, in ReceiveInput) ([]Message, error) {
	if in.AttemptID != "" {
		if err := q.usable(ctx); err != nil {
			return nil, err
		}
		return nil, q.refuse(ErrNotFIFO, "AttemptID is %s; only a FIFO queue takes one", clip(in.AttemptID))
	}
	return q.receive(ctx, in, ErrOverLimit)
}

// Redrive moves messages to another queue, oldest first, and returns how many
// it has moved: to the given queue or, if that is nil, each to the queue that
// it was moved from as a dead letter. It moves at most maxPerSecond, at equal
// intervals, or without a limit if that is zero.
//
// What is visible or delayed is moved. What is in flight stays, though those
// behind it in its group are moved. So does what arrives while Redrive works
// and, if to is nil, what does not come from another queue that is still open.
// A message that is moved starts a new life,
// with a new message id, as if it had been sent: receive count, retention and
// the queue's delay begin anew.
//
// Redrive returns early with the error of ctx if that is done, with ErrClosed
// if either queue is closed, and with ErrInvalidParameterValue if to is the
// queue itself or maxPerSecond negative. What has not been moved then is as it
// was.
func (q *Queue) Redrive(ctx context.Context, to *Queue, maxPerSecond int) (moved int, err error) {
	return q.redrive(ctx, to.base(), maxPerSecond)
}

// StartRedrive is [Queue.Redrive] for who does not wait for the end: it returns
// when the first message has been moved or, without a limit of the rate, all have.
// The context is that of the whole. The error is that of a redrive which cannot
// begin.
func (q *Queue) StartRedrive(ctx context.Context, to *Queue, maxPerSecond int) (*Redrive, error) {
	return q.startRedrive(ctx, to.base(), maxPerSecond)
}

// base returns the core of q, or nil if q is nil.
func (q *Queue) base() *core {
	if q == nil {
		return nil
	}
	return &q.core
}

// draft makes a message of in, or refuses it.
func (q *Queue) draft(in SendInput) (draft, error) {
	s := q.current()
	d := draft{delay: s.delay}
	if in.DeduplicationID != "" {
		return d, q.refuse(ErrNotFIFO, "DeduplicationID is %s; only a FIFO queue takes one", clip(in.DeduplicationID))
	}
	if in.GroupID != "" {
		if err := q.checkID("GroupID", in.GroupID); err != nil {
			return d, err
		}
	}
	if in.Delay != nil {
		d.delay = *in.Delay
	}
	if err := q.checkDuration(ErrInvalidParameterValue, "Delay", d.delay, maxDelay); err != nil {
		return d, err
	}
	if err := q.checkMessage(&in, s.maxMessageSize); err != nil {
		return d, err
	}
	d.message = newMessage(&in, in.GroupID)
	return d, nil
}

// put puts the message of a draft on the queue. q.mu must be held.
func (q *Queue) put(d draft) identity {
	m := d.message
	m.sent = moment{q.now, q.number()}
	q.store(m, d.delay)
	q.totals.Sent++
	return m.identity()
}
