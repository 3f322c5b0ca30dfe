package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A peer is a kind of queue, what it can do, and how to make one.
type peer struct {
	name   string
	module string // that it comes from; empty for the standard library

	// What it has of a queue's abilities.
	acknowledges bool // a message that is received is kept until it is deleted
	delays       bool // its queues are delayers
	groups       bool // its queues are grouped

	most int // messages that it is asked to hold; 0 for any number

	// open makes an empty queue for up to the given number of messages.
	open func(messages int) (queue, error)
}

// peers are all that are compared. The first is what the others are compared
// with.
var peers = []peer{
	{name: "memsqs standard", module: memsqsModule, acknowledges: true, delays: true, open: openStandard},
	{name: "memsqs FIFO", module: memsqsModule, acknowledges: true, groups: true, open: openFIFO},
	{name: "workqueue", module: "k8s.io/client-go", acknowledges: true, delays: true, open: openWorkqueue},
	// It has two goroutines for each message; a million of them take 8 GB.
	{name: "gochannel", module: "github.com/ThreeDotsLabs/watermill", acknowledges: true, most: 100_000, open: openGoChannel},
	{name: "mempubsub", module: "gocloud.dev", acknowledges: true, open: openMempubsub},
	{name: "goqite, memory", module: "maragu.dev/goqite", acknowledges: true, delays: true, open: openGoqiteMemory},
	{name: "goqite, file", module: "maragu.dev/goqite", acknowledges: true, delays: true, open: openGoqiteFile},
	{name: "buffered channel", open: openChannel},
	{name: "mutex and heap", delays: true, open: openHeap},
}

// A queue is a peer's queue, under the names that SQS has for what is done
// with one. It can be used by many goroutines.
type queue interface {
	send(context.Context, body) error
	// receive waits for a message. It returns an error when the context is
	// done or when the queue is closed: some peers know only one of them.
	receive(context.Context) (delivery, error)
	// delete does nothing in a peer that does not acknowledge.
	delete(context.Context, delivery) error
	close() error
}

// A delayer is a queue that can delay messages.
type delayer interface {
	sendDelayed(context.Context, body, time.Duration) error
}

// A grouped is a queue that has message groups.
type grouped interface {
	// useGroups says to which groups the next messages are sent, in turn.
	useGroups(names []string)
}

// A filler is a queue that is filled faster than by sending one message at a
// time.
type filler interface {
	fill(ctx context.Context, b body, n int, delay time.Duration) error
}

// errClosed is what receive returns when a queue is closed.
var errClosed = errors.New("queue is closed")

// A body is what a message says, in both of the forms that peers take, so that
// none of them pays for a conversion.
type body struct {
	text  string
	bytes []byte
}

// numberLen is how many digits a body begins with, and the least length of one.
const numberLen = 16

// newBody returns a body of the given size that begins with a number.
func newBody(size, number int) body {
	text := fmt.Sprintf("%0*d", numberLen, number)
	text += strings.Repeat(".", size-numberLen)
	return body{text, []byte(text)}
}

// number returns the number that b begins with.
func (b body) number() (int, error) {
	if b.text != "" {
		return strconv.Atoi(b.text[:numberLen])
	}
	return strconv.Atoi(string(b.bytes[:numberLen]))
}

// A delivery is a message as it is received: its body in one of the forms, and
// what the peer needs to delete it.
type delivery struct {
	body
	handle  string
	message any // a pointer, which is not allocated for being one
}

// send sends n messages to q.
func send(ctx context.Context, q queue, b body, n int) error {
	if f, ok := q.(filler); ok {
		return f.fill(ctx, b, n, 0)
	}
	return repeat(ctx, n, func() error { return q.send(context.Background(), b) })
}

// sendDelayed sends n messages to q, which must be a delayer.
func sendDelayed(ctx context.Context, q queue, b body, n int, delay time.Duration) error {
	if f, ok := q.(filler); ok {
		return f.fill(ctx, b, n, delay)
	}
	d := q.(delayer)
	return repeat(ctx, n, func() error { return d.sendDelayed(context.Background(), b, delay) })
}

// receive receives n messages from q.
func receive(ctx context.Context, q queue, n int) error {
	return repeat(ctx, n, func() error {
		_, err := q.receive(context.Background())
		return err
	})
}

// drain receives and deletes n messages from q.
func drain(ctx context.Context, q queue, n int) error {
	return repeat(ctx, n, func() error {
		d, err := q.receive(context.Background())
		if err != nil {
			return err
		}
		return q.delete(context.Background(), d)
	})
}

// repeat calls f n times, unless ctx is done. The functions above do not give
// ctx to the peers, for some of them do extra work for one that can be done.
func repeat(ctx context.Context, n int, f func() error) error {
	for range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// useGroups makes q send to the given groups in turn, if it has groups.
func useGroups(q queue, names []string) {
	if g, ok := q.(grouped); ok {
		g.useGroups(names)
	}
}

// names returns n different names.
func names(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = prefix + strconv.Itoa(i)
	}
	return all
}
