package pubsub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/memsqs/memsqs"
)

// Permanent returns an error that matches err and tells a [Consumer] that the
// message can never be handled. If there is a DeadLetter to send the message to,
// it goes there at once; if not, the error is like others. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// A PanicError is the error of a handler that panicked.
type PanicError struct {
	Value any    // what it panicked with
	Stack []byte // as [debug.Stack] returns it
}

// Error returns the value that the handler panicked with.
func (e *PanicError) Error() string { return fmt.Sprintf("pubsub: handler panicked: %v", e.Value) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// errExit is the error of a handler that has not returned.
var errExit = errors.New("pubsub: handler ended its goroutine")

// An outcome is what a handler has come to.
type outcome struct {
	err         error
	took        time.Duration
	buried      bool // the message has been sent to DeadLetter; err says why
	interrupted bool // by ErrStopped
}

// start runs the handler for m.
func (d *desk) start(m *job) {
	ctx, end := context.WithCancelCause(d.tasks)
	m.fate, m.end = handling, end
	out := outcome{err: errExit}
	began := d.now
	d.begin(func() {
		defer func() {
			out.took = time.Since(began)
			out.interrupted = errors.Is(context.Cause(ctx), ErrStopped)
		}()
		out.err = d.call(ctx, m.Message)
		if d.DeadLetter != nil && ctx.Err() == nil {
			out.buried, out.err = d.bury(ctx, m.Message, out.err)
		}
	}, func() {
		m.interrupt(nil)
		m.end = nil
		d.handled(m, out)
	})
}

// call calls the handler, and returns a panic as an error.
func (c *Consumer) call(ctx context.Context, m memsqs.Message) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return c.Handler(ctx, m)
}

// bury sends a message that failed with a permanent error to the dead-letter
// queue. It returns that error, or one that says what the queue said too.
//
// As when SQS moves a message, the deduplication id is the message's id (B12).
func (d *desk) bury(ctx context.Context, m memsqs.Message, err error) (bool, error) {
	if _, ok := errors.AsType[*permanentError](err); !ok {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.callTime())
	defer cancel()
	in := memsqs.SendInput{Body: m.Body, Attributes: m.Attributes, TraceHeader: m.TraceHeader, GroupID: m.GroupID}
	if isFIFO(d.DeadLetter) {
		in.GroupID, in.DeduplicationID = cmp.Or(m.GroupID, DefaultGroup), m.ID
	}
	if _, refused := d.DeadLetter.Send(ctx, in); refused != nil {
		return false, fmt.Errorf("%w; and the dead-letter queue failed: %w", err, refused)
	}
	return true, err
}

// handled decides what becomes of a message, whose handler has ended.
func (d *desk) handled(m *job, out outcome) {
	d.reportOutcome(m, out)
	switch {
	case m.lost:
		d.leave(m)
	case out.err == nil || out.buried:
		m.fate = deleting
		d.deletes.add(m)
	case out.interrupted: // not the message's fault
		d.release(m, 0)
	default:
		d.release(m, d.Backoff(m.ReceiveCount))
	}
}

// release makes m visible again when the given time has passed, and gives back
// what waits behind it, which must not be handled before it. The queue sees to
// that from then on: it does not hand out what is behind a hidden message.
func (d *desk) release(m *job, after time.Duration) {
	d.giveBack(m.behind())
	d.unlease(m, after)
}

// giveBack makes jobs that have not been started visible at once.
func (d *desk) giveBack(jobs []*job) {
	for _, m := range jobs {
		d.unlease(m, 0)
	}
}

// unlease has the visibility timeout of m end when the given time has passed.
func (d *desk) unlease(m *job, after time.Duration) {
	m.fate, m.after = releasing, after
	d.enqueueChange(m)
}
