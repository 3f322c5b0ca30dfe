package memsqs

import (
	"iter"

	"github.com/google/btree"
)

// timelineDegree is the degree of the B-trees: nodes of up to 63 entries. A
// larger one makes queues that are filled in order a little smaller, and
// moves more memory for each entry.
const timelineDegree = 32

// A moment is a place on a timeline: an instant in nanoseconds since its
// owner's origin, and a number that tells apart what shares the instant.
type moment struct {
	at int64
	nr uint64
}

func (m moment) before(o moment) bool {
	return m.at < o.at || m.at == o.at && m.nr < o.nr
}

// An entry is a value and its place on a timeline.
type entry[T any] struct {
	moment
	value T
}

// A timeline holds values in the order of their moments, which must differ.
// Each method takes O(log n) time at most. The zero timeline is empty and
// ready to use. It is not synchronised.
type timeline[T any] struct {
	tree *btree.BTreeG[entry[T]]
}

func (l *timeline[T]) insert(m moment, v T) {
	if l.tree == nil {
		l.tree = btree.NewG(timelineDegree, func(a, b entry[T]) bool { return a.before(b.moment) })
	}
	l.tree.ReplaceOrInsert(entry[T]{m, v})
}

// remove removes the value at m, if there is one. Most often that is the first,
// which needs no search.
func (l *timeline[T]) remove(m moment) {
	if l.tree == nil {
		return
	}
	if first, ok := l.tree.Min(); ok && first.moment == m {
		l.tree.DeleteMin()
		return
	}
	l.tree.Delete(entry[T]{moment: m})
}

// get returns the value at m, or the zero value and false. Most often that is
// the first, which needs no search.
func (l *timeline[T]) get(m moment) (T, bool) {
	first, ok := l.first()
	if !ok || first.moment == m {
		return first.value, ok
	}
	e, ok := l.tree.Get(entry[T]{moment: m})
	return e.value, ok
}

// first returns the earliest entry, or false if there is none.
func (l *timeline[T]) first() (entry[T], bool) {
	if l.tree == nil {
		return entry[T]{}, false
	}
	return l.tree.Min()
}

// removeFirst removes the earliest entry, if there is one.
func (l *timeline[T]) removeFirst() {
	if l.tree != nil {
		l.tree.DeleteMin()
	}
}

func (l *timeline[T]) len() int {
	if l.tree == nil {
		return 0
	}
	return l.tree.Len()
}

// from returns the values at m and later, in order. The timeline must not
// change while they are read.
func (l *timeline[T]) from(m moment) iter.Seq[T] {
	return func(yield func(T) bool) {
		if l.tree == nil {
			return
		}
		l.tree.AscendGreaterOrEqual(entry[T]{moment: m}, func(e entry[T]) bool { return yield(e.value) })
	}
}
