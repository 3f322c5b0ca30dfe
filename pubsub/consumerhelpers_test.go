package pubsub_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// A journal is what a consumer did in a test: lines of the second of the bubble,
// what happened, and to which body, as in "30 deleted a".
type journal struct {
	mu    sync.Mutex
	start time.Time
	lines []string
}

func newJournal() *journal { return &journal{start: time.Now()} }

func (j *journal) add(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	second := fmt.Sprintf("%g ", time.Since(j.start).Seconds())
	j.lines = append(j.lines, second+fmt.Sprintf(format, args...))
}

// of returns the lines that tell of one of the given events.
func (j *journal) of(events ...string) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(j.lines), func(line string) bool {
		return !slices.Contains(events, strings.Fields(line)[1])
	})
}

// hooks returns hooks that write everything down but polls and the time that
// things took.
func (j *journal) hooks() pubsub.Hooks {
	return pubsub.Hooks{
		Received: func(msgs []memsqs.Message, _ time.Duration) {
			for _, m := range msgs {
				j.add("received %s", m.Body)
			}
		},
		Handled:      func(m memsqs.Message, _ time.Duration) { j.add("handled %s", m.Body) },
		Failed:       func(m memsqs.Message, err error, _ time.Duration) { j.add("failed %s: %v", m.Body, err) },
		DeadLettered: func(m memsqs.Message, _ error) { j.add("deadLettered %s", m.Body) },
		Deleted:      func(m memsqs.Message, _ time.Duration) { j.add("deleted %s", m.Body) },
		Released:     func(m memsqs.Message, after, _ time.Duration) { j.add("released %s for %v", m.Body, after) },
		LeaseLost:    func(m memsqs.Message, err error, _ time.Duration) { j.add("lost %s: %v", m.Body, err) },
		QueueError:   func(err error, _ time.Duration) { j.add("queueError %v", err) },
	}
}

func standardQueue(t testing.TB, cfg memsqs.Config) *memsqs.Queue {
	t.Helper()
	q, err := memsqs.NewQueue(cfg)
	require.NoError(t, err)
	return q
}

func fifoQueue(t testing.TB, cfg memsqs.FIFOConfig) *memsqs.FIFOQueue {
	t.Helper()
	q, err := memsqs.NewFIFOQueue(cfg)
	require.NoError(t, err)
	return q
}

// put sends messages to a queue. Those to a FIFO queue are written with their
// group, as in "g:a", and without a group for a standard queue.
func put(t testing.TB, q pubsub.Sender, messages ...string) {
	t.Helper()
	for _, m := range messages {
		in := memsqs.SendInput{Body: m}
		if group, _, ok := strings.Cut(m, ":"); ok {
			in.GroupID, in.DeduplicationID = group, rand.Text()
		}
		_, err := q.Send(t.Context(), in)
		require.NoError(t, err)
	}
}

// takeAll receives, for the given time, up to ten messages, and returns them.
func takeAll(t testing.TB, q pubsub.Receiver, timeout time.Duration) []memsqs.Message {
	t.Helper()
	msgs, err := q.Receive(t.Context(), memsqs.ReceiveInput{MaxMessages: 10, VisibilityTimeout: &timeout})
	require.NoError(t, err)
	return msgs
}

func bodiesOf(msgs []memsqs.Message) []string {
	bodies := []string{}
	for _, m := range msgs {
		bodies = append(bodies, m.Body)
	}
	return bodies
}

// A tap is a queue whose calls a test sees before they are made, and has fail if
// it likes.
type tap struct {
	pubsub.Receiver
	onReceive func(in memsqs.ReceiveInput) error
	onDelete  func(handles []string) error
	onChange  func(in []memsqs.VisibilityChange) error
}

func (q *tap) Receive(ctx context.Context, in memsqs.ReceiveInput) ([]memsqs.Message, error) {
	if q.onReceive != nil {
		if err := q.onReceive(in); err != nil {
			return nil, err
		}
	}
	return q.Receiver.Receive(ctx, in)
}

func (q *tap) DeleteBatch(ctx context.Context, handles []string) error {
	if q.onDelete != nil {
		if err := q.onDelete(handles); err != nil {
			return err
		}
	}
	return q.Receiver.DeleteBatch(ctx, handles)
}

func (q *tap) ChangeVisibilityBatch(ctx context.Context, in []memsqs.VisibilityChange) error {
	if q.onChange != nil {
		if err := q.onChange(in); err != nil {
			return err
		}
	}
	return q.Receiver.ChangeVisibilityBatch(ctx, in)
}

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

// consume runs c, which logs nothing unless it has a Logger, in the background.
// The function that it returns has it stop, and returns what Run has returned.
func consume(t testing.TB, c pubsub.Consumer) (stop func() error) {
	t.Helper()
	if c.Logger == nil {
		c.Logger = silent
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// inBubble runs the test in a bubble, at whose end no goroutine may be left.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// second sleeps until the given second of the journal.
func (j *journal) second(t testing.TB, s float64) {
	t.Helper()
	left := time.Until(j.start.Add(time.Duration(s * float64(time.Second))))
	require.GreaterOrEqual(t, left, time.Duration(0), "second %v has passed", s)
	time.Sleep(left)
	synctest.Wait()
}

// linesOf returns the lines that contain a text.
func linesOf(lines []string, text string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.Contains(line, text) })
}
