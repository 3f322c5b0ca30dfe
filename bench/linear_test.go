package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// These tests record what concurrent calls of a queue were answered, and have
// porcupine look for an order of the calls, each at some instant between its
// begin and its end, in which a queue that is called by one goroutine alone
// gives the same answers. What such a queue does, the models say.
//
// Visibility timeouts are zero or an hour, so that none ends meanwhile, and
// receives do not wait. Before the calls of a history end, it is drained, so
// that a message which was lost is missed.

// histories is how many are recorded for each model.
const histories = 2000

// A standard queue is linearizable to the users of each message. That a receive
// did not return a message although there was room for it says that the message
// was not visible. That no other was visible at the same instant, which of
// several messages came first, and that those of one receive were taken at one
// instant cannot be seen in one message: that is for the next test.
func TestStandardQueueIsLinearizableByMessage(t *testing.T) {
	checkHistories(t, messageModel, 4, 12, func(t *testing.T) linearQueue {
		q, err := memsqs.NewQueue(memsqs.Config{Clock: new(yieldingClock)})
		require.NoError(t, err)
		return q
	})
}

// A standard queue is linearizable as a whole: all that is said of one message,
// and that receives are answered in the order in which messages became visible.
// That takes an exponential time in the number of calls that are under way at
// once, so these are fewer.
func TestStandardQueueIsLinearizableAsAWhole(t *testing.T) {
	checkHistories(t, wholeModel, 3, 10, func(t *testing.T) linearQueue {
		q, err := memsqs.NewQueue(memsqs.Config{Clock: new(yieldingClock)})
		require.NoError(t, err)
		return q
	})
}

// A FIFO queue is linearizable to the users of each group. Receives are split by
// the group of what they return, and one that had room left, or went on to
// another group, has taken all that there was. Which of several groups came first,
// and that a receive took from several at one instant, cannot be seen in one.
func TestFIFOQueueIsLinearizableByGroup(t *testing.T) {
	checkHistories(t, groupModel, 4, 12, func(t *testing.T) linearQueue {
		q, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{Clock: new(yieldingClock)})
		require.NoError(t, err)
		return fifoLinear{q}
	})
}

// checkHistories records histories and requires that they are linearizable.
func checkHistories(t *testing.T, model porcupine.Model, clients, calls int, open func(*testing.T) linearQueue) {
	concurrent := 0
	for seed := range uint64(histories) {
		r := recorder{q: open(t)}
		history := r.record(seed, clients, calls)
		if slices.ContainsFunc(history, func(c call) bool { return c.err != nil }) {
			t.Fatalf("seed %d: a call was refused for no known reason:\n%s", seed, listing(history))
		}
		if got := porcupine.CheckOperationsTimeout(model, operations(history), time.Minute); got != porcupine.Ok {
			t.Fatalf("seed %d: the history is not linearizable (%s):\n%s", seed, got, listing(history))
		}
		if overlap(history) {
			concurrent++
		}
	}
	require.Greater(t, concurrent, histories/2, "histories in which calls of different clients were under way at once")
}

// A yieldingClock lets other goroutines run in the middle of some of the calls
// of a queue, so that there is something to be seen on few processors too.
type yieldingClock struct{ readings atomic.Int64 }

func (c *yieldingClock) Now() time.Time {
	if c.readings.Add(1)%4 == 0 {
		runtime.Gosched()
	}
	return time.Now()
}

func (c *yieldingClock) AfterFunc(d time.Duration, f func()) memsqs.Timer {
	return time.AfterFunc(d, f)
}

// linearQueue is what is called of both kinds of queue.
type linearQueue interface {
	Send(context.Context, memsqs.SendInput) (memsqs.SendResult, error)
	Receive(context.Context, memsqs.ReceiveInput) ([]memsqs.Message, error)
	Delete(context.Context, string) error
	ChangeVisibility(context.Context, string, time.Duration) error
}

// A fifoLinear is a FIFO queue whose messages, which are numbers, are in the
// groups that groupOf says.
type fifoLinear struct{ *memsqs.FIFOQueue }

func (q fifoLinear) Send(ctx context.Context, in memsqs.SendInput) (memsqs.SendResult, error) {
	n, err := strconv.Atoi(in.Body)
	if err != nil {
		return memsqs.SendResult{}, err
	}
	in.GroupID, in.DeduplicationID = strconv.Itoa(groupOf(n)), in.Body
	return q.FIFOQueue.Send(ctx, in)
}

// groupOf returns the group of a message in a FIFO queue.
func groupOf(message int) int { return message % 2 }

// A recorder calls a queue and notes what it is answered.
type recorder struct {
	q     linearQueue
	clock atomic.Int64 // counts the begins and the ends of calls
	sent  atomic.Int64 // messages

	mu      sync.Mutex // guards the fields below
	handles []handle   // that were received; all clients use all of them
}

// A handle is a receipt handle and what it is of.
type handle struct {
	delivered
	text string
}

// record returns the history of a number of clients, which make as many calls
// each, followed by receives until there is no message.
func (r *recorder) record(seed uint64, clients, calls int) []call {
	each := make([][]call, clients)
	var ready atomic.Int64
	var running sync.WaitGroup
	for i := range clients {
		running.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			for ready.Add(1); ready.Load() < int64(clients); {
				runtime.Gosched() // all begin at once
			}
			for range calls {
				each[i] = append(each[i], r.choose(rng, i))
			}
		})
	}
	running.Wait()
	history := slices.Concat(each...)
	for {
		last := r.receive(clients, 10, true)
		history = append(history, last)
		if len(last.got) == 0 {
			return history
		}
	}
}

// choose makes a call.
func (r *recorder) choose(rng *rand.Rand, client int) call {
	r.mu.Lock()
	var h handle
	if n := len(r.handles); n > 0 {
		h = r.handles[n-1-rng.IntN(min(n, 4))] // a late one: most of the early ones' messages are gone
	}
	r.mu.Unlock()
	switch kind := rng.IntN(10); {
	case kind < 3:
		return r.send(client)
	case kind < 6 || h.text == "":
		return r.receive(client, 1+rng.IntN(3), rng.IntN(4) > 0)
	case kind < 8:
		return r.delete(client, h)
	default:
		return r.change(client, h, rng.IntN(2) == 0)
	}
}

func (r *recorder) send(client int) call {
	c := call{client: client, kind: send_, of: delivered{message: int(r.sent.Add(1))}}
	in := memsqs.SendInput{Body: strconv.Itoa(c.of.message)}
	r.timed(&c, func() error {
		_, err := r.q.Send(context.Background(), in)
		return err
	})
	return c
}

func (r *recorder) receive(client, most int, hide bool) call {
	c := call{client: client, kind: receive_, most: most, hide: hide}
	in := memsqs.ReceiveInput{MaxMessages: most, VisibilityTimeout: new(timeout(hide))}
	var msgs []memsqs.Message
	r.timed(&c, func() (err error) {
		msgs, err = r.q.Receive(context.Background(), in)
		return err
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range msgs {
		n, err := strconv.Atoi(m.Body)
		c.err = cmp.Or(c.err, err)
		d := delivered{message: n, receive: m.ReceiveCount}
		c.got = append(c.got, d)
		r.handles = append(r.handles, handle{d, m.ReceiptHandle})
	}
	return c
}

func (r *recorder) delete(client int, h handle) call {
	c := call{client: client, kind: delete_, of: h.delivered}
	r.timed(&c, func() error { return r.q.Delete(context.Background(), h.text) })
	return c
}

func (r *recorder) change(client int, h handle, hide bool) call {
	c := call{client: client, kind: change_, of: h.delivered, hide: hide}
	r.timed(&c, func() error { return r.q.ChangeVisibility(context.Background(), h.text, timeout(hide)) })
	return c
}

// timeout returns the visibility timeout that hides a message, or not.
func timeout(hide bool) time.Duration {
	if hide {
		return time.Hour
	}
	return 0
}

// timed makes a call and notes when it began and ended, and how.
func (r *recorder) timed(c *call, f func() error) {
	c.begin = r.clock.Add(1)
	err := f()
	c.end = r.clock.Add(1)
	switch {
	case errors.Is(err, memsqs.ErrReceiptHandleExpired): // matches the next, too
		c.answer = expired
	case errors.Is(err, memsqs.ErrInvalidParameterValue):
		c.answer = gone
	default:
		c.err = err
	}
}

// A call is a call of a queue and its answer.
type call struct {
	client     int
	begin, end int64
	kind       kind
	of         delivered   // what is sent, deleted or changed, and by which receive
	most       int         // to receive
	hide       bool        // with the timeout of a receive or a change
	got        []delivered // by a receive
	answer     answer
	err        error // that no queue should give
}

type (
	kind   string
	answer string
)

const (
	send_    kind = "send"
	receive_ kind = "receive"
	delete_  kind = "delete"
	change_  kind = "change"

	ok      answer = ""
	expired answer = "expired"
	gone    answer = "gone"
)

// A delivered is a message, and the number of one of its receives.
type delivered struct{ message, receive int }

func (c call) String() string {
	text := fmt.Sprintf("%3d-%3d client %d: %s", c.begin, c.end, c.client, c.kind)
	if c.kind == receive_ {
		text += fmt.Sprintf(" up to %d = %v", c.most, c.got)
	} else {
		text += fmt.Sprintf(" %v", c.of)
	}
	if c.hide {
		text += " (hidden)"
	}
	if c.err != nil {
		return text + " " + c.err.Error()
	}
	return text + " " + string(c.answer)
}

// listing returns a history with a line for each call.
func listing(history []call) string {
	var b strings.Builder
	for _, c := range slices.SortedFunc(slices.Values(history), func(a, b call) int { return cmp.Compare(a.begin, b.begin) }) {
		fmt.Fprintln(&b, c)
	}
	return b.String()
}

// operations returns a history as porcupine takes it: an operation's input is
// the call, its answer included, and it has no output.
func operations(history []call) []porcupine.Operation {
	ops := make([]porcupine.Operation, len(history))
	for i, c := range history {
		ops[i] = porcupine.Operation{ClientId: c.client, Input: c, Call: c.begin, Return: c.end}
	}
	return ops
}

// overlap reports whether two calls were under way at once.
func overlap(history []call) bool {
	sorted := slices.SortedFunc(slices.Values(history), func(a, b call) int { return cmp.Compare(a.begin, b.begin) })
	for i, c := range sorted[1:] {
		if c.begin < sorted[i].end {
			return true
		}
	}
	return false
}
