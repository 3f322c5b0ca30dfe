package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"
)

// The values of the concurrency and the timers rows, beside nsPerOp.
const (
	perSecond = "msg/s"
	p50       = "p50-ns"
	p99       = "p99-ns"
	p999      = "p99.9-ns"
	longest   = "max-ns"
)

// concurrencyRow is what happens with several producers and as many consumers,
// whose receives wait. The size is the number of each.
var concurrencyRow = row{
	name:   "Concurrency",
	size:   "workers",
	rounds: 3,
	trials: func(cfg config) (trials []trial) {
		for _, n := range cfg.workers {
			for _, p := range peers {
				trials = append(trials, trial{concurrencyKey(p, n), cfg.limit, func(ctx context.Context) (values, error) {
					return timeWorkers(ctx, cfg, p, n)
				}})
			}
		}
		return trials
	},
	table: func(cfg config, found results) table {
		t := table{
			title:  "Concurrency: n producers and n consumers",
			header: []string{"n", "peer", "messages/s", "p50", "p99", "p99.9"},
			note: "A producer sends its next message when the last one has been deleted; receives wait." +
				" In brackets, how many times as many messages memsqs standard carries. The percentiles are of the time from before the send until after the receive." +
				" mempubsub looks for messages every 250 ms; goqite every 1 ms, as it is told to.",
		}
		for _, n := range cfg.workers {
			for _, p := range peers {
				k := concurrencyKey(p, n)
				line := []string{strconv.Itoa(n), p.name, found.rateAgainst(k, concurrencyKey(peers[0], n))}
				for _, unit := range []string{p50, p99, p999} {
					line = append(line, found.time(k, unit))
				}
				t.lines = append(t.lines, line)
			}
		}
		return t
	},
}

func concurrencyKey(p peer, n int) key { return key{row: "Concurrency", peer: p.name, size: n} }

// A workers is some producers and as many consumers. The number of a message's
// body is that of its producer, which waits for done before it sends another.
type workers struct {
	queue
	bodies []body            // by producer
	sent   []time.Time       // by producer: when it sent last
	done   []chan struct{}   // by producer: its message has been deleted
	taken  [][]time.Duration // by consumer: the time of each message
}

func newWorkers(q queue, n int) *workers {
	w := &workers{queue: q}
	for i := range n {
		w.bodies = append(w.bodies, newBody(bodySizes[0], i))
		w.sent = append(w.sent, time.Time{})
		w.done = append(w.done, make(chan struct{}, 1))
		w.taken = append(w.taken, make([]time.Duration, 0, 1<<20/n))
	}
	return w
}

// timeWorkers measures what n producers and n consumers do in a while.
func timeWorkers(ctx context.Context, cfg config, p peer, n int) (values, error) {
	q, err := p.open(n)
	if err != nil {
		return nil, err
	}
	useGroups(q, names("group", 1000))
	w := newWorkers(q, n)
	elapsed, err := w.run(ctx, cfg.each)
	if err != nil {
		return nil, err
	}
	taken := slices.Concat(w.taken...)
	slices.Sort(taken)
	return values{
		perSecond: float64(len(taken)) / elapsed.Seconds(),
		nsPerOp:   float64(elapsed.Nanoseconds()) / float64(len(taken)),
		p50:       quantile(taken, 0.5),
		p99:       quantile(taken, 0.99),
		p999:      quantile(taken, 0.999),
	}, nil
}

// run has the producers send for the given time, and closes the queue. It
// returns the time until all messages had been deleted.
func (w *workers) run(ctx context.Context, d time.Duration) (elapsed time.Duration, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	consuming, producing := newGroup(stop), newGroup(stop)
	start := time.Now()
	for i := range w.bodies {
		consuming.run(func() error { return w.consume(ctx, i) })
		producing.run(func() error { return w.produce(ctx, i, start.Add(d)) })
	}
	err = producing.wait()
	elapsed = time.Since(start)
	stop()
	return elapsed, errors.Join(err, w.close(), consuming.wait())
}

// produce sends messages, at least one, until the given time.
func (w *workers) produce(ctx context.Context, i int, until time.Time) error {
	for {
		w.sent[i] = time.Now()
		if err := w.send(context.Background(), w.bodies[i]); err != nil {
			return err
		}
		select {
		case <-w.done[i]:
		case <-ctx.Done():
			return ctx.Err()
		}
		if !time.Now().Before(until) {
			return nil
		}
	}
}

// consume receives and deletes messages until ctx is done.
func (w *workers) consume(ctx context.Context, i int) error {
	for {
		d, err := w.receive(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		producer, err := d.number()
		if err != nil {
			return err
		}
		w.taken[i] = append(w.taken[i], time.Since(w.sent[producer]))
		if err := w.delete(context.Background(), d); err != nil {
			return err
		}
		w.done[producer] <- struct{}{}
	}
}

// A group is goroutines of which the first that fails stops all.
type group struct {
	wg   sync.WaitGroup
	stop func()
	once sync.Once
	err  error
}

func newGroup(stop func()) *group { return &group{stop: stop} }

func (g *group) run(f func() error) {
	g.wg.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
			g.stop()
		}
	})
}

func (g *group) wait() error {
	g.wg.Wait()
	return g.err
}
