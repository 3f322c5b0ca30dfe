package api

import (
	"fmt"
	"maps"
	"time"

	"github.com/memsqs/memsqs"
)

// Add makes a queue of Go code, a *memsqs.Queue or *memsqs.FIFOQueue, one of the
// service's own region and account, until it is closed. Its name is the one it is
// configured with.
//
// What cannot be added is refused with an error that matches
// memsqs.ErrInvalidParameterValue: another type, nil, a queue that is closed, a name
// that SQS would not have for a queue of the type, or one that is taken.
func (s *Service) Add(q any) error {
	added, name, err := wrap(q)
	if err != nil {
		return err
	}
	if added.Closed() {
		return refuse(name, "the queue is closed")
	}
	if err := checkName(name, added.fifo != nil); err != nil {
		return refuse(name, err.Message)
	}
	s.setup.Lock()
	defer s.setup.Unlock()
	now := s.Now()
	added.arn, added.createdAt, added.extras = arn{s.place(), name}, now, newExtras(now)
	if s.lookUp(added.arn) != nil {
		return refuse(name, "the name is taken by another queue")
	}
	s.register(added)
	return nil
}

// wrap returns q as it is registered, and its name.
func wrap(q any) (*queue, string, error) {
	switch q := q.(type) {
	case *memsqs.Queue:
		if q != nil {
			return &queue{engine: q, standard: q}, q.Config().Name, nil
		}
	case *memsqs.FIFOQueue:
		if q != nil {
			return &queue{engine: q, fifo: q}, q.Config().Name, nil
		}
	default:
		return nil, "", refuse("", fmt.Sprintf("the queue is a %T; it must be a *memsqs.Queue or *memsqs.FIFOQueue", q))
	}
	return nil, "", refuse("", "the queue is nil; it must not be")
}

func refuse(name, detail string) error {
	return &memsqs.Error{Code: memsqs.ErrInvalidParameterValue, Queue: name, Detail: detail}
}

// Queue returns the standard queue with the given name in the service's own region
// and account, or nil.
func (s *Service) Queue(name string) *memsqs.Queue {
	if q := s.lookUp(arn{s.place(), name}); q != nil {
		return q.standard
	}
	return nil
}

// FIFOQueue returns the FIFO queue of that name, as Queue does a standard queue.
func (s *Service) FIFOQueue(name string) *memsqs.FIFOQueue {
	if q := s.lookUp(arn{s.place(), name}); q != nil {
		return q.fifo
	}
	return nil
}

// Reset forgets all queues, and the names of those that were deleted. It closes the
// queues that CreateQueue has made, and cancels the move tasks.
func (s *Service) Reset() {
	s.setup.Lock()
	defer s.setup.Unlock()
	s.mu.Lock()
	namespaces := s.namespaces
	s.namespaces, s.deleted = make(map[place]*namespace), recent{}
	s.mu.Unlock()
	for _, ns := range namespaces {
		for _, q := range ns.queues {
			q.cancelMoves()
			if q.created {
				q.Close()
			}
		}
	}
}

// place returns the place of queues for which no other is named.
func (s *Service) place() place { return place{s.Region, s.Account} }

// register adds a queue that is complete to the registry. Its name must be free, or
// that of a queue that is closed. s.setup must be held.
func (s *Service) register(q *queue) {
	s.mu.Lock()
	ns := s.namespaces[q.arn.place]
	if ns == nil {
		ns = &namespace{make(map[string]*queue), make(map[string]bool)}
		s.namespaces[q.arn.place] = ns
	}
	closed := ns.queues[q.arn.name]
	ns.queues[q.arn.name] = q
	q.named = ns.orphans[q.arn.name] || closed != nil && closed.named
	delete(ns.orphans, q.arn.name)
	s.mu.Unlock()
	if q.named {
		s.inherit(q)
	}
}

// inherit makes the dead letters go to q that went to a queue of its name before that
// was deleted: a RedrivePolicy knows a queue by its ARN alone. s.setup must be held.
func (s *Service) inherit(q *queue) {
	for _, source := range s.sources(q) {
		if (source.fifo != nil) == (q.fifo != nil) {
			source.change(func(s *settings) { // refused if it is closed: then it has no more
				if name, n := s.deadLetters(); name == q.arn.name {
					s.setDeadLetters(q, n)
				}
			})
		}
	}
}

// unregister takes a queue out of the registry, which remembers its name for a while,
// and for longer if a RedrivePolicy still has it. s.setup must be held.
func (s *Service) unregister(q *queue) {
	now := s.Now()
	s.mu.Lock()
	ns := s.namespaces[q.arn.place]
	delete(ns.queues, q.arn.name)
	if len(ns.queues) == 0 {
		delete(s.namespaces, q.arn.place)
	}
	if !s.Relaxed {
		s.deleted.add(q.arn, now)
	}
	s.mu.Unlock()
	if q.named {
		s.orphan(ns, q)
	}
}

// orphan notes that a deleted queue is still named by a RedrivePolicy, if it is, and
// forgets those of its namespace that no longer are. s.setup must be held.
func (s *Service) orphan(ns *namespace, q *queue) {
	named := make(map[string]bool)
	for _, source := range s.queuesOf(q.arn.place, func(*queue) bool { return true }) {
		if target, ok := source.deadLetterTarget(); ok {
			named[target.name] = true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ns.orphans[q.arn.name] = true
	maps.DeleteFunc(ns.orphans, func(name string, _ bool) bool { return !named[name] })
}

// isRemembered reports whether a queue with that ARN was deleted a short time ago.
func (s *Service) isRemembered(a arn, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deleted.has(a, now)
}
