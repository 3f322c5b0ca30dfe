package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// A config says how much is measured.
type config struct {
	rounds  int
	each    time.Duration // the time that a trial measures for, at least
	limit   time.Duration // the time that filling a queue and measuring may take
	depths  []int         // messages in the queue, ascending
	workers []int         // producers, and as many consumers, ascending
	stored  int           // messages in the memory trials
	timers  int           // messages in the timers trials
	lead    time.Duration // the time to schedule them in
	spread  time.Duration // the time over which they fall due
}

var (
	full = config{
		rounds:  5,
		each:    250 * time.Millisecond,
		limit:   10 * time.Second,
		depths:  []int{1_000, 10_000, 100_000, 1_000_000},
		workers: []int{1, 2, 4, 16, 64},
		stored:  100_000,
		timers:  1_000_000,
		lead:    4 * time.Second,
		spread:  time.Second,
	}
	short = config{
		rounds:  3,
		each:    10 * time.Millisecond,
		limit:   700 * time.Millisecond,
		depths:  []int{1_000, 10_000, 50_000},
		workers: []int{1, 4, 64},
		stored:  10_000,
		timers:  20_000,
		lead:    500 * time.Millisecond,
		spread:  200 * time.Millisecond,
	}
)

// deepest returns the most messages that a queue is filled with.
func (cfg config) deepest() int { return cfg.depths[len(cfg.depths)-1] }

// A key names what a trial measures.
type key struct {
	row, peer, situation string
	size                 int // in what, the row says
}

// series returns k without its size.
func (k key) series() key {
	k.size = 0
	return k
}

// A trial is one measurement of one peer.
type trial struct {
	key
	limit time.Duration // the time that run may take
	run   func(context.Context) (values, error)
}

// values are what a trial found, by their unit.
type values map[string]float64

// The units of values, as benchstat knows them.
const (
	nsPerOp     = "ns/op"
	allocsPerOp = "allocs/op"
	bytesPerOp  = "B/op"
)

// A result is the median of each value over the rounds.
type result struct {
	values
	over time.Duration // the limit, if the trial took longer; then there are no values
}

type results map[key]result

// errTooLong means that a trial took longer than it may.
var errTooLong = errors.New("over the time limit")

// measure runs trials in turn, round by round, and adds what they found. A
// trial that takes too long is not run again, nor are those of larger sizes; so
// sizes must ascend. One that is slow is run until it has taken as long as it
// may in all.
func (r results) measure(rounds int, trials []trial) error {
	found := make(map[key][]values)
	spent := make(map[key]time.Duration)
	beyond := make(map[key]bool) // series that have taken too long
	for round := range rounds {
		for _, t := range trials {
			if r[t.key].over > 0 || spent[t.key] >= t.limit {
				continue
			}
			if round == 0 && beyond[t.series()] {
				r[t.key] = result{over: t.limit}
				continue
			}
			start := time.Now()
			v, err := t.once()
			spent[t.key] += time.Since(start)
			switch {
			case errors.Is(err, errTooLong):
				r[t.key] = result{over: t.limit}
				beyond[t.series()] = true
			case err != nil:
				return fmt.Errorf("%s, %s, %d: %w", t.peer, t.situation, t.size, err)
			default:
				found[t.key] = append(found[t.key], v)
			}
		}
	}
	for k, rounds := range found {
		if r[k].over == 0 {
			r[k] = result{values: medians(rounds)}
		}
	}
	return nil
}

// once runs t, from a heap without the garbage of the trial before it. It
// returns errTooLong if that takes longer than the limit.
func (t trial) once() (values, error) {
	runtime.GC()
	ctx, cancel := context.WithTimeout(context.Background(), t.limit)
	defer cancel()
	v, err := t.run(ctx)
	if late := ctx.Err(); late != nil && (err == nil || errors.Is(err, late)) {
		return nil, errTooLong
	}
	return v, err
}

// perOp calls op for a time, and returns the time, the allocations and the
// bytes that were allocated per call, by any goroutine.
//
// It goes on for up to ten times as long until the garbage collector has run,
// if that is in reach. In a queue of a million messages that is rare and takes
// long, and its share would be missed by a short measurement.
func perOp(ctx context.Context, d time.Duration, op func() error) (values, error) {
	const most = 10
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	n := 0
	for parts := 1; ; parts++ {
		more, err := repeatFor(ctx, d, op)
		if err != nil {
			return nil, err
		}
		n += more
		runtime.ReadMemStats(&after)
		perPart := (after.TotalAlloc - before.TotalAlloc) / uint64(parts)
		reach := after.HeapAlloc + perPart*uint64(most-parts)
		if after.NumGC > before.NumGC || reach < after.NextGC || parts == most {
			break
		}
	}
	elapsed := time.Since(start)
	return values{
		nsPerOp:     float64(elapsed.Nanoseconds()) / float64(n),
		allocsPerOp: float64(after.Mallocs-before.Mallocs) / float64(n),
		bytesPerOp:  float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
	}, nil
}

// repeatFor calls f for a time, and returns how often.
func repeatFor(ctx context.Context, d time.Duration, f func() error) (n int, err error) {
	const most = 256 // calls between two looks at the clock
	for start := time.Now(); time.Since(start) < d; {
		more := min(n+1, most)
		for range more {
			if err := f(); err != nil {
				return n, err
			}
		}
		n += more
		if err := ctx.Err(); err != nil {
			return n, err
		}
	}
	return n, nil
}

// medians returns the median of each unit.
func medians(rounds []values) values {
	m := make(values)
	for unit := range rounds[0] {
		var all []float64
		for _, v := range rounds {
			all = append(all, v[unit])
		}
		slices.Sort(all)
		m[unit] = (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	}
	return m
}

// quantile returns the smallest of sorted durations that is not exceeded by
// the given part of them, in nanoseconds.
func quantile(sorted []time.Duration, part float64) float64 {
	i := int(part * float64(len(sorted)))
	return float64(sorted[min(i, len(sorted)-1)])
}
