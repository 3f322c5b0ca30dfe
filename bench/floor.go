package main

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// The floor: what a program has that needs no more than a way to hand a value
// to another goroutine. Neither keeps what has been received.

type channelQueue struct{ c chan body }

func openChannel(messages int) (queue, error) {
	return channelQueue{make(chan body, messages+1)}, nil
}

func (q channelQueue) send(_ context.Context, b body) error {
	q.c <- b
	return nil
}

func (q channelQueue) receive(context.Context) (delivery, error) {
	b, ok := <-q.c
	if !ok {
		return delivery{}, errClosed
	}
	return delivery{body: b}, nil
}

func (q channelQueue) delete(context.Context, delivery) error { return nil }

func (q channelQueue) close() error {
	close(q.c)
	return nil
}

// A heapQueue is a heap of messages by the time at which they are due.
type heapQueue struct {
	origin time.Time

	mu      sync.Mutex // guards the fields below
	changed *sync.Cond // on mu: there is a new message, or the queue is closed
	due     dueHeap
	closed  bool
}

func openHeap(int) (queue, error) {
	q := &heapQueue{origin: time.Now()}
	q.changed = sync.NewCond(&q.mu)
	return q, nil
}

func (q *heapQueue) send(ctx context.Context, b body) error { return q.sendDelayed(ctx, b, 0) }

func (q *heapQueue) sendDelayed(_ context.Context, b body, delay time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	heap.Push(&q.due, &dueBody{b, time.Since(q.origin) + delay})
	q.changed.Signal()
	return nil
}

// receive does not wait for messages that are delayed, but for others alone:
// none of the measurements needs more.
func (q *heapQueue) receive(context.Context) (delivery, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if q.closed {
			return delivery{}, errClosed
		}
		if len(q.due) > 0 && q.due[0].at <= time.Since(q.origin) {
			return delivery{body: heap.Pop(&q.due).(*dueBody).body}, nil
		}
		q.changed.Wait()
	}
}

func (q *heapQueue) delete(context.Context, delivery) error { return nil }

func (q *heapQueue) close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
	return nil
}

type dueBody struct {
	body
	at time.Duration
}

// A dueHeap is a heap.Interface.
type dueHeap []*dueBody

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)        { *h = append(*h, x.(*dueBody)) }

func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	b := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return b
}
