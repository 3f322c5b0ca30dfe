package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/memsqs/memsqs"
)

// The values of the timers row.
const (
	scheduleTime = "schedule-ns" // per message
	lastDelivery = "last-ns"     // after the first was due
	cpuPerOp     = "cpu-ns/op"   // from when the first was due
)

// A timerPeer is something that hands out numbers when they are due.
type timerPeer struct {
	name string
	// open returns a function that schedules a number, and one that ends all
	// and waits until it has. Numbers that are due are handed to fire, by any
	// number of goroutines.
	open func(n int, fire func(i int)) (schedule func(i int, delay time.Duration) error, end func() error, err error)
}

var timerPeers = []timerPeer{
	{peers[0].name, openTimersMemsqs},
	{"workqueue, delaying", openTimersWorkqueue},
	{"time.AfterFunc", openTimersAfterFunc},
}

// timersRow is many messages whose delays end within a short time. The size is
// their number.
var timersRow = row{
	name:   "Timers",
	size:   "messages",
	rounds: 3,
	trials: func(cfg config) (trials []trial) {
		for _, p := range timerPeers {
			trials = append(trials, trial{
				key:   timersKey(p, cfg),
				limit: timersLimit(cfg),
				run:   func(ctx context.Context) (values, error) { return timeTimers(ctx, cfg, p) },
			})
		}
		return trials
	},
	table: func(cfg config, found results) table {
		t := table{
			title:  fmt.Sprintf("Timers: %s delayed messages fall due over %v", thousands(cfg.timers), cfg.spread),
			header: []string{"peer", "to schedule one", "all received after", "late p50", "p99", "most", "CPU per message"},
			note: fmt.Sprintf("They are scheduled in random order. memsqs and workqueue have %d consumers, those of memsqs with batches of ten;"+
				" time.AfterFunc has a goroutine for each message, and nothing to delete."+
				" \"> %v\" can mean that they could not be scheduled in the %v before the first was due.", runtime.GOMAXPROCS(0), timersLimit(cfg), cfg.lead),
		}
		for _, p := range timerPeers {
			line := []string{p.name}
			for _, unit := range []string{scheduleTime, lastDelivery, p50, p99, longest, cpuPerOp} {
				line = append(line, found.time(timersKey(p, cfg), unit))
			}
			t.lines = append(t.lines, line)
		}
		return t
	},
}

func timersKey(p timerPeer, cfg config) key {
	return key{row: "Timers", peer: p.name, size: cfg.timers}
}

func timersLimit(cfg config) time.Duration { return 4 * (cfg.lead + cfg.spread) }

// timeTimers schedules the numbers below n for times that are spread evenly
// over a while, and measures how late each is.
func timeTimers(ctx context.Context, cfg config, p timerPeer) (values, error) {
	n := cfg.timers
	begin := time.Now().Add(cfg.lead)
	due := func(i int) time.Time { return begin.Add(time.Duration(i) * cfg.spread / time.Duration(n)) }
	late := make([]time.Duration, n)
	var fired atomic.Int64
	all := make(chan struct{})
	fire := func(i int) {
		late[i] = time.Since(due(i))
		if fired.Add(1) == int64(n) {
			close(all)
		}
	}
	schedule, end, err := p.open(n, fire)
	if err != nil {
		return nil, err
	}

	start := time.Now()
	if err := scheduleAll(n, due, schedule); err != nil {
		return nil, errors.Join(err, end())
	}
	scheduled := time.Since(start)
	time.Sleep(time.Until(begin))
	cpu := cpuTime()
	select {
	case <-all:
	case <-ctx.Done():
	}
	took, cpu := time.Since(begin), cpuTime()-cpu
	if err := end(); err != nil || ctx.Err() != nil {
		return nil, err
	}

	slices.Sort(late)
	return values{
		scheduleTime: float64(scheduled.Nanoseconds()) / float64(n),
		lastDelivery: float64(took.Nanoseconds()),
		cpuPerOp:     float64(cpu.Nanoseconds()) / float64(n),
		p50:          quantile(late, 0.5),
		p99:          quantile(late, 0.99),
		longest:      quantile(late, 1),
	}, nil
}

// scheduleAll schedules the numbers below n in an order that is random, and
// always the same. It returns errTooLong if one is due before it is scheduled.
func scheduleAll(n int, due func(i int) time.Time, schedule func(i int, delay time.Duration) error) error {
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		delay := time.Until(due(i))
		if delay <= 0 {
			return errTooLong
		}
		if err := schedule(i, delay); err != nil {
			return err
		}
	}
	return nil
}

func openTimersMemsqs(n int, fire func(int)) (func(int, time.Duration) error, func() error, error) {
	q, err := newStandard(n)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	consuming := newGroup(cancel)
	for range runtime.GOMAXPROCS(0) {
		consuming.run(func() error {
			err := consumeBatches(ctx, q, fire)
			if ctx.Err() != nil {
				return nil
			}
			return err
		})
	}
	schedule := func(i int, delay time.Duration) error {
		_, err := q.Send(ctx, memsqs.SendInput{Body: strconv.Itoa(i), Delay: &delay})
		return err
	}
	end := func() error {
		cancel()
		return consuming.wait()
	}
	return schedule, end, nil
}

// consumeBatches receives and deletes messages until ctx is done.
func consumeBatches(ctx context.Context, q *memsqs.Queue, fire func(int)) error {
	var handles []string
	for {
		msgs, err := q.Receive(ctx, memsqs.ReceiveInput{MaxMessages: 10})
		if err != nil {
			return err
		}
		if len(msgs) == 0 {
			continue // the wait is over
		}
		handles = handles[:0]
		for _, m := range msgs {
			i, err := strconv.Atoi(m.Body)
			if err != nil {
				return err
			}
			fire(i)
			handles = append(handles, m.ReceiptHandle)
		}
		if err := q.DeleteBatch(ctx, handles); err != nil {
			return err
		}
	}
}

func openTimersWorkqueue(_ int, fire func(int)) (func(int, time.Duration) error, func() error, error) {
	q := workqueue.NewTypedDelayingQueue[int]()
	var consuming sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		consuming.Go(func() {
			for i, shutdown := q.Get(); !shutdown; i, shutdown = q.Get() {
				fire(i)
				q.Done(i)
			}
		})
	}
	schedule := func(i int, delay time.Duration) error {
		q.AddAfter(i, delay)
		return nil
	}
	end := func() error {
		q.ShutDown()
		consuming.Wait()
		return nil
	}
	return schedule, end, nil
}

func openTimersAfterFunc(_ int, fire func(int)) (func(int, time.Duration) error, func() error, error) {
	schedule := func(i int, delay time.Duration) error {
		time.AfterFunc(delay, func() { fire(i) })
		return nil
	}
	return schedule, func() error { return nil }, nil
}
