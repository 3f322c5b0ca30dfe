package api

import (
	"strings"
	"time"
)

// nameMemory is for how long the name of a deleted queue cannot be used (A16.5).
const nameMemory = 60 * time.Second

// A recent remembers the queues that were deleted lately. Its zero value remembers
// none.
type recent struct {
	at    map[arn]time.Time
	order []deletion // oldest first
}

type deletion struct {
	arn arn
	at  time.Time
}

func (r *recent) add(a arn, now time.Time) {
	r.forget(now)
	if r.at == nil {
		r.at = make(map[arn]time.Time)
	}
	r.at[a] = now
	r.order = append(r.order, deletion{a, now})
}

func (r *recent) has(a arn, now time.Time) bool {
	r.forget(now)
	_, ok := r.at[a]
	return ok
}

// forget drops the names that can be used again.
func (r *recent) forget(now time.Time) {
	for len(r.order) > 0 && now.Sub(r.order[0].at) >= nameMemory {
		if d := r.order[0]; r.at[d.arn].Equal(d.at) {
			delete(r.at, d.arn)
		}
		r.order = r.order[1:]
	}
}

// maxName is the most characters a queue's name has, its suffix counted (A16.1).
const maxName = 80

const fifoSuffix = ".fifo"

// checkName refuses what is not the name of a queue of the given type.
func checkName(name string, fifo bool) *Error {
	stem := name
	if fifo {
		stem = strings.TrimSuffix(name, fifoSuffix)
	}
	switch {
	case fifo && (stem == name || !isWord(stem) || len(name) > maxName):
		return InvalidParameterValue.errorf("The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length")
	case !fifo && (!isWord(stem) || len(name) > maxName):
		return InvalidParameterValue.errorf("Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length")
	}
	return nil
}

// isWord reports whether s has characters, and no others than names and labels have.
func isWord(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return s != ""
}
