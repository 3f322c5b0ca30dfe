package memsqs

import "time"

// A DeadLetter says where a [Queue] moves messages that have been received too
// often: a message that has been received MaxReceiveCount times, and was not
// deleted, is moved by the next receive that would return it. Only that receive
// moves it, not the passing of time.
//
// The message keeps its id, body, attributes, receive count and times, also
// the time it was sent at, from which the retention of Queue counts; Queue's
// Delay has no effect on it. Receives before the move do not count toward the
// MaxReceiveCount of Queue's own DeadLetter, if it has one. While Queue is
// closed, messages stay where they are and can be received.
//
// Queue can be the queue itself. It should have the same Clock.
type DeadLetter struct {
	Queue           *Queue
	MaxReceiveCount int // 1 to 1000
}

// A FIFODeadLetter is a [DeadLetter] of a [FIFOQueue]. The message keeps its
// group, and its deduplication id becomes its message id. Its sequence number
// is a new one, and it counts as sent when it was moved.
//
// When a message has been moved, those behind it in its group can be received.
type FIFODeadLetter struct {
	Queue           *FIFOQueue
	MaxReceiveCount int // 1 to 1000
}

// A letter is a message on its way from one queue to another. It has left the
// one, so that it is never in both, and waits for the mutex of that to be
// released, so that two are never held.
type letter struct {
	to              *core
	message         *message // complete but for what storeLetter sets
	groupID         string   // empty in a standard queue
	isNew           bool     // it is to count as sent when it arrives
	sentAt          time.Time
	firstReceivedAt time.Time
}

// deliver returns when all letters have been posted that were written before.
// No mutex of a queue may be held, nor another queue's postal mutex.
func (q *core) deliver() {
	q.postal.Lock()
	q.post()
}

// post brings the letters to the queues they are for, in the order in which
// their messages left this one, which a FIFO queue relies on. The caller must
// have locked q.postal, and no mutex of a queue; post unlocks it.
//
// Letters that are written meanwhile it posts as well: their writers find none
// left when they have q.postal, or, in accept, do not wait for it.
func (q *core) post() {
	for {
		for letters := q.takeLetters(); len(letters) > 0; letters = q.takeLetters() {
			for _, l := range letters {
				l.to.accept(l)
			}
		}
		q.postal.Unlock()
		if !q.hasLetters() || !q.postal.TryLock() {
			return
		}
	}
}

func (q *core) takeLetters() []letter {
	q.mu.Lock()
	defer q.mu.Unlock()
	letters := q.letters
	q.letters = nil
	return letters
}

func (q *core) hasLetters() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.letters) > 0
}

// isExhausted reports whether m has been received so often that it has to go
// to the dead-letter queue, and there is one. Receives in other queues do not
// count: a message that comes back to a queue, by way of its own dead letters or
// another's, would otherwise never be received there. q.mu must be held.
func (q *core) isExhausted(m *message) bool {
	d := q.current().deadLetters
	return d.given && int(m.receives-m.receivesElsewhere) >= d.maxReceiveCount && d.to().open.Load()
}

// bury takes m, which is exhausted and has been lifted, out of the queue, and
// makes it a letter to the dead-letter queue. That may be closed before the
// letter is posted; it accepts it all the same, as one that came just before.
// q.mu must be held.
func (q *core) bury(m *message) {
	c := *m
	l := letter{
		to:              q.current().deadLetters.to(),
		message:         &c,
		sentAt:          q.time(m.sent.at),
		firstReceivedAt: q.time(m.firstReceivedAt),
	}
	x := m.extras()
	x.origin = q
	c.extra = &x
	if m.group != nil {
		l.groupID = m.group.id
		l.isNew = true            // A19.6
		c.dedupID = m.id.String() // A19.7
		c.group, c.prev, c.next = nil, nil, nil
	}
	q.unlink(m)
	q.letters = append(q.letters, l)
	q.totals.DeadLettered++
}

// accept puts the message of a letter on the queue.
//
// That can lead to letters in turn, if a receive that waits meets a message that
// is exhausted. The caller has the postal mutex of another queue, so accept does
// not wait for this one's, but leaves the letters to whoever has it. So queues
// that are each other's dead-letter queue come to no deadlock and no recursion.
func (q *core) accept(l letter) {
	q.lock()
	q.storeLetter(l)
	if q.unlock() && q.postal.TryLock() {
		q.post()
	}
}

// storeLetter puts the message of a letter on the queue. q.mu must be held.
func (q *core) storeLetter(l letter) {
	m := l.message
	m.sent = moment{q.now, q.number()}
	if !l.isNew {
		m.sent.at = min(q.instant(l.sentAt), q.now) // the other's clock may be ahead
	}
	if l.groupID != "" {
		q.joinGroup(m, l.groupID)
	}
	delay := q.current().delay
	if m.receives > 0 {
		m.firstReceivedAt = q.instant(l.firstReceivedAt)
		m.receivesElsewhere = m.receives
		delay = 0
	}
	q.store(m, delay)
	q.advance() // by its age it may already be past the queue's retention
}
