package memsqs_test

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/memsqs/memsqs"
)

// The other half of the reference: what is done to messages that are on a
// queue, and what can be seen of them.

// receivable returns all messages that may be received, in order: those that
// have been visible for longest first. In a FIFO queue those are the messages
// of each group before its first hidden one (E6), group by group.
func (q *refQueue) receivable() []*refMessage {
	earlier := func(a, b *refMessage) int { return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.turn, b.turn)) }
	var visible []*refMessage
	runs := make(map[string][]*refMessage)
	blocked := make(map[string]bool)
	for _, m := range q.messages {
		if m.state() != memsqs.Visible {
			blocked[m.GroupID] = true
			continue
		}
		visible = append(visible, m)
		if !blocked[m.GroupID] {
			runs[m.GroupID] = append(runs[m.GroupID], m)
		}
	}
	if !q.fifo {
		slices.SortFunc(visible, earlier)
		return visible
	}
	byHead := slices.SortedFunc(maps.Values(runs), func(a, b []*refMessage) int { return earlier(a[0], b[0]) })
	return slices.Concat(byHead...)
}

// receive returns the messages that answer a receive which does not wait.
func (q *refQueue) receive(in memsqs.ReceiveInput) ([]*refMessage, error) {
	q.advance()
	timeout := q.rules.visibility
	if in.VisibilityTimeout != nil {
		timeout = *in.VisibilityTimeout
	}
	switch {
	case q.closed:
		return nil, memsqs.ErrClosed
	case !q.fifo && in.AttemptID != "": // B10.5
		return nil, memsqs.ErrNotFIFO
	case in.MaxMessages < 0, in.MaxMessages > 10, timeout < 0, timeout > 12*time.Hour: // A3.1, A3.4
		return nil, memsqs.ErrInvalidParameterValue
	}
	if a := q.attempts[in.AttemptID]; a != nil && a.until.After(time.Now()) {
		return q.retry(a, timeout)
	}
	batch, err := q.take(max(1, in.MaxMessages), timeout)
	if in.AttemptID != "" && len(batch) > 0 {
		q.attempts[in.AttemptID] = &refAttempt{at: time.Now()}
		q.attempts[in.AttemptID].note(batch)
	}
	return batch, err
}

// take receives up to most messages. Those that have been received too often
// it moves to the dead-letter queue, as far as it comes across them (E2).
func (q *refQueue) take(most int, timeout time.Duration) ([]*refMessage, error) {
	room := q.rules.maxInFlight - q.count(memsqs.InFlight)
	if room <= 0 && !q.fifo { // E9
		return nil, memsqs.ErrOverLimit
	}
	var batch, dead []*refMessage
	for _, m := range q.receivable() {
		if len(batch) >= min(most, room) {
			break
		}
		if d := q.rules.deadLetters; d != nil && !d.closed && m.ReceiveCount-m.elsewhere >= q.rules.maxReceives {
			dead = append(dead, m)
		} else {
			batch = append(batch, m)
		}
	}
	for _, m := range batch {
		if m.ReceiveCount++; m.ReceiveCount == 1 {
			m.FirstReceivedAt = time.Now()
		}
		m.receivedAt = time.Now()
		m.ReceiptHandle = ""
		q.hide(m, timeout)
	}
	q.totals.Received += uint64(len(batch))
	for _, m := range dead {
		q.bury(m)
	}
	return batch, nil
}

// note remembers the messages of a receive as it left them.
func (a *refAttempt) note(batch []*refMessage) {
	a.batch, a.turns, a.until = batch, nil, batch[0].due
	for _, m := range batch {
		a.turns = append(a.turns, m.turn)
	}
}

// retry returns the messages of an earlier receive once more (B10.2), unless
// something has been done to one of them (B10.3).
func (q *refQueue) retry(a *refAttempt, timeout time.Duration) ([]*refMessage, error) {
	for i, m := range a.batch {
		if m.turn != a.turns[i] {
			return nil, memsqs.ErrInvalidParameterValue
		}
		timeout = min(timeout, time.Until(m.receivedAt.Add(12*time.Hour)))
	}
	for _, m := range a.batch {
		q.hide(m, timeout)
	}
	a.note(a.batch)
	return a.batch, nil
}

// bury moves a message to the dead-letter queue (A19.4 to A19.7).
func (q *refQueue) bury(m *refMessage) {
	to := q.rules.deadLetters
	q.remove(m)
	q.totals.DeadLettered++
	letter := &refMessage{Message: m.Message, elsewhere: m.ReceiveCount, origin: q}
	letter.DeadLetterSource = q.name
	if q.fifo {
		letter.SequenceNumber = ""
		letter.DeduplicationID = m.ID
		letter.SentAt = time.Now()
	}
	to.add(letter, 0)
}

// redrive moves messages to the given queue or, if that is nil, to those they
// came from (A20.3, A20.11), and returns how many.
func (q *refQueue) redrive(to *refQueue, maxPerSecond int) (moved int, err error) {
	switch {
	case q.closed:
		return 0, memsqs.ErrClosed
	case to == q, maxPerSecond < 0:
		return 0, memsqs.ErrInvalidParameterValue
	case to != nil && to.closed:
		return 0, memsqs.ErrClosed
	}
	for _, m := range slices.Clone(q.messages) {
		target := cmp.Or(to, m.origin)
		if m.state() == memsqs.InFlight || target == nil || target == q || target.closed {
			continue
		}
		q.remove(m)
		q.totals.Redriven++
		target.add(&refMessage{Message: memsqs.Message{
			Body: m.Body, Attributes: m.Attributes, TraceHeader: m.TraceHeader,
			GroupID: m.GroupID, DeduplicationID: m.DeduplicationID, SentAt: time.Now(),
		}}, target.rules.delay)
		moved++
	}
	return moved, nil
}

// find returns the message of a receipt handle, or nil if it is gone.
func (q *refQueue) find(handle string) (*refMessage, error) {
	if handle == "" {
		return nil, memsqs.ErrMissingParameter
	}
	i := slices.IndexFunc(q.receipts, func(r refReceipt) bool { return r.handle == handle })
	if i < 0 { // A5.5
		return nil, memsqs.ErrReceiptHandleIsInvalid
	}
	m := q.receipts[i].message
	switch {
	case !slices.Contains(q.messages, m):
		return nil, nil
	case q.fifo && !(m.inFlight && m.ReceiveCount == q.receipts[i].count): // B8.1
		return nil, memsqs.ErrReceiptHandleExpired
	}
	return m, nil
}

func (q *refQueue) delete(handle string) error {
	q.advance()
	if q.closed {
		return memsqs.ErrClosed
	}
	m, err := q.find(handle)
	if m != nil {
		q.remove(m)
		q.totals.Deleted++
	}
	return err // E4
}

func (q *refQueue) deleteBatch(handles []string) error {
	if err := q.batchFault(len(handles)); err != nil {
		return err
	}
	return each(handles, func(_ int, handle string) error { return q.delete(handle) })
}

func (q *refQueue) changeVisibility(c memsqs.VisibilityChange) error {
	q.advance()
	switch {
	case q.closed:
		return memsqs.ErrClosed
	case c.Timeout < 0, c.Timeout > 12*time.Hour: // A6.1
		return memsqs.ErrInvalidParameterValue
	}
	m, err := q.find(c.ReceiptHandle)
	switch {
	case err != nil:
		return err
	case m == nil: // A6.7
		return memsqs.ErrMessageGone
	case c.Timeout > time.Until(m.receivedAt.Add(12*time.Hour)): // A6.9
		return memsqs.ErrInvalidParameterValue
	}
	stays := c.Timeout == 0 && m.state() == memsqs.Visible
	q.hide(m, c.Timeout) // E5
	if stays {
		m.inFlight = false // it does not come back: it was not away
	}
	return nil
}

func (q *refQueue) changeVisibilityBatch(in []memsqs.VisibilityChange) error {
	if err := q.batchFault(len(in)); err != nil {
		return err
	}
	return each(in, func(_ int, c memsqs.VisibilityChange) error { return q.changeVisibility(c) })
}

func (q *refQueue) purge() error {
	if q.closed {
		return memsqs.ErrClosed
	}
	q.totals.Purged += uint64(len(q.messages))
	q.messages = nil
	q.sends = nil // B5.8
	clear(q.attempts)
	return nil
}

// configure puts other rules in force.
func (q *refQueue) configure(r refRules) error {
	switch {
	case q.closed:
		return memsqs.ErrClosed
	case r.retention < time.Minute, r.delay > 15*time.Minute, r.visibility > 12*time.Hour,
		r.maxInFlight < 0, r.deadLetters != nil && r.maxReceives < 1:
		return memsqs.ErrInvalidAttributeValue
	}
	redelay := q.fifo && r.delay != q.rules.delay // A2.3
	q.rules = r
	for _, m := range q.messages {
		if redelay && m.ReceiveCount == 0 {
			q.place(m, m.SentAt.Add(r.delay))
		}
	}
	q.advance() // A11.2
	return nil
}

func (q *refQueue) count(s memsqs.State) int {
	n := 0
	for _, m := range q.messages {
		if m.state() == s {
			n++
		}
	}
	return n
}

func (q *refQueue) stats() memsqs.Stats {
	s := q.totals
	s.Name = q.name
	s.Visible, s.InFlight, s.Delayed = q.count(memsqs.Visible), q.count(memsqs.InFlight), q.count(memsqs.Delayed)
	if len(q.messages) > 0 {
		s.OldestAge = time.Since(q.messages[0].SentAt)
	}
	if q.fifo {
		groups := make(map[string]bool)
		for _, m := range q.messages {
			groups[m.GroupID] = true
		}
		s.Groups, s.Deduplications = len(groups), len(q.sends)
	}
	return s
}

func (q *refQueue) peek() []memsqs.MessageState {
	var states []memsqs.MessageState
	for _, m := range q.messages {
		s := memsqs.MessageState{Message: m.Message, State: m.state()}
		s.ReceiptHandle, s.InvisibleUntil = "", time.Time{}
		if s.State != memsqs.Visible {
			s.DueAt = m.due
		}
		if s.State == memsqs.InFlight {
			s.InvisibleUntil = m.due
		}
		states = append(states, s)
	}
	return states
}

// deadlines returns the instants, still to come, at which something changes.
func (q *refQueue) deadlines() []time.Time {
	var all []time.Time
	for _, m := range q.messages {
		all = append(all, m.due, m.SentAt.Add(q.rules.retention))
		if m.inFlight {
			all = append(all, m.receivedAt.Add(12*time.Hour))
		}
	}
	for _, s := range q.sends {
		all = append(all, s.at.Add(q.rules.window))
	}
	for _, a := range q.attempts {
		all = append(all, a.until, a.at.Add(5*time.Minute))
	}
	return slices.DeleteFunc(all, func(at time.Time) bool { return !at.After(time.Now()) })
}

// tyingDelays returns delays with which a message that has not been received
// would become visible together with one that has.
func (q *refQueue) tyingDelays() []time.Duration {
	var all []time.Duration
	for _, m := range q.messages {
		for _, o := range q.messages {
			if d := o.due.Sub(m.SentAt); m.ReceiveCount == 0 && o.inFlight && d >= 0 && len(all) < 255 {
				all = append(all, d)
			}
		}
	}
	return all
}
