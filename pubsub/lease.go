package pubsub

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"time"
)

// A lease is the right to a job's message: the queue hides it from others
// until the deadline, counted from when the receive was answered, and after that
// from when the call to renew it was made.
//
// No call is made for a message whose lease is lost. On a standard queue its
// receipt handle would still work, and take the message from the receiver who
// has it by then.
type lease struct {
	deadline time.Time
	limit    time.Time // no deadline is later
	due      time.Time // when the lease has to be looked at: to renew it, or because it ends
	index    int       // in leases, or -1
	lost     bool
}

var (
	errExpired = errors.New("its visibility timeout has passed")
	errLimit   = errors.New("it has been held for as long as it may be since it was received")
)

// maxCallTime is the most that a call may take, and a poll beyond its WaitTime. A
// queue that does not answer must not hold up what is to be deleted for hours.
const maxCallTime = time.Minute

// beat returns the time after which a lease is renewed.
func (d *desk) beat() time.Duration { return max(1, d.VisibilityTimeout/3) }

// callTime returns the most that a call may take: so a renewal that fails can be
// tried once more.
func (d *desk) callTime() time.Duration { return min(d.beat(), maxCallTime) }

// hold begins the lease of m, which has just been received.
func (d *desk) hold(m *job) {
	m.limit = m.received.Add(min(d.MaxVisibility, maxVisibility-lastMoments))
	m.index = -1
	d.extend(m, m.received, d.VisibilityTimeout)
	heap.Push(&d.leases, m)
}

// extend sets the deadline of m, whose visibility timeout began anew at the given
// time at the earliest.
func (d *desk) extend(m *job, began time.Time, timeout time.Duration) {
	m.deadline = began.Add(timeout)
	if m.limit.Before(m.deadline) {
		m.deadline = m.limit
	}
	m.due = m.deadline
	if d.wants(m) && m.limit.After(m.deadline) {
		m.due = began.Add(d.beat())
	}
	d.leases.fix(m)
}

// wants reports whether the lease of m is to be renewed. When the desk stops,
// what is to be deleted has what is left of its visibility timeout to be deleted
// in: so a queue that refuses all deletes cannot hold up the end.
func (d *desk) wants(m *job) bool {
	return m.fate != deleting || !d.stopping
}

// tend renews the leases that are due for it, and gives up those that have ended.
//
// When one is renewed, those that will be due soon are too, to share the call.
func (d *desk) tend() {
	until := d.now
	for m := d.leases.first(); m != nil && !m.due.After(until); m = d.leases.first() {
		switch {
		case !d.now.Before(m.deadline):
			d.expire(m)
		case !m.due.Before(m.deadline):
			return
		default:
			d.renew(m)
			until = d.now.Add(d.beat() / 2)
		}
	}
}

// renew has the visibility timeout of m begin anew, unless the line of changes has
// m already.
func (d *desk) renew(m *job) {
	m.due = m.deadline
	d.leases.fix(m)
	d.enqueueChange(m)
}

// expire deals with a lease that has come to its end. If the message is being
// deleted, the answer to that call will say what has become of it.
func (d *desk) expire(m *job) {
	switch {
	case m.fate == deleting && m.inCall:
		m.due = d.now.Add(d.callTime()) // by when the call has been answered
		d.leases.fix(m)
	case m.deadline.Before(m.limit):
		d.lose(m, errExpired)
	default:
		d.lose(m, errLimit)
	}
}

// lose gives up a message, and gives back what came after it in its group.
// If its handler runs, the track waits for it to return.
func (d *desk) lose(m *job, why error) {
	if m.lost {
		return
	}
	m.lost = true
	d.leases.remove(m)
	err := fmt.Errorf("%w: %w", ErrLeaseLost, why)
	d.reportLeaseLost(m, err)
	if d.gone == nil {
		d.giveBack(m.behind())
	}
	if m.fate == handling {
		m.interrupt(err)
		return
	}
	d.leave(m)
}

// interrupt ends the context of m's handler, if that runs.
func (m *job) interrupt(cause error) {
	if m.end != nil {
		m.end(cause)
	}
}

// leases are the jobs whose leases have to be looked at, by when. It is a
// heap, of those not lost.
type leases []*job

func (l *leases) first() *job {
	if len(*l) == 0 {
		return nil
	}
	return (*l)[0]
}

func (l *leases) fix(m *job) {
	if m.index >= 0 {
		heap.Fix(l, m.index)
	}
}

func (l *leases) remove(m *job) {
	if m.index >= 0 {
		heap.Remove(l, m.index)
	}
}

func (l leases) Len() int { return len(l) }

func (l leases) Less(i, j int) bool {
	return cmp.Or(l[i].due.Compare(l[j].due), cmp.Compare(l[i].serial, l[j].serial)) < 0
}

func (l leases) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].index, l[j].index = i, j
}

// Push is for package heap.
func (l *leases) Push(x any) {
	m := x.(*job)
	m.index = len(*l)
	*l = append(*l, m)
}

// Pop is for package heap.
func (l *leases) Pop() any {
	last := len(*l) - 1
	m := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	m.index = -1
	return m
}
