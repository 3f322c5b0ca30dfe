package api_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

// batches are the operations on batches, called with entries of the given ids that
// have nothing else.
var batches = map[string]func(ctx context.Context, c *api.Caller, queue string, ids []*string) (answered bool, err error){
	"SendMessageBatchRequestEntry": func(ctx context.Context, c *api.Caller, queue string, ids []*string) (bool, error) {
		in := api.SendMessageBatchInput{QueueUrl: &queue}
		for _, id := range ids {
			in.Entries = append(in.Entries, api.SendMessageBatchRequestEntry{Id: id, MessageBody: new("b"), MessageGroupId: new("g")})
		}
		out, err := c.SendMessageBatch(ctx, &in)
		return out != nil, err
	},
	"DeleteMessageBatchRequestEntry": func(ctx context.Context, c *api.Caller, queue string, ids []*string) (bool, error) {
		in := api.DeleteMessageBatchInput{QueueUrl: &queue}
		for _, id := range ids {
			in.Entries = append(in.Entries, api.DeleteMessageBatchRequestEntry{Id: id})
		}
		out, err := c.DeleteMessageBatch(ctx, &in)
		return out != nil, err
	},
	"ChangeMessageVisibilityBatchRequestEntry": func(ctx context.Context, c *api.Caller, queue string, ids []*string) (bool, error) {
		in := api.ChangeMessageVisibilityBatchInput{QueueUrl: &queue}
		for _, id := range ids {
			in.Entries = append(in.Entries, api.ChangeMessageVisibilityBatchRequestEntry{Id: id})
		}
		out, err := c.ChangeMessageVisibilityBatch(ctx, &in)
		return out != nil, err
	},
}

// A batch is refused as a whole for its number of entries and for their ids, in
// this order, before the entries are looked at (A15.1, A15.8).
func TestBatchIsRefusedAsAWhole(t *testing.T) {
	const badID = "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long."
	numbered := func(n int) (ids []*string) {
		for i := range n {
			ids = append(ids, new("id_"+strconv.Itoa(i)))
		}
		return ids
	}
	for entry, call := range batches {
		for name, test := range map[string]struct {
			ids  []*string
			kind *api.Kind
			text string
		}{
			"none":         {nil, api.EmptyBatchRequest, "There should be at least one " + entry + " in the request."},
			"too many":     {append(numbered(19), new("")), api.TooManyEntriesInBatchRequest, "Maximum number of entries per request are 10. You have sent 20."},
			"missing id":   {[]*string{new("a"), nil, new("a")}, api.MissingParameter, "The request must contain the parameter " + entry + ".2.Id."},
			"empty id":     {[]*string{new("a"), new("a"), new("")}, api.InvalidBatchEntryId, badID},
			"long id":      {[]*string{new(strings.Repeat("a", 81))}, api.InvalidBatchEntryId, badID},
			"bad id":       {[]*string{new("a.b")}, api.InvalidBatchEntryId, badID},
			"not ASCII":    {[]*string{new("ø")}, api.InvalidBatchEntryId, badID},
			"repeated id":  {[]*string{new("1"), new("id_2"), new("3"), new("id_2"), new("3")}, api.BatchEntryIdsNotDistinct, "Id id_2 repeated."},
			"repeated ids": {[]*string{new("1"), new("2"), new("2"), new("1")}, api.BatchEntryIdsNotDistinct, "Id 2 repeated."},
		} {
			t.Run(entry+"/"+name, func(t *testing.T) {
				c := newCaller()
				q := addQueue(t, c, memsqs.Config{})
				answered, err := call(t.Context(), c, standard, test.ids)
				requireFault[int](t, test.kind, test.text, nil, err)
				require.False(t, answered)
				requireNothingChanged(t, q)
			})
		}
		t.Run(entry+"/ten of the longest ids", func(t *testing.T) {
			c := newCaller()
			addQueue(t, c, memsqs.Config{})
			ids := numbered(10)
			ids[9] = new(strings.Repeat("aZ09-_xx", 10))
			answered, err := call(t.Context(), c, standard, ids)
			require.NoError(t, err)
			require.True(t, answered)
		})
	}
}

// A batch of messages can have 1 MiB in all, attributes included, whatever the
// queue's maximum (A15.1, A15.2), and more than the queue's maximum (A15.3).
func TestSendMessageBatchIsRefusedForItsSize(t *testing.T) {
	c := newCaller()
	q := addQueue(t, c, memsqs.Config{})
	small := addFIFOQueue(t, c, memsqs.FIFOConfig{MaxMessageSize: 1024, ContentBasedDeduplication: true})
	entry := func(id string, size int) api.SendMessageBatchRequestEntry {
		return api.SendMessageBatchRequestEntry{Id: &id, MessageBody: new(strings.Repeat("b", size)), MessageGroupId: new("g")}
	}
	sized := func(size int) []api.SendMessageBatchRequestEntry {
		entries := []api.SendMessageBatchRequestEntry{entry("1", size), entry("2", 100)}
		entries[1].MessageAttributes = attributes{"ab": text("String", "cd"), "ef": blob("gh")} // 10 and 10 bytes
		return entries
	}
	const text = "Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes."
	for name, entries := range map[string][]api.SendMessageBatchRequestEntry{
		"two entries": sized(1<<20 - 119),
		"one entry":   {entry("1", 1<<20+1)},
	} {
		for _, queue := range []string{standard, fifo} {
			t.Run(name+" to "+queue, func(t *testing.T) {
				out, err := c.SendMessageBatch(t.Context(), &api.SendMessageBatchInput{QueueUrl: &queue, Entries: entries})
				requireFault(t, api.BatchRequestTooLong, text, out, err)
				requireNothingChanged(t, q, small)
			})
		}
	}
	out, err := c.SendMessageBatch(t.Context(), &api.SendMessageBatchInput{QueueUrl: new(standard), Entries: sized(1<<20 - 120)})
	require.NoError(t, err)
	require.Empty(t, out.Failed)

	out, err = c.SendMessageBatch(t.Context(), &api.SendMessageBatchInput{QueueUrl: new(fifo), Entries: []api.SendMessageBatchRequestEntry{entry("1", 1024), entry("2", 1), entry("3", 1025)}})
	require.NoError(t, err)
	require.Equal(t, []api.BatchResultErrorEntry{failed("3", api.InvalidParameterValue, "One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes.")}, out.Failed)
	require.Len(t, out.Successful, 2)
}

// A batch of which nothing is left to do answers all the same, and has nothing that
// succeeded (A15.6).
func TestBatchOfFailuresAnswers(t *testing.T) {
	c := newCaller()
	q := addQueue(t, c, memsqs.Config{})
	sent, err := c.SendMessageBatch(t.Context(), &api.SendMessageBatchInput{QueueUrl: new(standard), Entries: []api.SendMessageBatchRequestEntry{{Id: new("1")}, {Id: new("2"), MessageBody: new("\x00")}}})
	require.NoError(t, err)
	require.Empty(t, sent.Successful)
	require.Equal(t, []api.BatchResultErrorEntry{
		failed("1", api.MissingParameter, "The request must contain the parameter SendMessageBatchRequestEntry.1.MessageBody."),
		failed("2", api.InvalidMessageContents, "Invalid binary character '#x0' was found in the message body, "+allowedText),
	}, sent.Failed)

	deleted, err := c.DeleteMessageBatch(t.Context(), &api.DeleteMessageBatchInput{QueueUrl: new(standard), Entries: []api.DeleteMessageBatchRequestEntry{{Id: new("1")}}})
	require.NoError(t, err)
	require.Empty(t, deleted.Successful)
	require.Len(t, deleted.Failed, 1)
	requireNothingChanged(t, q)
}
