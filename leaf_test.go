// Tests of the leaf types, each by itself: timeline, table, window, waiters and
// alarm.

package memsqs

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// values returns what is on a timeline from m on.
func values[T any](l *timeline[T], m moment) []T { return slices.Collect(l.from(m)) }

// The zero timeline is empty, and every operation on it does nothing.
func TestZeroTimelineIsEmpty(t *testing.T) {
	var l timeline[string]
	_, some := l.first()
	require.False(t, some)
	_, found := l.get(moment{})
	require.False(t, found)
	l.remove(moment{})
	l.removeFirst()
	require.Empty(t, values(&l, beginning))
	require.Zero(t, l.len())
}

// A timeline is in the order of instants, and at one instant in that of numbers.
func TestTimelineIsInTheOrderOfMoments(t *testing.T) {
	var l timeline[string]
	for v, m := range map[string]moment{"c": {5, 1}, "a": {-5, 9}, "d": {5, 2}, "b": {0, 7}} {
		l.insert(m, v)
	}
	require.Equal(t, []string{"a", "b", "c", "d"}, values(&l, beginning))
	require.Equal(t, []string{"c", "d"}, values(&l, moment{5, 1}))
	require.Equal(t, []string{"d"}, values(&l, moment{5, 2}))
	require.Empty(t, values(&l, moment{5, 3}))
	for v := range l.from(moment{0, 7}) {
		require.Equal(t, "b", v)
		break
	}
}

// After any operations a timeline holds what a sorted list would hold.
func TestTimelineAgreesWithASortedList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var l timeline[moment]
	var list []moment
	for range 20_000 {
		m := moment{rng.Int64N(50) - 25, rng.Uint64N(50)}
		i, found := slices.BinarySearchFunc(list, m, func(a, b moment) int {
			switch {
			case a.before(b):
				return -1
			case b.before(a):
				return 1
			}
			return 0
		})
		_, got := l.get(m)
		require.Equal(t, found, got)
		switch rng.IntN(5) {
		case 0:
			l.remove(m)
			if found {
				list = slices.Delete(list, i, i+1)
			}
		case 1:
			l.removeFirst()
			list = list[min(1, len(list)):]
		default:
			if l.insert(m, m); !found {
				list = slices.Insert(list, i, m)
			}
		}
		first, some := l.first()
		require.Equal(t, len(list) > 0, some)
		if some {
			require.Equal(t, entry[moment]{list[0], list[0]}, first)
		}
		require.Equal(t, len(list), l.len())
	}
	require.Equal(t, list, values(&l, beginning))
}

// A table is a map, the zero table too.
func TestTableIsAMap(t *testing.T) {
	var tab table[string, int]
	tab.remove("a")
	_, found := tab.get("a")
	require.False(t, found)
	tab.put("a", 1)
	tab.put("b", 2)
	tab.put("a", 3)
	v, found := tab.get("a")
	require.True(t, found)
	require.Equal(t, 3, v)
	require.Equal(t, 2, tab.len())
	tab.remove("a")
	_, found = tab.get("a")
	require.False(t, found)
	require.Equal(t, 1, tab.len())
}

// A table replaces its map when fewer than a quarter of the most entries it has
// had are left, and not before; what is left is kept.
func TestTableGivesMemoryBack(t *testing.T) {
	const most = 4000
	var tab table[int, int]
	for i := range most {
		tab.put(i, -i)
	}
	identity := func() uintptr { return reflect.ValueOf(tab.entries).Pointer() }
	original := identity()
	for i := range most * 3 / 4 {
		tab.remove(i)
	}
	require.Equal(t, original, identity())
	tab.remove(most - 1)
	require.NotEqual(t, original, identity())

	require.Equal(t, most/4-1, tab.len())
	for i := most * 3 / 4; i < most-1; i++ {
		v, found := tab.get(i)
		require.True(t, found)
		require.Equal(t, -i, v)
	}
}

// A small map is not replaced, and a large one once for each time that it has
// shrunk to a quarter, so that the work is in proportion to the removals.
func TestTableReplacesItsMapSeldom(t *testing.T) {
	for _, tt := range []struct{ entries, replacements int }{
		{tableMinimum, 0},
		{tableMinimum + 1, 1},
		{tableMinimum * 4 * 4 * 4, 3},
	} {
		var tab table[int, int]
		for i := range tt.entries {
			tab.put(i, i)
		}
		replacements := 0
		for i := range tt.entries {
			before := reflect.ValueOf(tab.entries).Pointer()
			tab.remove(i)
			if reflect.ValueOf(tab.entries).Pointer() != before {
				replacements++
			}
		}
		require.Equal(t, tt.replacements, replacements, "%d entries", tt.entries)
		require.Zero(t, tab.len())
	}
}

// A window forgets a key when its value has been remembered for as long as it
// is to be, and not a nanosecond before.
func TestWindowForgetsInTime(t *testing.T) {
	const life = 100
	var w window[string, int]
	w.expire(1000, life)
	w.add("a", 1, 0)
	w.add("b", 2, 0)
	w.add("c", 3, 1)
	w.expire(99, life)
	require.Equal(t, 3, w.len())
	w.expire(100, life)
	require.Equal(t, 1, w.len())
	_, found := w.get("a")
	require.False(t, found)
	v, found := w.get("c")
	require.True(t, found)
	require.Equal(t, 3, v)
	require.NoError(t, w.check(100, life))
	w.expire(101, life)
	require.Zero(t, w.len())

	w.add("a", 4, 101)
	v, _ = w.get("a")
	require.Equal(t, 4, v)
	require.NoError(t, w.check(101, life))
}

// A value that is added for a key again replaces the one before, and lives for
// its own time: the end of the earlier one does not end it.
func TestWindowReplacesValues(t *testing.T) {
	const life = 100
	var w window[string, int]
	w.add("a", 1, 0)
	w.add("b", 2, 10)
	w.add("a", 3, 50)
	require.Equal(t, 2, w.len())
	v, _ := w.get("a")
	require.Equal(t, 3, v)

	w.expire(149, life)
	v, found := w.get("a")
	require.True(t, found)
	require.Equal(t, 3, v)
	require.Equal(t, 1, w.len())
	require.NoError(t, w.check(149, life))
	w.expire(150, life)
	require.Zero(t, w.len())
}

// A window keeps nothing of entries that it has dropped.
func TestWindowKeepsNothingOfWhatItDropped(t *testing.T) {
	var w window[int, int]
	for i := range 1000 {
		w.add(i, i, int64(i))
	}
	w.expire(2000, 100)
	require.Nil(t, w.oldest)
	require.Nil(t, w.newest)
	require.Empty(t, w.current.entries)
}

// newWaiter returns a waiter whose wait ends at the given instant.
func newWaiter(at int64, nr uint64) *waiter {
	return &waiter{until: moment{at, nr}, done: make(chan struct{})}
}

// The first of the waiters is the one that has been there for longest, whenever
// its wait ends and whoever is dismissed.
func TestWaitersAreInTheOrderOfArrival(t *testing.T) {
	var l waiters
	require.Nil(t, l.first())
	a, b, c := newWaiter(30, 1), newWaiter(10, 2), newWaiter(20, 3)
	for _, w := range []*waiter{a, b, c} {
		l.add(w)
	}
	require.Equal(t, 3, l.len())
	require.Same(t, a, l.first())
	require.Equal(t, []*waiter{b, c, a}, values(&l.byWait, beginning))

	require.True(t, l.dismiss(b, nil, nil))
	require.Same(t, a, l.first())
	require.True(t, l.dismiss(a, nil, nil))
	require.Same(t, c, l.first())
	require.True(t, l.dismiss(c, nil, nil))
	require.Nil(t, l.first())
	require.Zero(t, l.len())
	require.Zero(t, l.byWait.len())
}

// A waiter that is dismissed has its answer, and keeps it if it is dismissed
// again.
func TestWaiterKeepsItsFirstAnswer(t *testing.T) {
	var l waiters
	w, other := newWaiter(10, 1), newWaiter(10, 2)
	l.add(w)
	l.add(other)
	msgs := []Message{{Body: "a"}}
	require.True(t, l.dismiss(w, msgs, nil))
	<-w.done
	require.False(t, l.dismiss(w, nil, errors.New("too late")))
	require.Equal(t, msgs, w.msgs)
	require.NoError(t, w.err)
	require.Equal(t, 1, l.len())
	require.Same(t, other, l.first())
}

// A namedTimer is a Timer that is told from others by its name.
type namedTimer string

func (namedTimer) Stop() bool { return false }

// An alarm covers what is due when it goes off or later; no alarm covers
// nothing.
func TestAlarmCoversWhatIsDueWhenItGoesOff(t *testing.T) {
	var none *alarm
	require.False(t, none.covers(100))
	a := &alarm{at: 20}
	require.False(t, a.covers(19))
	require.True(t, a.covers(20))
	require.True(t, a.covers(21))
}

// Of two alarms a queue keeps the one that goes off first, at one instant the
// one that it has, and never one that has gone off already. The timers of the
// others are stale.
func TestQueueKeepsTheAlarmThatGoesOffFirst(t *testing.T) {
	var q core
	q.dropAlarm()
	for _, a := range []*alarm{
		{at: 10, timer: namedTimer("rung"), rung: true},
		{at: 20, timer: namedTimer("first")},
		{at: 21, timer: namedTimer("later")},
		{at: 20, timer: namedTimer("same")},
	} {
		q.setAlarm(a)
	}
	require.Equal(t, namedTimer("first"), q.alarm.timer)
	q.setAlarm(&alarm{at: 19, timer: namedTimer("earlier")})
	require.Equal(t, namedTimer("earlier"), q.alarm.timer)
	q.dropAlarm()
	require.Nil(t, q.alarm)
	require.Equal(t, []Timer{namedTimer("later"), namedTimer("same"), namedTimer("first"), namedTimer("earlier")}, q.stale)
}
