package memsqs

import (
	"container/list"
	"context"
	"time"
)

// A waiter is a receive that is parked in a long poll. It is handed its
// answer by whoever makes one possible: msgs and err are set, under the
// queue's mutex, before done is closed.
type waiter struct {
	ctx   context.Context
	poll  poll
	until moment        // the end of its wait, and the order of arrival
	place *list.Element // in waiters.line; nil when it is not there
	done  chan struct{}

	msgs []Message
	err  error
}

// waiters is the line of the receives that are parked. The zero line is
// empty and ready to use. It is not synchronised.
type waiters struct {
	line   list.List // of *waiter, in the order of arrival
	byWait timeline[*waiter]
}

func (l *waiters) len() int { return l.line.Len() }

// add puts w at the end of the line.
func (l *waiters) add(w *waiter) {
	w.place = l.line.PushBack(w)
	l.byWait.insert(w.until, w)
}

// first returns the waiter that has been in the line for longest, or nil.
func (l *waiters) first() *waiter {
	if e := l.line.Front(); e != nil {
		return e.Value.(*waiter)
	}
	return nil
}

// dismiss takes w out of the line with its answer. It reports whether w was
// there: a waiter that has its answer keeps it.
func (l *waiters) dismiss(w *waiter, msgs []Message, err error) bool {
	if w.place == nil {
		return false
	}
	l.line.Remove(w.place)
	l.byWait.remove(w.until)
	w.place, w.msgs, w.err = nil, msgs, err
	close(w.done)
	return true
}

// An alarm is a timer of a queue: it goes off when the next of those who wait
// may have to be served. The queue's mutex guards it.
type alarm struct {
	at    int64
	timer Timer
	rung  bool // it has gone off
}

// await waits until w has its answer or its context is done. A wait that is
// cancelled has either been handed its messages, which it returns, or has not
// touched them.
func (q *core) await(w *waiter) ([]Message, error) {
	select {
	case <-w.done:
	case <-w.ctx.Done():
		err := w.ctx.Err()
		q.lock()
		q.waiters.dismiss(w, nil, err)
		q.leave()
	}
	return w.msgs, w.err
}

// serve hands messages to those who wait, in the order of their arrival, for
// as long as there are any, and an empty answer to those whose wait is over.
// q.mu must be held.
//
// A receive that has been cancelled never takes what is sent afterwards, also
// when its goroutine has not run since.
func (q *core) serve() {
	for w := q.waiters.first(); w != nil; w = q.waiters.first() {
		var msgs []Message
		err := w.ctx.Err()
		if err == nil {
			msgs, err = q.take(w.poll)
		}
		if err == nil && len(msgs) == 0 {
			break
		}
		q.waiters.dismiss(w, msgs, err)
		q.serveRepeats(w.poll)
	}
	for w, ok := q.waiters.byWait.first(); ok && w.at <= q.now; w, ok = q.waiters.byWait.first() {
		q.waiters.dismiss(w.value, nil, w.value.ctx.Err())
	}
}

// serveRepeats serves those who wait with the receive attempt id of a receive
// that has been answered, if it has one, wherever in the line they are: they ask
// for its answer. That takes time in proportion to the line. q.mu must be held.
func (q *core) serveRepeats(p poll) {
	if p.attemptID == "" {
		return
	}
	for e := q.waiters.line.Front(); e != nil; {
		w := e.Value.(*waiter)
		e = e.Next()
		if w.poll.attemptID != p.attemptID || w.ctx.Err() != nil {
			continue
		}
		if msgs, err := q.take(w.poll); len(msgs) > 0 || err != nil {
			q.waiters.dismiss(w, msgs, err)
		}
	}
}

// alarmSlack is how late an alarm may be because time went by while it was made.
// On a clock that runs every alarm is late by a little, and another would be too;
// a clock that is moved by hand may have jumped by hours.
const alarmSlack = time.Millisecond

// settle serves those who wait, and leaves an alarm that goes off when there
// is something to do for those who still do. q.mu must be held; it is released
// and taken again around each call of the clock.
//
// Whatever happens meanwhile, when settle returns some timer has been made
// that covers what q's state calls for: it compares with timers that exist,
// not with those that other goroutines are about to make, and after making
// one it looks at the clock again.
//
// It reports whether letters have been written in the operation: while q.mu is
// released another may take them, and not have brought them yet.
func (q *core) settle() (letters bool) {
	q.serve()
	letters = len(q.letters) > 0
	for q.waiters.len() > 0 {
		at := q.nextDue()
		if q.alarm.covers(at) {
			return letters
		}
		a := &alarm{at: at}
		before := q.reading
		q.mu.Unlock()
		a.timer = q.afterFunc(time.Duration(at-before), func() { q.ring(a) })
		q.lock()
		letters = letters || len(q.letters) > 0
		if late := q.reading - before; late > int64(alarmSlack) {
			a.at += late
		}
		q.setAlarm(a)
	}
	q.dropAlarm()
	return letters
}

// covers reports whether the alarm, if there is one, goes off at the given
// instant or before.
func (a *alarm) covers(at int64) bool { return a != nil && a.at <= at }

// setAlarm makes a the queue's alarm, unless there is one that goes off earlier,
// or a has gone off already. q.mu must be held.
func (q *core) setAlarm(a *alarm) {
	switch {
	case a.rung:
	case q.alarm.covers(a.at):
		q.stale = append(q.stale, a.timer)
	default:
		q.dropAlarm()
		q.alarm = a
	}
}

// dropAlarm leaves the queue without an alarm. q.mu must be held.
func (q *core) dropAlarm() {
	if q.alarm != nil {
		q.stale = append(q.stale, q.alarm.timer)
		q.alarm = nil
	}
}

// ring is called when the alarm a goes off. To lock and to leave the queue is all
// that it takes to serve those who wait.
func (q *core) ring(a *alarm) {
	q.lock()
	defer q.leave()
	a.rung = true
	if q.alarm == a {
		q.alarm = nil
	}
}

// nextDue returns the instant, later than q.now, of what happens next without
// a call: the end of a wait, of a message's invisibility, or of its retention,
// which may free its group. q.mu must be held, and somebody wait.
func (q *core) nextDue() int64 {
	w, _ := q.waiters.byWait.first()
	due := w.at
	if m, ok := q.hidden.first(); ok {
		due = min(due, m.at)
	}
	if m, ok := q.byAge.first(); ok {
		due = min(due, m.at+int64(q.current().retention))
	}
	return due
}
