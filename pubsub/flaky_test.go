package pubsub_test

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// errThrottled is an error of the kind that passes.
var errThrottled = errors.New("throttled")

// A flaky queue is a queue at the far end of a bad line. It notes the calls that
// are made to it, and fault says what becomes of each; nil means that all is well.
type flaky struct {
	pubsub.Sender
	fault func(call int, in []memsqs.SendInput) fault

	mu    sync.Mutex
	calls []call
}

type call struct {
	in []memsqs.SendInput
	at time.Time
}

// A fault is what goes wrong in a call.
type fault struct {
	err    error         // of the whole call
	lost   bool          // the queue has got the call, and only its answer is lost
	failed map[int]error // entries that the queue does not get
}

func (q *flaky) FIFO() bool {
	f, ok := q.Sender.(pubsub.FIFOSender)
	return ok && f.FIFO()
}

func (q *flaky) Send(ctx context.Context, in memsqs.SendInput) (memsqs.SendResult, error) {
	f := q.note([]memsqs.SendInput{in})
	if f.err != nil && !f.lost || f.failed[0] != nil {
		return memsqs.SendResult{}, cmp.Or(f.err, f.failed[0])
	}
	result, err := q.Sender.Send(ctx, in)
	if f.err != nil {
		return memsqs.SendResult{}, f.err
	}
	return result, err
}

func (q *flaky) SendBatch(ctx context.Context, in []memsqs.SendInput) ([]memsqs.SendResult, error) {
	f := q.note(in)
	if f.err != nil && !f.lost {
		return nil, f.err
	}
	var sent []int
	var arrives []memsqs.SendInput
	for i := range in {
		if f.failed[i] == nil {
			sent = append(sent, i)
			arrives = append(arrives, in[i])
		}
	}
	results := make([]memsqs.SendResult, len(in))
	if len(arrives) > 0 {
		some, err := q.Sender.SendBatch(ctx, arrives)
		if err != nil || f.err != nil {
			return nil, cmp.Or(err, f.err)
		}
		for n, i := range sent {
			results[i] = some[n]
		}
	}
	if len(f.failed) > 0 {
		return results, &memsqs.BatchError{Failed: maps.Clone(f.failed)}
	}
	return results, nil
}

// note notes a call and returns its fault.
func (q *flaky) note(in []memsqs.SendInput) fault {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls = append(q.calls, call{slices.Clone(in), time.Now()})
	if q.fault == nil {
		return fault{}
	}
	return q.fault(len(q.calls), in)
}

// sizes returns the number of messages in each call.
func (q *flaky) sizes() []int {
	var sizes []int
	for _, c := range q.calls {
		sizes = append(sizes, len(c.in))
	}
	return sizes
}

// pauses returns the times between the calls.
func (q *flaky) pauses() []time.Duration {
	var pauses []time.Duration
	for i := range q.calls[1:] {
		pauses = append(pauses, q.calls[i+1].at.Sub(q.calls[i].at))
	}
	return pauses
}

// always is a fault of every call.
func always(f fault) func(int, []memsqs.SendInput) fault {
	return func(int, []memsqs.SendInput) fault { return f }
}

// inCalls is a fault of the first calls, of each the one given.
func inCalls(faults ...fault) func(int, []memsqs.SendInput) fault {
	return func(call int, _ []memsqs.SendInput) fault {
		if call > len(faults) {
			return fault{}
		}
		return faults[call-1]
	}
}

// ofBody is a fault of the entries with the given body, in the first so many
// calls that have one.
func ofBody(body string, err error, calls int) func(int, []memsqs.SendInput) fault {
	return func(_ int, in []memsqs.SendInput) fault {
		i := slices.IndexFunc(in, func(m memsqs.SendInput) bool { return m.Body == body })
		if i < 0 || calls == 0 {
			return fault{}
		}
		calls--
		return fault{failed: map[int]error{i: err}}
	}
}

func makeQueue(t testing.TB) *memsqs.Queue {
	t.Helper()
	q, err := memsqs.NewQueue(memsqs.Config{})
	require.NoError(t, err)
	return q
}

func makeFIFOQueue(t testing.TB) *memsqs.FIFOQueue {
	t.Helper()
	q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{ContentBasedDeduplication: true})
	require.NoError(t, err)
	return q
}

// contents returns the bodies of a queue's messages, in the order in which they
// were sent.
func contents(q interface {
	Peek(int) []memsqs.MessageState
}) []string {
	bodies := []string{}
	for _, m := range q.Peek(1 << 20) {
		bodies = append(bodies, m.Body)
	}
	return bodies
}

// inGroup returns messages of a group.
func inGroup(group string, bodies ...string) []memsqs.SendInput {
	var all []memsqs.SendInput
	for _, body := range bodies {
		all = append(all, memsqs.SendInput{Body: body, GroupID: group})
	}
	return all
}

// plain returns messages that have a body alone.
func plain(bodies ...string) []memsqs.SendInput { return inGroup("", bodies...) }

// text returns an attribute of type String.
func text(s string) memsqs.Attribute {
	return memsqs.Attribute{DataType: "String", StringValue: s}
}

// failures requires that err is a *BatchError, and returns its errors.
func failures(t testing.TB, err error) map[int]error {
	t.Helper()
	batch, ok := errors.AsType[*memsqs.BatchError](err)
	require.True(t, ok, "%v", err)
	return batch.Failed
}
