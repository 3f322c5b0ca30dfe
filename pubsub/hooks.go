package pubsub

import (
	"errors"
	"log/slog"
	"time"

	"github.com/memsqs/memsqs"
)

// Hooks are functions that a [Consumer] tells what happens, for metrics and
// traces. Each may be nil.
//
// They are called by the goroutine of Run, so never two at once, and must return
// at once: until they do, no lease is renewed. What wraps the handler, such as a
// span, belongs into the handler: the trace header is in the message.
//
// Each message that is Received is once told to Deleted, Released or LeaseLost.
type Hooks struct {
	// Received is called for the messages of a receive, in order, and the time
	// that it took.
	Received func(msgs []memsqs.Message, waited time.Duration)

	// Handled is called when the handler has returned nil, after the time that
	// it took; the message may be lost all the same.
	Handled func(m memsqs.Message, took time.Duration)

	// Failed is called when the handler has returned an error or panicked.
	Failed func(m memsqs.Message, err error, took time.Duration)

	// DeadLettered is called after Failed when the message has been sent to
	// DeadLetter.
	DeadLettered func(m memsqs.Message, err error)

	// Deleted is called when the message has been deleted; held is the time since
	// it was received.
	Deleted func(m memsqs.Message, held time.Duration)

	// Released is called when the queue knows that the message is to become
	// visible after the given time.
	Released func(m memsqs.Message, after, held time.Duration)

	// LeaseLost is called when the message is given up; err matches ErrLeaseLost
	// and says why. Its handler may still run.
	LeaseLost func(m memsqs.Message, err error, held time.Duration)

	// QueueError is called when a call to the queue has failed. It is made again
	// after the pause; a pause of zero means that the queue is gone.
	QueueError func(err error, pause time.Duration)
}

func (d *desk) reportReceived(msgs []memsqs.Message, waited time.Duration) {
	if d.Hooks.Received != nil {
		d.Hooks.Received(msgs, waited)
	}
}

func (d *desk) reportOutcome(m *job, out outcome) {
	if out.err == nil {
		if d.Hooks.Handled != nil {
			d.Hooks.Handled(m.Message, out.took)
		}
		return
	}
	if p, ok := errors.AsType[*PanicError](out.err); ok {
		d.log(slog.LevelError, "handler panicked", m, "panic", p.Value, "stack", string(p.Stack))
	} else {
		d.log(slog.LevelWarn, "handler failed", m, "error", out.err, "deadLettered", out.buried)
	}
	if d.Hooks.Failed != nil {
		d.Hooks.Failed(m.Message, out.err, out.took)
	}
	if out.buried && d.Hooks.DeadLettered != nil {
		d.Hooks.DeadLettered(m.Message, out.err)
	}
}

func (d *desk) reportDeleted(m *job) {
	held := d.now.Sub(m.received)
	d.log(slog.LevelDebug, "deleted", m, "held", held)
	if d.Hooks.Deleted != nil {
		d.Hooks.Deleted(m.Message, held)
	}
}

func (d *desk) reportReleased(m *job) {
	held := d.now.Sub(m.received)
	d.log(slog.LevelDebug, "released", m, "after", m.asked, "held", held)
	if d.Hooks.Released != nil {
		d.Hooks.Released(m.Message, m.asked, held)
	}
}

func (d *desk) reportLeaseLost(m *job, err error) {
	held := d.now.Sub(m.received)
	d.log(slog.LevelWarn, "lease lost", m, "error", err, "held", held)
	if d.Hooks.LeaseLost != nil {
		d.Hooks.LeaseLost(m.Message, err, held)
	}
}

func (d *desk) reportQueueError(err error, pause time.Duration) {
	level := slog.LevelWarn
	if pause == 0 {
		level = slog.LevelError
	}
	d.Logger.Log(d.tasks, level, "queue failed", "error", err, "pause", pause)
	if d.Hooks.QueueError != nil {
		d.Hooks.QueueError(err, pause)
	}
}

// log logs what has happened to a message, without its body.
func (d *desk) log(level slog.Level, what string, m *job, args ...any) {
	if !d.Logger.Enabled(d.tasks, level) {
		return
	}
	of := []any{"message", m.ID, "group", m.GroupID, "receives", m.ReceiveCount}
	d.Logger.Log(d.tasks, level, what, append(of, args...)...)
}
