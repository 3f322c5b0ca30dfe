package pubsub

import (
	"context"
	"fmt"

	"github.com/memsqs/memsqs"
)

// A FIFOTopic is a [Topic] to which FIFO queues alone can subscribe, and which
// keeps group, order and deduplication on the way.
//
// It chooses the group and the deduplication id of a message as a [Publisher]
// does, once for all subscriptions. So all have it in the same group, and a message
// that is published again within five minutes, with a DeduplicationID of the
// caller's, is put on none of the queues twice: after an error, do so.
//
// In each queue the messages of a group have the order in which they were
// published, one after the other or by one call, whatever a filter leaves out. If
// one of a call fails, those behind it in its group and that call go to the
// dead-letter queue with it, in their order; the messages of a later call do not.
//
// The compiler refuses a *memsqs.Queue. Of a queue whose kind is known only at run
// time, FIFO is asked; if one is not FIFO, nothing is published, and the error is
// memsqs.ErrNotFIFO.
type FIFOTopic struct {
	Subscriptions []FIFOSubscription

	// PartitionKeyHeader is that of [Publisher].
	PartitionKeyHeader string
}

// A FIFOSubscription is a FIFO queue that gets the messages of a [FIFOTopic]. Its
// fields are those of a [Subscription]. A dead letter has a deduplication id of its
// own, as it has in a queue's dead-letter queue.
type FIFOSubscription struct {
	Name       string
	Queue      FIFOSender
	Filter     Filter
	DeadLetter FIFOSender
	Attempts   int
	Backoff    Backoff
}

// Publish sends a message to all subscriptions that want it, as [Topic.Publish]
// does. Filters see the group as the attribute named by PartitionKeyHeader.
func (t *FIFOTopic) Publish(ctx context.Context, in memsqs.SendInput) error {
	return t.PublishAll(ctx, []memsqs.SendInput{in})
}

// PublishAll is [FIFOTopic.Publish] for any number of messages. Each subscription
// gets them in batches, as from [Publisher.PublishAll].
func (t *FIFOTopic) PublishAll(ctx context.Context, in []memsqs.SendInput) error {
	subscriptions := make([]Subscription, len(t.Subscriptions))
	for i, s := range t.Subscriptions {
		if err := s.check(); err != nil {
			return err
		}
		subscriptions[i] = s.common()
	}
	p := Publisher{PartitionKeyHeader: t.PartitionKeyHeader}
	addressed := make([]memsqs.SendInput, len(in))
	for i := range in {
		group, err := p.group(&in[i])
		if err != nil {
			return fmt.Errorf("pubsub: message %d: %w", i, err)
		}
		addressed[i] = p.address(in[i], group)
	}
	return fanOut(ctx, addressed, subscriptions, t.PartitionKeyHeader)
}

// check refuses queues that have turned out not to be FIFO.
func (s *FIFOSubscription) check() error {
	switch {
	case s.Queue != nil && !s.Queue.FIFO():
		return refuse(memsqs.ErrNotFIFO, "the Queue of subscription %q is not FIFO", s.Name)
	case s.DeadLetter != nil && !s.DeadLetter.FIFO():
		return refuse(memsqs.ErrNotFIFO, "the DeadLetter of subscription %q is not FIFO", s.Name)
	}
	return nil
}

// common returns s as a Subscription.
func (s *FIFOSubscription) common() Subscription {
	return Subscription{
		Name:       s.Name,
		Queue:      s.Queue,
		Filter:     s.Filter,
		DeadLetter: s.DeadLetter,
		Attempts:   s.Attempts,
		Backoff:    s.Backoff,
	}
}
