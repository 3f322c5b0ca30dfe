package pubsub

import "time"

// A pause is how long calls of one kind wait because the queue failed them.
type pause struct {
	failures int // in a row
	until    time.Time
}

// minPoll is the least time from the beginning of a poll that brings nothing to
// that of the next.
const minPoll = time.Second

// queueBackoff is how long a call that has failed because of the queue waits.
var queueBackoff = Exponential(200*time.Millisecond, 20*time.Second)

// polled notes what a poll has brought. After one that brought nothing the next
// begins a second later than that one began, should the queue not have waited.
func (p *pause) polled(messages int, err error, began, now time.Time) {
	switch {
	case err != nil:
		p.extend(now)
	case messages == 0:
		*p = pause{until: began.Add(minPoll)}
	default:
		*p = pause{}
	}
}

// extend notes a failure, and returns how long the pause is now.
func (p *pause) extend(now time.Time) time.Duration {
	p.failures++
	wait := queueBackoff(p.failures)
	p.until = now.Add(wait)
	return wait
}
