package main

import (
	"fmt"
	"math"
	"slices"
)

// A bar is something that memsqs has to reach.
type bar struct {
	text string
	sign
	limit    float64
	format   func(float64) string
	measured measurement
}

// A sign is the side of a limit that is good.
type sign string

const (
	atMost  sign = "at most"
	atLeast sign = "at least"
)

// A measurement is a number that is made of results, or false if they lack
// what it is made of.
type measurement func(results) (float64, bool)

func (b bar) reached(x float64) bool {
	if b.sign == atLeast {
		return x >= b.limit
	}
	return x <= b.limit
}

// barsOf returns the bars, of which some depend on the size of the queues.
func barsOf(cfg config) []bar {
	standard, fifo, workqueue := peers[0], peers[1], peerNamed("workqueue")
	small := bodySizes[0]
	cycle := cycleKey(standard, small)
	bars := []bar{
		{"a cycle on an empty queue, of workqueue's", atMost, 2, factor, ratio(cycle, cycleKey(workqueue, small))},
		{"a cycle on an empty queue, of the B-tree operations and clock readings", atMost, 2, factor, againstLimit},
		{"batches of ten, per message, of one at a time", atMost, 0.75, factor, ratio(aloneKey("batch", 10), aloneKey("singly", 1))},
		{"allocations of a cycle", atMost, 5, significant, allocations(cycle)},
		{"allocations of a cycle, FIFO", atMost, 6, significant, allocations(cycleKey(fifo, small))},
		{"bytes per waiting message beyond its body", atMost, 256, significant, value(memoryKey(standard, cfg), storedBytes)},
		{"bytes per waiting message beyond its body, FIFO", atMost, 480, significant, value(memoryKey(fifo, cfg), storedBytes)},
		{"a send with 10,000 parked receives, of one with 10", atMost, 3, factor, ratio(aloneKey("parked", 10_000), aloneKey("parked", 10))},
		{"longest call when 120,000 messages lapse", atMost, 50e6, duration, value(aloneKey("lapse", 120_000), nsPerOp)},
		{"CPU in a second with 10,000 parked receives", atMost, 1e6, duration, value(aloneKey("idle", 10_000), nsPerOp)},
		{"messages per second, of gochannel's, in the worst case", atLeast, 1, factor, againstGoChannel},
	}
	return append(append(bars, depthBars(cfg)...), wireBars(cfg)...)
}

// depthBars returns the bars for queues that hold many messages.
func depthBars(cfg config) (bars []bar) {
	standard, fifo := peers[0], peers[1]
	few, many := cfg.depths[0], cfg.deepest()
	for _, c := range []struct {
		peer
		situation string
	}{{standard, "waiting"}, {standard, "in flight"}, {fifo, "waiting"}, {fifo, "held back"}} {
		bars = append(bars, bar{
			fmt.Sprintf("%s, a cycle with %s %s, of one with %s", c.name, thousands(many), c.situation, thousands(few)), atMost, 1.8, factor,
			ratio(depthKey(c.situation, c.peer, many), depthKey(c.situation, c.peer, few)),
		})
	}
	for _, name := range []string{"goqite, memory", "goqite, file", "mempubsub"} {
		for _, s := range []string{"waiting", "in flight"} {
			bars = append(bars, bar{
				fmt.Sprintf("cycles per second with %s %s, of %s's with 10,000", thousands(many), s, name), atLeast, 100, factor,
				ratio(depthKey(s, peerNamed(name), 10_000), depthKey(s, standard, many)),
			})
		}
	}
	return bars
}

// wireBars returns the bars of the wire. goaws has no other door than its handler,
// so its cycles are those of the SDK.
func wireBars(cfg config) []bar {
	canned, ours, goaws := wirePeers[0], wirePeers[1], wirePeers[2]
	return []bar{
		{"a cycle by the SDK in process, of one with canned replies", atMost, 1.3, factor, ratio(wireKey(ours, inProcess, 0), wireKey(canned, inProcess, 0))},
		{
			fmt.Sprintf("cycles per second with %s waiting, of goaws's with %s", thousands(cfg.deepest()), thousands(wireDepth)), atLeast, 100, factor,
			ratio(wireKey(goaws, inProcess, wireDepth), depthKey("waiting", peers[0], cfg.deepest())),
		},
	}
}

// peerNamed returns the peer of a name.
func peerNamed(name string) peer {
	return peers[slices.IndexFunc(peers, func(p peer) bool { return p.name == name })]
}

func factor(x float64) string { return significant(x) + "x" }

// value returns the measurement of a value.
func value(k key, unit string) measurement {
	return func(found results) (float64, bool) {
		x, ok := found[k].values[unit]
		return x, ok
	}
}

// ratio returns the measurement of how many times as long a takes as b.
func ratio(a, b key) measurement {
	return func(found results) (float64, bool) {
		x, ok1 := found[a].values[nsPerOp]
		y, ok2 := found[b].values[nsPerOp]
		return x / y, ok1 && ok2
	}
}

// allocations returns the measurement of allocations as package testing shows
// them, without the fraction that others make meanwhile.
func allocations(k key) measurement {
	return func(found results) (float64, bool) {
		x, ok := found[k].values[allocsPerOp]
		return math.Floor(x), ok
	}
}

// againstLimit measures how many times as long as the limit row's a cycle on an
// empty queue takes.
func againstLimit(found results) (float64, bool) {
	x, ok := found[cycleKey(peers[0], bodySizes[0])].values[nsPerOp]
	limit := found.limit(0)
	return x / limit, ok && limit > 0
}

// againstGoChannel measures memsqs's throughput in units of gochannel's, in the
// trial in which that is least.
func againstGoChannel(found results) (float64, bool) {
	least, some := math.Inf(1), false
	theirs := peerNamed("gochannel").name
	for k := range found {
		if k.peer != theirs {
			continue
		}
		ours := k
		ours.peer = peers[0].name
		if x, ok := ratio(k, ours)(found); ok {
			least, some = min(least, x), true
		}
	}
	return least, some
}

func barTable(cfg config, found results) table {
	t := table{title: "Bars", header: []string{"what", "bar", "measured", "reached"}}
	for _, b := range barsOf(cfg) {
		line := []string{b.text, string(b.sign) + " " + b.format(b.limit), none, none}
		if x, ok := b.measured(found); ok {
			line[2], line[3] = b.format(x), "NO"
			if b.reached(x) {
				line[3] = "yes"
			}
		}
		t.lines = append(t.lines, line)
	}
	return t
}
