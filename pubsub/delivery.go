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
// made.
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

// next takes the messages of the next call off their lanes' lines.
func (d *delivery) next() []*letter {
	d.dropLate()
	most := maxBatchEntries
	if d.singly > 0 {
		d.singly--
		most = 1
	}
	var call []*letter
	for size := 0; len(call) < most; {
		line := &d.ready
		if len(d.again) > 0 {
			line = &d.again
		}
		if len(*line) == 0 {
			break
		}
		taken := d.take((*line)[0], most-len(call), &size)
		if len(taken) == 0 {
			break
		}
		*line = (*line)[1:]
		call = append(call, taken...)
	}
	return call
}

// take returns up to n messages of a lane that go with a call which has the given
// size so far. A message that is too large for any call goes alone.
func (d *delivery) take(l *lane, n int, size *int) []*letter {
	if !d.FillCalls {
		n = 1
	}
	var taken []*letter
	for len(taken) < n && d.open(l, len(taken)) {
		m := l.letters[len(taken)]
		isFirst := *size == 0
		if *size += m.message.Size(); *size > maxBatchSize && !isFirst {
			break
		}
		taken = append(taken, m)
	}
	return taken
}

// isLate reports whether it will be too late to try m again after a pause: a FIFO
// queue may have forgotten by then that it has m.
func (d *delivery) isLate(m *letter, pause time.Duration) bool {
	return d.isFIFO && m.failures > 0 && pause > maxTrying-time.Since(m.tried)
}

// dropLate reports the messages that it has become too late to try again.
func (d *delivery) dropLate() {
	d.again = slices.DeleteFunc(d.again, func(l *lane) bool {
		first := l.letters[0] // none of the others was tried before it
		late := d.isLate(first, 0)
		if late {
			d.fail(first, first.exhausted())
		}
		return late
	})
}

// open makes sure that l has a letter with the given index. It reports whether there
// is a message for it.
func (d *delivery) open(l *lane, index int) bool {
	if index < len(l.letters) {
		return true
	}
	if len(l.left) == 0 {
		return false
	}
	m := &letter{lane: l, index: l.left[0]}
	m.message = d.in[m.index]
	if d.isFIFO {
		group, _ := d.group(&m.message) // plan has seen that there is one
		m.message = d.address(m.message, group)
	}
	l.left, l.letters = l.left[1:], append(l.letters, m)
	return true
}

// send makes a call. It returns an error if there is no point in making another.
func (d *delivery) send(ctx context.Context, call []*letter) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in := make([]memsqs.SendInput, len(call))
	now := time.Now()
	for i, m := range call {
		in[i] = m.message
		if m.tried.IsZero() {
			m.tried = now
		}
	}
	results, err := d.call(ctx, in)
	batch, isBatch := errors.AsType[*memsqs.BatchError](err)
	if err != nil && !isBatch {
		return d.sentNone(ctx, call, err)
	}
	d.broken = 0
	var refused []*letter
	for i, m := range call {
		if isBatch && batch.Failed[i] != nil {
			m.err = batch.Failed[i]
			refused = append(refused, m)
		} else {
			d.results[m.index] = results[i]
			m.lane.remove(m)
		}
	}
	d.refused(refused)
	d.lineUp(call)
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
func (d *delivery) sentNone(ctx context.Context, call []*letter, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case isRetryable(err):
		d.broken++
		if d.broken == d.attempts() {
			return gaveUp(d.broken, err)
		}
		for _, m := range call {
			m.err = err
		}
		d.refused(call)
		d.lineUp(call)
		return nil
	case !isRefusal(err) || errors.Is(err, memsqs.ErrClosed): // no message is to blame
		return err
	case len(call) == 1:
		d.fail(call[0], err)
	default: // one of them may be to blame for all
		d.again = append(lanesOf(call), d.again...)
		d.singly = len(call)
	}
	d.broken = 0
	return nil
}

// refused deals with messages of a call that the queue does not have, or may not.
func (d *delivery) refused(call []*letter) {
	for _, m := range call {
		if d.failed[m.index] != nil { // held back by now
			continue
		}
		m.failures++
		pause := d.backoff(m.failures)
		switch {
		case !isRetryable(m.err):
			d.fail(m, m.err)
		case m.failures == d.attempts() || d.isLate(m, pause):
			d.fail(m, m.exhausted())
		default:
			d.trouble = m.err
			d.pause = max(d.pause, pause)
		}
	}
}

// lineUp has the lanes of a call, if they have messages left, wait for their turns.
func (d *delivery) lineUp(call []*letter) {
	for _, l := range lanesOf(call) {
		switch {
		case l.isTried():
			d.again = append(d.again, l)
		case len(l.letters)+len(l.left) > 0:
			d.ready = append(d.ready, l)
		}
	}
}

// fail reports m with err, and those behind it as held back.
func (d *delivery) fail(m *letter, err error) {
	d.failed[m.index] = err
	for _, i := range m.lane.cut(m) {
		d.failed[i] = ErrHeldBack
	}
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
		for _, i := range l.all() {
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
