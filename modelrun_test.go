package memsqs_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// The comparison of queues with their references, by scripts from a seeded
// generator and from the fuzzer.

// Queues do what their references do, whatever is done to them: every answer
// agrees, and after each operation all that can be seen of each queue.
func TestModel(t *testing.T) {
	seeds := 300
	if testing.Short() {
		seeds = 30
	}
	for seed := range uint64(seeds) {
		if !t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { runModel(t, randomScript(seed, 2500)) }) {
			return // one failing history is enough to read
		}
	}
}

// FuzzModel is TestModel with scripts that the fuzzer writes.
func FuzzModel(f *testing.F) {
	for seed := range uint64(16) {
		f.Add([]byte(randomScript(seed, 500)))
	}
	f.Fuzz(func(t *testing.T, data []byte) { runModel(t, data) })
}

// A script is the choices that are still to be made, a byte each.
type script []byte

// randomScript returns a script of some six bytes for an operation.
func randomScript(seed uint64, size int) script {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	s := make(script, size)
	rand.NewChaCha8(key).Read(s)
	return s
}

// next chooses one of n, at most 256. When the script has come to its end, all
// choices are 0.
func (s *script) next(n int) int {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b) % n
}

func (s *script) oneIn(n int) bool { return s.next(n) == n-1 }

func pick[T any](s *script, choices ...T) T { return choices[s.next(len(choices))] }

// maxSteps bounds the time that a script of the fuzzer takes.
const maxSteps = 1000

// runModel runs a script. If something disagrees it prints the history.
func runModel(t *testing.T, s script) {
	synctest.Test(t, func(t *testing.T) {
		d := &driver{t: t, script: s, start: time.Now(), names: make(map[string]string)}
		defer d.printIfFailed()
		d.makeQueues()
		for steps := 0; len(d.script) > 0 && steps < maxSteps; steps++ {
			d.step()
			d.check()
		}
	})
}

// A driver applies the operations of a script to queues and to their
// references.
type driver struct {
	t *testing.T
	script
	start   time.Time
	pairs   []*pair
	bodies  int               // made so far
	ids     int               // given out so far
	names   map[string]string // in the history, of ids and handles that were given out
	history []event
}

// A pair is a queue and its reference.
type pair struct {
	queue
	standard *memsqs.Queue     // either
	fifo     *memsqs.FIFOQueue // or

	ref    *refQueue
	dead   *pair  // the dead-letter queue, or nil
	number string // the last sequence number
}

// makeQueues makes one to three queues of one kind, most of them with a
// dead-letter queue among them.
func (d *driver) makeQueues() {
	fifo := d.next(2) == 1
	for i := range 1 + d.next(3) {
		p := &pair{ref: &refQueue{name: fmt.Sprint("q", i), fifo: fifo, attempts: make(map[string]*refAttempt)}}
		if fifo {
			p.fifo = newFIFOQueue(d.t, memsqs.FIFOConfig{Name: p.ref.name})
			p.queue = p.fifo
		} else {
			p.standard = newQueue(d.t, memsqs.Config{Name: p.ref.name})
			p.queue = p.standard
		}
		d.pairs = append(d.pairs, p)
	}
	for i, p := range d.pairs {
		r := refRules{
			visibility:  pick(&d.script, 30*time.Second, 10*time.Second, 5*time.Second, time.Minute, 0, 12*time.Hour),
			delay:       pick(&d.script, 0, 0, 0, 5*time.Second),
			retention:   pick(&d.script, 14*24*time.Hour, 24*time.Hour, 5*time.Minute, time.Minute),
			maxSize:     pick(&d.script, 1<<20, 1024),
			maxInFlight: pick(&d.script, 120_000, 3, 10),
			maxReceives: 1 + d.next(3),
			byContent:   d.next(2) == 1,
			scope:       pick(&d.script, memsqs.DeduplicateQueue, memsqs.DeduplicateGroup),
			window:      pick(&d.script, 5*time.Minute, 30*time.Second),
		}
		following := d.pairs[min(i+1, len(d.pairs)-1)]
		d.putInForce(p, r, pick(&d.script, following, d.pairs[0], following, nil))
	}
}

// putInForce configures a queue and its reference.
func (d *driver) putInForce(p *pair, r refRules, dead *pair) {
	err := p.configure(r, dead)
	d.logf("%s.Configure(%s, dead letters to %s) = %s", p, r, dead, err)
	r.deadLetters = dead.reference()
	want := p.ref.configure(r)
	d.requireError(want, err)
	if want == nil {
		p.dead = dead
	}
}

func (p *pair) configure(r refRules, dead *pair) error {
	if p.fifo == nil {
		return p.standard.Configure(func(c *memsqs.Config) {
			c.VisibilityTimeout, c.Delay, c.Retention = &r.visibility, r.delay, r.retention
			c.MaxMessageSize, c.MaxInFlight, c.DeadLetter = r.maxSize, r.maxInFlight, nil
			if dead != nil {
				c.DeadLetter = &memsqs.DeadLetter{Queue: dead.standard, MaxReceiveCount: r.maxReceives}
			}
		})
	}
	return p.fifo.Configure(func(c *memsqs.FIFOConfig) {
		c.VisibilityTimeout, c.Delay, c.Retention = &r.visibility, r.delay, r.retention
		c.MaxMessageSize, c.MaxInFlight, c.DeadLetter = r.maxSize, r.maxInFlight, nil
		c.ContentBasedDeduplication, c.DeduplicationScope, c.DeduplicationWindow = r.byContent, r.scope, r.window
		if dead != nil {
			c.DeadLetter = &memsqs.FIFODeadLetter{Queue: dead.fifo, MaxReceiveCount: r.maxReceives}
		}
	})
}

func (p *pair) redrive(ctx context.Context, to *pair, maxPerSecond int) (int, error) {
	to = cmp.Or(to, &pair{}) // its queues are nil
	if p.fifo == nil {
		return p.standard.Redrive(ctx, to.standard, maxPerSecond)
	}
	return p.fifo.Redrive(ctx, to.fifo, maxPerSecond)
}

func (p *pair) reference() *refQueue {
	if p == nil {
		return nil
	}
	return p.ref
}

// anyPair chooses a pair, or nil.
func (d *driver) anyPair() *pair {
	if i := d.next(len(d.pairs) + 1); i < len(d.pairs) {
		return d.pairs[i]
	}
	return nil
}

// check compares all that can be seen of the queues.
func (d *driver) check() {
	for _, p := range d.pairs {
		if err := p.Check(); err != nil { // before Peek and Stats put things right
			require.NoError(d.t, err)
		}
		p.ref.advance()
		states := p.Peek(1000)
		require.Len(d.t, states, len(p.ref.messages), "Peek of %s", p.ref.name)
		for i, m := range p.ref.messages {
			d.learn(p, m, states[i].ID, states[i].SequenceNumber)
		}
		for i, want := range p.ref.peek() {
			d.requireSame(want, states[i])
		}
		d.requireSame(p.ref.stats(), p.Stats())
	}
}

// requireSame is require.Equal, which takes long, for what is always the same.
func (d *driver) requireSame(want, got any) {
	if !reflect.DeepEqual(want, got) {
		require.Equal(d.t, want, got)
	}
}

// learn tells the reference, of a message that is new, the id and the sequence
// number that the queue has chosen: a new one, and one larger than those before.
func (d *driver) learn(p *pair, m *refMessage, id, number string) {
	if m.ID == "" {
		require.Len(d.t, id, 36)
		require.Empty(d.t, d.names[id], "id %s is not new", id)
		d.names[id] = fmt.Sprint("m", d.ids)
		d.ids++
		m.ID = id
	}
	if p.fifo != nil && m.SequenceNumber == "" {
		require.Len(d.t, number, 20)
		require.Greater(d.t, number, p.number)
		m.SequenceNumber, p.number = number, number
	}
}

// learnHandle tells the reference, of a message that has been received anew,
// the receipt handle that the queue has made, which must be new.
func (d *driver) learnHandle(p *pair, m *refMessage, handle string) {
	if m.ReceiptHandle == "" {
		require.NotEmpty(d.t, handle)
		require.Empty(d.t, d.names[handle], "handle %s is not new", handle)
		d.names[handle] = fmt.Sprintf("%s/%d", d.names[m.ID], m.ReceiveCount)
		m.ReceiptHandle = handle
		p.ref.receipts = append(p.ref.receipts, refReceipt{handle, m, m.ReceiveCount})
	}
}

// requireSent requires that a send was answered with m, or with nothing if it is
// nil.
func (d *driver) requireSent(p *pair, m *refMessage, got memsqs.SendResult) {
	var want memsqs.SendResult
	if m != nil {
		d.learn(p, m, got.MessageID, got.SequenceNumber)
		want = memsqs.SendResult{MessageID: m.ID, SequenceNumber: m.SequenceNumber}
	}
	require.Equal(d.t, want, got)
}

// requireError requires an error of the given code, or a BatchError of codes.
func (d *driver) requireError(want, err error) { require.Equal(d.t, want, codes(err)) }

// codes reduces an error to what the reference says of it: the code of an
// Error, or the codes in a BatchError.
func codes(err error) error {
	if batch, ok := errors.AsType[*memsqs.BatchError](err); ok {
		reduced := &memsqs.BatchError{Failed: make(map[int]error)}
		for i, e := range batch.Failed {
			reduced.Failed[i] = codes(e)
		}
		return reduced
	}
	if refused, ok := errors.AsType[*memsqs.Error](err); ok {
		return refused.Code
	}
	return err
}
