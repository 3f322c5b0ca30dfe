package pubsub

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/memsqs/memsqs"
)

// A desk is a run of a Consumer.
//
// All of its state, and that of tracks, jobs and lines, belongs to the
// goroutine that called Run, so there is no lock. What takes time, which is
// handlers and calls to the queue, happens in goroutines of its own; they touch
// nothing of the desk, and hand it back a function that says what comes next.
//
// The goroutine of Run waits for such a function, for the end of the context, or
// for the time at which something falls due, and then does whatever can be done
// now. What can be done it reads from the state, not from what has just happened.
type desk struct {
	*Consumer
	ctx      context.Context // of polls: that of Run, and endPolls ends it too
	tasks    context.Context // of handlers and other calls: that of Run, but it does not end
	now      time.Time       // one for all that happens at once
	endPolls context.CancelFunc

	finished   chan func() // what the desk's goroutines hand back
	unfinished int         // those that have not
	goroutines sync.WaitGroup

	tracks  map[trackKey]*track
	leases  leases
	serial  uint64 // of the job received last
	deletes line
	changes line

	polling bool // a poll is under way
	polls   pause

	stopping bool
	emptied  bool      // what had not been started then has been given back
	graceEnd time.Time // when handlers are told to stop; zero when they have been, or before
	gone     error     // of a queue that is gone: nothing can be called any more
}

func newDesk(ctx context.Context, c *Consumer) *desk {
	d := &desk{
		Consumer: c,
		tasks:    context.WithoutCancel(ctx),
		finished: make(chan func()),
		tracks:   make(map[trackKey]*track),
	}
	d.ctx, d.endPolls = context.WithCancel(ctx)
	return d
}

func (d *desk) run() error {
	defer d.endPolls()
	timer := time.NewTimer(0)
	defer timer.Stop()
	stop := d.ctx.Done()
	for {
		d.now = time.Now()
		d.advance()
		if d.stopping && len(d.tracks) == 0 && d.unfinished == 0 {
			d.goroutines.Wait()
			return d.gone
		}
		timer.Reset(d.idleTime())
		finish := func() {}
		select {
		case finish = <-d.finished:
			d.unfinished--
		case <-stop:
			stop = nil
		case <-timer.C:
		}
		d.now = time.Now()
		if d.ctx.Err() != nil { // before finish, which must not start another handler then
			d.stop()
		}
		finish()
	}
}

// begin runs work in a goroutine of its own, and finish at the desk when it has
// ended, however it has: a handler may call [runtime.Goexit].
func (d *desk) begin(work, finish func()) {
	d.unfinished++
	d.goroutines.Go(func() {
		defer func() { d.finished <- finish }()
		work()
	})
}

// advance does whatever can be done now.
func (d *desk) advance() {
	d.tend()
	if d.stopping {
		d.wind()
	}
	d.poll()
	d.sendDeletes()
	d.sendChanges()
}

// idleTime returns how long nothing can be done, unless something happens.
func (d *desk) idleTime() time.Duration {
	wake := d.now.Add(maxVisibility)
	sooner := func(t time.Time) {
		if t.Before(wake) {
			wake = t
		}
	}
	if m := d.leases.first(); m != nil {
		sooner(m.due)
	}
	if d.hasRoom() {
		sooner(d.polls.until)
	}
	for _, l := range []*line{&d.deletes, &d.changes} {
		if l.isReady() {
			sooner(l.pause.until)
		}
	}
	if !d.graceEnd.IsZero() {
		sooner(d.graceEnd)
	}
	return wake.Sub(d.now)
}

// stop begins the end of the run, if it has not begun.
func (d *desk) stop() {
	if d.stopping {
		return
	}
	d.stopping = true
	d.graceEnd = d.now.Add(d.Grace) // which may be past
}

// wind gives back what has not been started, and tells the handlers to stop when
// the grace period is over.
//
// The poll has to end first, or it would receive again what is given back.
func (d *desk) wind() {
	if !d.polling && !d.emptied {
		d.emptied = true
		d.giveBack(d.waiting())
	}
	if d.graceEnd.IsZero() || d.now.Before(d.graceEnd) {
		return
	}
	d.graceEnd = time.Time{}
	for _, t := range d.tracks {
		t.jobs[0].interrupt(ErrStopped)
	}
}

// isGone reports whether err means that the queue is gone, and if so, ends the
// run as far as the queue is concerned: all leases are lost.
func (d *desk) isGone(err error) bool {
	if !errors.Is(err, memsqs.ErrClosed) {
		return false
	}
	if d.gone == nil {
		d.gone = err
		d.endPolls()
		d.stop()
		d.reportQueueError(err, 0)
	}
	for _, m := range d.all() { // also what a poll has brought since
		d.lose(m, err)
	}
	return true
}
