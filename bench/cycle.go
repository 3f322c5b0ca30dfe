package main

import (
	"context"
	"fmt"
)

// bodySizes are in bytes.
var bodySizes = []int{16, 1024}

// cycleRow is the life of a message in an empty queue. The size is that of its
// body.
var cycleRow = row{
	name: "Cycle",
	size: "body",
	trials: func(cfg config) (trials []trial) {
		for _, size := range bodySizes {
			for _, p := range peers {
				trials = append(trials, trial{cycleKey(p, size), cfg.limit, func(ctx context.Context) (values, error) {
					q, err := p.open(0)
					if err != nil {
						return nil, err
					}
					defer q.close()
					return timeCycles(ctx, cfg, q, newBody(size, 0))
				}})
			}
		}
		return trials
	},
	table: func(cfg config, found results) table {
		t := table{
			title:  "Cycle: send, receive and delete one message, in an empty queue",
			header: []string{"peer"},
			note:   "In brackets, how many times as long as memsqs standard. Allocations are with bodies of 16 B, by all goroutines.",
		}
		for _, size := range bodySizes {
			t.header = append(t.header, fmt.Sprintf("%d B", size))
		}
		t.header = append(t.header, "allocations", "bytes allocated")
		for _, p := range peers {
			line := []string{p.name}
			for _, size := range bodySizes {
				line = append(line, found.timeAgainst(cycleKey(p, size), cycleKey(peers[0], size)))
			}
			small := cycleKey(p, bodySizes[0])
			line = append(line, found.number(small, allocsPerOp), found.number(small, bytesPerOp))
			t.lines = append(t.lines, line)
		}
		return t
	},
}

func cycleKey(p peer, bodySize int) key { return key{row: "Cycle", peer: p.name, size: bodySize} }

// timeCycles measures the life of one message after the other.
func timeCycles(ctx context.Context, cfg config, q queue, b body) (values, error) {
	background := context.Background()
	return perOp(ctx, cfg.each, func() error {
		if err := q.send(background, b); err != nil {
			return err
		}
		d, err := q.receive(background)
		if err != nil {
			return err
		}
		return q.delete(background, d)
	})
}
