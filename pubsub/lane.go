package pubsub

import (
	"fmt"
	"slices"
	"time"

	"github.com/memsqs/memsqs"
)

// A lane is messages to be sent one after the other: those of a group, or a single
// one to a standard queue. What has been accepted or reported is not on it.
type lane struct {
	letters []*letter // the first of them, as far as calls have needed them
	left    []int     // indexes of those behind
}

// A letter is a message as it is sent, and what has become of it so far.
type letter struct {
	lane     *lane
	index    int
	message  memsqs.SendInput // each time the same
	tried    time.Time        // when first; zero for never
	failures int
	err      error // of the latest
}

// remove takes a letter off the lane.
func (l *lane) remove(m *letter) {
	l.letters = slices.DeleteFunc(l.letters, func(o *letter) bool { return o == m })
}

// cut takes a letter off the lane with all behind it, and returns the indexes of
// those.
func (l *lane) cut(m *letter) []int {
	i := slices.Index(l.letters, m)
	behind := lane{l.letters[i+1:], l.left}
	l.letters, l.left = l.letters[:i], nil
	return behind.all()
}

// all returns the indexes of the messages on the lane.
func (l *lane) all() []int {
	var all []int
	for _, m := range l.letters {
		all = append(all, m.index)
	}
	return append(all, l.left...)
}

// isTried reports whether the first message of the lane has been in a call.
func (l *lane) isTried() bool { return len(l.letters) > 0 && !l.letters[0].tried.IsZero() }

// lanesOf returns the lanes of the letters of a call, in which those of one lane
// stand together.
func lanesOf(call []*letter) []*lane {
	var lanes []*lane
	for i, m := range call {
		if i == 0 || m.lane != call[i-1].lane {
			lanes = append(lanes, m.lane)
		}
	}
	return lanes
}

// exhausted returns the error for a message that is not tried again.
func (m *letter) exhausted() error { return gaveUp(m.failures, m.err) }

func gaveUp(attempts int, err error) error {
	return fmt.Errorf("pubsub: gave up after %d attempts: %w", attempts, err)
}
