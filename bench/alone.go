package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/memsqs/memsqs"
)

// aloneCases are what has no counterpart in the other peers.
var aloneCases = []struct {
	situation string
	n         int
	what      string
	run       func(ctx context.Context, cfg config, n int) (values, error)
}{
	{"singly", 1, "a cycle of one message", timeSingly}, // in turn with the next
	{"batch", 10, "a cycle of a batch, per message", timeBatches},
	{"parked", 10, "a send to one of n parked receives", timeParked},
	{"parked", 10_000, "a send to one of n parked receives", timeParked},
	{"lapse", 120_000, "the longest call when n messages lapse at one instant", timeLapse},
	{"idle", 10_000, "CPU in a second in which n receives are parked", timeIdle},
}

// aloneRow is what memsqs does that the others do not. The size is n.
var aloneRow = row{
	name: "Alone",
	size: "n",
	trials: func(cfg config) (trials []trial) {
		for _, c := range aloneCases {
			trials = append(trials, trial{aloneKey(c.situation, c.n), full.limit, func(ctx context.Context) (values, error) {
				return c.run(ctx, cfg, c.n)
			}})
		}
		return trials
	},
	table: func(cfg config, found results) table {
		t := table{title: "Alone: what memsqs does that the others do not", header: []string{"what", "n", "time"}}
		for _, c := range aloneCases {
			t.lines = append(t.lines, []string{c.what, thousands(c.n), found.time(aloneKey(c.situation, c.n), nsPerOp)})
		}
		return t
	},
}

func aloneKey(situation string, n int) key {
	return key{row: "Alone", peer: peers[0].name, situation: situation, size: n}
}

// timeSingly measures the life of a message.
func timeSingly(ctx context.Context, cfg config, n int) (values, error) {
	q, err := openStandard(n)
	if err != nil {
		return nil, err
	}
	defer q.close()
	return timeCycles(ctx, cfg, q, newBody(bodySizes[0], 0))
}

// timeBatches measures the life of n messages together.
func timeBatches(ctx context.Context, cfg config, n int) (values, error) {
	q, err := newStandard(n)
	if err != nil {
		return nil, err
	}
	background := context.Background()
	in := make([]memsqs.SendInput, n)
	for i := range in {
		in[i].Body = newBody(bodySizes[0], i).text
	}
	handles := make([]string, n)
	v, err := perOp(ctx, cfg.each, func() error {
		if _, err := q.SendBatch(background, in); err != nil {
			return err
		}
		msgs, err := q.Receive(background, memsqs.ReceiveInput{MaxMessages: n})
		if err != nil || len(msgs) != n {
			return fmt.Errorf("received %d messages, %w", len(msgs), err)
		}
		for i := range msgs {
			handles[i] = msgs[i].ReceiptHandle
		}
		return q.DeleteBatch(background, handles)
	})
	for unit := range v {
		v[unit] /= float64(n)
	}
	return v, err
}

// timeParked measures a send that is handed to one of n receives that wait,
// until that has returned and waits again.
func timeParked(ctx context.Context, cfg config, n int) (values, error) {
	q, err := newStandard(n)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	handles := make(chan string)
	park(q, n, func(m memsqs.Message) { handles <- m.ReceiptHandle })
	background := context.Background()
	b := newBody(bodySizes[0], 0)
	runtime.GC()
	return perOp(ctx, cfg.each, func() error {
		if _, err := q.Send(background, memsqs.SendInput{Body: b.text}); err != nil {
			return err
		}
		return q.Delete(background, <-handles)
	})
}

// park starts n goroutines that receive until the queue is closed, and waits
// until all of them wait.
func park(q *memsqs.Queue, n int, handle func(memsqs.Message)) {
	for range n {
		go func() {
			for {
				msgs, err := q.Receive(context.Background(), memsqs.ReceiveInput{})
				if err != nil {
					return
				}
				for _, m := range msgs {
					handle(m)
				}
			}
		}()
	}
	for q.Stats().Waiting < n {
		time.Sleep(time.Millisecond)
	}
}

// timeLapse measures the longest call after the visibility timeouts of as many
// messages as can be in flight have ended at one instant.
func timeLapse(ctx context.Context, _ config, n int) (values, error) {
	const calls, times = 10, 3
	clock := memsqs.NewManualClock(time.Now())
	q, err := memsqs.NewQueue(memsqs.Config{Clock: clock})
	if err != nil {
		return nil, err
	}
	standard := standardQueue{taker{q}, q}
	if err := send(ctx, standard, newBody(bodySizes[0], 0), n); err != nil {
		return nil, err
	}
	var most time.Duration
	for range times {
		if err := receive(ctx, standard, n); err != nil {
			return nil, err
		}
		clock.Advance(time.Minute)
		runtime.GC()
		for range calls {
			start := time.Now()
			_, err := q.Receive(context.Background(), memsqs.ReceiveInput{VisibilityTimeout: new(time.Duration(0))})
			if err != nil {
				return nil, err
			}
			most = max(most, time.Since(start))
		}
	}
	return values{nsPerOp: float64(most.Nanoseconds())}, nil
}

// timeIdle measures the CPU time that the program takes, in a second, while
// receives wait and nothing happens.
func timeIdle(_ context.Context, _ config, n int) (values, error) {
	const while = time.Second / 2
	q, err := newStandard(n)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	park(q, n, func(memsqs.Message) {})
	debug.FreeOSMemory() // or the runtime does that in the background
	before := cpuTime()
	time.Sleep(while)
	return values{nsPerOp: float64(cpuTime()-before) / while.Seconds()}, nil
}
