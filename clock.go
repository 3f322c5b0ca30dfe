package memsqs

import (
	"sync"
	"time"
)

// A Clock tells a queue the time. A queue without one uses package time, in
// production as well as in a [testing/synctest] bubble; a [ManualClock] is
// for tests that cannot run in a bubble.
//
// A queue calls its clock from many goroutines, and never while it holds the lock
// of its messages, so that a clock can use its own queue. It must not use another
// queue that has this one for its dead letters.
//
// If Now goes back, the queue's time stands still until Now has caught up. A
// queue has one timer while receives wait, however many, and each [Redrive] with
// a limit of its rate has one; at other times there are none.
type Clock interface {
	// Now returns the current time.
	Now() time.Time
	// AfterFunc calls f, once and on any goroutine, when d has passed.
	AfterFunc(d time.Duration, f func()) Timer
}

// A Timer is what [Clock].AfterFunc returns; a [time.Timer] is one.
type Timer interface {
	// Stop keeps the timer's function from being called, and reports
	// whether it did.
	Stop() bool
}

// A timebase tells a queue the time in instants: nanoseconds since it was made.
type timebase struct {
	clock  Clock // nil for package time
	origin time.Time
}

func newTimebase(clock Clock) timebase {
	if clock == nil {
		return timebase{nil, time.Now()}
	}
	return timebase{clock, clock.Now()}
}

// read returns the present instant.
func (b *timebase) read() int64 {
	if b.clock == nil {
		return min(int64(time.Since(b.origin)), maxInstant)
	}
	return b.instant(b.clock.Now())
}

// afterFunc calls f when d has passed.
func (b *timebase) afterFunc(d time.Duration, f func()) Timer {
	if b.clock == nil {
		return time.AfterFunc(d, f)
	}
	return b.clock.AfterFunc(d, f)
}

// instant returns t as an instant.
func (b *timebase) instant(t time.Time) int64 {
	return max(min(int64(t.Sub(b.origin)), maxInstant), -maxInstant)
}

// time returns an instant as it is shown.
func (b *timebase) time(at int64) time.Time { return b.origin.Add(time.Duration(at)) }

// maxInstant bounds instants, and how far a ManualClock goes, to 146 years from
// the origin: the sum of an instant and of a duration that is not longer does
// not overflow.
const maxInstant = 1<<62 - 1

// A ManualClock is a [Clock] that stands still until [ManualClock.Advance]
// moves it. It is safe for use by many goroutines. The zero ManualClock
// stands at the zero time.
type ManualClock struct {
	mu      sync.Mutex // guards the fields below
	now     time.Time
	origin  time.Time // where the clock started; timers count from it
	target  int64     // how far it is to go from there
	pending timeline[*manualTimer]
	last    uint64 // number of the timer made last
}

// NewManualClock returns a clock that stands at start.
func NewManualClock(start time.Time) *ManualClock {
	return &ManualClock{now: start, origin: start}
}

// Now returns the time at which the clock stands.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc makes a timer that calls f in the [ManualClock.Advance] that takes
// the clock d further. If d is zero or less, that is the next one.
func (c *ManualClock) AfterFunc(d time.Duration, f func()) Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	t := &manualTimer{clock: c, f: f, due: moment{c.elapsed() + max(0, min(int64(d), maxInstant)), c.last}}
	c.pending.insert(t.due, t)
	return t
}

// Advance moves the clock by d and calls, each at its own instant and in
// order, the functions of all timers that fall due on the way, those that are
// made on the way included. A queue on this clock has, when Advance returns,
// done all that fell due: receives that were waiting have been handed their
// messages, or have come to the end of their wait.
//
// To know that a receive is waiting before the clock is moved, look at
// Waiting in [Queue.Stats]. Calls that overlap add up, but then a function may
// find the clock past its instant, and is sure to have been called only when all
// of the calls have returned. Advance takes a negative d for zero, and stops for
// good 146 years from where the clock started.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	c.target = min(c.target+max(0, min(int64(d), maxInstant)), maxInstant)
	for {
		next, ok := c.pending.first()
		if !ok || next.at > c.target {
			break
		}
		c.pending.removeFirst()
		c.moveTo(next.at)
		c.mu.Unlock()
		next.value.f()
		c.mu.Lock()
	}
	c.moveTo(c.target)
	c.mu.Unlock()
}

// elapsed returns how far the clock has been moved. c.mu must be held.
func (c *ManualClock) elapsed() int64 { return int64(c.now.Sub(c.origin)) }

// moveTo moves the clock forward to the given distance from its origin.
// c.mu must be held.
func (c *ManualClock) moveTo(at int64) {
	if at > c.elapsed() {
		c.now = c.origin.Add(time.Duration(at))
	}
}

type manualTimer struct {
	clock *ManualClock
	due   moment
	f     func()
}

func (t *manualTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	_, pending := t.clock.pending.get(t.due)
	t.clock.pending.remove(t.due)
	return pending
}
