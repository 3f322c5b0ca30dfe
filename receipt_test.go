// Tests of receipt handles, and of deleting messages with them.

package memsqs_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// requireNoHandle requires that a queue takes a text for no receipt handle of
// its own, whatever is to be done with it.
func requireNoHandle(t testing.TB, q queue, text string) {
	t.Helper()
	change := memsqs.VisibilityChange{ReceiptHandle: text}
	requireRefused(t, q, q.Delete(t.Context(), text), memsqs.ErrReceiptHandleIsInvalid)
	requireRefused(t, q, q.ChangeVisibility(t.Context(), text, 0), memsqs.ErrReceiptHandleIsInvalid)
	err := q.DeleteBatch(t.Context(), []string{text})
	requireRefused(t, q, failedEntries(t, err)[0], memsqs.ErrReceiptHandleIsInvalid)
	err = q.ChangeVisibilityBatch(t.Context(), []memsqs.VisibilityChange{change})
	requireRefused(t, q, failedEntries(t, err)[0], memsqs.ErrReceiptHandleIsInvalid)
}

// Every receive of a message gives it a new handle (A5.1).
func TestEveryReceiveGivesANewHandle(t *testing.T) {
	q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(0)})
	send(t, q, "a", "b", "c")
	handles := make(map[string]bool)
	for range 10 {
		for _, m := range receive(t, q, memsqs.ReceiveInput{MaxMessages: 10}) {
			require.NotEmpty(t, m.ReceiptHandle)
			require.LessOrEqual(t, len(m.ReceiptHandle), 1024)
			handles[m.ReceiptHandle] = true
		}
	}
	require.Len(t, handles, 30)
}

// A handle deletes the message that it was given out for, and no other (A5.1).
func TestHandleDeletesItsMessageAlone(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	send(t, q, "a", "b", "c")
	msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 3})
	require.NoError(t, q.Delete(t.Context(), msgs[1].ReceiptHandle))
	requireCounts(t, q, 0, 2, 0)
	left := q.Peek(10)
	require.Equal(t, []string{"a", "c"}, []string{left[0].Body, left[1].Body})
}

// A message that was deleted does not come back.
func TestDeletedMessageDoesNotComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "hello")
		require.NoError(t, q.Delete(t.Context(), receiveOne(t, q).ReceiptHandle))
		time.Sleep(time.Hour)
		receiveNone(t, q)
		requireStats(t, q, memsqs.Stats{Sent: 1, Received: 1, Deleted: 1})
	})
}

// In a standard queue a handle deletes its message also after the timeout has
// passed, however long ago (A5.2). A FIFO queue refuses that (A5.9).
func TestLapsedHandleDeletesTheMessage(t *testing.T) {
	for _, passed := range []time.Duration{30 * time.Second, time.Hour, 12*time.Hour + 1, 3 * 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, memsqs.Config{})
			fifo := newFIFOQueue(t, memsqs.FIFOConfig{})
			send(t, q, "hello")
			sendGroup(t, fifo, "group", "hello")
			m, inGroup := receiveOne(t, q), receiveOne(t, fifo)
			time.Sleep(passed)
			requireCounts(t, q, 1, 0, 0)
			require.NoError(t, q.Delete(t.Context(), m.ReceiptHandle))
			requireCounts(t, q, 0, 0, 0)
			requireRefused(t, fifo, fifo.Delete(t.Context(), inGroup.ReceiptHandle), memsqs.ErrReceiptHandleExpired)
			requireCounts(t, fifo, 1, 0, 0)
		})
	}
}

// In a standard queue the handle of an earlier receive deletes the message,
// also while it is in flight by a later one (A5.3).
func TestOlderHandleDeletesTheMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "hello")
		first := receiveOne(t, q)
		time.Sleep(30 * time.Second)
		second := receiveOne(t, q)
		require.NoError(t, q.Delete(t.Context(), first.ReceiptHandle))
		requireCounts(t, q, 0, 0, 0)
		require.NoError(t, q.Delete(t.Context(), second.ReceiptHandle))
		require.EqualValues(t, 1, q.Stats().Deleted)
	})
}

// Deleting a message again, any number of times and with any of its handles, is
// no error and deletes nothing (A5.4).
func TestDeletingAgainIsNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(0)})
		send(t, q, "hello", "other")
		first := receive(t, q, memsqs.ReceiveInput{})[0]
		receive(t, q, memsqs.ReceiveInput{})
		again := receive(t, q, memsqs.ReceiveInput{})[0]
		require.Equal(t, first.ID, again.ID)
		for range 3 {
			for _, handle := range []string{again.ReceiptHandle, first.ReceiptHandle} {
				require.NoError(t, q.Delete(t.Context(), handle))
				time.Sleep(time.Hour)
				requireCounts(t, q, 1, 0, 0)
			}
		}
		require.EqualValues(t, 1, q.Stats().Deleted)
	})
}

// An empty handle is one that was not given (A5.6).
func TestEmptyHandleIsAMissingParameter(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "q"})
	requireRefused(t, q, q.Delete(t.Context(), ""), memsqs.ErrMissingParameter)
	requireRefused(t, q, q.ChangeVisibility(t.Context(), "", 0), memsqs.ErrMissingParameter)
	err := q.DeleteBatch(t.Context(), []string{""})
	requireRefused(t, q, failedEntries(t, err)[0], memsqs.ErrMissingParameter)
}

// What is not a handle is refused, to whatever extent it looks like one
// (A5.5).
func TestGarbageIsNoHandle(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "q"})
	send(t, q, "hello")
	handle := receiveOne(t, q).ReceiptHandle
	n := len(handle)
	for name, garbage := range map[string]string{
		"word":             "garbage",
		"space":            " ",
		"NUL":              "\x00",
		"not UTF-8":        strings.Repeat("\xff", n),
		"one letter":       strings.Repeat("A", n),
		"padding":          strings.Repeat("=", n),
		"newlines":         strings.Repeat("\n", n),
		"wide letters":     strings.Repeat("é", n/2),
		"message id":       q.Peek(1)[0].ID,
		"shorter":          handle[:n-1],
		"without its head": handle[1:],
		"longer":           handle + "A",
		"padded":           handle + "=",
		"space before":     " " + handle,
		"space after":      handle + " ",
		"newline after":    handle + "\n",
		"twice":            handle + handle,
		"reversed halves":  handle[n/2:] + handle[:n/2],
		"lower case":       strings.ToLower(handle),
		"huge":             strings.Repeat(handle, 10_000),
	} {
		t.Run(name, func(t *testing.T) { requireNoHandle(t, q, garbage) })
	}
	requireCounts(t, q, 0, 1, 0)
	require.NoError(t, q.Delete(t.Context(), handle))
}

// A handle in which any one character is another, or has a line break before or
// in its place, is none (A5.5).
func TestHandleWithAChangedCharacterIsNone(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "q"})
	send(t, q, "hello")
	handle := receiveOne(t, q).ReceiptHandle
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=\n\r "
	refuse := func(text string) {
		require.ErrorIs(t, q.Delete(t.Context(), text), memsqs.ErrReceiptHandleIsInvalid, "%q for %q", text, handle)
	}
	for i := range handle {
		for _, c := range []byte(alphabet) {
			if c != handle[i] {
				refuse(handle[:i] + string(c) + handle[i+1:])
			}
		}
		refuse(handle[:i] + "\n" + handle[i:])
		refuse(handle[:i] + "\n" + handle[i:len(handle)-1])
		refuse(handle[:i] + handle[i+1:])
	}
	requireCounts(t, q, 0, 1, 0)
	require.NoError(t, q.Delete(t.Context(), handle))
}

// The handle of another queue is none here, though its message be like one
// here in everything, and be moved here (A5.5).
func TestHandleOfAnotherQueueIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		graveyard := newQueue(t, memsqs.Config{Name: "q"})
		q := newQueue(t, memsqs.Config{Name: "q", DeadLetter: &memsqs.DeadLetter{Queue: graveyard, MaxReceiveCount: 1}})
		send(t, q, "hello")
		send(t, graveyard, "hello")
		handle, other := receiveOne(t, q).ReceiptHandle, receiveOne(t, graveyard).ReceiptHandle
		requireNoHandle(t, q, other)
		requireNoHandle(t, graveyard, handle)

		time.Sleep(30 * time.Second)
		receiveNone(t, q)
		requireCounts(t, graveyard, 2, 0, 0)
		requireNoHandle(t, graveyard, handle)
		require.NoError(t, q.Delete(t.Context(), handle))
		requireCounts(t, graveyard, 2, 0, 0)
	})
}
