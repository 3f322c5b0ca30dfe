package memsqs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"time"
)

// A FIFOQueue is a FIFO queue. Its methods can be called by any number of
// goroutines.
//
// Every message belongs to a message group, and those of a group are received
// in the order in which they were sent, also when they are received again.
// While a message of a group is delayed or in flight, those behind it are not
// received; other groups are not affected. Groups are served in the order in
// which their first messages became visible.
//
// A message whose deduplication id was sent before, within the deduplication
// window, is a duplicate: it is accepted and not put on the queue. That the
// first one has been received, deleted or moved since makes no difference.
//
// Make one with [NewFIFOQueue]; the zero FIFOQueue is one that has been closed.
type FIFOQueue struct {
	core
}

// A FIFOConfig is the configuration of a [FIFOQueue]. Its zero value is a queue
// with the defaults of Amazon SQS.
type FIFOConfig struct {
	// Name, VisibilityTimeout, WaitTime, Retention, MaxMessageSize and Clock
	// are as in Config.
	Name              string
	VisibilityTimeout *time.Duration
	WaitTime          time.Duration
	Retention         time.Duration
	MaxMessageSize    int
	Clock             Clock

	// Delay is the time for which a message that has been sent is delayed, 0
	// to 15 minutes. A change has effect also on the messages that are there
	// and have not been received, and takes time in proportion to their
	// number.
	Delay time.Duration

	// MaxInFlight is the most messages that can be in flight. Zero means
	// 20,000.
	MaxInFlight int

	// DeadLetter says where messages go that have been received too often.
	// Nil means that they stay.
	DeadLetter *FIFODeadLetter

	// ContentBasedDeduplication makes the SHA-256 of its body, in
	// hexadecimal, the deduplication id of a message that is sent without
	// one.
	ContentBasedDeduplication bool

	// DeduplicationScope says whether an id is a duplicate in all of the
	// queue or in its message group alone. After a change, ids that were
	// remembered in the other scope have no effect.
	DeduplicationScope DeduplicationScope

	// DeduplicationWindow is the time for which deduplication ids are
	// remembered, from when the first message was sent. Zero means 5 minutes,
	// which is what SQS has.
	DeduplicationWindow time.Duration
}

// A DeduplicationScope is where a deduplication id is looked for.
type DeduplicationScope int

const (
	DeduplicateQueue DeduplicationScope = iota // in all of the queue
	DeduplicateGroup                           // in the message group
)

// NewFIFOQueue returns a new, empty queue. A configuration that is out of range
// is refused with ErrInvalidAttributeValue.
func NewFIFOQueue(cfg FIFOConfig) (*FIFOQueue, error) {
	q := new(FIFOQueue)
	if err := q.init(cfg.Name, cfg.Clock, cfg.settings()); err != nil {
		return nil, err
	}
	return q, nil
}

func (cfg *FIFOConfig) settings() settings {
	common := Config{
		VisibilityTimeout: cfg.VisibilityTimeout,
		Delay:             cfg.Delay,
		WaitTime:          cfg.WaitTime,
		Retention:         cfg.Retention,
		MaxMessageSize:    cfg.MaxMessageSize,
		MaxInFlight:       cmp.Or(cfg.MaxInFlight, defaultMaxInFlightFIFO),
	}
	s := common.settings()
	s.contentBasedDeduplication = cfg.ContentBasedDeduplication
	s.deduplicationScope = cfg.DeduplicationScope
	s.deduplicationWindow = cmp.Or(cfg.DeduplicationWindow, defaultDeduplicationWindow)
	if d := cfg.DeadLetter; d != nil {
		s.deadLetters = deadLetters{given: true, fifoQueue: d.Queue, maxReceiveCount: d.MaxReceiveCount}
	}
	return s
}

func (q *FIFOQueue) config(s settings) FIFOConfig {
	cfg := FIFOConfig{
		Name:                      q.name,
		VisibilityTimeout:         new(s.visibilityTimeout),
		Delay:                     s.delay,
		WaitTime:                  s.waitTime,
		Retention:                 s.retention,
		MaxMessageSize:            s.maxMessageSize,
		MaxInFlight:               s.maxInFlight,
		Clock:                     q.clock,
		ContentBasedDeduplication: s.contentBasedDeduplication,
		DeduplicationScope:        s.deduplicationScope,
		DeduplicationWindow:       s.deduplicationWindow,
	}
	if d := s.deadLetters; d.given {
		cfg.DeadLetter = &FIFODeadLetter{d.fifoQueue, d.maxReceiveCount}
	}
	return cfg
}

// Config returns the queue's configuration with the defaults filled in; a
// Clock that was nil stays so. It works in a closed queue too.
func (q *FIFOQueue) Config() FIFOConfig { return q.config(*q.current()) }

// Configure changes the queue's configuration, as [Queue.Configure] does.
func (q *FIFOQueue) Configure(change func(*FIFOConfig)) error {
	return q.configure(func(old settings) (settings, error) {
		cfg := q.config(old)
		change(&cfg)
		return cfg.settings(), q.checkIdentity(cfg.Name, cfg.Clock)
	})
}

// FIFO returns true. A [Queue] has no such method, so it tells the two kinds
// apart where an interface stands for the queue.
func (q *FIFOQueue) FIFO() bool { return true }

// Send puts a message at the end of its group. When Send returns it can be
// received, unless it is delayed, or others of its group are before it.
//
// A duplicate is accepted, and not put on the queue: its result is that of the
// first message with its deduplication id.
//
// What breaks a rule of [SendInput] is refused: with ErrMissingParameter if
// Body or GroupID is empty, with ErrInvalidMessageContents if Body has
// characters that are not allowed, and otherwise with ErrInvalidParameterValue;
// so is a message without a DeduplicationID, unless the queue has
// ContentBasedDeduplication, and one with a Delay that is not zero.
func (q *FIFOQueue) Send(ctx context.Context, in SendInput) (SendResult, error) {
	return q.send(ctx, in, q.draft, q.put)
}

// SendBatch is [FIFOQueue.Send] for up to 10 messages at once, which together
// have at most 1 MiB. They come on the queue in the order of the batch, and so
// do the results. If some are refused it returns a [*BatchError], and their
// results are zero; the others are not held back.
//
// The whole batch is refused, without results, with ErrBatchEmpty,
// ErrBatchTooMany or ErrBatchTooLong, and with ErrInvalidParameterValue if a
// message has no GroupID, or no DeduplicationID where it needs one.
func (q *FIFOQueue) SendBatch(ctx context.Context, in []SendInput) ([]SendResult, error) {
	if err := q.checkSendBatch(ctx, in); err != nil {
		return nil, err
	}
	s := q.current()
	for i := range in {
		if missing, _ := s.missingID(&in[i]); missing != "" {
			return nil, q.refuse(ErrInvalidParameterValue, "entry %d has no %s", i, missing)
		}
	}
	return q.sendBatch(ctx, in, q.draft, q.put)
}

// Receive receives messages that may be received, as [Queue.Receive] does: at
// least one if there is one, and at most in.MaxMessages. It takes as many as
// it can from one group before it goes on to the next.
//
// When as many messages are in flight as the queue allows, Receive finds none;
// that is not an error.
//
// A receive with an AttemptID that did return messages can be repeated, for 5
// minutes and until their visibility timeout has passed: Receive then returns
// the same messages with the same receipt handles, and their visibility timeout
// starts anew. That is for a caller that lost the answer, and cannot know. If
// one of the messages has been changed or deleted meanwhile, Receive refuses
// the AttemptID with ErrInvalidParameterValue. After that time the AttemptID is
// forgotten, and begins a new receive.
func (q *FIFOQueue) Receive(ctx context.Context, in ReceiveInput) ([]Message, error) {
	return q.receive(ctx, in, nil)
}

// Redrive moves messages to another queue, as [Queue.Redrive] does. A message
// comes to the end of its group there, with a new sequence number; it keeps its
// deduplication id, but is not taken for a duplicate.
func (q *FIFOQueue) Redrive(ctx context.Context, to *FIFOQueue, maxPerSecond int) (moved int, err error) {
	return q.redrive(ctx, to.base(), maxPerSecond)
}

// StartRedrive starts what Redrive does, as [Queue.StartRedrive] does.
func (q *FIFOQueue) StartRedrive(ctx context.Context, to *FIFOQueue, maxPerSecond int) (*Redrive, error) {
	return q.startRedrive(ctx, to.base(), maxPerSecond)
}

// base returns the core of q, or nil if q is nil.
func (q *FIFOQueue) base() *core {
	if q == nil {
		return nil
	}
	return &q.core
}

// missingID says, in words that follow "has no", which id in lacks, and with
// which code it is refused for that. It returns nothing if in lacks none.
func (s *settings) missingID(in *SendInput) (what string, code error) {
	switch {
	case in.GroupID == "":
		return "GroupID", ErrMissingParameter
	case in.DeduplicationID == "" && !s.contentBasedDeduplication:
		return "DeduplicationID, and the queue no ContentBasedDeduplication", ErrInvalidParameterValue
	}
	return "", nil
}

// draft makes a message of in, or refuses it.
func (q *FIFOQueue) draft(in SendInput) (draft, error) {
	s := q.current()
	if missing, code := s.missingID(&in); missing != "" {
		return draft{}, q.refuse(code, "the message has no %s", missing)
	}
	if err := q.checkID("GroupID", in.GroupID); err != nil {
		return draft{}, err
	}
	if in.DeduplicationID != "" {
		if err := q.checkID("DeduplicationID", in.DeduplicationID); err != nil {
			return draft{}, err
		}
	}
	if in.Delay != nil && *in.Delay != 0 { // B2.1, B2.2
		return draft{}, q.refuse(ErrInvalidParameterValue, "Delay is %v; in a FIFO queue it must be 0 or nil, and means the queue's", *in.Delay)
	}
	if err := q.checkMessage(&in, s.maxMessageSize); err != nil {
		return draft{}, err
	}
	m := newMessage(&in, "")
	if m.dedupID = in.DeduplicationID; m.dedupID == "" {
		sum := sha256.Sum256([]byte(in.Body))
		m.dedupID = hex.EncodeToString(sum[:])
	}
	return draft{message: m, groupID: in.GroupID}, nil
}

// put puts the message of a draft on the queue, unless it is a duplicate. q.mu
// must be held.
func (q *FIFOQueue) put(d draft) identity {
	s, m := q.current(), d.message
	key := m.dedupID
	if s.deduplicationScope == DeduplicateGroup {
		key = d.groupID + " " + key // no id has a space
	}
	if first, ok := q.sent.get(key); ok {
		q.totals.Deduplicated++
		return first
	}
	m.sent = moment{q.now, q.number()}
	q.joinGroup(m, d.groupID)
	q.store(m, s.delay)
	q.sent.add(key, m.identity(), q.now)
	q.totals.Sent++
	return m.identity()
}

// A group is a message group that has messages, in the order they came.
type group struct {
	id          string
	first, last *message
}

// joinGroup puts m at the end of a group. q.mu must be held.
func (q *core) joinGroup(m *message, id string) {
	g, ok := q.groups.get(id)
	if !ok {
		g = &group{id: id, first: m}
		q.groups.put(id, g)
	} else {
		m.prev, g.last.next = g.last, m
	}
	m.group, g.last = g, m
}

// leaveGroup takes m out of its group. q.mu must be held.
func (q *core) leaveGroup(m *message) {
	g := m.group
	if m.prev == nil {
		g.first = m.next
	} else {
		m.prev.next = m.next
	}
	if m.next == nil {
		g.last = m.prev
	} else {
		m.next.prev = m.prev
	}
	m.prev, m.next = nil, nil
	if g.first == nil {
		q.groups.remove(g.id)
	}
}

// redelay counts the delay of messages that have not been received anew from
// when they were sent, after the queue's delay has been changed. It concerns
// FIFO queues alone (A2.3): in a standard queue no message has a group.
// q.mu must be held.
func (q *core) redelay() {
	delay := int64(q.current().delay)
	for m := range q.byAge.from(moment{at: math.MinInt64}) {
		if m.group == nil {
			return
		}
		if m.receives == 0 {
			q.lift(m)
			q.place(m, time.Duration(m.sent.at+delay-q.now), Delayed)
		}
	}
}
