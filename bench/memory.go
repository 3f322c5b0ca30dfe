package main

import (
	"context"
	"fmt"
	"runtime"
)

// The values of the memory row, per message that was stored.
const (
	storedBytes    = "stored-B"
	leftBytes      = "left-B"      // when all have been deleted
	forgottenBytes = "forgotten-B" // and their deduplication ids are forgotten
)

// memoryRow is what messages that wait take beyond their bodies. The size is
// their number.
var memoryRow = row{
	name:   "Memory",
	size:   "messages",
	rounds: 1, // it does not vary
	trials: func(cfg config) (trials []trial) {
		for _, p := range peers {
			trials = append(trials, trial{
				key:   memoryKey(p, cfg),
				limit: 3 * cfg.limit,
				run:   func(ctx context.Context) (values, error) { return weigh(ctx, cfg, p) },
			})
		}
		return trials
	},
	table: func(cfg config, found results) table {
		t := table{
			title:  fmt.Sprintf("Memory: %s messages wait, and then are deleted", thousands(cfg.stored)),
			header: []string{"peer", "bytes per message", "left when all are deleted", "and their ids forgotten"},
			note: "Per message, beyond its body and the ids that its sender gave it: of Go's heap and stacks, and for goqite of the database." +
				" A FIFO queue remembers deduplication ids for five minutes; each of its messages has a group of its own." +
				fmt.Sprintf(" A queue that was not emptied within %v has no number for it.", cfg.limit),
		}
		for _, p := range peers {
			k := memoryKey(p, cfg)
			line := []string{p.name}
			for _, unit := range []string{storedBytes, leftBytes, forgottenBytes} {
				line = append(line, found.number(k, unit))
			}
			t.lines = append(t.lines, line)
		}
		return t
	},
}

func memoryKey(p peer, cfg config) key {
	n := cfg.stored
	if p.most > 0 {
		n = min(n, p.most)
	}
	return key{row: "Memory", peer: p.name, size: n}
}

// weigh fills and empties a queue, and measures what it takes. All messages
// share one body.
func weigh(ctx context.Context, cfg config, p peer) (values, error) {
	n := memoryKey(p, cfg).size
	q, err := p.open(n)
	if err != nil {
		return nil, err
	}
	defer q.close()
	useGroups(q, names("group", n))
	empty, err := weight(q)
	if err != nil {
		return nil, err
	}
	v := make(values)
	after := func(err error, unit string) error {
		if err != nil {
			return err
		}
		now, err := weight(q)
		v[unit] = float64(now-empty) / float64(n)
		return err
	}

	b := newBody(bodySizes[0], 0)
	if err := after(send(ctx, q, b, n), storedBytes); err != nil {
		return nil, err
	}
	if _, ok := q.(sized); ok {
		v[storedBytes] -= float64(len(b.bytes)) // which is in the database
	}
	ctx, cancel := context.WithTimeout(ctx, cfg.limit)
	defer cancel()
	err = after(drain(ctx, q, n), leftBytes)
	if ctx.Err() != nil {
		return v, nil // it is too slow to be emptied
	}
	if f, ok := q.(forgetful); ok && err == nil {
		err = after(f.forget(), forgottenBytes)
	}
	return v, err
}

// A sized is a queue whose messages are not in Go's memory.
type sized interface {
	size() (bytes int64, err error)
}

// A forgetful is a queue that can forget what it remembers of messages that
// are gone.
type forgetful interface{ forget() error }

// weight returns the bytes that q takes, and everything else that is alive. Its
// caller needs q afterwards, to close it, so q is alive.
func weight(q queue) (int64, error) {
	if s, ok := q.(sized); ok {
		return s.size()
	}
	runtime.GC()
	runtime.GC() // what had a finalizer
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse), nil
}
