package pubsub

import (
	"context"

	"github.com/memsqs/memsqs"
)

// A Sender is a queue that messages can be sent to. Its methods do what those of
// [memsqs.Queue] do, or of [memsqs.FIFOQueue] if it is a [FIFOSender], and can be
// called by any number of goroutines.
//
// An error that is an *memsqs.Error is a refusal: the call is at fault, and would
// be refused again. Any other error is taken to be the queue's or the network's,
// and to pass; what it was returned for may have happened all the same. An error
// that knows better has a method Retryable() bool, which decides.
type Sender interface {
	Send(ctx context.Context, in memsqs.SendInput) (memsqs.SendResult, error)
	SendBatch(ctx context.Context, in []memsqs.SendInput) ([]memsqs.SendResult, error)
}

// A FIFOSender is a [Sender] that can be a FIFO queue. It is one if FIFO returns
// true. A *memsqs.FIFOQueue always is; a *memsqs.Queue has no such method, so
// that the compiler refuses it where a FIFO queue is wanted. A queue outside of
// the process may know only at run time. A type that wraps a Sender must pass FIFO
// on; else what it wraps is taken for a standard queue.
type FIFOSender interface {
	Sender
	FIFO() bool
}

// A Receiver is a queue that messages can be received from. Its methods do what
// those of [memsqs.Queue] do, and can be called by any number of goroutines. Of
// its errors the same holds as of those of a [Sender].
type Receiver interface {
	Receive(ctx context.Context, in memsqs.ReceiveInput) ([]memsqs.Message, error)
	DeleteBatch(ctx context.Context, receiptHandles []string) error
	ChangeVisibilityBatch(ctx context.Context, in []memsqs.VisibilityChange) error
}

// isFIFO reports whether q, a Sender or a Receiver, is a FIFO queue.
func isFIFO(q any) bool {
	f, ok := q.(interface{ FIFO() bool })
	return ok && f.FIFO()
}
