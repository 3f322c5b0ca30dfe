package api

import (
	"fmt"

	"github.com/memsqs/memsqs"
)

// Add registers a queue, which must be a *memsqs.Queue or a *memsqs.FIFOQueue, under
// its own name, in the region and account of callers that name none.
func (s *Service) Add(e any) error {
	q := &queue{created: s.now()}
	switch e := e.(type) {
	case *memsqs.Queue:
		q.engine, q.standard = e, e
	case *memsqs.FIFOQueue:
		q.engine, q.fifo = e, e
	default:
		return fmt.Errorf("queue is a %T; it must be a *memsqs.Queue or a *memsqs.FIFOQueue", e)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	home := place{s.Region, s.Account}
	q.arn = arn{home, q.engine.Stats().Name}
	ns := s.namespace(home)
	if ns.queues[q.arn.name] != nil {
		return fmt.Errorf("there is a queue named %q already", q.arn.name)
	}
	ns.queues[q.arn.name] = q
	return nil
}

// Queue returns the standard queue of that name, in the region and account of callers
// that name none, or nil.
func (s *Service) Queue(name string) *memsqs.Queue {
	if q := s.lookUp(arn{place{s.Region, s.Account}, name}); q != nil {
		return q.standard
	}
	return nil
}

// FIFOQueue returns the FIFO queue of that name, as Queue does a standard queue.
func (s *Service) FIFOQueue(name string) *memsqs.FIFOQueue {
	if q := s.lookUp(arn{place{s.Region, s.Account}, name}); q != nil {
		return q.fifo
	}
	return nil
}

// Reset closes all queues and forgets them, and what was remembered of others.
func (s *Service) Reset() {
	s.mu.Lock()
	all := s.namespaces
	s.namespaces = make(map[place]*namespace)
	s.mu.Unlock()
	for _, ns := range all {
		for _, q := range ns.queues {
			q.Close()
		}
	}
}
