package memsqs

import (
	"context"
	"sync"
	"time"

	"github.com/memsqs/memsqs/internal/uuid"
)

// A Redrive is a move of messages to another queue that [Queue.StartRedrive] or
// [FIFOQueue.StartRedrive] has begun. Its methods can be called at any time, by many
// goroutines.
//
// Its steps are taken one after the other, the first by the caller, and with a
// limit of the rate the others by timers: so that on a ManualClock all are taken in
// the Advance in which they fall due, and that no goroutine waits for them.
type Redrive struct {
	ctx      context.Context
	from, to *core         // to is nil if each message goes to its origin
	interval time.Duration // between two messages
	last     uint64        // number of the last message to be moved
	done     chan struct{} // closed at the end

	mu      sync.Mutex // guards the fields below; held before that of a queue
	at      moment     // messages before it have been moved or passed over
	moved   int
	err     error
	over    bool
	timer   Timer       // of the next step, or nil
	unwatch func() bool // gives up watching ctx, or nil
}

// Done returns a channel that is closed when the redrive has ended.
func (r *Redrive) Done() <-chan struct{} { return r.done }

// Moved returns how many messages the redrive has moved so far.
func (r *Redrive) Moved() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.moved
}

// Err returns why the redrive has ended early, as Redrive returns it. It returns nil
// if all was moved, and as long as Done is not closed.
func (r *Redrive) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// redrive is startRedrive for who waits for the end.
func (q *core) redrive(ctx context.Context, to *core, maxPerSecond int) (moved int, err error) {
	r, err := q.startRedrive(ctx, to, maxPerSecond)
	if err != nil {
		return 0, err
	}
	<-r.done
	return r.Moved(), r.Err()
}

func (q *core) startRedrive(ctx context.Context, to *core, maxPerSecond int) (*Redrive, error) {
	if err := q.enter(ctx); err != nil {
		return nil, err
	}
	r := &Redrive{ctx: ctx, from: q, to: to, last: q.last, done: make(chan struct{})}
	if oldest, ok := q.byAge.first(); ok {
		r.at = oldest.moment
	}
	q.leave()
	switch {
	case maxPerSecond < 0:
		return nil, q.refuse(ErrInvalidParameterValue, "the rate is %d messages per second; it must be positive, or 0 for no limit", maxPerSecond)
	case to == q:
		return nil, q.refuse(ErrInvalidParameterValue, "messages of the queue cannot be moved to itself")
	case to != nil && !to.open.Load():
		return nil, to.errClosed()
	case maxPerSecond > 0:
		r.interval = (time.Second + time.Duration(maxPerSecond) - 1) / time.Duration(maxPerSecond)
		r.watch()
	}
	r.step()
	return r, nil
}

// watch ends the redrive when its context is done, also between two steps.
func (r *Redrive) watch() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unwatch = context.AfterFunc(r.ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.end(r.ctx.Err())
	})
}

// step moves one message, or all if there is no limit of the rate. The timer of
// the next step is made first: who sees the message can rely on the timer.
func (r *Redrive) step() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over && r.interval > 0 {
		r.timer = r.from.afterFunc(r.interval, r.step)
	}
	for !r.over {
		moved, more, err := r.moveNext()
		if err != nil || !more {
			r.end(err)
		} else if moved && r.interval > 0 {
			return
		}
	}
}

// end ends the redrive, unless it has ended before. r.mu must be held.
func (r *Redrive) end(err error) {
	if r.over {
		return
	}
	r.over, r.err = true, err
	if r.timer != nil {
		r.timer.Stop()
	}
	if r.unwatch != nil {
		r.unwatch()
	}
	close(r.done)
}

// moveNext moves the next message, if it finds it, and reports whether there
// may be another. r.mu must be held.
func (r *Redrive) moveNext() (moved, more bool, err error) {
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
	l := letter{to: to, isNew: true, message: &message{id: uuid.New(), body: m.body, extra: &x, dedupID: m.dedupID}}
	if m.group != nil {
		l.groupID = m.group.id
	}
	q.remove(m)
	q.letters = append(q.letters, l)
	q.totals.Redriven++
	r.moved++
	at := r.at
	_, _, more, err = r.find()
	r.at = at // what was passed over may be visible by the next step
	return true, more, err
}

// redriveStride is how many messages a redrive looks at before it lets others
// have the queue.
const redriveStride = 1000

// find returns the next message to be moved and where to, and whether there is
// one or may be one further on. r.mu and r.from.mu must be held.
func (r *Redrive) find() (m *message, to *core, more bool, err error) {
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
