package main

import (
	"context"
	"runtime"
	"time"

	"github.com/google/btree"
)

// What the limit row measures, in the place of peers.
const (
	treeOperations = "B-tree"
	clockReadings  = "clock"
)

// limitRow is what the life of a message in memsqs must cost: the operations on
// a B-tree that holds other entries, and the time of each of the three calls.
// The size is the number of entries.
var limitRow = row{
	name: "Limit",
	size: "messages",
	trials: func(cfg config) (trials []trial) {
		for _, n := range emptyAnd(cfg.depths) {
			trials = append(trials, trial{treeKey(n), cfg.limit, func(ctx context.Context) (values, error) {
				return timeTree(ctx, cfg, n)
			}})
		}
		return append(trials, trial{clockKey, cfg.limit, func(ctx context.Context) (values, error) {
			origin := time.Now()
			return perOp(ctx, cfg.each, func() error {
				for range 3 {
					_ = time.Since(origin) // is not optimised away
				}
				return nil
			})
		}})
	},
	table: func(cfg config, found results) table {
		t := table{
			title:  "Limit: the B-tree operations and clock readings alone that a cycle needs",
			header: []string{"messages", "insert, delete-min, insert, delete", "three clock readings", "both", "memsqs standard, waiting"},
			note:   "In brackets, how many times as long as both a cycle of memsqs standard takes.",
		}
		for _, n := range emptyAnd(cfg.depths) {
			cycle := depthKey(situations[0].name, peers[0], n)
			if n == 0 {
				cycle = cycleKey(peers[0], bodySizes[0])
			}
			limit, text := found.limit(n), found.time(cycle, nsPerOp)
			if v, ok := found[cycle].values[nsPerOp]; ok {
				text += times(v / limit)
			}
			t.lines = append(t.lines, []string{thousands(n), found.time(treeKey(n), nsPerOp), found.time(clockKey, nsPerOp), duration(limit), text})
		}
		return t
	},
}

// emptyAnd returns the depths and 0.
func emptyAnd(depths []int) []int { return append([]int{0}, depths...) }

func treeKey(n int) key { return key{row: "Limit", peer: treeOperations, size: n} }

var clockKey = key{row: "Limit", peer: clockReadings}

// limit returns the sum of the tree operations at a depth and of the clock
// readings.
func (r results) limit(depth int) float64 {
	return r[treeKey(depth)].values[nsPerOp] + r[clockKey].values[nsPerOp]
}

// A treeEntry is what a B-tree of memsqs holds.
type treeEntry struct {
	at      int64
	nr      uint64
	message *body
}

// timeTree measures what the life of a message does to a B-tree that holds n
// others: it is inserted as the last, the first is taken, that is inserted
// behind all while it is in flight, and deleted.
func timeTree(ctx context.Context, cfg config, n int) (values, error) {
	const degree = 32 // as in memsqs
	tree := btree.NewG(degree, func(a, b treeEntry) bool { return a.at < b.at || a.at == b.at && a.nr < b.nr })
	last := treeEntry{message: new(body)}
	next := func() treeEntry {
		last.at++
		last.nr++
		return last
	}
	for range n {
		tree.ReplaceOrInsert(next())
	}
	runtime.GC()
	return perOp(ctx, cfg.each, func() error {
		tree.ReplaceOrInsert(next())
		first, _ := tree.DeleteMin()
		first.at = last.at + int64(time.Hour)
		tree.ReplaceOrInsert(first)
		tree.Delete(first)
		return nil
	})
}
