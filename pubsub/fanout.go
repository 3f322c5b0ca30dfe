package pubsub

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/memsqs/memsqs"
)

// fanOut delivers messages to the subscriptions that want them, to each at its own
// pace.
func fanOut(ctx context.Context, in []memsqs.SendInput, subscriptions []Subscription, header string) error {
	if ctx == nil {
		return refuse(memsqs.ErrInvalidParameterValue, "the context is nil; it must not be")
	}
	var parcels []parcel
	for i := range subscriptions {
		s := &subscriptions[i]
		if err := s.publisher(s.Queue, header).check(ctx); err != nil {
			return fmt.Errorf("pubsub: subscription %q: %w", s.Name, err)
		}
		if wanted := s.wanted(in); len(wanted) > 0 {
			parcels = append(parcels, parcel{s, header, in, wanted})
		}
	}
	if len(parcels) == 0 {
		return nil
	}
	errs := make([]error, len(parcels))
	var others sync.WaitGroup
	for i := range parcels[1:] {
		others.Go(func() { errs[1+i] = parcels[1+i].deliver(ctx) })
	}
	errs[0] = parcels[0].deliver(ctx)
	others.Wait()
	return errors.Join(errs...)
}

// wanted returns the indexes of the messages that s is to get.
func (s *Subscription) wanted(in []memsqs.SendInput) []int {
	var wanted []int
	for i := range in {
		if s.Filter.Match(in[i].Attributes) {
			wanted = append(wanted, i)
		}
	}
	return wanted
}

// publisher returns a Publisher that sends to q as s says.
func (s *Subscription) publisher(q Sender, header string) *Publisher {
	return &Publisher{Queue: q, PartitionKeyHeader: header, Attempts: s.Attempts, Backoff: s.Backoff}
}

// A parcel is what a subscription gets of a call's messages.
type parcel struct {
	*Subscription
	header string
	in     []memsqs.SendInput // all of the call
	wanted []int              // indexes of those it gets
}

// deliver sends the messages of p to its queue, and those that the queue does not
// take to its dead-letter queue. It returns a *DeliveryError if some are in
// neither.
func (p *parcel) deliver(ctx context.Context) error {
	failed := p.send(ctx, p.Queue, p.in, p.wanted)
	if len(failed) > 0 && p.DeadLetter != nil && ctx.Err() == nil {
		failed = p.bury(ctx, failed)
	}
	if len(failed) == 0 {
		return nil
	}
	return &DeliveryError{p.Name, &memsqs.BatchError{Failed: failed}}
}

// bury sends the messages that have failed to the dead-letter queue, and returns
// the errors of those that are not there either.
//
// A dead letter gets a deduplication id of its own, as in a queue. With the one
// that it was published with, the dead letters of two subscriptions that share a
// dead-letter queue would be taken for one.
func (p *parcel) bury(ctx context.Context, failed map[int]error) map[int]error {
	letters := slices.Clone(p.in)
	for i := range letters {
		letters[i].DeduplicationID = ""
	}
	lost := p.send(ctx, p.DeadLetter, letters, slices.Sorted(maps.Keys(failed)))
	for i, err := range lost {
		lost[i] = fmt.Errorf("%w; dead-letter queue: %w", failed[i], err)
	}
	return lost
}

// send sends those of in that have the given indexes to q, and returns the errors
// by these indexes.
func (p *parcel) send(ctx context.Context, q Sender, in []memsqs.SendInput, indexes []int) map[int]error {
	chosen := make([]memsqs.SendInput, len(indexes))
	for n, i := range indexes {
		chosen[n] = in[i]
	}
	_, errs := p.publisher(q, p.header).publishAll(ctx, chosen)
	failed := make(map[int]error, len(errs))
	for n, err := range errs {
		failed[indexes[n]] = err
	}
	return failed
}
