package main

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/memsqs/memsqs"
)

const memsqsModule = "github.com/memsqs/memsqs"

// A taker is the half of a queue that both kinds have in common.
type taker struct {
	from interface {
		Receive(context.Context, memsqs.ReceiveInput) ([]memsqs.Message, error)
		Delete(context.Context, string) error
		Close() error
	}
}

func (t taker) receive(ctx context.Context) (delivery, error) {
	msgs, err := t.from.Receive(ctx, memsqs.ReceiveInput{})
	switch {
	case err != nil:
		return delivery{}, err
	case len(msgs) == 0:
		return delivery{}, errors.New("no message became visible in time")
	}
	return delivery{body: body{text: msgs[0].Body}, handle: msgs[0].ReceiptHandle}, nil
}

func (t taker) delete(ctx context.Context, d delivery) error { return t.from.Delete(ctx, d.handle) }

func (t taker) close() error { return t.from.Close() }

type standardQueue struct {
	taker
	q *memsqs.Queue
}

func openStandard(messages int) (queue, error) {
	q, err := newStandard(messages)
	return standardQueue{taker{q}, q}, err
}

// newStandard returns a queue whose receives are long polls, and of which any
// number of messages can be in flight for longer than is measured.
func newStandard(messages int) (*memsqs.Queue, error) {
	return memsqs.NewQueue(memsqs.Config{
		VisibilityTimeout: new(12 * time.Hour),
		WaitTime:          20 * time.Second,
		MaxInFlight:       messages + 1,
	})
}

func (q standardQueue) send(ctx context.Context, b body) error {
	_, err := q.q.Send(ctx, memsqs.SendInput{Body: b.text})
	return err
}

func (q standardQueue) sendDelayed(ctx context.Context, b body, delay time.Duration) error {
	_, err := q.q.Send(ctx, memsqs.SendInput{Body: b.text, Delay: &delay})
	return err
}

// A fifoQueue gives every message a deduplication id of its own.
type fifoQueue struct {
	taker
	q      *memsqs.FIFOQueue
	ids    ids
	groups []string
}

func openFIFO(messages int) (queue, error) {
	q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{
		VisibilityTimeout: new(12 * time.Hour),
		WaitTime:          20 * time.Second,
		MaxInFlight:       messages + 1,
	})
	fifo := &fifoQueue{taker: taker{q}, q: q, groups: []string{"group"}}
	fifo.ids.more(messages)
	return fifo, err
}

func (q *fifoQueue) useGroups(names []string) { q.groups = names }

func (q *fifoQueue) send(ctx context.Context, b body) error {
	id, i := q.ids.next()
	_, err := q.q.Send(ctx, memsqs.SendInput{Body: b.text, GroupID: q.groups[i%len(q.groups)], DeduplicationID: id})
	return err
}

// forget ends the time for which deduplication ids are remembered.
func (q *fifoQueue) forget() error {
	return q.q.Configure(func(cfg *memsqs.FIFOConfig) { cfg.DeduplicationWindow = 1 })
}

// An ids hands out different texts. It makes many at a time, as parts of one:
// they are the sender's, and what the queue allocates is to be counted.
type ids struct {
	mu    sync.Mutex // guards the fields below
	text  string     // those that have not been handed out
	count int        // of those that have
	made  int
}

func (d *ids) next() (id string, i int) {
	const some = 4096
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.text == "" {
		d.more(some)
	}
	id, d.text = d.text[:numberLen], d.text[numberLen:]
	d.count++
	return id, d.count - 1
}

// more makes n more. d.mu must be held, or nobody else use d.
func (d *ids) more(n int) {
	const first = 1e15 // has numberLen digits
	b := make([]byte, 0, n*numberLen)
	for range n {
		b = strconv.AppendInt(b, first+int64(d.made), 10)
		d.made++
	}
	d.text += string(b)
}
