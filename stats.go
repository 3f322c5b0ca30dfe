package memsqs

import (
	"math"
	"time"
)

// Stats are the numbers of a queue at one instant. They are exact.
type Stats struct {
	Name string

	// Visible, InFlight and Delayed are the messages in each [State]; their
	// sum is the messages of the queue. A FIFO message that is behind others
	// of its group is visible.
	Visible, InFlight, Delayed int

	OldestAge      time.Duration // since the oldest message was sent; zero when there is none
	Waiting        int           // receives that wait for a message
	Groups         int           // FIFO: groups that have a message
	Deduplications int           // FIFO: deduplication ids that are remembered

	// Totals since the queue was made.
	Sent         uint64 // messages put on the queue by a send; not those moved from another queue
	Deduplicated uint64 // sends of duplicates
	Received     uint64 // messages returned by receives, each time; not those repeated for an AttemptID
	Deleted      uint64 // messages deleted
	Returned     uint64 // messages that became visible again after a receive, at once if its visibility timeout was zero
	Expired      uint64 // messages dropped when their retention had passed
	DeadLettered uint64 // messages moved to the dead-letter queue
	Redriven     uint64 // messages moved away by Redrive
	Purged       uint64 // messages dropped by Purge
}

// Stats returns the numbers of the queue at this instant. It works in a closed
// queue too.
func (q *core) Stats() Stats {
	q.lock()
	letters := q.settle() // so that who sees a receive waiting can rely on its timer
	s := q.stats()
	if q.unlock() || letters {
		q.deliver()
	}
	return s
}

// stats is Stats with q.mu held.
func (q *core) stats() Stats {
	s := q.totals
	s.Name = q.name
	s.InFlight = q.inFlight
	s.Delayed = q.hidden.len() - q.inFlight
	s.Visible = q.byAge.len() - q.hidden.len()
	if oldest, ok := q.byAge.first(); ok {
		s.OldestAge = time.Duration(q.now - oldest.at)
	}
	s.Waiting = q.waiters.len()
	s.Groups = q.groups.len()
	s.Deduplications = q.sent.len()
	return s
}

// Peek returns up to max messages in the order in which they were sent,
// whatever their state. It receives none of them: nothing changes. It works in
// a closed queue too. It takes time in proportion to the number of messages
// that it returns.
func (q *core) Peek(max int) []MessageState {
	q.lock()
	defer q.leave()
	max = min(max, q.byAge.len())
	if max <= 0 {
		return nil
	}
	states := make([]MessageState, 0, max)
	for m := range q.byAge.from(moment{at: math.MinInt64}) {
		var buf [maxTextsLen]byte
		s := MessageState{State: m.state}
		q.show(&s.Message, m, string(q.appendTexts(buf[:0], m)))
		s.ReceiptHandle = ""
		if m.receives > 0 {
			s.FirstReceivedAt = q.time(m.firstReceivedAt)
		}
		if m.state != Visible {
			s.DueAt = q.time(m.due.at)
		}
		if m.state == InFlight {
			s.InvisibleUntil = s.DueAt
		}
		if states = append(states, s); len(states) == max {
			break
		}
	}
	return states
}
