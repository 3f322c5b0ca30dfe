package pubsub

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/memsqs/memsqs"
)

// What a [Publisher] and a topic fill in where nothing else is said.
const (
	DefaultPartitionKeyHeader = "partition-key"
	DefaultGroup              = "default"
)

const defaultAttempts = 5

var defaultBackoff = Exponential(100*time.Millisecond, 5*time.Second)

// ErrHeldBack means that a message was not sent because one before it in its
// group was not. Had it been sent, a later try of that one would come after it.
var ErrHeldBack = errors.New("held back behind a message of its group that failed")

// A Publisher sends messages to a queue. It chooses the message group and the
// deduplication id where the queue is FIFO, splits any number of messages into
// calls, and tries again what failed for the queue's reasons.
//
// Only Queue has to be set. A Publisher can be used by any number of goroutines,
// and has nothing to be closed.
//
// # Groups
//
// The group of a message to a FIFO queue is the first of these that is given:
//
//   - its GroupID;
//   - the text of its attribute named by PartitionKeyHeader;
//   - the Publisher's Group;
//   - [DefaultGroup].
//
// It is sent in that attribute as well, so that who receives the message can
// route by it, also where it has come to a queue that has no groups. The
// attribute is one of the ten that a message can have, and counts toward its
// size.
//
// # Deduplication
//
// A message to a FIFO queue is sent with its DeduplicationID or, if it has none,
// with one that no other message has. So two messages with the same body are two
// messages, whatever the queue's ContentBasedDeduplication, unless the caller
// names one id for both.
//
// It is tried again with the same id, and no later than four minutes after the
// first time, as SQS remembers an id for five: if the Backoff is longer, that was
// the last try. So a try whose answer was lost never makes a second message. A
// standard queue has no such ids: there, a message whose answer was lost can come
// twice.
//
// # Standard queues
//
// A message to a standard queue is sent as it is. If it has a GroupID or a
// DeduplicationID, or the Publisher a Group, it is refused with
// memsqs.ErrNotFIFO, as it would not have the order or the deduplication that it
// asks for. The attribute named by PartitionKeyHeader is one like any other.
type Publisher struct {
	// Queue is where messages go. It is FIFO if it is a [FIFOSender] whose
	// FIFO returns true.
	Queue Sender

	// PartitionKeyHeader names the attribute that holds the group. Empty
	// means [DefaultPartitionKeyHeader].
	PartitionKeyHeader string

	// Group is the group of messages that do not name one, in a FIFO queue.
	Group string

	// FillCalls has PublishAll put as many messages of one group into a call as
	// there is room for. For a queue on Amazon SQS with few groups that is up to
	// ten times as fast, and a tenth of the price; it is of no use in the process.
	//
	// The order is then no longer certain. SQS can fail a message for a reason of
	// its own and accept those behind it in the same call, nine at most. PublishAll
	// tries it again, with what else is left of the group in order behind it, but
	// it is then behind those that were accepted.
	FillCalls bool

	// Attempts is how often a message is tried. Zero means 5 times.
	Attempts int

	// Backoff says how long to wait before the next try. Nil means from 100
	// milliseconds to 5 seconds, exponential and with jitter.
	Backoff Backoff
}

// Publish sends a message. It returns when the queue has accepted it, or the
// error of the last try when the queue has refused it, or failed as often as
// Attempts says. If ctx is done before that, Publish returns its error; whether
// the message was sent is then unknown.
//
// An *memsqs.Error is a refusal, and not tried again; see [Sender].
func (p *Publisher) Publish(ctx context.Context, in memsqs.SendInput) (memsqs.SendResult, error) {
	results, failed := p.publishAll(ctx, []memsqs.SendInput{in})
	return results[0], failed[0]
}

// PublishAll sends any number of messages, in calls of up to ten messages and 1
// MiB, one call after the other. Its results have the order of in. If some were
// not sent it returns a [*memsqs.BatchError] with the reason for each, by its
// index in in; their results are zero.
//
// The messages of a group are sent in their order: none is sent before the one
// ahead of it has been accepted. So a call takes one message of each group, and
// many groups make fuller calls; see FillCalls for few. If one fails for good
// those behind it are not sent, and reported with [ErrHeldBack]; so the caller
// can send what was reported again, in its order. A standard queue has no
// groups: there, each message stands for itself.
//
// A call that fails as a whole as often as Attempts says, with no other answer
// in between, ends PublishAll: what is left is reported with its error. So does
// one that fails for a reason that does not pass and that no message is to blame
// for: the queue is closed, or permission is missing. And so does ctx when it is
// done. A message that was on its way at that time may have been sent; where that
// matters, give messages to a FIFO queue DeduplicationIDs of your own, and send
// them again.
func (p *Publisher) PublishAll(ctx context.Context, in []memsqs.SendInput) ([]memsqs.SendResult, error) {
	results, failed := p.publishAll(ctx, in)
	if len(failed) > 0 {
		return results, &memsqs.BatchError{Failed: failed}
	}
	return results, nil
}

// publishAll is PublishAll that returns the errors by index.
func (p *Publisher) publishAll(ctx context.Context, in []memsqs.SendInput) ([]memsqs.SendResult, map[int]error) {
	d := delivery{
		Publisher: p,
		in:        in,
		results:   make([]memsqs.SendResult, len(in)),
		failed:    make(map[int]error),
	}
	if err := p.check(ctx); err != nil {
		for i := range in {
			d.failed[i] = err
		}
		return d.results, d.failed
	}
	d.plan()
	d.run(ctx)
	return d.results, d.failed
}

// check refuses what p cannot work with.
func (p *Publisher) check(ctx context.Context) error {
	switch {
	case ctx == nil:
		return refuse(memsqs.ErrInvalidParameterValue, "the context is nil; it must not be")
	case p.Queue == nil:
		return refuse(memsqs.ErrMissingParameter, "the Publisher has no Queue")
	case p.Attempts < 0:
		return refuse(memsqs.ErrInvalidParameterValue, "Attempts is %d; it must be 1 or more, or 0 for %d", p.Attempts, defaultAttempts)
	case p.Group != "" && !isFIFO(p.Queue):
		return refuse(memsqs.ErrNotFIFO, "the Publisher's Group is %q; only a FIFO queue takes one", p.Group)
	}
	return nil
}

func (p *Publisher) header() string {
	return cmp.Or(p.PartitionKeyHeader, DefaultPartitionKeyHeader)
}

// checkStandard refuses a message that asks for what only a FIFO queue has.
func checkStandard(in *memsqs.SendInput) error {
	switch {
	case in.GroupID != "":
		return refuse(memsqs.ErrNotFIFO, "GroupID is %q; only a FIFO queue takes one", in.GroupID)
	case in.DeduplicationID != "":
		return refuse(memsqs.ErrNotFIFO, "DeduplicationID is %q; only a FIFO queue takes one", in.DeduplicationID)
	}
	return nil
}

// group chooses the group of a message.
func (p *Publisher) group(in *memsqs.SendInput) (string, error) {
	key := in.Attributes[p.header()]
	if in.GroupID == "" && !isText(key) {
		return "", refuse(memsqs.ErrInvalidParameterValue, "attribute %s is a %s; a group must be a text", p.header(), key.DataType)
	}
	return cmp.Or(in.GroupID, key.StringValue, p.Group, DefaultGroup), nil
}

// isText reports whether a has no bytes, but a text.
func isText(a memsqs.Attribute) bool {
	return !strings.HasPrefix(a.DataType, "Binary")
}

// address completes a message for a FIFO queue. The caller's attributes remain
// as they are. Doing it again changes nothing.
func (p *Publisher) address(in memsqs.SendInput, group string) memsqs.SendInput {
	in.GroupID = group
	if in.DeduplicationID == "" {
		in.DeduplicationID = rand.Text()
	}
	if key := in.Attributes[p.header()]; key.StringValue != group || !isText(key) {
		attributes := make(map[string]memsqs.Attribute, len(in.Attributes)+1)
		maps.Copy(attributes, in.Attributes)
		attributes[p.header()] = memsqs.Attribute{DataType: "String", StringValue: group}
		in.Attributes = attributes
	}
	return in
}

// refuse returns the error for a call that is at fault.
func refuse(code error, format string, args ...any) error {
	return &memsqs.Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}
