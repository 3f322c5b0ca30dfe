package pubsub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memsqs/memsqs"
)

// The limits of one call of SendBatch (A15.1, A15.2), and the time for which a
// message is tried: what SQS remembers a deduplication id for (B5.2), less a
// minute for a call on its way.
const (
	maxBatchEntries = 10
	maxBatchSize    = 1 << 20 // bytes
	maxTrying       = 4 * time.Minute
)

// A delivery is a call of PublishAll under way.
//
// A lane with messages left is in ready, in again, or in the call that is being
// made. No message is sent before the one ahead of it in its lane has been
// accepted.
type delivery struct {
	*Publisher
	in      []memsqs.SendInput
	results []memsqs.SendResult
	failed  map[int]error

	isFIFO bool
	lanes  []*lane
	ready  []*lane // to be sent from, in this order
	again  []*lane // to be sent from before those; they were in the latest calls
	singly int     // calls to make with one message only

	trouble error         // the latest that may pass
	pause   time.Duration // to let it pass
	broken  int           // calls in a row that failed as a whole for such a reason
}

// A lane is messages to be sent one after the other: those of a group, or a
// single one to a standard queue.
type lane struct {
	left []int // indexes of the messages not dealt with yet
	head       // of the first of them
}

// A head is the first message of a lane, and what has become of it so far.
type head struct {
	isComplete bool             // else message is not set
	message    memsqs.SendInput // as it is sent, each time
	tried      time.Time        // when first
	failures   int
	err        error // of the latest
}

// plan puts the messages on lanes. What breaks a rule of the Publisher's it
// reports.
func (d *delivery) plan() {
	d.isFIFO = isFIFO(d.Queue)
	groups := make(map[string]*lane)
	for i := range d.in {
		group, err := d.groupOf(&d.in[i])
		if err != nil {
			d.failed[i] = err
			continue
		}
		l := groups[group]
		if l == nil {
			l = new(lane)
			d.lanes = append(d.lanes, l)
			if d.isFIFO {
				groups[group] = l
			}
		}
		l.left = append(l.left, i)
	}
	d.ready = slices.Clone(d.lanes)
}

// groupOf returns the group of a message, which is empty for a standard queue.
func (d *delivery) groupOf(in *memsqs.SendInput) (string, error) {
	if d.isFIFO {
		return d.group(in)
	}
	return "", checkStandard(in)
}

// run makes calls until every message has been accepted or reported.
func (d *delivery) run(ctx context.Context) {
	for call := d.next(); len(call) > 0; call = d.next() {
		err := d.send(ctx, call)
		if err == nil {
			err = d.rest(ctx)
		}
		if err != nil {
			d.giveUp(err)
			return
		}
	}
}

// next takes the lanes whose first messages go with the next call.
func (d *delivery) next() []*lane {
	d.dropLate()
	most := maxBatchEntries
	if d.singly > 0 {
		d.singly--
		most = 1
	}
	var call []*lane
	for size := 0; len(call) < most; {
		line := &d.ready
		if len(d.again) > 0 {
			line = &d.again
		}
		if len(*line) == 0 {
			break
		}
		l := (*line)[0]
		d.complete(l)
		if size += l.message.Size(); size > maxBatchSize && len(call) > 0 {
			break
		}
		*line = (*line)[1:]
		call = append(call, l)
	}
	return call
}

// dropLate reports the messages that it is too late to try again, for the queue
// may have forgotten that it has them.
func (d *delivery) dropLate() {
	d.again = slices.DeleteFunc(d.again, func(l *lane) bool {
		late := d.isFIFO && l.failures > 0 && time.Since(l.tried) > maxTrying
		if late {
			d.fail(l, l.exhausted())
		}
		return late
	})
}

// complete makes the first message of l ready to be sent.
func (d *delivery) complete(l *lane) {
	if l.isComplete {
		return
	}
	l.isComplete = true
	l.message = d.in[l.left[0]]
	if d.isFIFO {
		group, _ := d.group(&l.message) // plan has seen that there is one
		l.message = d.address(l.message, group)
	}
}

// send sends the first messages of the lanes of a call. It returns an error if
// there is no point in making another call.
func (d *delivery) send(ctx context.Context, call []*lane) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in := make([]memsqs.SendInput, len(call))
	now := time.Now()
	for i, l := range call {
		in[i] = l.message
		if l.tried.IsZero() {
			l.tried = now
		}
	}
	results, err := d.call(ctx, in)
	batch, isBatch := errors.AsType[*memsqs.BatchError](err)
	if err != nil && !isBatch {
		return d.sentNone(ctx, call, err)
	}
	d.broken = 0
	for i, l := range call {
		switch {
		case isBatch && batch.Failed[i] != nil:
			d.refused(l, batch.Failed[i])
		default:
			d.accepted(l, results[i])
		}
	}
	return nil
}

// call sends messages in one call, and returns a result for each if it does not
// fail as a whole.
func (d *delivery) call(ctx context.Context, in []memsqs.SendInput) ([]memsqs.SendResult, error) {
	if len(in) == 1 {
		result, err := d.Queue.Send(ctx, in[0])
		return []memsqs.SendResult{result}, err
	}
	results, err := d.Queue.SendBatch(ctx, in)
	all := make([]memsqs.SendResult, len(in)) // also if a test's queue returns fewer
	copy(all, results)
	return all, err
}

// sentNone deals with a call that failed as a whole. It returns an error if there
// is no point in making another one.
func (d *delivery) sentNone(ctx context.Context, call []*lane, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case isRetryable(err):
		d.broken++
		if d.broken == d.attempts() {
			return gaveUp(d.broken, err)
		}
		for _, l := range call {
			d.refused(l, err)
		}
		return nil
	case !isRefusal(err) || errors.Is(err, memsqs.ErrClosed): // no message is to blame
		return err
	case len(call) == 1:
		d.fail(call[0], err)
	default: // one of them may be to blame for all
		d.again = append(call, d.again...)
		d.singly = len(call)
	}
	d.broken = 0
	return nil
}

// accepted notes that the queue has the first message of l.
func (d *delivery) accepted(l *lane, result memsqs.SendResult) {
	d.results[l.left[0]] = result
	l.left, l.head = l.left[1:], head{}
	if len(l.left) > 0 {
		d.ready = append(d.ready, l)
	}
}

// refused notes that the queue does not have the first message of l, or may not.
func (d *delivery) refused(l *lane, err error) {
	l.failures++
	l.err = err
	switch {
	case !isRetryable(err):
		d.fail(l, err)
	case l.failures == d.attempts():
		d.fail(l, l.exhausted())
	default:
		d.again = append(d.again, l)
		d.trouble = err
		d.pause = max(d.pause, d.backoff(l.failures))
	}
}

// exhausted returns the error for a message that is not tried again.
func (h *head) exhausted() error { return gaveUp(h.failures, h.err) }

func gaveUp(attempts int, err error) error {
	return fmt.Errorf("pubsub: gave up after %d attempts: %w", attempts, err)
}

// fail reports the first message of l with err, and those behind it as held back.
func (d *delivery) fail(l *lane, err error) {
	d.failed[l.left[0]] = err
	for _, i := range l.left[1:] {
		d.failed[i] = ErrHeldBack
	}
	l.left = nil
}

// rest waits until the next call can be made.
func (d *delivery) rest(ctx context.Context) error {
	pause := d.pause
	d.pause = 0
	if pause > 0 && !sleepUntil(ctx, time.Now().Add(pause)) {
		return fmt.Errorf("%w before another try, after: %w", ctx.Err(), d.trouble)
	}
	return nil
}

// giveUp reports all that is left with err.
func (d *delivery) giveUp(err error) {
	for _, l := range d.lanes {
		for _, i := range l.left {
			d.failed[i] = err
		}
	}
}

func (p *Publisher) attempts() int { return cmp.Or(p.Attempts, defaultAttempts) }

func (p *Publisher) backoff(failures int) time.Duration {
	if p.Backoff == nil {
		return defaultBackoff(failures)
	}
	return p.Backoff(failures)
}
