package api_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

// The rules of this file are the engine's, seen through the API.

// receiveFor receives up to n messages for a timeout in seconds.
func receiveFor(t testing.TB, c *api.Caller, queue string, n, timeout int) []api.Message {
	t.Helper()
	out, err := c.ReceiveMessage(t.Context(), &api.ReceiveMessageInput{QueueUrl: &queue, MaxNumberOfMessages: &n, VisibilityTimeout: &timeout})
	require.NoError(t, err)
	return out.Messages
}

// A timeout of the receive's own goes before the queue's, is for this receive
// alone, and can be 0 (A3.4, A3.8). Each receive has a handle of its own (A5.1).
func TestVisibilityTimeoutOfAReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		addQueue(t, c, memsqs.Config{VisibilityTimeout: new(5 * time.Second)})
		send(t, c, "a")
		zero := receiveFor(t, c, standard, 1, 0)
		own := receiveFor(t, c, standard, 1, 60)
		require.NotEqual(t, zero[0].ReceiptHandle, own[0].ReceiptHandle)
		time.Sleep(time.Minute - time.Nanosecond)
		require.Empty(t, receive(t, c, standard))
		time.Sleep(time.Nanosecond)
		require.Equal(t, "3", receiveOne(t, c, standard).Attributes["ApproximateReceiveCount"])
		time.Sleep(5 * time.Second)
		receiveOne(t, c, standard)
	})
}

// A change counts from the call (A6.2), and an older handle makes it too (A6.6).
func TestChangeMessageVisibilityCountsFromTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		addQueue(t, c, memsqs.Config{})
		send(t, c, "a")
		older := receiveFor(t, c, standard, 1, 0)[0].ReceiptHandle
		receiveFor(t, c, standard, 1, 30)
		time.Sleep(20 * time.Second)
		_, err := change(t, c, standard, older, 40)
		require.NoError(t, err)
		time.Sleep(40*time.Second - time.Nanosecond)
		require.Empty(t, receive(t, c, standard))
		time.Sleep(time.Nanosecond)
		receiveOne(t, c, standard)
	})
}

// A delayed message is received when its delay has passed (A2.4), by a receive that
// waits too (A2.5).
func TestDelayedMessageIsReceivedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		addQueue(t, c, memsqs.Config{})
		_, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(standard), MessageBody: new("a"), DelaySeconds: new(4)})
		require.NoError(t, err)
		a := <-park(t.Context(), c, api.ReceiveMessageInput{QueueUrl: new(standard), WaitTimeSeconds: new(20)})
		require.NoError(t, a.err)
		require.Equal(t, []string{"a"}, bodies(a.out.Messages))
		require.Equal(t, 4*time.Second, a.took)
	})
}

// A message is gone when its retention has passed, in flight or not (A11.1).
func TestMessageExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		addQueue(t, c, memsqs.Config{Retention: time.Minute})
		send(t, c, "visible", "in-flight")
		receiveFor(t, c, standard, 1, 600)
		time.Sleep(time.Minute)
		require.Empty(t, receive(t, c, standard))
		time.Sleep(10 * time.Minute)
		require.Empty(t, receive(t, c, standard))
	})
}

// A deduplication id is good for one message in five minutes, counted from the
// first, whatever became of that (B5.1 to B5.3).
func TestDeduplicationID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		addFIFOQueue(t, c, memsqs.FIFOConfig{})
		sendGroup(t, c, "g", "a")
		_, err := deleteMessage(t, c, fifo, receiveOne(t, c, fifo).ReceiptHandle)
		require.NoError(t, err)
		time.Sleep(4 * time.Minute)
		sendGroup(t, c, "h", "a") // the scope is the queue (B5.4)
		require.Empty(t, receive(t, c, fifo))
		time.Sleep(time.Minute)
		sendGroup(t, c, "g", "a")
		receiveOne(t, c, fifo)
	})
}

// The id of a body is the same as the id that is given and equals it (B5.6), and
// attributes make no difference (B5.5).
func TestContentBasedDeduplication(t *testing.T) {
	c := newCaller()
	addFIFOQueue(t, c, memsqs.FIFOConfig{ContentBasedDeduplication: true})
	for _, in := range []api.SendMessageInput{
		{MessageBody: new("same")},
		{MessageBody: new("same"), MessageAttributes: attributes{"n": text("String", "v")}},
		{MessageBody: new("other"), MessageDeduplicationId: new("0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5")},
	} {
		in.QueueUrl, in.MessageGroupId = new(fifo), new("g")
		_, err := c.SendMessage(t.Context(), &in)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"same"}, bodies(receive(t, c, fifo)))
}

// A receive takes what it can from one group before the next (B6.1). A group of
// which a message is in flight is closed behind it, for new messages too (B6.2,
// B6.3), and open before it (B6.6); deleting the message opens it (B6.4, B6.5).
func TestMessageGroupsAreInOrder(t *testing.T) {
	c := newCaller()
	addFIFOQueue(t, c, memsqs.FIFOConfig{})
	sendGroup(t, c, "g", "g1")
	sendGroup(t, c, "h", "h1")
	sendGroup(t, c, "g", "g2", "g3")
	first := receiveFor(t, c, fifo, 2, 30)
	require.Equal(t, []string{"g1", "g2"}, bodies(first))
	sendGroup(t, c, "g", "g4")
	require.Equal(t, []string{"h1"}, bodies(receive(t, c, fifo)))

	_, err := change(t, c, fifo, first[0].ReceiptHandle, 0)
	require.NoError(t, err)
	again := receiveOne(t, c, fifo)
	require.Equal(t, "g1", again.Body)
	_, err = deleteMessage(t, c, fifo, again.ReceiptHandle)
	require.NoError(t, err)
	require.Empty(t, receive(t, c, fifo))
	_, err = deleteMessage(t, c, fifo, first[1].ReceiptHandle)
	require.NoError(t, err)
	require.Equal(t, []string{"g3", "g4"}, bodies(receive(t, c, fifo)))
}

// What a batch sends to a FIFO queue has the order of its entries (B9.3), and their
// sequence numbers rise (B3.1).
func TestSendMessageBatchKeepsItsOrder(t *testing.T) {
	c := newCaller()
	addFIFOQueue(t, c, memsqs.FIFOConfig{ContentBasedDeduplication: true})
	in := api.SendMessageBatchInput{QueueUrl: new(fifo)}
	want := []string{"j", "i", "h", "g", "f", "e", "d", "c", "b", "a"}
	for _, body := range want {
		in.Entries = append(in.Entries, api.SendMessageBatchRequestEntry{Id: &body, MessageBody: &body, MessageGroupId: new("g")})
	}
	out, err := c.SendMessageBatch(t.Context(), &in)
	require.NoError(t, err)
	require.Equal(t, want, bodies(receive(t, c, fifo)))
	for i, s := range out.Successful[1:] {
		require.Equal(t, want[i+1], s.Id)
		require.Greater(t, s.SequenceNumber, out.Successful[i].SequenceNumber)
	}
}

// A FIFO message that was received for no time cannot be deleted (B8.3), and its
// group stays open (B6.10).
func TestFIFOMessageReceivedForNoTime(t *testing.T) {
	c := newCaller()
	addFIFOQueue(t, c, memsqs.FIFOConfig{})
	sendGroup(t, c, "g", "a", "b")
	handle := receiveFor(t, c, fifo, 1, 0)[0].ReceiptHandle
	out, err := deleteMessage(t, c, fifo, handle)
	requireFault(t, api.InvalidParameterValue, "Value "+handle+" for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.", out, err)
	require.Equal(t, []string{"a", "b"}, bodies(receive(t, c, fifo)))
}

// A standard queue hands the group id of a message on, and has no order of groups
// (A1.10, A21.1).
func TestGroupIDOnAStandardQueueNamesATenant(t *testing.T) {
	c := newCaller()
	addQueue(t, c, memsqs.Config{})
	longest := ""
	for len(longest) < 128 {
		longest += "!~aZ09_-"
	}
	for _, body := range []string{"a", "b"} {
		out, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(standard), MessageBody: &body, MessageGroupId: &longest})
		require.NoError(t, err)
		require.Empty(t, out.SequenceNumber)
	}
	require.Len(t, receiveFor(t, c, standard, 1, 30), 1)
	require.Equal(t, longest, receiveOne(t, c, standard).Attributes["MessageGroupId"])
}
