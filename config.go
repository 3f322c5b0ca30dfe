package memsqs

import (
	"cmp"
	"reflect"
	"time"
)

// The defaults of Amazon SQS (sqs-behaviour.md, 0.3).
const (
	defaultVisibilityTimeout   = 30 * time.Second
	defaultRetention           = 4 * 24 * time.Hour
	defaultMaxInFlight         = 120_000
	defaultMaxInFlightFIFO     = 20_000
	defaultDeduplicationWindow = 5 * time.Minute
)

// settings are a configuration, Config or FIFOConfig, as the core uses it: with
// the defaults filled in, and as comparable values that are shared with nobody.
type settings struct {
	visibilityTimeout time.Duration
	delay             time.Duration
	waitTime          time.Duration
	retention         time.Duration
	maxMessageSize    int
	maxInFlight       int
	deadLetters       deadLetters

	// In a FIFOQueue alone.
	contentBasedDeduplication bool
	deduplicationScope        DeduplicationScope
	deduplicationWindow       time.Duration
}

// deadLetters says where dead letters go. The zero value says nowhere.
type deadLetters struct {
	given           bool // the configuration has a DeadLetter
	queue           *Queue
	fifoQueue       *FIFOQueue
	maxReceiveCount int
}

// to returns the queue that dead letters go to, or nil.
func (d deadLetters) to() *core {
	return cmp.Or(d.queue.base(), d.fifoQueue.base())
}

// checkSettings refuses settings that no queue can have.
func (q *core) checkSettings(s settings) error {
	for _, d := range []struct {
		name               string
		value, least, most time.Duration
	}{
		{"VisibilityTimeout", s.visibilityTimeout, 0, maxVisibilityTimeout},
		{"Delay", s.delay, 0, maxDelay},
		{"WaitTime", s.waitTime, 0, maxWaitTime},
		{"Retention", s.retention, minRetention, maxRetention},
	} {
		if d.value < d.least || d.value > d.most {
			return q.refuse(ErrInvalidAttributeValue, "%s is %v; it must be %v to %v", d.name, d.value, d.least, d.most)
		}
	}
	switch {
	case s.maxMessageSize < minMessageSize || s.maxMessageSize > maxMessageSize:
		return q.refuse(ErrInvalidAttributeValue, "MaxMessageSize is %d; it must be %d to %d", s.maxMessageSize, minMessageSize, maxMessageSize)
	case s.maxInFlight < 0:
		return q.refuse(ErrInvalidAttributeValue, "MaxInFlight is %d; it must be positive, or 0 for the default", s.maxInFlight)
	case s.deduplicationWindow < 0:
		return q.refuse(ErrInvalidAttributeValue, "DeduplicationWindow is %v; it must be positive, or 0 for the default", s.deduplicationWindow)
	case s.deduplicationScope != DeduplicateQueue && s.deduplicationScope != DeduplicateGroup:
		return q.refuse(ErrInvalidAttributeValue, "DeduplicationScope is %d; it must be DeduplicateQueue or DeduplicateGroup", s.deduplicationScope)
	case s.deadLetters.given && s.deadLetters.to() == nil:
		return q.refuse(ErrInvalidAttributeValue, "the Queue of DeadLetter is nil; it must be a queue")
	case s.deadLetters.given && (s.deadLetters.maxReceiveCount < 1 || s.deadLetters.maxReceiveCount > maxReceiveCount):
		return q.refuse(ErrInvalidAttributeValue, "MaxReceiveCount is %d; it must be 1 to %d", s.deadLetters.maxReceiveCount, maxReceiveCount)
	}
	return nil
}

// configure puts in force what change makes of the settings. Change is called
// without the mutex, and again if they have changed meanwhile.
func (q *core) configure(change func(settings) (settings, error)) error {
	for {
		if !q.open.Load() {
			return q.errClosed()
		}
		old := *q.current()
		s, err := change(old)
		if err != nil {
			return err
		}
		if err := q.checkSettings(s); err != nil {
			return err
		}
		if done, err := q.replaceSettings(old, s); done || err != nil {
			return err
		}
	}
}

// replaceSettings puts other settings in the place of old. It reports false,
// and does nothing, if old are no longer in force.
func (q *core) replaceSettings(old, s settings) (done bool, err error) {
	q.lock()
	defer q.leave()
	if !q.open.Load() {
		return false, q.errClosed()
	}
	if *q.current() != old {
		return false, nil
	}
	q.settings.Store(&s)
	if s.delay != old.delay {
		q.redelay()
	}
	q.advance() // a shorter retention or window takes effect at once
	return true, nil
}

// checkIdentity refuses a configuration that changes what cannot be changed.
func (q *core) checkIdentity(name string, clock Clock) error {
	if name != q.name {
		return q.refuse(ErrInvalidAttributeValue, "Name is %s; it cannot be changed from %s", clip(name), clip(q.name))
	}
	if !sameClock(clock, q.clock) {
		return q.refuse(ErrInvalidAttributeValue, "Clock is another %T; it cannot be changed", clock)
	}
	return nil
}

// sameClock compares clocks, also of a type that cannot be compared with ==.
func sameClock(a, b Clock) bool {
	if a != nil && b != nil && !reflect.ValueOf(a).Comparable() {
		return reflect.TypeOf(a) == reflect.TypeOf(b)
	}
	return a == b
}
