package memsqs

import (
	"context"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"
)

// A core is what Queue and FIFOQueue have in common: the messages and every
// operation on a message once it is there. They differ in what they check
// when one is sent, and in its group, which is nil in a standard queue.
//
// Every message of the queue is in byAge. A message that is delayed or in
// flight is in hidden as well. A visible one is in visible if it may be
// received next: any in a standard queue, in a FIFO queue the heads of the
// groups. So a group whose head is hidden has no place in visible, and needs no
// lock of its own.
//
// Nothing happens in the background. An operation begins by bringing the
// queue to the present, with lock, and ends by serving those who wait, with
// leave. Between two operations this holds: unless the in-flight quota is
// reached, nobody waits while a message may be received.
//
// The mutex is never held while a call waits, calls a clock, or holds the
// mutex of another queue. The one thing of the user's that is called under it
// is Err of a context, for the state of a context counts at the instant at which
// a call takes effect. Methods without a word on the mutex lock it themselves.
type core struct {
	name string
	timebase
	seed maphash.Seed // seals the receipt handles

	// Both are read without mu, and change under it.
	open     atomic.Bool
	settings atomic.Pointer[settings]

	postal sync.Mutex // held by whoever posts the letters; taken before mu

	mu      sync.Mutex // guards the fields below
	reading int64      // of the clock, by the operation under way
	now     int64      // the latest reading so far: it does not go back
	last    uint64     // number given out last, to a message or to its turn

	byAge    timeline[*message] // by when they were sent
	hidden   timeline[*message] // by when they become visible
	visible  timeline[*message] // by when they became visible
	inFlight int                // of hidden; the others are delayed

	groups   table[string, *group]    // those that have a message
	sent     window[string, identity] // first messages, by deduplication key
	attempts window[string, *attempt] // by receive attempt id
	waiters  waiters
	alarm    *alarm   // of the next thing to do for the waiters, or nil
	stale    []Timer  // of no more use, to be stopped when mu has been released
	letters  []letter // to be posted when mu has been released
	totals   Stats    // its totals alone
}

// init makes q an empty queue with the given settings, if they are valid.
func (q *core) init(name string, clock Clock, s settings) error {
	q.name = name
	if err := q.checkSettings(s); err != nil {
		return err
	}
	q.timebase = newTimebase(clock)
	q.seed = maphash.MakeSeed()
	q.settings.Store(&s)
	q.open.Store(true)
	return nil
}

// usable refuses a call whose context is done or whose queue is closed.
func (q *core) usable(ctx context.Context) error {
	if ctx == nil {
		return q.refuse(ErrInvalidParameterValue, "the context is nil; it must not be")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !q.open.Load() {
		return q.errClosed()
	}
	return nil
}

func (q *core) errClosed() error {
	return q.refuse(ErrClosed, "it takes no more calls")
}

// enter begins an operation: it locks the queue, brings it to the present, and
// refuses the call if it is no longer usable. If it is, the caller must leave.
func (q *core) enter(ctx context.Context) error {
	q.lock()
	if err := q.usable(ctx); err != nil {
		q.leave()
		return err
	}
	return nil
}

// lock is enter for what also works in a closed queue. What has fallen due
// since the last operation goes to those who wait, before this one can take it.
func (q *core) lock() {
	now := q.read()
	q.mu.Lock()
	q.reading = now
	q.advance()
	q.serve()
}

// leave ends an operation: it unlocks the queue, and returns when the letters
// that the operation has written are where they belong.
func (q *core) leave() {
	if q.unlock() {
		q.deliver()
	}
}

// unlock serves those who wait and unlocks the queue. It reports whether there
// are letters to be posted.
func (q *core) unlock() bool {
	letters := q.settle()
	stale := q.stale
	q.stale = nil
	q.mu.Unlock()
	for _, t := range stale {
		t.Stop()
	}
	return letters
}

// current returns the settings in force.
func (q *core) current() *settings {
	if s := q.settings.Load(); s != nil {
		return s
	}
	return new(settings) // of a zero queue
}

// number returns a number larger than those before. q.mu must be held.
func (q *core) number() uint64 {
	q.last++
	return q.last
}

// advance brings the queue to the present: it ends, in the order of their
// instants, the invisibility of messages that fell due, and the life of those
// whose retention has passed. At one instant retention comes first.
// q.mu must be held.
func (q *core) advance() {
	q.now = max(q.now, q.reading)
	s := q.current()
	retention := int64(s.retention)
	for {
		oldest, some := q.byAge.first()
		due, hidden := q.hidden.first()
		expired := some && oldest.at+retention <= q.now
		switch {
		case expired && !(hidden && due.at < oldest.at+retention):
			q.remove(oldest.value)
			q.totals.Expired++
			continue
		case hidden && due.at <= q.now:
			q.hidden.removeFirst()
			q.reveal(due.value)
			continue
		}
		break
	}
	q.sent.expire(q.now, int64(s.deduplicationWindow))
	q.attempts.expire(q.now, int64(attemptLife))
}

// send is Send for both kinds of queue, which differ in what they check and in
// how they put a message on the queue.
func (q *core) send(ctx context.Context, in SendInput, makeDraft func(SendInput) (draft, error), put func(draft) identity) (SendResult, error) {
	if err := q.usable(ctx); err != nil {
		return SendResult{}, err
	}
	d, err := makeDraft(in)
	if err != nil {
		return SendResult{}, err
	}
	if err := q.enter(ctx); err != nil {
		return SendResult{}, err
	}
	id := put(d)
	q.leave()
	return id.result(), nil
}

// store puts m, whose sent moment is set and which has joined its group if it
// has one, on the queue. It becomes visible when the given delay has passed.
// q.mu must be held.
func (q *core) store(m *message, delay time.Duration) {
	q.byAge.insert(m.sent, m)
	q.place(m, delay, Delayed)
}

// remove takes m out of the queue: it is the way out of all messages, but for
// a purge. What waits behind m in its group moves up. q.mu must be held.
func (q *core) remove(m *message) {
	wasHead := m.isHead()
	q.lift(m)
	q.unlink(m)
	if m.group != nil && wasHead {
		q.offer(m.group.first)
	}
}

// unlink is remove for a message that has been lifted, and whose group the
// caller looks after. q.mu must be held.
func (q *core) unlink(m *message) {
	q.byAge.remove(m.sent)
	if m.group != nil {
		q.leaveGroup(m)
	}
	m.due = moment{}          // tells a receive attempt that m has changed
	m.body, m.extra = "", nil // a receive attempt may refer to m for minutes
}

// Purge drops all messages of the queue, whatever their state, and forgets the
// deduplication and receive attempt ids. Receives that wait go on waiting.
//
// It takes constant time. It can be called at any time, where SQS allows one
// call in 60 seconds.
func (q *core) Purge(ctx context.Context) error {
	if err := q.enter(ctx); err != nil {
		return err
	}
	defer q.leave()
	q.totals.Purged += uint64(q.byAge.len())
	q.byAge, q.hidden, q.visible = timeline[*message]{}, timeline[*message]{}, timeline[*message]{}
	q.inFlight = 0
	q.groups = table[string, *group]{}
	q.sent = window[string, identity]{}
	q.attempts = window[string, *attempt]{}
	return nil
}

// Closed reports whether the queue has been closed.
func (q *core) Closed() bool { return !q.open.Load() }

// Close closes the queue: receives that wait, and all later calls, are refused
// with ErrClosed. Config, Stats, Peek and Close still work. Close always returns
// nil.
//
// A queue that is no longer used need not be closed: it has no resources but
// memory.
func (q *core) Close() error {
	q.lock()
	defer q.leave()
	q.open.Store(false)
	for w := q.waiters.first(); w != nil; w = q.waiters.first() {
		err := w.ctx.Err()
		if err == nil {
			err = q.errClosed()
		}
		q.waiters.dismiss(w, nil, err)
	}
	return nil
}
