package api

import (
	"errors"
	"fmt"

	"github.com/memsqs/memsqs"
)

const (
	maxEntries = 10
	maxID      = 80 // characters of the id of an entry
)

// alone is, where the index of an entry of a batch is expected, that of what is
// not in a batch.
const alone = -1

// parameter returns what errors call a member of an entry (A15.8).
func parameter(entry string, at int, member string) string {
	if at == alone {
		return member
	}
	return fmt.Sprintf("%s.%d.%s", entry, at+1, member)
}

// checkEnvelope refuses a batch as a whole, but for its size (A15.1). The entries
// are called entry in the errors.
func checkEnvelope[E any](entry string, entries []E, id func(*E) *string) *Error {
	switch n := len(entries); {
	case n == 0:
		return EmptyBatchRequest.errorf("There should be at least one %s in the request.", entry)
	case n > maxEntries:
		return TooManyEntriesInBatchRequest.errorf("Maximum number of entries per request are %d. You have sent %d.", maxEntries, n)
	}
	for i := range entries {
		switch id := id(&entries[i]); {
		case id == nil:
			return missing(parameter(entry, i, "Id"))
		case !isWord(*id) || len(*id) > maxID:
			return InvalidBatchEntryId.errorf("A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most %d letters long.", maxID)
		}
	}
	for i := range entries {
		for j := range i {
			if *id(&entries[i]) == *id(&entries[j]) {
				return BatchEntryIdsNotDistinct.errorf("Id %s repeated.", *id(&entries[i]))
			}
		}
	}
	return nil
}

// A batch keeps account of the entries of a batch: those that the API refuses,
// and those for which the engine is asked, with an A for each.
type batch[A any] struct {
	args   []A
	at     []int    // the index of the entry that each of args is of
	faults []*Error // by index of the entry, nil for what succeeds
}

// prepare makes of each entry what the engine is asked with, or refuses it.
func prepare[E, A any](entries []E, arg func(e *E, at int) (A, *Error)) *batch[A] {
	b := &batch[A]{
		args:   make([]A, 0, len(entries)),
		at:     make([]int, 0, len(entries)),
		faults: make([]*Error, len(entries)),
	}
	for i := range entries {
		a, fault := arg(&entries[i], i)
		if fault != nil {
			b.faults[i] = fault
			continue
		}
		b.args = append(b.args, a)
		b.at = append(b.at, i)
	}
	return b
}

// do asks the engine, unless the API has refused all entries, and notes which it
// refuses. It returns the error that refused the whole call, if that is what call
// returns.
func (b *batch[A]) do(call func([]A) error, words func(at int, refused *memsqs.Error) *Error) error {
	if len(b.args) == 0 {
		return nil
	}
	err := call(b.args)
	failed, ok := errors.AsType[*memsqs.BatchError](err)
	if !ok {
		return err
	}
	for i, err := range failed.Failed {
		if refused, ok := errors.AsType[*memsqs.Error](err); ok {
			b.faults[b.at[i]] = words(b.at[i], refused)
		}
	}
	return nil
}

// results returns the results of the entries of a batch in their order: those of
// what succeeded, which ok makes of an entry and the index of its arg, and those of
// what failed (A15.5, A15.6).
func results[E, A, R any](b *batch[A], entries []E, id func(*E) *string, ok func(e *E, arg int) R) (successful []R, failed []BatchResultErrorEntry) {
	for i, fault := range b.faults {
		if fault != nil {
			failed = append(failed, BatchResultErrorEntry{Id: *id(&entries[i]), SenderFault: true, Code: fault.Code, Message: fault.Message})
		}
	}
	successful = make([]R, 0, len(b.at))
	for arg, i := range b.at {
		if b.faults[i] == nil {
			successful = append(successful, ok(&entries[i], arg))
		}
	}
	return successful, failed
}
