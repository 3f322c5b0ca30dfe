package pubsub

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/memsqs/memsqs"
)

// A Backoff says how long to wait after something has failed for the given
// number of times in a row, 1 or more, before it is tried again.
type Backoff func(failures int) time.Duration

// Constant returns a [Backoff] that always waits for d.
func Constant(d time.Duration) Backoff {
	return func(int) time.Duration { return d }
}

// Exponential returns a [Backoff] that waits for first after the first failure,
// and then for twice as long after each further one, but never for longer than
// most. Of that time it takes off up to half, at random, so that those who
// failed together do not come back together.
func Exponential(first, most time.Duration) Backoff {
	return func(failures int) time.Duration {
		d := min(first, most)
		for ; failures > 1 && 0 < d && d < most; failures-- {
			d += min(d, most-d)
		}
		return jitter(d)
	}
}

// jitter returns a time between half of d and d.
func jitter(d time.Duration) time.Duration {
	if d < 2 {
		return max(d, 0)
	}
	return d - rand.N(d/2+1)
}

// isRetryable reports whether what failed with err may succeed if it is tried
// again, by the rule that [Sender] states.
func isRetryable(err error) bool {
	var knows interface{ Retryable() bool }
	if errors.As(err, &knows) {
		return knows.Retryable()
	}
	return err != nil && !isRefusal(err)
}

// isRefusal reports whether err is a queue's refusal of what it was given.
func isRefusal(err error) bool {
	_, ok := errors.AsType[*memsqs.Error](err)
	return ok
}
