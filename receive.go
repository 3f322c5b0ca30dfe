package memsqs

import (
	"context"
	"time"

	"github.com/memsqs/memsqs/internal/uuid"
)

// A ReceiveInput says what to receive. The zero value asks for one message and
// leaves the rest to the queue's configuration.
type ReceiveInput struct {
	// MaxMessages is the most messages to receive, 1 to 10. Zero means 1.
	MaxMessages int

	// VisibilityTimeout is the time for which the messages are hidden from
	// other receives, 0 to 12 hours. Nil means the queue's. With zero they
	// stay visible.
	VisibilityTimeout *time.Duration

	// WaitTime is the time to wait for a message if there is none, 0 to 20
	// seconds. Nil means the queue's. With zero the receive does not wait.
	WaitTime *time.Duration

	// AttemptID is the receive request attempt id, with which a receive from
	// a FIFO queue can be repeated: see [FIFOQueue.Receive]. It holds 1 to
	// 128 ASCII letters, digits and punctuation. A standard queue refuses it
	// with ErrNotFIFO.
	AttemptID string
}

// A poll is what a ReceiveInput asks for, after it has been checked. It shares
// nothing with the caller.
type poll struct {
	most      int
	timeout   time.Duration
	wait      time.Duration
	attemptID string
}

// checkReceive returns what in asks for, or refuses it.
func (q *core) checkReceive(in ReceiveInput) (poll, error) {
	s := q.current()
	p := poll{most: 1, timeout: s.visibilityTimeout, wait: s.waitTime, attemptID: in.AttemptID}
	if in.MaxMessages < 0 || in.MaxMessages > maxReceiveMessages {
		return p, q.refuse(ErrInvalidParameterValue, "MaxMessages is %d; it must be 1 to %d, or 0 for 1", in.MaxMessages, maxReceiveMessages)
	}
	p.most = max(1, in.MaxMessages)
	if in.VisibilityTimeout != nil {
		p.timeout = *in.VisibilityTimeout
	}
	if err := q.checkDuration(ErrInvalidParameterValue, "VisibilityTimeout", p.timeout, maxVisibilityTimeout); err != nil {
		return p, err
	}
	if in.WaitTime != nil {
		p.wait = *in.WaitTime
	}
	if err := q.checkDuration(ErrInvalidParameterValue, "WaitTime", p.wait, maxWaitTime); err != nil {
		return p, err
	}
	if p.attemptID != "" {
		return p, q.checkID("AttemptID", p.attemptID)
	}
	return p, nil
}

// receive is Receive for both kinds of queue. If full is not nil, a receive
// that does not wait is refused with it when the in-flight quota is reached.
func (q *core) receive(ctx context.Context, in ReceiveInput, full error) ([]Message, error) {
	if err := q.enter(ctx); err != nil {
		return nil, err
	}
	p, err := q.checkReceive(in)
	if err != nil {
		q.leave()
		return nil, err
	}
	msgs, err := q.take(p)
	switch {
	case err != nil:
	case len(msgs) > 0:
		q.serveRepeats(p)
	case p.wait > 0:
		w := &waiter{ctx: ctx, poll: p, until: moment{q.now + int64(p.wait), q.number()}, done: make(chan struct{})}
		q.waiters.add(w)
		q.leave()
		return q.await(w)
	case full != nil && q.room() == 0:
		err = q.refuse(full, "%d messages are in flight; there can be at most %d", q.inFlight, q.current().maxInFlight)
	}
	q.leave()
	return msgs, err
}

// take takes the messages that p asks for, or none if there are none to be
// had now. q.mu must be held.
func (q *core) take(p poll) ([]Message, error) {
	if p.attemptID != "" {
		if a, ok := q.attempts.get(p.attemptID); ok && q.now < a.until {
			return q.retry(p, a)
		}
	}
	var buf [maxReceiveMessages]*message
	batch := q.pick(buf[:0], min(p.most, q.room()))
	if len(batch) == 0 {
		return nil, nil
	}
	for _, m := range batch {
		if m.receives == 0 {
			m.firstReceivedAt = q.now
		}
		m.receives++
		m.receivedAt = q.now
	}
	q.totals.Received += uint64(len(batch))
	msgs := q.handOut(batch, p.timeout)
	if p.attemptID != "" {
		a := newAttempt(batch, q.now+int64(p.timeout))
		q.attempts.add(p.attemptID, &a, q.now)
	}
	return msgs, nil
}

// pick lifts up to most messages that may be received, in order, and appends
// them to batch. A group is followed while its messages are visible. Messages
// that have been received too often it sends to the dead-letter queue.
// q.mu must be held.
//
// Before any of them is placed again, all have been lifted: so a receive that
// leaves its messages visible does not meet one twice.
func (q *core) pick(batch []*message, most int) []*message {
	for len(batch) < most {
		head, ok := q.visible.first()
		if !ok {
			break
		}
		q.visible.removeFirst()
		for m := head.value; m != nil && m.state == Visible && len(batch) < most; {
			next := m.next
			if q.isExhausted(m) {
				q.bury(m)
			} else {
				batch = append(batch, m)
			}
			m = next
		}
	}
	return batch
}

// handOut puts the messages of a batch, which have been lifted, in flight, and
// returns them as their receiver sees them. q.mu must be held.
//
// The texts that are made for the receiver are parts of one string, which is one
// allocation instead of up to ten.
func (q *core) handOut(batch []*message, timeout time.Duration) []Message {
	var buf [maxReceiveMessages * maxTextsLen]byte
	b := buf[:0]
	for _, m := range batch {
		q.place(m, timeout, InFlight)
		b = q.appendTexts(b, m)
	}
	msgs := make([]Message, len(batch))
	texts, n := string(b), len(b)/len(batch)
	now, until := q.time(q.now), q.time(q.now+int64(timeout))
	for i, m := range batch {
		q.show(&msgs[i], m, texts[i*n:][:n])
		msgs[i].InvisibleUntil = until
		msgs[i].FirstReceivedAt = now
		if m.firstReceivedAt != q.now {
			msgs[i].FirstReceivedAt = q.time(m.firstReceivedAt)
		}
	}
	return msgs
}

// maxTextsLen is the most that appendTexts appends.
const maxTextsLen = uuid.Len + receiptLen + sequenceNumberLen

// appendTexts appends the id of m, the receipt handle of its latest receive, and
// its sequence number if it has one: as many bytes for all messages of a queue.
func (q *core) appendTexts(b []byte, m *message) []byte {
	b = q.appendHandle(m.id.Append(b), receipt{m.sent, m.receives})
	return appendNumber(b, m.number())
}

// show makes msg, which is zero, show m, with its texts as appendTexts makes
// them, but for the times of receives. q.mu must be held.
func (q *core) show(msg *Message, m *message, text string) {
	msg.ID = text[:uuid.Len]
	msg.ReceiptHandle = text[uuid.Len:][:receiptLen]
	msg.SequenceNumber = text[uuid.Len+receiptLen:]
	msg.Body = m.body
	msg.DeduplicationID = m.dedupID
	msg.SentAt = q.time(m.sent.at)
	msg.ReceiveCount = int(m.receives)
	if m.group != nil {
		msg.GroupID = m.group.id
	}
	if x := m.extra; x != nil {
		msg.Attributes = copyAttributes(x.attributes)
		msg.TraceHeader = x.traceHeader
		if x.origin != nil {
			msg.DeadLetterSource = x.origin.name
		}
		if m.group == nil {
			msg.GroupID = x.tenant
		}
	}
}
