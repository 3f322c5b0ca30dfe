package pubsub

import (
	"context"
	"time"

	"github.com/memsqs/memsqs"
)

// hasRoom reports whether the desk could have a poll under way that it has not.
//
// Every track takes one of the places, and a message needs at most one new track:
// so no more messages are asked for than places are free.
func (d *desk) hasRoom() bool {
	return !d.stopping && !d.polling && len(d.tracks) < d.Concurrency
}

// poll begins a long poll, if there is room for what it brings.
func (d *desk) poll() {
	if !d.hasRoom() || d.now.Before(d.polls.until) {
		return
	}
	d.polling = true
	in := memsqs.ReceiveInput{
		MaxMessages:       min(d.MaxMessages, d.Concurrency-len(d.tracks)),
		VisibilityTimeout: new(d.VisibilityTimeout),
		WaitTime:          new(d.WaitTime),
	}
	began := d.now
	var answered time.Time
	var msgs []memsqs.Message
	var err error
	d.begin(func() {
		ctx, cancel := context.WithTimeout(d.ctx, d.WaitTime+maxCallTime)
		defer cancel()
		msgs, err = d.Queue.Receive(ctx, in)
		answered = time.Now()
	}, func() {
		d.polling = false
		if len(msgs) > 0 {
			d.reportReceived(msgs, answered.Sub(began))
		}
		for _, m := range msgs {
			d.admit(d.newJob(m, answered))
		}
		d.polled(len(msgs), err, began)
	})
}

// polled decides when the next poll may begin.
func (d *desk) polled(messages int, err error, began time.Time) {
	if d.isGone(err) || d.ctx.Err() != nil { // the poll was to end
		return
	}
	if d.polls.polled(messages, err, began, d.now); err != nil {
		d.reportQueueError(err, d.polls.until.Sub(d.now))
	}
}
