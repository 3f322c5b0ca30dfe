package api

import (
	"fmt"
	"strings"
	"time"

	"github.com/memsqs/memsqs"
)

// Add makes a queue of Go code, a *memsqs.Queue or *memsqs.FIFOQueue, one of the
// service's own region and account. Its name is the one it is configured with.
//
// What cannot be added is refused with an error that matches
// memsqs.ErrInvalidParameterValue: another type, nil, a name that SQS would not
// have for a queue of the type, or one that is taken.
func (s *Service) Add(q any) error {
	added, name, err := wrap(q)
	if err != nil {
		return err
	}
	if err := checkName(name, added.fifo != nil); err != nil {
		return refuse(name, err.Message)
	}
	s.setup.Lock()
	defer s.setup.Unlock()
	now := s.now()
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
	s.namespaces = make(map[place]*namespace)
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

// place returns where queues live that nobody says where.
func (s *Service) place() place { return place{s.Region, s.Account} }

// register adds a queue that is complete to the registry. Its name must be free.
// s.setup must be held.
func (s *Service) register(q *queue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.namespace(q.arn.place).queues[q.arn.name] = q
}

// unregister takes a queue out of the registry, which remembers its name for a while,
// or for longer if it is still the name of a dead-letter queue. s.setup must be held.
func (s *Service) unregister(q *queue) {
	now := s.now()
	orphan := q.named && len(s.sources(q)) > 0
	s.mu.Lock()
	defer s.mu.Unlock()
	ns := s.namespace(q.arn.place)
	delete(ns.queues, q.arn.name)
	if !s.Relaxed {
		ns.deleted.add(q.arn.name, now)
	}
	if orphan {
		ns.orphans[q.arn.name] = true
	}
}

// isRemembered reports whether a queue of that name was deleted a short time ago.
func (s *Service) isRemembered(a arn, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ns := s.namespaces[a.place]
	return ns != nil && ns.deleted.has(a.name, now)
}

// nameMemory is for how long the name of a deleted queue cannot be used (A16.5).
const nameMemory = 60 * time.Second

// A recent remembers the names of queues that were deleted lately. Its zero value
// remembers none.
type recent struct {
	at    map[string]time.Time
	order []deletion // oldest first
}

type deletion struct {
	name string
	at   time.Time
}

func (r *recent) add(name string, now time.Time) {
	r.forget(now)
	if r.at == nil {
		r.at = make(map[string]time.Time)
	}
	r.at[name] = now
	r.order = append(r.order, deletion{name, now})
}

func (r *recent) has(name string, now time.Time) bool {
	r.forget(now)
	_, ok := r.at[name]
	return ok
}

// forget drops the names that can be used again.
func (r *recent) forget(now time.Time) {
	for len(r.order) > 0 && now.Sub(r.order[0].at) >= nameMemory {
		if d := r.order[0]; r.at[d.name].Equal(d.at) {
			delete(r.at, d.name)
		}
		r.order = r.order[1:]
	}
}

// maxName is the most characters a queue's name has, its suffix counted (A16.1).
const maxName = 80

const fifoSuffix = ".fifo"

// checkName refuses what is not the name of a queue of the given type.
func checkName(name string, fifo bool) *Error {
	stem := name
	if fifo {
		stem = strings.TrimSuffix(name, fifoSuffix)
	}
	switch {
	case fifo && (stem == name || !isWord(stem) || len(name) > maxName):
		return InvalidParameterValue.errorf("The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length")
	case !fifo && (!isWord(stem) || len(name) > maxName):
		return InvalidParameterValue.errorf("Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length")
	}
	return nil
}

// isWord reports whether s has characters, and no others than names and labels have.
func isWord(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return s != ""
}
