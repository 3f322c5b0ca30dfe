package api

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"github.com/memsqs/memsqs"
)

// maxInFlightFIFO is the quota of a FIFO queue. That of the engine is the former one
// (B11.1).
const maxInFlightFIFO = 120_000

// CreateQueue makes a queue, or finds the one of that name if its attributes are as
// wanted. Tags are not compared (A16.4).
func (c *Caller) CreateQueue(ctx context.Context, in *CreateQueueInput) (*CreateQueueOutput, error) {
	if in.QueueName == nil {
		return nil, noQueueName()
	}
	s := c.Service
	p := &parser{
		service: s,
		arn:     arn{c.place, *in.QueueName},
		fifo:    strings.EqualFold(in.Attributes["FifoQueue"], "true"),
	}
	if err := checkName(p.arn.name, p.fifo); err != nil { // A12.7, A12.8
		return nil, err
	}
	if err := checkTags(in.Tags, len(in.Tags), p.arn.name); err != nil {
		return nil, err
	}
	s.setup.Lock()
	defer s.setup.Unlock()
	q := s.lookUp(p.arn)
	var err *Error
	if q != nil {
		err = q.compare(p, in.Attributes)
	} else {
		q, err = s.create(p, in)
	}
	if err != nil {
		return nil, err
	}
	return &CreateQueueOutput{QueueUrl: c.queueURL(q)}, nil
}

func noQueueName() *Error {
	return InvalidParameterValue.errorf("Value for parameter QueueName is invalid. Reason: Must specify a queue name.") // A16.8
}

// compare refuses attributes that would change the queue (A16.2): those that differ
// from what it has in their form alone would not.
func (q *queue) compare(p *parser, values map[string]string) *Error {
	v := q.view()
	edits, err := p.parse(values, v.settings)
	if err != nil {
		return err
	}
	for _, e := range edits {
		show := attributes[e.name].show
		edited := *v
		e.edit(&edited.settings)
		if !sameValue(show(v), show(&edited)) {
			return QueueNameExists.errorf("A queue already exists with the same name and a different value for attribute %s", e.name)
		}
	}
	return nil
}

// sameValue reports whether two values of an attribute, as they are shown, mean the
// same. The order of the members of a JSON object means nothing.
func sameValue(a, b string) bool {
	if a == b || !isObject(a) || !isObject(b) {
		return a == b
	}
	var x, y any
	json.Unmarshal([]byte(a), &x) // an object is valid
	json.Unmarshal([]byte(b), &y)
	return reflect.DeepEqual(x, y)
}

// create makes the queue that p is for. s.setup must be held.
func (s *Service) create(p *parser, in *CreateQueueInput) (*queue, *Error) {
	now := s.Now()
	extras := newExtras(now)
	edits, refusal := p.parse(in.Attributes, settings{extras: extras})
	if refusal != nil {
		return nil, refusal
	}
	if s.isRemembered(p.arn, now) {
		return nil, QueueDeletedRecently.errorf("You must wait 60 seconds after deleting a queue before you can create another with the same name.")
	}
	q := &queue{arn: p.arn, created: true, createdAt: now, extras: extras, tags: maps.Clone(in.Tags)}
	var err error
	if p.fifo {
		q.fifo, err = memsqs.NewFIFOQueue(memsqs.FIFOConfig{Name: p.arn.name, Clock: s.Clock, MaxInFlight: maxInFlightFIFO})
		q.engine = q.fifo
	} else {
		q.standard, err = memsqs.NewQueue(memsqs.Config{Name: p.arn.name, Clock: s.Clock})
		q.engine = q.standard
	}
	if err == nil {
		err = q.change(together(edits))
	}
	if err != nil {
		return nil, InternalFailure.errorf("%v", err)
	}
	s.register(q)
	return q, nil
}

// DeleteQueue deletes a queue and its messages. Calls on it that wait end with
// QueueDoesNotExist.
func (c *Caller) DeleteQueue(ctx context.Context, in *DeleteQueueInput) (*DeleteQueueOutput, error) {
	s := c.Service
	s.setup.Lock()
	defer s.setup.Unlock()
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	s.unregister(q)
	q.cancelMoves()
	q.Close()
	return &DeleteQueueOutput{}, nil
}
