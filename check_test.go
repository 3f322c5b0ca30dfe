package memsqs

import (
	"fmt"
	"math"
)

// Check reports the first breach it finds of what holds between two operations
// on a queue: the comment on core, and those on its parts, made executable. It
// is the one thing that the tests know of the inside of a queue.
//
// It must not be called while another goroutine is in the queue.
func (q *core) Check() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, check := range []func() error{q.checkStates, q.checkGroups, q.checkWindows, q.checkWaiters} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

var beginning = moment{at: math.MinInt64}

// checkStates checks that every message is on the timelines of its state.
func (q *core) checkStates() error {
	inFlight, hidden, heads := 0, 0, 0
	for m := range q.byAge.from(beginning) {
		where := fmt.Sprintf("message %d (%v)", m.sent.nr, m.state)
		onHidden, _ := q.hidden.get(m.due)
		onVisible, _ := q.visible.get(m.due)
		switch {
		case m.sent.at+int64(q.current().retention) <= q.now:
			return fmt.Errorf("%s is past its retention", where)
		case (onHidden == m) != (m.state != Visible):
			return fmt.Errorf("%s: on hidden is %v", where, onHidden == m)
		case (onVisible == m) != (m.state == Visible && m.isHead()):
			return fmt.Errorf("%s: on visible is %v, head is %v", where, onVisible == m, m.isHead())
		case (m.due.at > q.now) != (m.state != Visible):
			return fmt.Errorf("%s is due at %d, now is %d", where, m.due.at, q.now)
		case m.state == InFlight && m.receives == 0, m.state == Delayed && m.receives > 0:
			return fmt.Errorf("%s was received %d times", where, m.receives)
		case m.receives < m.receivesElsewhere:
			return fmt.Errorf("%s was received %d times, %d elsewhere", where, m.receives, m.receivesElsewhere)
		case m.body == "":
			return fmt.Errorf("%s has lost its body", where)
		}
		switch {
		case m.state == InFlight:
			inFlight++
			hidden++
		case m.state == Delayed:
			hidden++
		case m.isHead():
			heads++
		}
	}
	if inFlight != q.inFlight || hidden != q.hidden.len() || heads != q.visible.len() {
		return fmt.Errorf("%d in flight, %d hidden, %d heads; the queue says %d, %d, %d",
			inFlight, hidden, heads, q.inFlight, q.hidden.len(), q.visible.len())
	}
	return nil
}

// checkGroups checks that every message of a FIFO queue is in its group, in the
// order of the queue, and that no group is empty.
func (q *core) checkGroups() error {
	inGroups := 0
	for id, g := range q.groups.entries {
		if g.id != id || g.first == nil || g.first.prev != nil || g.last == nil || g.last.next != nil {
			return fmt.Errorf("group %q is empty or badly linked", id)
		}
		for m := g.first; m != nil; m = m.next {
			inGroups++
			stored, _ := q.byAge.get(m.sent)
			switch {
			case m.group != g, stored != m:
				return fmt.Errorf("group %q has message %d, which is elsewhere or gone", id, m.sent.nr)
			case m.next != nil && (m.next.prev != m || !m.sent.before(m.next.sent)):
				return fmt.Errorf("group %q: message %d is badly linked or out of order", id, m.sent.nr)
			case m.next == nil && g.last != m:
				return fmt.Errorf("group %q does not end with its last message", id)
			}
		}
	}
	for m := range q.byAge.from(beginning) {
		if m.group != nil {
			inGroups--
		}
	}
	if inGroups != 0 {
		return fmt.Errorf("the groups have %d messages more than the queue", inGroups)
	}
	return nil
}

// checkWindows checks that what is remembered is not too old, and is in order.
func (q *core) checkWindows() error {
	if err := q.sent.check(q.now, int64(q.current().deduplicationWindow)); err != nil {
		return fmt.Errorf("deduplication ids: %w", err)
	}
	if err := q.attempts.check(q.now, int64(attemptLife)); err != nil {
		return fmt.Errorf("attempt ids: %w", err)
	}
	return nil
}

func (w *window[K, V]) check(now, life int64) error {
	keys := make(map[K]bool)
	var last *remembered[K, V]
	for e := w.oldest; e != nil; e = e.next {
		if now-e.born >= life || last != nil && e.born < last.born {
			return fmt.Errorf("%v was added at %d, now is %d", e.key, e.born, now)
		}
		if current, _ := w.current.get(e.key); current == nil {
			return fmt.Errorf("%v has no entry", e.key)
		}
		keys[e.key] = true
		last = e
	}
	if last != w.newest || len(keys) != w.len() {
		return fmt.Errorf("%d keys in order, %d in all", len(keys), w.len())
	}
	return nil
}

// checkWaiters checks that nobody waits in vain, or without an alarm.
func (q *core) checkWaiters() error {
	if q.waiters.byWait.len() != q.waiters.len() {
		return fmt.Errorf("%d waiters in line, %d by their wait", q.waiters.len(), q.waiters.byWait.len())
	}
	switch {
	case len(q.letters) > 0 || len(q.stale) > 0:
		return fmt.Errorf("left behind: %d letters, %d timers", len(q.letters), len(q.stale))
	case q.waiters.len() == 0 && q.alarm != nil:
		return fmt.Errorf("nobody waits, and there is an alarm")
	case q.waiters.len() == 0:
		return nil
	case q.visible.len() > 0 && q.room() > 0:
		return fmt.Errorf("%d wait while %d messages may be received", q.waiters.len(), q.visible.len())
	case !q.alarm.covers(q.nextDue()):
		return fmt.Errorf("%d wait and the alarm is too late", q.waiters.len())
	}
	return nil
}
