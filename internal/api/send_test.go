package api_test

import (
	"maps"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

const (
	idRule      = " can only include alphanumeric and punctuation characters. 1 to 128 in length."
	allowedText = "the set of allowed characters is #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF]."
	noDedupID   = "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"
)

// A refusal of a message: what is sent, by itself or in a batch, and the answer.
type refusal struct {
	queue string
	api.SendMessageBatchRequestEntry
	kind  *api.Kind
	text  string
	batch string // the text in a batch, as entry 2, if it is another
}

// entry returns the message as an entry of a batch.
func (r refusal) entry(id string) api.SendMessageBatchRequestEntry {
	e := r.SendMessageBatchRequestEntry
	e.Id = &id
	return e
}

// refusals are what a message can be refused for, but for missing ids in a FIFO
// queue, which refuse a whole batch.
func refusals() map[string]refusal {
	long := strings.Repeat("x", 129)
	body := func(b string) api.SendMessageBatchRequestEntry {
		return api.SendMessageBatchRequestEntry{MessageBody: &b}
	}
	all := map[string]refusal{
		// A1.1
		"no body":    {standard, api.SendMessageBatchRequestEntry{}, api.MissingParameter, "The request must contain the parameter MessageBody.", "The request must contain the parameter SendMessageBatchRequestEntry.2.MessageBody."},
		"empty body": {standard, body(""), api.MissingParameter, "The request must contain the parameter MessageBody.", "The request must contain the parameter SendMessageBatchRequestEntry.2.MessageBody."},
		// A1.2, A15.4
		"too long": {standard, body(strings.Repeat("a", 2049)), api.InvalidParameterValue, "One or more parameters are invalid. Reason: Message must be shorter than 2048 bytes.", "One or more parameters cannot be validated. Reason: Message must be shorter than 2048 bytes."},
		// A1.5
		"control character in body": {standard, body("ring \a"), api.InvalidMessageContents, "Invalid binary character '#x7' was found in the message body, " + allowedText, ""},
		"U+FFFF in body":            {standard, body("\uFFFF"), api.InvalidMessageContents, "Invalid binary character '#xFFFF' was found in the message body, " + allowedText, ""},
		"body not UTF-8":            {standard, body("a\xC3"), api.InvalidMessageContents, "Invalid binary character '#xC3' was found in the message body, " + allowedText, ""},
	}
	with := func(name, queue string, change func(*api.SendMessageBatchRequestEntry), kind *api.Kind, text, batch string) {
		e := body("body")
		if queue == fifo {
			e.MessageGroupId, e.MessageDeduplicationId = new("g"), new("d")
		}
		change(&e)
		all[name+" on "+queue] = refusal{queue, e, kind, text, batch}
	}
	for _, queue := range []string{standard, fifo} { // A1.10, B1.4
		for _, id := range []string{"", "a b", long, "ø", "a\n"} {
			with("group "+id, queue, func(e *api.SendMessageBatchRequestEntry) { e.MessageGroupId = &id }, api.InvalidParameterValue, "Value "+id+" for parameter MessageGroupId is invalid. Reason: MessageGroupId"+idRule, "")
		}
	}
	for _, id := range []string{"", "a b", long} {
		with("deduplication id "+id, fifo, func(e *api.SendMessageBatchRequestEntry) { e.MessageDeduplicationId = &id }, api.InvalidParameterValue, "Value "+id+" for parameter MessageDeduplicationId is invalid. Reason: MessageDeduplicationId"+idRule, "")
	}
	for _, id := range []string{"", "d"} { // A1.9
		with("deduplication id "+id, standard, func(e *api.SendMessageBatchRequestEntry) { e.MessageDeduplicationId = &id }, api.InvalidParameterValue, "Value "+id+" for parameter MessageDeduplicationId is invalid. Reason: The request include parameter that is not valid for this queue type.", "The request include parameter that is not valid for this queue type")
	}
	for _, queue := range []string{standard, fifo} { // A2.2
		for _, delay := range []int{-1, 901, math.MaxInt, math.MinInt} {
			with("delay "+strconv.Itoa(delay), queue, func(e *api.SendMessageBatchRequestEntry) { e.DelaySeconds = &delay }, api.InvalidParameterValue, "Value "+strconv.Itoa(delay)+" for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.", "")
		}
	}
	with("delay 2", fifo, func(e *api.SendMessageBatchRequestEntry) { e.DelaySeconds = new(2) }, api.InvalidParameterValue, "Value 2 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type.", "") // B2.1
	return all
}

// addRefusing adds a queue of each type, which take messages of 2 KiB.
func addRefusing(t *testing.T, c *api.Caller) (*memsqs.Queue, *memsqs.FIFOQueue) {
	t.Helper()
	return addQueue(t, c, memsqs.Config{MaxMessageSize: 2048}), addFIFOQueue(t, c, memsqs.FIFOConfig{MaxMessageSize: 2048})
}

func TestSendMessageRefuses(t *testing.T) {
	c := newCaller()
	s, f := addRefusing(t, c)
	for name, r := range refusals() {
		t.Run(name, func(t *testing.T) {
			out, err := c.SendMessage(t.Context(), &api.SendMessageInput{
				QueueUrl:                &r.queue,
				MessageBody:             r.MessageBody,
				DelaySeconds:            r.DelaySeconds,
				MessageAttributes:       r.MessageAttributes,
				MessageSystemAttributes: r.MessageSystemAttributes,
				MessageDeduplicationId:  r.MessageDeduplicationId,
				MessageGroupId:          r.MessageGroupId,
			})
			requireFault(t, r.kind, r.text, out, err)
			requireNothingChanged(t, s, f)
		})
	}
}

// An entry that breaks a rule fails alone, in a FIFO queue too (A15.4).
func TestSendMessageBatchRefusesAnEntry(t *testing.T) {
	for name, r := range refusals() {
		t.Run(name, func(t *testing.T) {
			c := newCaller()
			addRefusing(t, c)
			good := refusal{SendMessageBatchRequestEntry: api.SendMessageBatchRequestEntry{MessageBody: new("good")}}
			if r.queue == fifo {
				good.MessageGroupId, good.MessageDeduplicationId = new("g"), new("good")
			}
			last := good
			last.MessageBody = new("last")
			if r.queue == fifo {
				last.MessageDeduplicationId = new("last")
			}
			out, err := c.SendMessageBatch(t.Context(), &api.SendMessageBatchInput{
				QueueUrl: &r.queue,
				Entries:  []api.SendMessageBatchRequestEntry{good.entry("a"), r.entry("b"), last.entry("c")},
			})
			require.NoError(t, err)
			text := r.text
			if r.batch != "" {
				text = r.batch
			}
			require.Equal(t, []api.BatchResultErrorEntry{failed("b", r.kind, text)}, out.Failed)
			require.Len(t, out.Successful, 2)
			msgs := receive(t, c, r.queue)
			require.Equal(t, []string{"good", "last"}, bodies(msgs))
			for i, s := range out.Successful {
				require.Equal(t, []string{"a", "c"}[i], s.Id)
				require.Equal(t, msgs[i].MessageId, s.MessageId)
				require.Equal(t, msgs[i].MD5OfBody, s.MD5OfMessageBody)
				require.Equal(t, msgs[i].Attributes["SequenceNumber"], s.SequenceNumber)
			}
		})
	}
}

// A FIFO queue refuses a message that lacks an id, and with it the whole of its
// batch, a missing group then with another code (B1.1 to B1.3, B9.1).
func TestSendToFIFORefusesMissingIDs(t *testing.T) {
	c := newCaller()
	q := addFIFOQueue(t, c, memsqs.FIFOConfig{})
	const noGroup = "The request must contain the parameter MessageGroupId."
	for _, test := range []struct {
		group, id    *string
		kind, batch  *api.Kind
		text         string
		contentBased bool
	}{
		{nil, new("d"), api.MissingParameter, api.InvalidParameterValue, noGroup, false},
		{nil, nil, api.MissingParameter, api.InvalidParameterValue, noGroup, true},
		{new("g"), nil, api.InvalidParameterValue, api.InvalidParameterValue, noDedupID, false},
	} {
		require.NoError(t, q.Configure(func(cfg *memsqs.FIFOConfig) { cfg.ContentBasedDeduplication = test.contentBased }))
		out, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(fifo), MessageBody: new("b"), MessageGroupId: test.group, MessageDeduplicationId: test.id})
		requireFault(t, test.kind, test.text, out, err)
		batch, err := c.SendMessageBatch(t.Context(), &api.SendMessageBatchInput{QueueUrl: new(fifo), Entries: []api.SendMessageBatchRequestEntry{
			{Id: new("1"), MessageBody: new("a"), MessageGroupId: new("g"), MessageDeduplicationId: new("1")},
			{Id: new("2"), MessageBody: new("b"), MessageGroupId: test.group, MessageDeduplicationId: test.id},
		}})
		requireFault(t, test.batch, test.text, batch, err)
		requireNothingChanged(t, q)
	}
}

// What is absent is left out of the answer (A1.8).
func TestSendMessageAnswers(t *testing.T) {
	c := newCaller()
	addQueue(t, c, memsqs.Config{})
	addFIFOQueue(t, c, memsqs.FIFOConfig{ContentBasedDeduplication: true})
	out, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(standard), MessageBody: new("message")})
	require.NoError(t, err)
	require.Equal(t, &api.SendMessageOutput{MessageId: receiveOne(t, c, standard).MessageId, MD5OfMessageBody: "78e731027d8fd50ed642340b7c9a63b3"}, out)

	out, err = c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(fifo), MessageBody: new("same"), MessageGroupId: new("g")})
	require.NoError(t, err)
	m := receiveOne(t, c, fifo)
	require.Len(t, out.SequenceNumber, 20) // B3.2
	require.Equal(t, out.SequenceNumber, m.Attributes["SequenceNumber"])
	require.Equal(t, "0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5", m.Attributes["MessageDeduplicationId"]) // B5.5
}

// A duplicate has the id and the number of the first message, and the MD5 of the
// body that was just sent (B5.7). So has one in the same batch (B5.10).
func TestSendMessageAnswersADuplicate(t *testing.T) {
	c := newCaller()
	q := addFIFOQueue(t, c, memsqs.FIFOConfig{})
	in := api.SendMessageInput{QueueUrl: new(fifo), MessageBody: new("first"), MessageGroupId: new("g"), MessageDeduplicationId: new("d")}
	first, err := c.SendMessage(t.Context(), &in)
	require.NoError(t, err)
	in.MessageBody = new("message")
	again, err := c.SendMessage(t.Context(), &in)
	require.NoError(t, err)
	require.Equal(t, &api.SendMessageOutput{MessageId: first.MessageId, SequenceNumber: first.SequenceNumber, MD5OfMessageBody: "78e731027d8fd50ed642340b7c9a63b3"}, again)

	e := api.SendMessageBatchRequestEntry{Id: new("1"), MessageBody: new("message"), MessageGroupId: new("g"), MessageDeduplicationId: new("d")}
	other := e
	other.Id = new("2")
	batch, err := c.SendMessageBatch(t.Context(), &api.SendMessageBatchInput{QueueUrl: new(fifo), Entries: []api.SendMessageBatchRequestEntry{e, other}})
	require.NoError(t, err)
	require.Len(t, batch.Successful, 2)
	for _, s := range batch.Successful {
		require.Equal(t, first.MessageId, s.MessageId)
		require.Equal(t, again.MD5OfMessageBody, s.MD5OfMessageBody)
	}
	require.Equal(t, 1, q.Stats().Visible)
}

// A message may have exactly as many bytes as the queue allows, its attributes
// included (A1.2, A1.4), and a trace header beyond.
func TestSendMessageTakesTheLargest(t *testing.T) {
	c := newCaller()
	q := addQueue(t, c, memsqs.Config{MaxMessageSize: 1024})
	in := api.SendMessageInput{
		QueueUrl:                new(standard),
		MessageBody:             new(strings.Repeat("é", 500)),
		MessageAttributes:       attributes{"name": text("String.x", strings.Repeat("v", 12))},
		MessageSystemAttributes: attributes{"AWSTraceHeader": text("String", strings.Repeat("t", 100))},
	}
	_, err := c.SendMessage(t.Context(), &in)
	require.NoError(t, err)
	in.MessageAttributes = attributes{"name": text("String.x", strings.Repeat("v", 13))}
	out, err := c.SendMessage(t.Context(), &in)
	requireFault(t, api.InvalidParameterValue, "One or more parameters are invalid. Reason: Message must be shorter than 1024 bytes.", out, err)
	require.Equal(t, 1, q.Stats().Visible)
}

// A delay of the message's own, zero too, goes before the queue's in a standard
// queue (A2.1); zero has no effect in a FIFO queue (B2.2).
func TestSendMessageDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		s := addQueue(t, c, memsqs.Config{Delay: time.Minute})
		f := addFIFOQueue(t, c, memsqs.FIFOConfig{Delay: time.Minute})
		for body, delay := range map[string]*int{"queue's": nil, "zero": new(0), "longest": new(900)} {
			_, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(standard), MessageBody: &body, DelaySeconds: delay})
			require.NoError(t, err)
		}
		_, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(fifo), MessageBody: new("b"), DelaySeconds: new(0), MessageGroupId: new("g"), MessageDeduplicationId: new("d")})
		require.NoError(t, err)
		require.Equal(t, 1, f.Stats().Delayed)

		due := make(map[string]time.Duration)
		for _, m := range s.Peek(10) {
			if m.State == memsqs.Delayed {
				due[m.Body] = m.DueAt.Sub(m.SentAt)
			}
		}
		require.True(t, maps.Equal(map[string]time.Duration{"queue's": time.Minute, "longest": 15 * time.Minute}, due), due)
	})
}
