package main

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// A situation is a state that the messages of a queue are in.
type situation struct {
	name    string
	applies func(peer) bool
	fill    func(ctx context.Context, q queue, n int) error
}

var situations = []situation{
	{
		name:    "waiting",
		applies: func(peer) bool { return true },
		fill: func(ctx context.Context, q queue, n int) error {
			useGroups(q, names("group", n+1))
			return send(ctx, q, newBody(bodySizes[0], 0), n)
		},
	},
	{
		name:    "in flight",
		applies: func(p peer) bool { return p.acknowledges },
		fill: func(ctx context.Context, q queue, n int) error {
			useGroups(q, names("group", n))
			if err := send(ctx, q, newBody(bodySizes[0], 0), n); err != nil {
				return err
			}
			useGroups(q, []string{"free"})
			return receive(ctx, q, n)
		},
	},
	{
		name:    "delayed",
		applies: func(p peer) bool { return p.delays },
		fill: func(ctx context.Context, q queue, n int) error {
			return sendDelayed(ctx, q, newBody(bodySizes[0], 0), n, 15*time.Minute)
		},
	},
	{
		name:    "held back", // one group, whose first message is in flight
		applies: func(p peer) bool { return p.groups },
		fill: func(ctx context.Context, q queue, n int) error {
			useGroups(q, []string{"held"})
			if err := send(ctx, q, newBody(bodySizes[0], 0), n); err != nil {
				return err
			}
			useGroups(q, []string{"free"})
			return receive(ctx, q, 1)
		},
	},
}

// depthRow is the life of a message in a queue that holds others. The size is
// their number.
var depthRow = row{
	name:   "Depth",
	size:   "messages",
	rounds: 3, // the queues take long to fill
	trials: func(cfg config) (trials []trial) {
		for _, n := range cfg.depths {
			for _, s := range situations {
				for _, p := range peers {
					if !s.applies(p) || p.most > 0 && n > p.most {
						continue
					}
					trials = append(trials, trial{depthKey(s.name, p, n), cfg.limit, func(ctx context.Context) (values, error) {
						return timeAtDepth(ctx, cfg, s, p, n)
					}})
				}
			}
		}
		return trials
	},
	table: depthTable,
}

func depthKey(situation string, p peer, n int) key {
	return key{row: "Depth", peer: p.name, situation: situation, size: n}
}

func timeAtDepth(ctx context.Context, cfg config, s situation, p peer, n int) (values, error) {
	q, err := p.open(n)
	if err != nil {
		return nil, err
	}
	defer q.close()
	if err := s.fill(ctx, q, n); err != nil {
		return nil, err
	}
	runtime.GC() // or the collection that filling the queue began is timed
	return timeCycles(ctx, cfg, q, newBody(bodySizes[0], 0))
}

func depthTable(cfg config, found results) table {
	t := table{
		title:  "Depth: the same with other messages in the queue",
		header: []string{"others are", "peer"},
		note: fmt.Sprintf("In brackets, how many times as long as memsqs standard in the same situation, and held back, as with that many waiting."+
			" \"> %v\" means that filling the queue and measuring took longer than that, and larger queues were not tried."+
			" Each message of a FIFO queue has a group of its own, but held back they are one group whose first message is in flight."+
			" gochannel was not asked to hold more than 100,000.", cfg.limit),
	}
	for _, n := range cfg.depths {
		t.header = append(t.header, thousands(n))
	}
	for _, s := range situations {
		for _, p := range peers {
			if !s.applies(p) {
				continue
			}
			line := []string{s.name, p.name}
			for _, n := range cfg.depths {
				base := depthKey(s.name, peers[0], n)
				if !s.applies(peers[0]) {
					base.situation = situations[0].name
				}
				line = append(line, found.timeAgainst(depthKey(s.name, p, n), base))
			}
			t.lines = append(t.lines, line)
		}
	}
	return t
}
