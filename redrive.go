package memsqs

import (
	"context"
	"sync"
	"time"
)

// A redrive is a call of Redrive. Its steps are taken one after the other, the
// first by the caller, and with a limit of their rate the others by timers: so
// that on a ManualClock all are taken in the Advance in which they fall due.
type redrive struct {
	ctx      context.Context
	from, to *core         // to is nil if each message goes to its origin
	interval time.Duration // between two messages
	last     uint64        // number of the last message to be moved
	done     chan struct{} // closed at the end

	mu    sync.Mutex // guards the fields below; held before that of a queue
	at    moment     // messages before it have been moved or passed over
	moved int
	err   error
	over  bool
	timer Timer // of the next step, or nil
}

func (q *core) redrive(ctx context.Context, to *core, maxPerSecond int) (moved int, err error) {
	if err := q.enter(ctx); err != nil {
		return 0, err
	}
	r := &redrive{ctx: ctx, from: q, to: to, last: q.last, done: make(chan struct{})}
	if oldest, ok := q.byAge.first(); ok {
		r.at = oldest.moment
	}
	q.leave()
	switch {
	case maxPerSecond < 0:
		return 0, q.refuse(ErrInvalidParameterValue, "the rate is %d messages per second; it must be positive, or 0 for no limit", maxPerSecond)
	case to == q:
		return 0, q.refuse(ErrInvalidParameterValue, "messages of the queue cannot be moved to itself")
	case to != nil && !to.open.Load():
		return 0, to.errClosed()
	case maxPerSecond > 0:
		r.interval = (time.Second + time.Duration(maxPerSecond) - 1) / time.Duration(maxPerSecond)
	}
	r.step()
	select {
	case <-r.done:
	case <-ctx.Done():
		r.cancel()
	}
	return r.moved, r.err
}

// cancel ends the redrive because its context is done.
func (r *redrive) cancel() {
	r.mu.Lock()
	r.end(r.ctx.Err())
	t := r.timer
	r.mu.Unlock()
	if t != nil {
		t.Stop()
	}
}

// step moves messages until there is a reason to stop or to wait.
func (r *redrive) step() {
	moved, wait := r.move()
	if !wait {
		return
	}
	t := r.from.afterFunc(r.interval, r.step)
	r.mu.Lock()
	over := r.over
	if r.moved == moved { // or t has gone off, and there is a later timer
		r.timer = t
	}
	r.mu.Unlock()
	if over {
		t.Stop()
	}
}

// move moves one message, or all if there is no limit of the rate. It returns
// how many have been moved in all, and whether there is a next step to wait for.
func (r *redrive) move() (moved int, wait bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.over {
		found, more, err := r.moveNext()
		switch {
		case err != nil || !more:
			r.end(err)
		case found && r.interval > 0:
			return r.moved, true
		}
	}
	return r.moved, false
}

// end ends the redrive, unless it has ended before. r.mu must be held.
func (r *redrive) end(err error) {
	if !r.over {
		r.over, r.err = true, err
		close(r.done)
	}
}

// moveNext moves the next message, if it finds it, and reports whether there
// may be another. r.mu must be held.
func (r *redrive) moveNext() (found, more bool, err error) {
	q := r.from
	if err := q.enter(r.ctx); err != nil {
		return false, false, err
	}
	defer q.leave()
	m, to, more, err := r.find()
	if m == nil || err != nil {
		return false, more, err
	}
	x := m.extras()
	x.origin = nil
	l := letter{to: to, isNew: true, message: &message{id: newUUID(), body: m.body, extra: &x, dedupID: m.dedupID}}
	if m.group != nil {
		l.groupID = m.group.id
	}
	q.remove(m)
	q.letters = append(q.letters, l)
	r.moved++
	_, _, more, err = r.find()
	return true, more, err
}

// redriveStride is how many messages a redrive looks at before it lets others
// have the queue.
const redriveStride = 1000

// find returns the next message to be moved and where to, and whether there is
// one or may be one further on. r.mu and r.from.mu must be held.
func (r *redrive) find() (m *message, to *core, more bool, err error) {
	passed := 0
	for m := range r.from.byAge.from(r.at) {
		r.at = m.sent
		if passed++; passed > redriveStride {
			return nil, nil, true, nil
		}
		to := r.to
		if to == nil {
			to = m.extras().origin
		} else if !to.open.Load() {
			return nil, nil, false, to.errClosed()
		}
		if m.state != InFlight && m.sent.nr <= r.last && to != nil && to != r.from && to.open.Load() {
			return m, to, true, nil
		}
	}
	return nil, nil, false, nil
}
