package memsqs_test

import (
	"sync/atomic"
	"time"

	"github.com/memsqs/memsqs"
)

// epoch is where the clocks of tests start.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)

// A spyClock is a ManualClock that knows what it was asked for, that can be ahead
// of its timers, and that does something when it is called.
type spyClock struct {
	*memsqs.ManualClock
	ahead atomic.Int64 // nanoseconds that Now is ahead of the timers

	readings atomic.Int64 // calls of Now
	made     atomic.Int64 // timers
	pending  atomic.Int64 // of them, those that have neither gone off nor been stopped

	// What is done before a call, or nil, and once only.
	beforeNow, beforeAfterFunc, beforeStop atomic.Pointer[func()]
}

func newSpyClock() *spyClock { return &spyClock{ManualClock: memsqs.NewManualClock(epoch)} }

// fire does what is to be done before a call. What it calls the clock for does
// not do it again.
func fire(hook *atomic.Pointer[func()]) {
	if f := hook.Swap(nil); f != nil {
		(*f)()
	}
}

func (c *spyClock) Now() time.Time {
	fire(&c.beforeNow)
	c.readings.Add(1)
	return c.ManualClock.Now().Add(time.Duration(c.ahead.Load()))
}

func (c *spyClock) AfterFunc(d time.Duration, f func()) memsqs.Timer {
	fire(&c.beforeAfterFunc)
	c.made.Add(1)
	c.pending.Add(1)
	return spyTimer{c, c.ManualClock.AfterFunc(d, func() {
		c.pending.Add(-1)
		f()
	})}
}

type spyTimer struct {
	clock *spyClock
	timer memsqs.Timer
}

func (t spyTimer) Stop() bool {
	fire(&t.clock.beforeStop)
	stopped := t.timer.Stop()
	if stopped {
		t.clock.pending.Add(-1)
	}
	return stopped
}
