package pubsub

import (
	"context"
	"errors"
	"time"

	"github.com/memsqs/memsqs"
)

// A line is where jobs wait for one kind of call to the queue. There is one
// such call at a time. Whatever joins the line meanwhile shares the next call; no
// job waits for others to come and fill it.
type line struct {
	jobs  []*job
	busy  bool // a call is under way
	pause pause
}

func (l *line) add(m *job) { l.jobs = append(l.jobs, m) }

// isReady reports whether a call can be made when the pause is over.
func (l *line) isReady() bool { return !l.busy && len(l.jobs) > 0 }

// next takes the jobs for a call off the line, if one can be made now.
func (l *line) next(now time.Time) []*job {
	if !l.isReady() || now.Before(l.pause.until) {
		return nil
	}
	var batch []*job
	taken := 0
	for _, m := range l.jobs {
		if len(batch) == maxBatchEntries {
			break
		}
		if taken++; !m.isOver() {
			batch = append(batch, m)
		}
	}
	clear(l.jobs[:taken])
	l.jobs = l.jobs[taken:]
	return batch
}

// sendDeletes makes the next call to delete.
func (d *desk) sendDeletes() {
	batch := d.deletes.next(d.now)
	handles := make([]string, len(batch))
	for i, m := range batch {
		m.inCall = true
		handles[i] = m.ReceiptHandle
	}
	d.send(&d.deletes, batch, d.deleted, func(ctx context.Context) error {
		return d.Queue.DeleteBatch(ctx, handles)
	})
}

// deleted takes the queue's answer to the deletion of m.
func (d *desk) deleted(m *job, err error) {
	m.inCall = false
	switch {
	case err == nil:
		d.reportDeleted(m)
		d.leave(m)
	case !isRetryable(err):
		d.lose(m, err)
	case d.now.Before(m.deadline):
		d.deletes.add(m)
	default:
		d.expire(m)
	}
}

// enqueueChange has the visibility timeout of m changed to what its fate demands.
// As there is one such call at a time, none overtakes another.
func (d *desk) enqueueChange(m *job) {
	if !m.inLine {
		m.inLine = true
		d.changes.add(m)
	}
}

// sendChanges makes the next call to change visibility timeouts. Whether a lease
// is renewed or ended is decided now, not when the job joined the line.
func (d *desk) sendChanges() {
	batch := d.changes.next(d.now)
	in := make([]memsqs.VisibilityChange, len(batch))
	for i, m := range batch {
		m.inLine = false
		m.ending, m.asked, m.askedAt = false, d.VisibilityTimeout, d.now
		if m.fate == releasing {
			m.ending, m.asked = true, m.after
		}
		m.asked = max(0, min(m.asked, m.limit.Sub(d.now)))
		in[i] = memsqs.VisibilityChange{ReceiptHandle: m.ReceiptHandle, Timeout: m.asked}
	}
	d.send(&d.changes, batch, d.changed, func(ctx context.Context) error {
		return d.Queue.ChangeVisibilityBatch(ctx, in)
	})
}

// changed takes the queue's answer to the change of m's visibility timeout.
func (d *desk) changed(m *job, err error) {
	switch {
	case err == nil && m.ending:
		d.reportReleased(m)
		d.leave(m)
	case err == nil:
		d.extend(m, m.askedAt, m.asked)
	case isRetryable(err):
		d.doubt(m)
		d.enqueueChange(m)
	case m.fate == deleting: // perhaps it has been: the answer to that decides
	default:
		d.lose(m, err)
	}
}

// doubt takes into account that a change which seems to have failed may have been
// made: then the lease ends when it was asked to. A FIFO queue would refuse a later
// change, but a standard one would make it, and to another receiver's lease.
func (d *desk) doubt(m *job) {
	if end := m.askedAt.Add(m.asked); !m.isFIFO() && end.Before(m.deadline) {
		m.deadline, m.due = end, end
		d.leases.fix(m)
	}
}

// send makes a call for the jobs of a batch, if there are any. Its answer
// for each that is not over goes to answered.
func (d *desk) send(l *line, batch []*job, answered func(*job, error), call func(context.Context) error) {
	if len(batch) == 0 {
		return
	}
	l.busy = true
	var err error
	d.begin(func() {
		ctx, cancel := context.WithTimeout(d.tasks, d.callTime())
		defer cancel()
		err = call(ctx)
	}, func() {
		l.busy = false
		if !d.isGone(err) {
			d.answer(l, batch, answered, err)
		}
	})
}

// answer takes apart what a call has returned. If it failed for some because of
// the queue, the next call waits.
func (d *desk) answer(l *line, batch []*job, answered func(*job, error), err error) {
	failed, partly := errors.AsType[*memsqs.BatchError](err)
	if err != nil && !partly {
		err = wholeCall{err}
	}
	var trouble error
	for i, m := range batch {
		if partly {
			err = failed.Failed[i]
		}
		if err != nil && isRetryable(err) {
			trouble = err
		}
		if !m.isOver() {
			answered(m, err)
		}
	}
	if trouble != nil {
		d.reportQueueError(trouble, l.pause.extend(d.now))
	} else {
		l.pause = pause{}
	}
}

// A wholeCall is an error that says nothing of the messages of the call: that it
// was not allowed, for one. They are tried again, for as long as their leases last.
type wholeCall struct{ error }

func (e wholeCall) Unwrap() error { return e.error }
func (wholeCall) Retryable() bool { return true }
