package pubsub

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/memsqs/memsqs"
)

// Messages returns the messages of a queue as they come, for a plain loop:
//
//	for m, err := range pubsub.Messages(ctx, queue) {
//		if err != nil {
//			return err
//		}
//		// use m
//		err = queue.Delete(ctx, m.ReceiptHandle)
//	}
//
// The loop acknowledges a message by deleting it. A message that it does not
// delete comes back when the visibility timeout of the queue has passed, or when
// the loop changes that. Nobody renews it: for work that may take longer, for more
// than one message at a time, and for backoff there is [Consumer].
//
// Messages are received one at a time, when the loop is ready for the next. So
// breaking out leaves none in hand that the loop has not been given, no timeout
// runs while a message waits for its turn, and of a message group of a FIFO queue
// nothing follows a message that the loop has neither deleted nor given back. On
// Amazon SQS this takes two requests for each message; Consumer takes ten
// messages in one.
//
// The loop waits in long polls, and ends when ctx is done. An error of the queue
// comes with a zero message. The loop can go on after it, and then the next
// receive waits, longer after each further one. If the queue is gone, which it is
// when it answers memsqs.ErrClosed, the error is the last.
func Messages(ctx context.Context, queue Receiver) iter.Seq2[memsqs.Message, error] {
	return func(yield func(memsqs.Message, error) bool) {
		if err := checkLoop(ctx, queue); err != nil {
			yield(memsqs.Message{}, err)
			return
		}
		var pause pause
		in := memsqs.ReceiveInput{MaxMessages: 1, WaitTime: new(maxWaitTime)}
		for sleepUntil(ctx, pause.until) {
			began := time.Now()
			msgs, err := queue.Receive(ctx, in)
			pause.polled(len(msgs), err, began, time.Now())
			for _, m := range msgs {
				if !yield(m, nil) {
					return
				}
			}
			if err != nil && ctx.Err() == nil && !yield(memsqs.Message{}, err) || errors.Is(err, memsqs.ErrClosed) {
				return
			}
		}
	}
}

// sleepUntil waits until the given time. It reports whether ctx is not done.
func sleepUntil(ctx context.Context, t time.Time) bool {
	if d := time.Until(t); d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
	return ctx.Err() == nil
}
