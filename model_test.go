package memsqs_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memsqs/memsqs"
)

// The reference that queues are compared with: plain slices and maps, searched
// from end to end, which follow the rules of sqs-behaviour.md one by one. It is
// slow on purpose. This half of it has what time does, and sends; the other half
// has what is done to messages that are there.

// A refQueue is a queue as it ought to be. It reads the time where it needs
// it, for no time passes in an operation. Ids, sequence numbers and receipt
// handles, which a queue can choose, it is told; until then they are empty.
type refQueue struct {
	name     string
	fifo     bool
	closed   bool
	rules    refRules
	messages []*refMessage // by the time they were sent, then by arrival
	receipts []refReceipt  // all that were ever given out
	sends    []refSend     // those remembered for deduplication
	attempts map[string]*refAttempt
	turns    int          // given so far
	totals   memsqs.Stats // its totals alone
}

// refRules are the configuration of a queue, the defaults filled in.
type refRules struct {
	visibility, delay, retention time.Duration
	maxSize, maxInFlight         int
	deadLetters                  *refQueue // nil: none
	maxReceives                  int

	// In a FIFO queue alone.
	byContent bool
	scope     memsqs.DeduplicationScope
	window    time.Duration
}

type refMessage struct {
	memsqs.Message // as its latest receiver saw it

	due        time.Time // when it becomes or became visible
	turn       int       // among those of that instant; a new one with every change, 0 when it is gone
	inFlight   bool      // it has been received, and has not come back since
	receivedAt time.Time // latest
	elsewhere  int       // of ReceiveCount, those in other queues
	origin     *refQueue // the queue that it left as a dead letter, or nil
}

type refReceipt struct {
	handle  string
	message *refMessage
	count   int // the message's ReceiveCount by then
}

type refSend struct {
	group, id string // the group is empty if it makes no difference
	first     *refMessage
	at        time.Time
}

type refAttempt struct {
	batch     []*refMessage
	turns     []int // of the messages, as the receive left them
	at, until time.Time
}

func (m *refMessage) state() memsqs.State {
	switch {
	case !m.due.After(time.Now()):
		return memsqs.Visible
	case m.inFlight:
		return memsqs.InFlight
	}
	return memsqs.Delayed
}

// advance does what time does: it ends the invisibility of messages and their
// life (E1), at one instant only their life; and it makes the queue forget
// (B5.2, B10.2).
func (q *refQueue) advance() {
	now := time.Now()
	for _, m := range slices.Clone(q.messages) {
		end := m.SentAt.Add(q.rules.retention)
		if m.inFlight && !m.due.After(now) && m.due.Before(end) {
			m.inFlight = false
			q.totals.Returned++
		}
		if !end.After(now) {
			q.remove(m)
			q.totals.Expired++
		}
	}
	q.sends = slices.DeleteFunc(q.sends, func(s refSend) bool { return now.Sub(s.at) >= q.rules.window })
	maps.DeleteFunc(q.attempts, func(_ string, a *refAttempt) bool { return now.Sub(a.at) >= 5*time.Minute })
}

// place lets m become visible at the given time, behind those that do so then
// already.
func (q *refQueue) place(m *refMessage, due time.Time) {
	q.turns++
	m.due, m.turn = due, q.turns
}

// hide puts m in flight. With a timeout of zero it comes back at once, by the
// next advance.
func (q *refQueue) hide(m *refMessage, timeout time.Duration) {
	m.inFlight = true
	q.place(m, time.Now().Add(timeout))
	m.InvisibleUntil = m.due
}

func (q *refQueue) add(m *refMessage, delay time.Duration) {
	q.messages = append(q.messages, m)
	slices.SortStableFunc(q.messages, func(a, b *refMessage) int { return a.SentAt.Compare(b.SentAt) })
	q.place(m, time.Now().Add(delay))
}

func (q *refQueue) remove(m *refMessage) {
	m.turn = 0
	q.messages = slices.DeleteFunc(q.messages, func(o *refMessage) bool { return o == m })
}

// fault returns what a message is refused for, which has one mistake at most.
func (q *refQueue) fault(in memsqs.SendInput) error {
	switch {
	case in.Body == "", q.fifo && in.GroupID == "": // A1.1, B1.1
		return memsqs.ErrMissingParameter
	case !q.fifo && in.DeduplicationID != "": // A1.9
		return memsqs.ErrNotFIFO
	case strings.Contains(in.Body, "\uFFFE"): // A1.5
		return memsqs.ErrInvalidMessageContents
	case in.Delay != nil && (*in.Delay < 0 || *in.Delay > 15*time.Minute || q.fifo && *in.Delay != 0), // A2.2, B2.1
		q.fifo && q.lacksID(in),           // B1.3
		strings.Contains(in.GroupID, " "), // A1.10, B1.4
		size(in) > q.rules.maxSize:        // A1.2
		return memsqs.ErrInvalidParameterValue
	}
	return nil
}

// send returns the message that answers a send: a new one, or the first one of
// a duplicate.
func (q *refQueue) send(in memsqs.SendInput) (*refMessage, error) {
	if q.closed {
		return nil, memsqs.ErrClosed
	}
	if err := q.fault(in); err != nil {
		return nil, err
	}
	m := &refMessage{Message: memsqs.Message{
		Body: in.Body, Attributes: in.Attributes, TraceHeader: in.TraceHeader,
		GroupID: in.GroupID, DeduplicationID: in.DeduplicationID, SentAt: time.Now(),
	}}
	delay := q.rules.delay
	if in.Delay != nil && !q.fifo { // A2.1, B2.2
		delay = *in.Delay
	}
	if q.fifo {
		m.DeduplicationID = cmp.Or(in.DeduplicationID, sha256Hex(in.Body)) // B5.5
		if first := q.remember(m); first != m {
			q.totals.Deduplicated++
			return first, nil
		}
	}
	q.add(m, delay)
	q.totals.Sent++
	return m, nil
}

// remember returns the message that m is a duplicate of, or m, which is then
// remembered (B5.1).
func (q *refQueue) remember(m *refMessage) *refMessage {
	r := refSend{id: m.DeduplicationID, first: m, at: time.Now()}
	if q.rules.scope == memsqs.DeduplicateGroup { // B5.4
		r.group = m.GroupID
	}
	for _, s := range q.sends {
		if s.group == r.group && s.id == r.id {
			return s.first
		}
	}
	q.sends = append(q.sends, r)
	return m
}

// size returns what counts toward the size of a message (A1.4).
func size(in memsqs.SendInput) int {
	n := len(in.Body)
	for name, a := range in.Attributes {
		n += len(name) + len(a.DataType) + len(a.StringValue)
	}
	return n
}

func sha256Hex(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// lacksID reports whether a FIFO message has no group or no deduplication id.
func (q *refQueue) lacksID(in memsqs.SendInput) bool {
	return in.GroupID == "" || in.DeduplicationID == "" && !q.rules.byContent
}

// sendBatch returns the messages that answer a batch, nil for those refused.
func (q *refQueue) sendBatch(in []memsqs.SendInput) ([]*refMessage, error) {
	if err := q.batchFault(len(in)); err != nil {
		return nil, err
	}
	total := 0
	for _, e := range in {
		total += size(e)
	}
	switch {
	case total > 1<<20: // A15.2
		return nil, memsqs.ErrBatchTooLong
	case q.fifo && slices.ContainsFunc(in, q.lacksID): // B9.1
		return nil, memsqs.ErrInvalidParameterValue
	}
	sent := make([]*refMessage, len(in))
	return sent, each(in, func(i int, e memsqs.SendInput) (err error) {
		sent[i], err = q.send(e)
		return err
	})
}

// batchFault returns what a batch of n entries is refused for as a whole.
func (q *refQueue) batchFault(n int) error {
	switch {
	case q.closed:
		return memsqs.ErrClosed
	case n == 0: // A15.1
		return memsqs.ErrBatchEmpty
	case n > 10:
		return memsqs.ErrBatchTooMany
	}
	return nil
}

// each applies an operation to the entries of a batch, one after the other.
func each[E any](entries []E, apply func(int, E) error) error {
	failed := make(map[int]error)
	for i, e := range entries {
		if err := apply(i, e); err != nil {
			failed[i] = err
		}
	}
	if len(failed) > 0 {
		return &memsqs.BatchError{Failed: failed}
	}
	return nil
}
