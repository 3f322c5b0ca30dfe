package main

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// A workQueue carries pointers: its sets hash what it carries, and to hash a
// pointer costs least.
type workQueue struct {
	q workqueue.TypedDelayingInterface[*body]
}

func openWorkqueue(int) (queue, error) {
	return workQueue{workqueue.NewTypedDelayingQueue[*body]()}, nil
}

func (q workQueue) send(_ context.Context, b body) error {
	q.q.Add(&b)
	return nil
}

func (q workQueue) sendDelayed(_ context.Context, b body, delay time.Duration) error {
	q.q.AddAfter(&b, delay)
	return nil
}

func (q workQueue) receive(context.Context) (delivery, error) {
	b, shutdown := q.q.Get()
	if shutdown {
		return delivery{}, errClosed
	}
	return delivery{body: *b, message: b}, nil
}

func (q workQueue) delete(_ context.Context, d delivery) error {
	q.q.Done(d.message.(*body))
	return nil
}

func (q workQueue) close() error {
	q.q.ShutDown()
	return nil
}
