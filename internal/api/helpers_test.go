package api_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

// standard and fifo are the names of the queues that the tests use, which serve
// as their URLs as well (C3.2).
const (
	standard = "orders"
	fifo     = "orders.fifo"
)

// addQueue adds a standard queue to the caller's service.
func addQueue(t testing.TB, c *api.Caller, cfg memsqs.Config) *memsqs.Queue {
	t.Helper()
	cfg.Name = standard
	q, err := memsqs.NewQueue(cfg)
	require.NoError(t, err)
	require.NoError(t, c.Service.Add(q))
	return q
}

// addFIFOQueue adds a FIFO queue to the caller's service.
func addFIFOQueue(t testing.TB, c *api.Caller, cfg memsqs.FIFOConfig) *memsqs.FIFOQueue {
	t.Helper()
	cfg.Name = fifo
	q, err := memsqs.NewFIFOQueue(cfg)
	require.NoError(t, err)
	require.NoError(t, c.Service.Add(q))
	return q
}

// requireFault requires that a call was refused with an error of the kind that has
// the given text, and that it answered nothing else.
func requireFault[Out any](t testing.TB, kind *api.Kind, text string, out *Out, err error) {
	t.Helper()
	var fault *api.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, text, fault.Message)
	require.Same(t, kind, fault.Kind, fault.Code)
	require.Nil(t, out)
}

// requireNothingChanged requires that refused calls have left queues as they were:
// empty, and never used.
func requireNothingChanged(t testing.TB, queues ...interface{ Stats() memsqs.Stats }) {
	t.Helper()
	for _, q := range queues {
		require.Equal(t, memsqs.Stats{Name: q.Stats().Name}, q.Stats())
	}
}

// failed returns an entry of a batch that failed by the sender's fault.
func failed(id string, kind *api.Kind, text string) api.BatchResultErrorEntry {
	return api.BatchResultErrorEntry{Id: id, SenderFault: true, Code: kind.Code, Message: text}
}

// ids returns the ids of entries that succeeded.
func ids(entries []api.BatchResultEntry) []string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Id)
	}
	return all
}

// text returns an attribute of a type that is not Binary.
func text(dataType, v string) api.MessageAttributeValue {
	return api.MessageAttributeValue{DataType: &dataType, StringValue: &v}
}

// blob returns a Binary attribute.
func blob(v string) api.MessageAttributeValue {
	return api.MessageAttributeValue{DataType: new("Binary"), BinaryValue: []byte(v)}
}

// attributes are message attributes by name.
type attributes = map[string]api.MessageAttributeValue

// send sends messages to the standard queue.
func send(t testing.TB, c *api.Caller, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		_, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(standard), MessageBody: &body})
		require.NoError(t, err)
	}
}

// sendGroup sends messages, each with its body for deduplication id, to a group of
// the FIFO queue.
func sendGroup(t testing.TB, c *api.Caller, group string, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		_, err := c.SendMessage(t.Context(), &api.SendMessageInput{
			QueueUrl: new(fifo), MessageBody: &body, MessageGroupId: &group, MessageDeduplicationId: &body,
		})
		require.NoError(t, err)
	}
}

// receive receives up to ten messages, with all attributes, without waiting.
func receive(t testing.TB, c *api.Caller, queueURL string) []api.Message {
	t.Helper()
	out, err := c.ReceiveMessage(t.Context(), &api.ReceiveMessageInput{
		QueueUrl:                    &queueURL,
		MaxNumberOfMessages:         new(10),
		WaitTimeSeconds:             new(0),
		MessageSystemAttributeNames: []string{"All"},
		MessageAttributeNames:       []string{"All"},
	})
	require.NoError(t, err)
	return out.Messages
}

// receiveOne requires that there is one message to be received.
func receiveOne(t testing.TB, c *api.Caller, queueURL string) api.Message {
	t.Helper()
	msgs := receive(t, c, queueURL)
	require.Len(t, msgs, 1)
	return msgs[0]
}

// bodies returns the bodies of messages.
func bodies(msgs []api.Message) []string {
	var all []string
	for _, m := range msgs {
		all = append(all, m.Body)
	}
	return all
}

// milliseconds returns a time as SQS writes it.
func milliseconds(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// doneWhenAsked is a context that is cancelled when its error has been asked for
// once: after the engine has looked at it, and before the API does.
type doneWhenAsked struct {
	context.Context
	asked bool
}

func (c *doneWhenAsked) Err() error {
	if c.asked {
		return context.Canceled
	}
	c.asked = true
	return nil
}
