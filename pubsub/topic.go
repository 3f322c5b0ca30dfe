package pubsub

import (
	"context"
	"fmt"

	"github.com/memsqs/memsqs"
)

// A Topic sends each message to all queues that have subscribed to it, as Amazon
// SNS does.
//
// A subscription gets the messages that its filter matches, and is on its own:
// that the delivery to one fails or takes long does neither delay nor repeat the
// delivery to another. A message that cannot be delivered goes to the
// subscription's dead-letter queue. If there is none, or if that fails too, the
// error says which subscription does not have which message. Do not publish it
// again, for the other subscriptions do have it: send it to the queue in question.
//
// Publish returns when all deliveries have ended. They are made at the same time,
// the first in the goroutine of the caller and each other one in a goroutine that
// ends before Publish returns. Nothing else goes on in the background, and a Topic
// stores nothing: what is published while there is no subscription is gone.
//
// Queues of both kinds can subscribe. A FIFO queue gets the messages in groups
// named by their attribute PartitionKeyHeader, as from a [Publisher]. To choose
// group and deduplication id by message, use a [FIFOTopic]; a Topic refuses both
// with memsqs.ErrNotFIFO.
//
// A Topic can be used by any number of goroutines, if its fields are not changed
// meanwhile.
type Topic struct {
	Subscriptions []Subscription

	// PartitionKeyHeader is that of [Publisher].
	PartitionKeyHeader string
}

// A Subscription is a queue that gets the messages of a [Topic]. Only Queue has
// to be set.
type Subscription struct {
	Name  string // shown in errors
	Queue Sender

	// Filter says which messages the queue gets. Nil means all.
	Filter Filter

	// DeadLetter is where messages go that Queue has refused, or not accepted
	// in as many attempts as Attempts says: as they were published, in their
	// order. Nil means that they are reported to the caller. A message may be
	// here and in Queue, if the answer of Queue was lost.
	DeadLetter Sender

	// Attempts and Backoff are those of [Publisher], for both queues.
	Attempts int
	Backoff  Backoff
}

// A DeliveryError says that a subscription did not get some messages, and that its
// dead-letter queue did not either. Publish and PublishAll of a topic join those
// of all subscriptions, with [errors.Join].
type DeliveryError struct {
	Subscription string // its Name
	Err          error  // a *memsqs.BatchError: the reasons, by index into the call's messages
}

// Error returns the name of the subscription and the reasons.
func (e *DeliveryError) Error() string {
	return fmt.Sprintf("pubsub: subscription %q: %v", e.Subscription, e.Err)
}

// Unwrap returns e.Err.
func (e *DeliveryError) Unwrap() error { return e.Err }

// Publish sends a message to all subscriptions that want it. It returns nil when
// each of them has it, in its queue or in its dead-letter queue, and otherwise a
// [*DeliveryError] for each that has not.
//
// If ctx is done before that, what is under way is given up and reported.
//
// A message with a GroupID or a DeduplicationID is refused with
// memsqs.ErrNotFIFO, and so is, with an error that names it, a subscription that
// has no Queue or fewer than no Attempts. Then nothing is sent to any.
func (t *Topic) Publish(ctx context.Context, in memsqs.SendInput) error {
	return t.PublishAll(ctx, []memsqs.SendInput{in})
}

// PublishAll is [Topic.Publish] for any number of messages. Each subscription gets
// them in batches, as from [Publisher.PublishAll]. If one message is refused with
// memsqs.ErrNotFIFO, none is sent.
func (t *Topic) PublishAll(ctx context.Context, in []memsqs.SendInput) error {
	for i := range in {
		if err := checkStandard(&in[i]); err != nil {
			return fmt.Errorf("pubsub: message %d: %w", i, err)
		}
	}
	return fanOut(ctx, in, t.Subscriptions, t.PartitionKeyHeader)
}
