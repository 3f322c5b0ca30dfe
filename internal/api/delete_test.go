package api_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

const badHandle = `The input receipt handle "garbage" is not a valid receipt handle.`

// deleteMessage deletes with a handle by itself.
func deleteMessage(t testing.TB, c *api.Caller, queue, handle string) (*api.DeleteMessageOutput, error) {
	return c.DeleteMessage(t.Context(), &api.DeleteMessageInput{QueueUrl: &queue, ReceiptHandle: &handle})
}

// deleteBatch deletes with handles, each in an entry whose id is its number.
func deleteBatch(t testing.TB, c *api.Caller, queue string, handles ...*string) *api.DeleteMessageBatchOutput {
	t.Helper()
	in := api.DeleteMessageBatchInput{QueueUrl: &queue}
	for i, handle := range handles {
		in.Entries = append(in.Entries, api.DeleteMessageBatchRequestEntry{Id: new(string(rune('1' + i))), ReceiptHandle: handle})
	}
	out, err := c.DeleteMessageBatch(t.Context(), &in)
	require.NoError(t, err)
	return out
}

// A handle that is garbage (A5.5) or missing (A5.6) is refused, and in a batch its
// entry alone (A15.4).
func TestDeleteMessageRefuses(t *testing.T) {
	const missing = "The request must contain the parameter MessageHandle."
	for _, queue := range []string{standard, fifo} {
		c := newCaller()
		addQueue(t, c, memsqs.Config{})
		addFIFOQueue(t, c, memsqs.FIFOConfig{})
		out, err := deleteMessage(t, c, queue, "garbage")
		requireFault(t, api.ReceiptHandleIsInvalid, badHandle, out, err)
		require.Equal(t, 404, api.ReceiptHandleIsInvalid.Status)
		out, err = deleteMessage(t, c, queue, "")
		requireFault(t, api.MissingParameter, missing, out, err)
		out, err = c.DeleteMessage(t.Context(), &api.DeleteMessageInput{QueueUrl: &queue})
		requireFault(t, api.MissingParameter, missing, out, err)

		send(t, c, "a", "b")
		sendGroup(t, c, "g", "a", "b")
		msgs := receive(t, c, queue)
		batch := deleteBatch(t, c, queue, &msgs[0].ReceiptHandle, new("garbage"), nil, &msgs[1].ReceiptHandle)
		require.Equal(t, []string{"1", "4"}, ids(batch.Successful))
		require.Equal(t, []api.BatchResultErrorEntry{
			failed("2", api.ReceiptHandleIsInvalid, badHandle),
			failed("3", api.MissingParameter, "The request must contain the parameter DeleteMessageBatchRequestEntry.3.ReceiptHandle."),
		}, batch.Failed)
		for _, m := range msgs { // both are gone: to delete them again is not an error (A5.4)
			_, err := deleteMessage(t, c, queue, m.ReceiptHandle)
			require.NoError(t, err)
		}
		require.Empty(t, deleteBatch(t, c, queue, &msgs[0].ReceiptHandle, &msgs[0].ReceiptHandle).Failed)
	}
}

// In a standard queue a handle deletes after its timeout (A5.2), after a later
// receive (A5.3, F4), and after the message has expired (A5.7).
func TestDeleteMessageWithAnOldHandle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		q := addQueue(t, c, memsqs.Config{VisibilityTimeout: new(time.Second), Retention: time.Minute})
		send(t, c, "a", "b", "c")
		first := receive(t, c, standard)
		time.Sleep(2 * time.Second)
		_, err := deleteMessage(t, c, standard, first[0].ReceiptHandle)
		require.NoError(t, err)
		require.Equal(t, []string{"b", "c"}, bodies(receive(t, c, standard)))
		require.Empty(t, deleteBatch(t, c, standard, &first[1].ReceiptHandle).Failed)
		require.Equal(t, 1, q.Stats().InFlight)
		time.Sleep(time.Minute)
		require.Zero(t, q.Stats().Visible)
		_, err = deleteMessage(t, c, standard, first[2].ReceiptHandle)
		require.NoError(t, err)
	})
}

// In a FIFO queue a handle has expired with its timeout, and that is another code
// in a batch (B8.1, B8.2).
func TestDeleteMessageWithAnExpiredHandle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		q := addFIFOQueue(t, c, memsqs.FIFOConfig{VisibilityTimeout: new(time.Second)})
		sendGroup(t, c, "g", "a", "b")
		msgs := receive(t, c, fifo)
		handle := msgs[0].ReceiptHandle
		_, err := c.ChangeMessageVisibility(t.Context(), &api.ChangeMessageVisibilityInput{QueueUrl: new(fifo), ReceiptHandle: &msgs[1].ReceiptHandle, VisibilityTimeout: new(60)})
		require.NoError(t, err)
		time.Sleep(time.Second)
		out, err := deleteMessage(t, c, fifo, handle)
		requireFault(t, api.InvalidParameterValue, "Value "+handle+" for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.", out, err)
		batch := deleteBatch(t, c, fifo, &handle, &msgs[1].ReceiptHandle)
		require.Equal(t, []api.BatchResultErrorEntry{failed("1", api.ReceiptHandleIsInvalid, "The receipt handle has expired")}, batch.Failed)
		require.Equal(t, []string{"2"}, ids(batch.Successful)) // extended, and its handle with it (B7.1)
		require.Equal(t, 1, q.Stats().Visible)

		out, err = deleteMessage(t, c, fifo, msgs[1].ReceiptHandle) // gone
		require.NoError(t, err)
		require.NotNil(t, out)
	})
}
