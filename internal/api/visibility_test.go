package api_test

import (
	"math"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

// change changes the timeout of one message.
func change(t testing.TB, c *api.Caller, queue, handle string, timeout int) (*api.ChangeMessageVisibilityOutput, error) {
	return c.ChangeMessageVisibility(t.Context(), &api.ChangeMessageVisibilityInput{QueueUrl: &queue, ReceiptHandle: &handle, VisibilityTimeout: &timeout})
}

// changeBatch changes the timeout of one message in a batch, and returns how that
// failed, if it did.
func changeBatch(t testing.TB, c *api.Caller, queue, handle string, timeout int) []api.BatchResultErrorEntry {
	t.Helper()
	out, err := c.ChangeMessageVisibilityBatch(t.Context(), &api.ChangeMessageVisibilityBatchInput{QueueUrl: &queue, Entries: []api.ChangeMessageVisibilityBatchRequestEntry{
		{Id: new("1"), ReceiptHandle: &handle, VisibilityTimeout: &timeout},
	}})
	require.NoError(t, err)
	require.Equal(t, 1, len(out.Successful)+len(out.Failed))
	return out.Failed
}

// requireChangeRefused requires that a change is refused with the same words by
// itself and in a batch.
func requireChangeRefused(t testing.TB, c *api.Caller, queue, handle string, timeout int, kind *api.Kind, text string) {
	t.Helper()
	out, err := change(t, c, queue, handle, timeout)
	requireFault(t, kind, text, out, err)
	require.Equal(t, []api.BatchResultErrorEntry{failed("1", kind, text)}, changeBatch(t, c, queue, handle, timeout))
}

// A timeout is 0 to 12 hours (A6.1), and must be there, as the handle must be.
func TestChangeMessageVisibilityRefuses(t *testing.T) {
	c := newCaller()
	q := addQueue(t, c, memsqs.Config{})
	send(t, c, "a")
	handle := receiveOne(t, c, standard).ReceiptHandle
	due := q.Peek(1)[0].DueAt
	for _, timeout := range []int{-1, 43201, math.MaxInt, math.MinInt} {
		value := "Value " + strconv.Itoa(timeout) + " for parameter VisibilityTimeout is invalid. Reason: "
		out, err := change(t, c, standard, handle, timeout)
		requireFault(t, api.InvalidParameterValue, value+"Must be between 0 and 43200.", out, err)
		require.Equal(t, []api.BatchResultErrorEntry{failed("1", api.InvalidParameterValue, value+"VisibilityTimeout must be an integer between 0 and 43200.")}, changeBatch(t, c, standard, handle, timeout))
	}
	for member, in := range map[string]api.ChangeMessageVisibilityInput{
		"VisibilityTimeout": {QueueUrl: new(standard), ReceiptHandle: &handle},
		"ReceiptHandle":     {QueueUrl: new(standard), VisibilityTimeout: new(5)},
	} {
		out, err := c.ChangeMessageVisibility(t.Context(), &in)
		requireFault(t, api.MissingParameter, "The request must contain the parameter "+member+".", out, err)
		batch, err := c.ChangeMessageVisibilityBatch(t.Context(), &api.ChangeMessageVisibilityBatchInput{QueueUrl: new(standard), Entries: []api.ChangeMessageVisibilityBatchRequestEntry{
			{Id: new("1"), ReceiptHandle: in.ReceiptHandle, VisibilityTimeout: in.VisibilityTimeout},
		}})
		require.NoError(t, err)
		require.Equal(t, []api.BatchResultErrorEntry{failed("1", api.MissingParameter, "The request must contain the parameter ChangeMessageVisibilityBatchRequestEntry.1."+member+".")}, batch.Failed)
	}
	out, err := change(t, c, standard, "", 5)
	requireFault(t, api.MissingParameter, "The request must contain the parameter ReceiptHandle.", out, err)
	requireChangeRefused(t, c, standard, "garbage", 5, api.ReceiptHandleIsInvalid, badHandle)
	require.Equal(t, due, q.Peek(1)[0].DueAt)
}

// Of a batch each entry stands alone (A6.11).
func TestChangeMessageVisibilityBatchAppliesWhatIsGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		q := addQueue(t, c, memsqs.Config{})
		send(t, c, "a", "b")
		msgs := receive(t, c, standard)
		entry := func(id, handle string, timeout int) api.ChangeMessageVisibilityBatchRequestEntry {
			return api.ChangeMessageVisibilityBatchRequestEntry{Id: &id, ReceiptHandle: &handle, VisibilityTimeout: &timeout}
		}
		out, err := c.ChangeMessageVisibilityBatch(t.Context(), &api.ChangeMessageVisibilityBatchInput{QueueUrl: new(standard), Entries: []api.ChangeMessageVisibilityBatchRequestEntry{
			entry("bad", msgs[0].ReceiptHandle, -1), entry("a", msgs[0].ReceiptHandle, 0), entry("garbage", "garbage", 5), entry("b", msgs[1].ReceiptHandle, 600),
		}})
		require.NoError(t, err)
		require.Equal(t, []string{"a", "b"}, ids(out.Successful))
		require.Equal(t, []api.BatchResultErrorEntry{
			failed("bad", api.InvalidParameterValue, "Value -1 for parameter VisibilityTimeout is invalid. Reason: VisibilityTimeout must be an integer between 0 and 43200."),
			failed("garbage", api.ReceiptHandleIsInvalid, badHandle),
		}, out.Failed)
		require.Equal(t, "a", receiveOne(t, c, standard).Body)
		require.Equal(t, time.Now().Add(10*time.Minute), q.Peek(2)[1].DueAt)
	})
}

// The timeout of a message that is gone cannot be changed (A6.7), nor can one go
// on for more than 12 hours from the receive (A6.9).
func TestChangeMessageVisibilityIsBeyondTheMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		addQueue(t, c, memsqs.Config{})
		send(t, c, "a")
		handle := receiveOne(t, c, standard).ReceiptHandle
		_, err := change(t, c, standard, handle, 43200)
		require.NoError(t, err)
		time.Sleep(time.Second)
		requireChangeRefused(t, c, standard, handle, 43200, api.InvalidParameterValue, "Value 43200 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]")
		_, err = change(t, c, standard, handle, 43199) // A6.10
		require.NoError(t, err)
		_, err = deleteMessage(t, c, standard, handle)
		require.NoError(t, err)
		requireChangeRefused(t, c, standard, handle, 43200, api.InvalidParameterValue, "Value "+handle+" for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.")
	})
}

// After its timeout has passed, a message of a standard queue is hidden again
// (A6.4, A6.5); the handle of one of a FIFO queue has expired (B8.4).
func TestChangeMessageVisibilityAfterTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		s := addQueue(t, c, memsqs.Config{VisibilityTimeout: new(time.Second)})
		f := addFIFOQueue(t, c, memsqs.FIFOConfig{VisibilityTimeout: new(time.Second)})
		send(t, c, "a")
		sendGroup(t, c, "g", "a")
		m, ordered := receiveOne(t, c, standard), receiveOne(t, c, fifo)
		time.Sleep(time.Second)
		_, err := change(t, c, standard, m.ReceiptHandle, 10)
		require.NoError(t, err)
		require.Equal(t, 1, s.Stats().InFlight)
		requireChangeRefused(t, c, fifo, ordered.ReceiptHandle, 10, api.InvalidParameterValue, "Value "+ordered.ReceiptHandle+" for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.")
		require.Equal(t, 1, f.Stats().Visible)
	})
}
