package sqshttp

import (
	"context"
	"errors"

	"github.com/memsqs/memsqs/internal/api"
)

// Drain makes the server ready for the end of its program: receives that wait, and
// all later ones, are answered at once with no messages. All else is served as before.
//
// It is for [http.Server.RegisterOnShutdown], since Shutdown waits for the requests
// that are under way, and so for every long poll.
func (s *Server) Drain() { s.drain.close() }

// A drain ends receives once it has been closed.
type drain struct {
	ctx   context.Context // done when the drain is closed
	close context.CancelFunc
}

func newDrain() drain {
	ctx, cancel := context.WithCancel(context.Background())
	ctx.Done() // makes its channel here, and not in the first bubble that uses the server
	return drain{ctx, cancel}
}

// call calls an operation for r. A receive ends when the drain is closed, and does not
// begin after that.
func (d *drain) call(r *request, op *api.Operation, in any) (any, error) {
	ctx := r.Context()
	if _, receives := in.(*api.ReceiveMessageInput); !receives {
		return op.Call(ctx, r.caller, in)
	}
	draining, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	if d.ctx.Err() != nil {
		cancel() // as AfterFunc does, but not at once
	}
	out, err := op.Call(draining, r.caller, in)
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return new(api.ReceiveMessageOutput), nil
	}
	return out, err
}
