package pubsub_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// TestSoak sends messages of a thousand groups to consumers that start and stop,
// over a queue that fails now and then before or after it has done what it was
// asked for, with handlers that fail, hang, panic, give up for good and outlive
// their leases. In the end no message is lost, each group has been handled in
// order, and the numbers of the queue and of the hooks account for every message.
func TestSoak(t *testing.T) {
	groups, perGroup := 1000, 200
	if testing.Short() || raceEnabled {
		perGroup = 10
	}
	inBubble(t, func(t *testing.T) {
		s := newSoak(t, groups, perGroup)
		var all sync.WaitGroup
		for i := range uint64(4) {
			all.Go(func() { s.send(t, int(i), 4) })
		}
		for i := range uint64(8) {
			all.Go(func() { s.startAndStop(t, rand.New(rand.NewPCG(soakSeed, i))) })
		}
		all.Wait()
		s.check(t)
	})
}

const soakSeed = 1

// A soak is what is known of the messages. A message's body is its number in its
// group.
type soak struct {
	queue, dead *memsqs.FIFOQueue
	flaky       *unsteady
	total       int

	mu     sync.Mutex
	groups []soakGroup
	told   struct{ received, deleted, released, lost, deadLettered, queueErrors int } // to hooks
	faults []string
}

type soakGroup struct {
	started int    // the latest that was
	done    []bool // those that have been handled, or given up for good, at least once
}

func newSoak(t *testing.T, groups, perGroup int) *soak {
	s := &soak{
		queue:  fifoQueue(t, memsqs.FIFOConfig{}),
		dead:   fifoQueue(t, memsqs.FIFOConfig{}),
		total:  groups * perGroup,
		groups: make([]soakGroup, groups),
	}
	s.flaky = &unsteady{Receiver: s.queue, rng: rand.New(rand.NewPCG(soakSeed, 100))}
	for g := range s.groups {
		s.groups[g].done = make([]bool, perGroup)
	}
	return s
}

// send sends a share of the groups, each in its order.
func (s *soak) send(t *testing.T, share, shares int) {
	p := &pubsub.Publisher{Queue: s.queue}
	for n := range s.groups[0].done {
		var in []memsqs.SendInput
		for g := share; g < len(s.groups); g += shares {
			in = append(in, memsqs.SendInput{Body: strconv.Itoa(n), GroupID: strconv.Itoa(g)})
		}
		_, err := p.PublishAll(t.Context(), in)
		require.NoError(t, err)
		time.Sleep(time.Second)
	}
}

// startAndStop runs one consumer after the other until every message is gone.
func (s *soak) startAndStop(t *testing.T, rng *rand.Rand) {
	for s.queue.Stats().Deleted < uint64(s.total) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(30+rng.IntN(200))*time.Second)
		busy := make(map[string]bool) // groups that have a handler here; guarded by s.mu
		c := pubsub.Consumer{
			Queue: s.flaky, DeadLetter: s.dead, Hooks: s.hooks(), Logger: silent,
			Concurrency: 1 + rng.IntN(60), MaxVisibility: 90 * time.Second,
			Backoff: pubsub.Exponential(time.Second, 20*time.Second), Grace: time.Duration(rng.IntN(40)) * time.Second,
			Handler: func(ctx context.Context, m memsqs.Message) error {
				s.begin(busy, m)
				defer s.end(busy, m)
				return s.handle(ctx, m)
			},
		}
		require.NoError(t, c.Run(ctx))
		cancel()
	}
}

// begin checks that a message is handled neither beside nor before others of its
// group that were sent before it, nor after any that were sent after it.
func (s *soak) begin(busy map[string]bool, m memsqs.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	group, n := place(m)
	g := &s.groups[group]
	if busy[m.GroupID] {
		s.fault("%s of %s is handled while another of its group is", m.Body, m.GroupID)
	}
	busy[m.GroupID] = true
	if n > 0 && !g.done[n-1] {
		s.fault("%s of %s is handled before the one ahead of it", m.Body, m.GroupID)
	}
	if n < g.started {
		s.fault("%s of %s is handled after %d was", m.Body, m.GroupID, g.started)
	}
	g.started = n
}

func (s *soak) end(busy map[string]bool, m memsqs.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	busy[m.GroupID] = false
}

// place returns the number of m's group, and that of m in it.
func place(m memsqs.Message) (group, n int) {
	group, _ = strconv.Atoi(m.GroupID)
	n, _ = strconv.Atoi(m.Body)
	return group, n
}

func (s *soak) fault(format string, args ...any) {
	if len(s.faults) < 10 {
		s.faults = append(s.faults, fmt.Sprintf(format, args...))
	}
}

// handle does what the plan says for this receive of m.
func (s *soak) handle(ctx context.Context, m memsqs.Message) error {
	group, n := place(m)
	rng := rand.New(rand.NewPCG(soakSeed+uint64(m.ReceiveCount), uint64(group)<<32+uint64(n)))
	time.Sleep(time.Duration(rng.IntN(3000)) * time.Millisecond)
	switch chance := rng.IntN(1000); {
	case m.ReceiveCount > 8: // enough
	case chance < 30:
		return errors.New("no")
	case chance < 40:
		panic("on purpose")
	case chance < 45: // hangs
		<-ctx.Done()
		return context.Cause(ctx)
	case chance < 50: // outlives its lease, and heeds nothing
		time.Sleep(time.Duration(80+rng.IntN(100)) * time.Second)
	case chance < 60:
		s.note(m)
		return pubsub.Permanent(errors.New("never"))
	}
	s.note(m)
	return nil
}

// note notes that m has been dealt with, or given up for good.
func (s *soak) note(m memsqs.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	group, n := place(m)
	s.groups[group].done[n] = true
}

func (s *soak) hooks() pubsub.Hooks {
	count := func(counter *int, n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		*counter += n
	}
	return pubsub.Hooks{
		Received:     func(msgs []memsqs.Message, _ time.Duration) { count(&s.told.received, len(msgs)) },
		Deleted:      func(memsqs.Message, time.Duration) { count(&s.told.deleted, 1) },
		Released:     func(_ memsqs.Message, _, _ time.Duration) { count(&s.told.released, 1) },
		LeaseLost:    func(memsqs.Message, error, time.Duration) { count(&s.told.lost, 1) },
		DeadLettered: func(memsqs.Message, error) { count(&s.told.deadLettered, 1) },
		QueueError:   func(error, time.Duration) { count(&s.told.queueErrors, 1) },
	}
}

// check accounts for every message.
func (s *soak) check(t *testing.T) {
	require.Empty(t, s.faults)
	for i, g := range s.groups {
		require.False(t, slices.Contains(g.done, false), "group %d", i)
	}
	st := s.queue.Stats()
	require.EqualValues(t, s.total, st.Sent)
	require.EqualValues(t, s.total, st.Deleted, "each once, by whom its lease was")
	require.Zero(t, st.Visible+st.InFlight+st.Delayed+st.Waiting+st.Groups)
	require.Equal(t, st.Received, st.Deleted+st.Returned)
	require.EqualValues(t, st.Received, s.told.received+s.flaky.lost)
	require.Equal(t, s.told.received, s.told.deleted+s.told.released+s.told.lost)
	require.EqualValues(t, s.told.deadLettered, s.dead.Stats().Sent+s.dead.Stats().Deduplicated)
	for what, n := range map[string]int{"releases": s.told.released, "losses": s.told.lost, "dead letters": s.told.deadLettered, "queue errors": s.told.queueErrors, "lost answers": s.flaky.lost} {
		require.Positive(t, n, what)
	}
	t.Logf("%+v, %d answers lost with messages, in %v", s.told, s.flaky.lost, st)
}

// An unsteady queue fails one call in a hundred: half of those are made all the same,
// and their answers are lost.
type unsteady struct {
	pubsub.Receiver
	mu   sync.Mutex
	rng  *rand.Rand
	lost int // messages received whose answer was lost
}

var errLine = errors.New("the line is broken")

func (q *unsteady) do(call func() error) error {
	q.mu.Lock()
	chance := q.rng.IntN(200)
	q.mu.Unlock()
	if chance == 0 {
		return errLine
	}
	if err := call(); err != nil || chance > 1 {
		return err
	}
	return errLine
}

func (q *unsteady) Receive(ctx context.Context, in memsqs.ReceiveInput) (msgs []memsqs.Message, err error) {
	err = q.do(func() (err error) {
		msgs, err = q.Receiver.Receive(ctx, in)
		return err
	})
	if err != nil {
		q.mu.Lock()
		q.lost += len(msgs)
		q.mu.Unlock()
		return nil, err
	}
	return msgs, nil
}

func (q *unsteady) DeleteBatch(ctx context.Context, handles []string) error {
	return q.do(func() error { return q.Receiver.DeleteBatch(ctx, handles) })
}

func (q *unsteady) ChangeVisibilityBatch(ctx context.Context, in []memsqs.VisibilityChange) error {
	return q.do(func() error { return q.Receiver.ChangeVisibilityBatch(ctx, in) })
}
