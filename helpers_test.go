package memsqs_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// queue is what a Queue and a FIFOQueue have in common.
type queue interface {
	Send(context.Context, memsqs.SendInput) (memsqs.SendResult, error)
	SendBatch(context.Context, []memsqs.SendInput) ([]memsqs.SendResult, error)
	Receive(context.Context, memsqs.ReceiveInput) ([]memsqs.Message, error)
	Delete(context.Context, string) error
	DeleteBatch(context.Context, []string) error
	ChangeVisibility(context.Context, string, time.Duration) error
	ChangeVisibilityBatch(context.Context, []memsqs.VisibilityChange) error
	Purge(context.Context) error
	Stats() memsqs.Stats
	Peek(int) []memsqs.MessageState
	Close() error
	Check() error // of check_test.go
}

// newQueue returns a queue whose invariants are checked at the end of the test.
func newQueue(t testing.TB, cfg memsqs.Config) *memsqs.Queue {
	t.Helper()
	q, err := memsqs.NewQueue(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, q.Check()) })
	return q
}

// newFIFOQueue returns a queue whose invariants are checked at the end of the
// test.
func newFIFOQueue(t testing.TB, cfg memsqs.FIFOConfig) *memsqs.FIFOQueue {
	t.Helper()
	q, err := memsqs.NewFIFOQueue(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, q.Check()) })
	return q
}

// seconds returns n seconds, for the optional fields of inputs.
func seconds(n float64) *time.Duration {
	return new(time.Duration(n * float64(time.Second)))
}

// send sends messages to the end of a standard queue.
func send(t testing.TB, q *memsqs.Queue, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: body})
		require.NoError(t, err)
	}
}

// sendGroup sends messages, each with a new deduplication id, to the end of a
// message group.
func sendGroup(t testing.TB, q *memsqs.FIFOQueue, group string, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: body, GroupID: group, DeduplicationID: rand.Text()})
		require.NoError(t, err)
	}
}

// receive receives what in asks for.
func receive(t testing.TB, q queue, in memsqs.ReceiveInput) []memsqs.Message {
	t.Helper()
	msgs, err := q.Receive(t.Context(), in)
	require.NoError(t, err)
	return msgs
}

// receiveOne receives up to ten messages, without waiting, and requires that
// there is one.
func receiveOne(t testing.TB, q queue) memsqs.Message {
	t.Helper()
	msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 10, WaitTime: seconds(0)})
	require.Len(t, msgs, 1)
	return msgs[0]
}

// receiveNone requires that there is nothing to receive without waiting.
func receiveNone(t testing.TB, q queue) {
	t.Helper()
	require.Empty(t, receive(t, q, memsqs.ReceiveInput{MaxMessages: 10, WaitTime: seconds(0)}))
}

// bodies returns the bodies of messages.
func bodies(msgs []memsqs.Message) []string {
	var all []string
	for _, m := range msgs {
		all = append(all, m.Body)
	}
	return all
}

// requireCounts requires the numbers of messages in each state.
func requireCounts(t testing.TB, q queue, visible, inFlight, delayed int) {
	t.Helper()
	s := q.Stats()
	require.Equal(t, [3]int{visible, inFlight, delayed}, [3]int{s.Visible, s.InFlight, s.Delayed}, "visible, in flight, delayed")
}

// An answer is what a receive returned, and when.
type answer struct {
	msgs []memsqs.Message
	err  error
	at   time.Time
}

// park starts a receive in a goroutine of its own. In a bubble, call
// synctest.Wait to know that it waits.
func park(ctx context.Context, q queue, in memsqs.ReceiveInput) <-chan answer {
	answers := make(chan answer, 1)
	go func() {
		msgs, err := q.Receive(ctx, in)
		answers <- answer{msgs, err, time.Now()}
	}()
	return answers
}

// requireRefused requires that err is an *Error of the given code, with its
// Detail filled in and the queue's name in it.
func requireRefused(t testing.TB, q queue, err, code error) {
	t.Helper()
	require.ErrorIs(t, err, code)
	var refused *memsqs.Error
	require.ErrorAs(t, err, &refused)
	require.NotEmpty(t, refused.Detail)
	require.Equal(t, q.Stats().Name, refused.Queue)
}
