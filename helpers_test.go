package memsqs_test

import (
	"context"
	"crypto/rand"
	"maps"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
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
	Closed() bool
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

// runInBubble runs a subtest in a bubble of its own.
func runInBubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// onBothKinds runs a test, in a bubble, with an empty queue of each kind on the
// given clock.
func onBothKinds(t *testing.T, clock memsqs.Clock, test func(t *testing.T, q queue)) {
	t.Helper()
	runInBubble(t, "standard", func(t *testing.T) { test(t, newQueue(t, memsqs.Config{Clock: clock})) })
	runInBubble(t, "FIFO", func(t *testing.T) {
		test(t, newFIFOQueue(t, memsqs.FIFOConfig{Clock: clock, ContentBasedDeduplication: true}))
	})
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

// sendAs sends a message with the given group, deduplication id and body.
func sendAs(t testing.TB, q *memsqs.FIFOQueue, group, dedupID, body string) memsqs.SendResult {
	t.Helper()
	result, err := q.Send(t.Context(), memsqs.SendInput{Body: body, GroupID: group, DeduplicationID: dedupID})
	require.NoError(t, err)
	return result
}

// sendEach sends messages to a queue of either kind, each to a group of its own.
func sendEach(t testing.TB, q queue, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: body, GroupID: body})
		require.NoError(t, err)
	}
}

// upTo asks for at most n messages, and leaves the rest to the queue.
func upTo(n int) memsqs.ReceiveInput { return memsqs.ReceiveInput{MaxMessages: n} }

// receiveVisible receives up to ten messages, which stay visible, and requires
// that there are n.
func receiveVisible(t testing.TB, q queue, n int) []memsqs.Message {
	t.Helper()
	msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 10, VisibilityTimeout: seconds(0)})
	require.Len(t, msgs, n)
	return msgs
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

// changeVisibility sets the visibility timeout of a message that was received.
func changeVisibility(t testing.TB, q queue, m memsqs.Message, timeout time.Duration) {
	t.Helper()
	require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, timeout))
}

// deleteAll deletes messages.
func deleteAll(t testing.TB, q queue, msgs ...memsqs.Message) {
	t.Helper()
	for _, m := range msgs {
		require.NoError(t, q.Delete(t.Context(), m.ReceiptHandle))
	}
}

// handlesOf returns the receipt handles of messages.
func handlesOf(msgs ...memsqs.Message) []string {
	var all []string
	for _, m := range msgs {
		all = append(all, m.ReceiptHandle)
	}
	return all
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

// requireAnswered requires that a receive returned messages with these bodies, at
// the given time.
func requireAnswered(t testing.TB, a answer, at time.Time, want ...string) {
	t.Helper()
	synctest.Wait() // until whoever handed the messages over has left the queue
	require.NoError(t, a.err)
	require.Equal(t, want, bodies(a.msgs))
	require.Zero(t, a.at.Sub(at), "too late, or if negative too early")
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

// requireDetail requires that err is an *Error of exactly the given code, and
// that its Detail has the given parts in it.
func requireDetail(t testing.TB, err, code error, parts ...string) {
	t.Helper()
	var refused *memsqs.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, code, refused.Code)
	for _, part := range parts {
		require.Contains(t, refused.Detail, part)
	}
}

// failedEntries requires that err is a *BatchError and returns its Failed.
func failedEntries(t testing.TB, err error) map[int]error {
	t.Helper()
	var batch *memsqs.BatchError
	require.ErrorAs(t, err, &batch)
	return batch.Failed
}

// requireFailed requires that err is a *BatchError of exactly the given entries,
// each an *Error of the queue with the given code.
func requireFailed(t testing.TB, q queue, err error, codes map[int]error) {
	t.Helper()
	failed := failedEntries(t, err)
	require.Equal(t, slices.Sorted(maps.Keys(codes)), slices.Sorted(maps.Keys(failed)))
	for i, code := range codes {
		requireRefused(t, q, failed[i], code)
		requireDetail(t, failed[i], code)
	}
}

// heapInUse returns the bytes of the heap that are reachable.
func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first has left to finalizers and pools
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
