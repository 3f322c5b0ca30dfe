package memsqs

import "maps"

// A table is a map that gives memory back: a Go map keeps, for as long as it
// lives, the room of the most entries it ever held. The zero table is empty
// and ready to use. It is not synchronised.
type table[K comparable, V any] struct {
	entries map[K]V
	peak    int // most entries at a time since the map was made
}

// tableMinimum is the number of entries up to which a map is not worth
// replacing.
const tableMinimum = 256

func (t *table[K, V]) get(k K) (V, bool) {
	v, ok := t.entries[k]
	return v, ok
}

func (t *table[K, V]) put(k K, v V) {
	if t.entries == nil {
		t.entries = make(map[K]V)
	}
	t.entries[k] = v
	t.peak = max(t.peak, len(t.entries))
}

// remove removes the entry of k. When three quarters of the entries are gone
// it moves the rest to a new map, so its amortised time is constant.
func (t *table[K, V]) remove(k K) {
	delete(t.entries, k)
	if t.peak > tableMinimum && len(t.entries) < t.peak/4 {
		smaller := make(map[K]V, len(t.entries))
		maps.Copy(smaller, t.entries)
		t.entries, t.peak = smaller, len(smaller)
	}
}

func (t *table[K, V]) len() int { return len(t.entries) }

// A window remembers values for a fixed time from when they were added: the
// messages that a deduplication id stands for (B5), the answers that a
// receive attempt id stands for (B10). Entries are dropped in the order they
// came, so it needs no timer, and holds no more than came within that time.
// The zero window is empty and ready to use. It is not synchronised.
type window[K comparable, V any] struct {
	current table[K, *remembered[K, V]]

	// Every entry that is not yet too old, in the order they were added,
	// those that an entry of the same key has replaced included.
	oldest, newest *remembered[K, V]
}

type remembered[K comparable, V any] struct {
	key   K
	value V
	born  int64
	next  *remembered[K, V]
}

// get returns the value that was last added for k, or false if there is none
// or it has been dropped.
func (w *window[K, V]) get(k K) (V, bool) {
	if e, ok := w.current.get(k); ok {
		return e.value, true
	}
	var zero V
	return zero, false
}

// add remembers v for k from now on. It replaces what k stood for.
func (w *window[K, V]) add(k K, v V, now int64) {
	e := &remembered[K, V]{key: k, value: v, born: now}
	if w.newest == nil {
		w.oldest = e
	} else {
		w.newest.next = e
	}
	w.newest = e
	w.current.put(k, e)
}

// expire drops what has been remembered for the given time or longer.
func (w *window[K, V]) expire(now, life int64) {
	for e := w.oldest; e != nil && now-e.born >= life; e = w.oldest {
		if w.oldest = e.next; w.oldest == nil {
			w.newest = nil
		}
		if last, _ := w.current.get(e.key); last == e {
			w.current.remove(e.key)
		}
	}
}

// len returns the number of keys that stand for a value.
func (w *window[K, V]) len() int { return w.current.len() }
