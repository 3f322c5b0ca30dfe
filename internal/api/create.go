package api

import (
	"context"
	"strings"

	"github.com/memsqs/memsqs"
)

// CreateQueue makes a queue, or finds the one with the name whose attributes are
// as wanted.
func (c *Caller) CreateQueue(ctx context.Context, in *CreateQueueInput) (*CreateQueueOutput, error) {
	if in.QueueName == nil {
		return nil, noQueueName()
	}
	name := *in.QueueName
	p := &parser{
		service: c.Service,
		arn:     arn{c.place, name},
		fifo:    strings.EqualFold(in.Attributes["FifoQueue"], "true"),
	}
	if err := checkName(name, p.fifo); err != nil {
		return nil, err
	}
	s := c.Service
	s.setup.Lock()
	defer s.setup.Unlock()
	edits, err := p.parse(in.Attributes)
	if err != nil {
		return nil, err
	}
	q := s.lookUp(p.arn)
	if q != nil {
		err = q.compare(edits)
	} else {
		q, err = s.create(p, edits)
	}
	if err != nil {
		return nil, err
	}
	return &CreateQueueOutput{QueueUrl: c.queueURL(q)}, nil
}

func noQueueName() *Error {
	return InvalidParameterValue.errorf("Value for parameter QueueName is invalid. Reason: Must specify a queue name.") // A16.8
}

// compare refuses edits that would change the queue (A16.2). So values that differ
// in form alone are equal.
func (q *queue) compare(edits []attributeEdit) *Error {
	v := q.view()
	for _, e := range edits {
		show := attributes[e.name].show
		edited := *v
		e.edit(&edited.settings)
		if show(v) != show(&edited) {
			return QueueNameExists.errorf("A queue already exists with the same name and a different value for attribute %s", e.name)
		}
	}
	return nil
}

// create makes the queue that p has parsed edits for. s.setup must be held.
func (s *Service) create(p *parser, edits []attributeEdit) (*queue, *Error) {
	if err := s.checkForgotten(p.arn); err != nil {
		return nil, err
	}
	q := &queue{arn: p.arn, created: true, extras: defaultExtras}
	var err error
	if p.fifo {
		q.fifo, err = memsqs.NewFIFOQueue(memsqs.FIFOConfig{Name: p.arn.name, Clock: s.Clock})
		q.engine = q.fifo
	} else {
		q.standard, err = memsqs.NewQueue(memsqs.Config{Name: p.arn.name, Clock: s.Clock})
		q.engine = q.standard
	}
	if err == nil {
		err = q.change(together(edits), s.now())
	}
	if err != nil {
		return nil, InternalFailure.errorf("%v", err)
	}
	s.register(q)
	return q, nil
}

// checkForgotten refuses the name of a queue that was deleted lately (A16.5).
func (s *Service) checkForgotten(a arn) *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.namespace(a.place).deleted.has(a.name, s.now()) {
		return QueueDeletedRecently.errorf("You must wait 60 seconds after deleting a queue before you can create another with the same name.")
	}
	return nil
}
