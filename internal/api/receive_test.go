package api_test

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

func TestReceiveMessageRefuses(t *testing.T) {
	c := newCaller()
	s, f := addQueue(t, c, memsqs.Config{}), addFIFOQueue(t, c, memsqs.FIFOConfig{})
	const badAttempt = " for parameter ReceiveRequestAttemptId is invalid. Reason: "
	long := strings.Repeat("a", 129)
	for name, test := range map[string]struct {
		queue string
		in    api.ReceiveMessageInput
		text  string
	}{
		// A3.1
		"0 messages":  {standard, api.ReceiveMessageInput{MaxNumberOfMessages: new(0)}, "Value 0 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided."},
		"11 messages": {fifo, api.ReceiveMessageInput{MaxNumberOfMessages: new(11)}, "Value 11 for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided."},
		// A3.2
		"wait 21":   {standard, api.ReceiveMessageInput{WaitTimeSeconds: new(21)}, "Value 21 for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided."},
		"wait -1":   {standard, api.ReceiveMessageInput{WaitTimeSeconds: new(-1)}, "Value -1 for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided."},
		"wait huge": {standard, api.ReceiveMessageInput{WaitTimeSeconds: new(math.MaxInt)}, "Value " + strconv.Itoa(math.MaxInt) + " for parameter WaitTimeSeconds is invalid. Reason: Must be >= 0 and <= 20, if provided."},
		// A3.4
		"timeout 43201": {standard, api.ReceiveMessageInput{VisibilityTimeout: new(43201)}, "Value 43201 for parameter VisibilityTimeout is invalid. Reason: Must be >= 0 and <= 43200, if provided."},
		"timeout -1":    {fifo, api.ReceiveMessageInput{VisibilityTimeout: new(-1)}, "Value -1 for parameter VisibilityTimeout is invalid. Reason: Must be >= 0 and <= 43200, if provided."},
		// B10.5, B10.1
		"attempt id on standard": {standard, api.ReceiveMessageInput{ReceiveRequestAttemptId: new("a")}, "Value a" + badAttempt + "The request include parameter that is not valid for this queue type."},
		"empty on standard":      {standard, api.ReceiveMessageInput{ReceiveRequestAttemptId: new("")}, "Value " + badAttempt + "The request include parameter that is not valid for this queue type."},
		"empty attempt id":       {fifo, api.ReceiveMessageInput{ReceiveRequestAttemptId: new("")}, "Value " + badAttempt + "ReceiveRequestAttemptId" + idRule},
		"attempt id with space":  {fifo, api.ReceiveMessageInput{ReceiveRequestAttemptId: new("a b")}, "Value a b" + badAttempt + "ReceiveRequestAttemptId" + idRule},
		"long attempt id":        {fifo, api.ReceiveMessageInput{ReceiveRequestAttemptId: &long}, "Value " + long + badAttempt + "ReceiveRequestAttemptId" + idRule},
	} {
		t.Run(name, func(t *testing.T) {
			test.in.QueueUrl = &test.queue
			out, err := c.ReceiveMessage(t.Context(), &test.in)
			requireFault(t, api.InvalidParameterValue, test.text, out, err)
			requireNothingChanged(t, s, f)
		})
	}
}

// Which message attributes a receive returns is what its patterns say (A8.9), and
// their MD5 is of what is returned (A9.4).
func TestMessageAttributeNames(t *testing.T) {
	c := newCaller()
	addQueue(t, c, memsqs.Config{VisibilityTimeout: new(time.Duration)})
	_, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(standard), MessageBody: new("b"), MessageAttributes: attributes{
		"Help.Me": text("String", "Me"), "Hello": text("String", "There"), "General": text("String", "Kenobi"),
	}})
	require.NoError(t, err)
	const all = "4c360f3fdafd970e05fae2f149d997f5"
	for _, test := range []struct {
		patterns []string
		want     string // names
		md5      string
	}{
		{nil, "", ""},
		{[]string{}, "", ""},
		{[]string{"All"}, "General Hello Help.Me", all},
		{[]string{".*"}, "General Hello Help.Me", all},
		{[]string{"*"}, "General Hello Help.Me", all},
		{[]string{"Hello"}, "Hello", "a311262e065454b75da111d535b8dacd"},
		{[]string{"Hello", "General"}, "General Hello", "fca026605781cb4126a1e9044df24232"},
		{[]string{"Hel.*"}, "Hello Help.Me", "83fee93c1bcd8b9a5a923ffacdc636c7"},
		{[]string{"Hello.*"}, "Hello", "a311262e065454b75da111d535b8dacd"},
		{[]string{"Hel*"}, "", ""},
		{[]string{"hello"}, "", ""},
		{[]string{"all"}, "", ""},
		{[]string{"Foo", "AWS.", "..foo", ""}, "", ""},
		{[]string{"Foo", "Hel.*", "Hello"}, "Hello Help.Me", "83fee93c1bcd8b9a5a923ffacdc636c7"},
	} {
		out, err := c.ReceiveMessage(t.Context(), &api.ReceiveMessageInput{QueueUrl: new(standard), MessageAttributeNames: test.patterns})
		require.NoError(t, err)
		m := out.Messages[0]
		require.Equal(t, test.want, strings.Join(slices.Sorted(maps.Keys(m.MessageAttributes)), " "), test.patterns)
		require.Equal(t, test.md5, m.MD5OfMessageAttributes, test.patterns)
		require.Nil(t, m.Attributes)
	}
}

// Which system attributes a receive returns is what both lists of names say
// together (A10.4 to A10.6).
func TestMessageSystemAttributeNames(t *testing.T) {
	c := newCaller()
	addQueue(t, c, memsqs.Config{VisibilityTimeout: new(time.Duration)})
	addFIFOQueue(t, c, memsqs.FIFOConfig{VisibilityTimeout: new(time.Duration)})
	send(t, c, "plain")
	sendGroup(t, c, "g", "d")
	plain := []string{"ApproximateFirstReceiveTimestamp", "ApproximateReceiveCount", "SenderId", "SentTimestamp"}
	ordered := slices.Sorted(slices.Values(append([]string{"MessageDeduplicationId", "MessageGroupId", "SequenceNumber"}, plain...)))
	for _, test := range []struct {
		queue        string
		names, older []string
		want         []string
	}{
		{standard, nil, nil, nil},
		{standard, []string{"All"}, nil, plain},
		{standard, nil, []string{"All"}, plain},
		{standard, []string{"SenderId"}, []string{"All"}, plain},
		{standard, []string{"SenderId"}, []string{"SentTimestamp", "SenderId"}, []string{"SenderId", "SentTimestamp"}},
		{standard, []string{"SequenceNumber", "MessageGroupId", "SenderId", "Policy", "foo"}, nil, []string{"SenderId"}},
		{standard, []string{"SequenceNumber"}, nil, nil},
		{fifo, []string{"All"}, nil, ordered},
		{fifo, []string{"MessageGroupId"}, []string{"MessageDeduplicationId"}, []string{"MessageDeduplicationId", "MessageGroupId"}},
	} {
		out, err := c.ReceiveMessage(t.Context(), &api.ReceiveMessageInput{QueueUrl: &test.queue, MessageSystemAttributeNames: test.names, AttributeNames: test.older})
		require.NoError(t, err)
		require.Equal(t, test.want, slices.Sorted(maps.Keys(out.Messages[0].Attributes)), test)
		require.Nil(t, out.Messages[0].MessageAttributes)
	}
}

// System attributes are texts, times in milliseconds (A4), also across a move to a
// dead-letter queue (A19.4, A19.5), whose ARN is that of the source.
func TestMessageSystemAttributes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		dead, err := memsqs.NewQueue(memsqs.Config{Name: "dead"})
		require.NoError(t, err)
		require.NoError(t, c.Service.Add(dead))
		addQueue(t, c, memsqs.Config{DeadLetter: &memsqs.DeadLetter{Queue: dead, MaxReceiveCount: 2}})
		start := time.Now()
		_, err = c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(standard), MessageBody: new("b"), MessageGroupId: new("tenant")})
		require.NoError(t, err)
		want := map[string]string{
			"SenderId":                         "123456789012", // A4.3
			"SentTimestamp":                    milliseconds(start),
			"ApproximateFirstReceiveTimestamp": milliseconds(start.Add(time.Minute)),
			"MessageGroupId":                   "tenant", // A1.10
		}
		for _, count := range []string{"1", "2"} {
			time.Sleep(time.Minute)
			want["ApproximateReceiveCount"] = count
			require.Equal(t, want, receiveOne(t, c, standard).Attributes)
		}
		time.Sleep(time.Minute)
		require.Empty(t, receive(t, c, standard))
		want["ApproximateReceiveCount"] = "3"
		want["DeadLetterQueueSourceArn"] = "arn:aws:sqs:eu-north-1:123456789012:" + standard
		require.Equal(t, want, receiveOne(t, c, "dead").Attributes)
	})
}

// At the limit of messages in flight a standard queue refuses a receive that does
// not wait, and answers one that waits with nothing (A7.2, A7.3); a FIFO queue
// refuses none (B11.2).
func TestReceiveMessageIsOverTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		addQueue(t, c, memsqs.Config{MaxInFlight: 1})
		addFIFOQueue(t, c, memsqs.FIFOConfig{MaxInFlight: 1})
		send(t, c, "a", "b")
		sendGroup(t, c, "g", "a", "b")
		receiveOne(t, c, standard)
		receiveOne(t, c, fifo)
		out, err := c.ReceiveMessage(t.Context(), &api.ReceiveMessageInput{QueueUrl: new(standard)})
		requireFault(t, api.OverLimit, "Too many messages have been received without being deleted. Please delete your received messages or let them timeout before receiving more.", out, err)
		require.Equal(t, 403, api.OverLimit.Status)
		out, err = c.ReceiveMessage(t.Context(), &api.ReceiveMessageInput{QueueUrl: new(standard), WaitTimeSeconds: new(5)})
		require.NoError(t, err)
		require.Equal(t, new(api.ReceiveMessageOutput), out) // A3.6
		require.Empty(t, receive(t, c, fifo))
	})
}

// A receive can be repeated with its attempt id until one of its messages is
// changed (B10.2, B10.3).
func TestReceiveRequestAttemptId(t *testing.T) {
	c := newCaller()
	addFIFOQueue(t, c, memsqs.FIFOConfig{})
	sendGroup(t, c, "g", "a")
	in := api.ReceiveMessageInput{QueueUrl: new(fifo), ReceiveRequestAttemptId: new("try")}
	first, err := c.ReceiveMessage(t.Context(), &in)
	require.NoError(t, err)
	again, err := c.ReceiveMessage(t.Context(), &in)
	require.NoError(t, err)
	require.Equal(t, first, again)

	_, err = c.ChangeMessageVisibility(t.Context(), &api.ChangeMessageVisibilityInput{QueueUrl: new(fifo), ReceiptHandle: &first.Messages[0].ReceiptHandle, VisibilityTimeout: new(60)})
	require.NoError(t, err)
	out, err := c.ReceiveMessage(t.Context(), &in)
	requireFault(t, api.InvalidParameterValue, "Value try for parameter ReceiveRequestAttemptId is invalid. Reason: The receiveRequestAttemptId is not valid anymore since the receive call is not retryable.", out, err)
}

// What was received for a call that is cancelled before it can answer is visible
// again at once, in its order, unless it can be had by repeating the call.
func TestCancelledReceiveGivesBack(t *testing.T) {
	c := newCaller()
	s, f := addQueue(t, c, memsqs.Config{}), addFIFOQueue(t, c, memsqs.FIFOConfig{})
	send(t, c, "a", "b")
	sendGroup(t, c, "g", "a", "b")
	for _, queue := range []string{standard, fifo} {
		out, err := c.ReceiveMessage(&doneWhenAsked{Context: t.Context()}, &api.ReceiveMessageInput{QueueUrl: &queue, MaxNumberOfMessages: new(10)})
		require.ErrorIs(t, err, context.Canceled)
		require.Nil(t, out)
		msgs := receive(t, c, queue)
		require.Equal(t, []string{"a", "b"}, bodies(msgs))
		require.Equal(t, "2", msgs[0].Attributes["ApproximateReceiveCount"])
	}
	require.EqualValues(t, 2, s.Stats().Returned)
	require.EqualValues(t, 2, f.Stats().Returned)
}

func TestCancelledReceiveWithAnAttemptIdCanBeRepeated(t *testing.T) {
	c := newCaller()
	q := addFIFOQueue(t, c, memsqs.FIFOConfig{})
	sendGroup(t, c, "g", "a")
	in := api.ReceiveMessageInput{QueueUrl: new(fifo), ReceiveRequestAttemptId: new("try")}
	_, err := c.ReceiveMessage(&doneWhenAsked{Context: t.Context()}, &in)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, q.Stats().InFlight)
	out, err := c.ReceiveMessage(t.Context(), &in)
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, bodies(out.Messages))
}
