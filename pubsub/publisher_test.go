package pubsub_test

import (
	"context"
	"maps"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// header returns attributes with the given group in the header.
func header(group string) map[string]memsqs.Attribute {
	return map[string]memsqs.Attribute{pubsub.DefaultPartitionKeyHeader: text(group)}
}

func TestGroupIsTheMostSpecificOneGiven(t *testing.T) {
	for _, c := range []struct {
		rule      string
		in        memsqs.SendInput
		publisher string
		want      string
	}{
		{"the call's before all", memsqs.SendInput{GroupID: "call", Attributes: header("header")}, "policy", "call"},
		{"the header's before the publisher's", memsqs.SendInput{Attributes: header("header")}, "policy", "header"},
		{"the publisher's before the default", memsqs.SendInput{}, "policy", "policy"},
		{"the default if there is none", memsqs.SendInput{}, "", "default"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			q := makeFIFOQueue(t)
			p := pubsub.Publisher{Queue: q, Group: c.publisher}
			c.in.Body = "m"
			_, err := p.Publish(t.Context(), c.in)
			require.NoError(t, err)
			msgs, err := q.Receive(t.Context(), memsqs.ReceiveInput{})
			require.NoError(t, err)
			require.Equal(t, c.want, msgs[0].GroupID)
			require.Equal(t, header(c.want), msgs[0].Attributes, "the group arrives in the header")
		})
	}
}

// The header keeps its type if it has the group already, as in a message that is
// passed on. A Number can name a group too.
func TestHeaderThatHasTheGroupIsLeftAsItIs(t *testing.T) {
	q := makeFIFOQueue(t)
	p := pubsub.Publisher{Queue: q}
	attributes := map[string]memsqs.Attribute{
		pubsub.DefaultPartitionKeyHeader: {DataType: "Number.customer", StringValue: "17"},
	}
	_, err := p.Publish(t.Context(), memsqs.SendInput{Body: "m", Attributes: attributes})
	require.NoError(t, err)
	require.Equal(t, "17", q.Peek(1)[0].GroupID)
	require.Equal(t, attributes, q.Peek(1)[0].Attributes)
}

func TestPartitionKeyHeaderCanHaveAnotherName(t *testing.T) {
	q := makeFIFOQueue(t)
	p := pubsub.Publisher{Queue: q, PartitionKeyHeader: "tenant"}
	attributes := maps.Clone(header("no group"))
	attributes["tenant"] = text("ann")
	_, err := p.Publish(t.Context(), memsqs.SendInput{Body: "m", Attributes: attributes})
	require.NoError(t, err)
	require.Equal(t, "ann", q.Peek(1)[0].GroupID)
	require.Equal(t, attributes, q.Peek(1)[0].Attributes)
}

func TestBinaryHeaderIsNotTakenForAGroup(t *testing.T) {
	q := makeFIFOQueue(t)
	p := pubsub.Publisher{Queue: q}
	attributes := map[string]memsqs.Attribute{
		pubsub.DefaultPartitionKeyHeader: {DataType: "Binary", BinaryValue: []byte("ann")},
	}
	_, err := p.Publish(t.Context(), memsqs.SendInput{Body: "m", Attributes: attributes})
	require.ErrorIs(t, err, memsqs.ErrInvalidParameterValue)
	require.ErrorContains(t, err, "partition-key is a Binary")
	require.Empty(t, contents(q))
}

func TestCallersMessagesAreNotChanged(t *testing.T) {
	p := pubsub.Publisher{Queue: makeFIFOQueue(t)}
	in := []memsqs.SendInput{{Body: "a", Attributes: map[string]memsqs.Attribute{"kind": text("x")}}, {Body: "b"}}
	_, err := p.PublishAll(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, []memsqs.SendInput{
		{Body: "a", Attributes: map[string]memsqs.Attribute{"kind": text("x")}},
		{Body: "b"},
	}, in)
}

// Though the queue would take them for duplicates by their content.
func TestEqualBodiesAreTwoMessages(t *testing.T) {
	q := makeFIFOQueue(t)
	p := pubsub.Publisher{Queue: q}
	for range 2 {
		_, err := p.Publish(t.Context(), memsqs.SendInput{Body: "same"})
		require.NoError(t, err)
	}
	_, err := p.PublishAll(t.Context(), plain("same", "same"))
	require.NoError(t, err)
	require.Equal(t, []string{"same", "same", "same", "same"}, contents(q))
}

func TestOneDeduplicationIDForTwoMakesThemOneMessage(t *testing.T) {
	q := makeFIFOQueue(t)
	p := pubsub.Publisher{Queue: q}
	first, err := p.Publish(t.Context(), memsqs.SendInput{Body: "pay 100", DeduplicationID: "payment-17"})
	require.NoError(t, err)
	again, err := p.Publish(t.Context(), memsqs.SendInput{Body: "pay 100!", DeduplicationID: "payment-17"})
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, []string{"pay 100"}, contents(q))
}

func TestStandardQueueGetsMessagesAsTheyAre(t *testing.T) {
	q := makeQueue(t)
	p := pubsub.Publisher{Queue: q}
	_, err := p.PublishAll(t.Context(), []memsqs.SendInput{{Body: "a"}, {Body: "b", Attributes: header("ann")}})
	require.NoError(t, err)
	sent := q.Peek(2)
	require.Nil(t, sent[0].Attributes)
	require.Equal(t, header("ann"), sent[1].Attributes)
	require.Empty(t, sent[1].GroupID)
}

func TestStandardQueueTakesNoGroupAndNoDeduplicationID(t *testing.T) {
	for _, c := range []struct {
		what      string
		in        memsqs.SendInput
		publisher string
	}{
		{`GroupID is "g"`, memsqs.SendInput{Body: "m", GroupID: "g"}, ""},
		{`DeduplicationID is "d"`, memsqs.SendInput{Body: "m", DeduplicationID: "d"}, ""},
		{`the Publisher's Group is "g"`, memsqs.SendInput{Body: "m"}, "g"},
	} {
		t.Run(c.what, func(t *testing.T) {
			q := makeQueue(t)
			p := pubsub.Publisher{Queue: q, Group: c.publisher}
			_, err := p.Publish(t.Context(), c.in)
			require.ErrorIs(t, err, memsqs.ErrNotFIFO)
			require.ErrorContains(t, err, c.what)
			require.Empty(t, contents(q))
		})
	}
}

// So a queue that is only known at run time is asked.
func TestQueueIsFIFOIfItSaysSo(t *testing.T) {
	standard := pubsub.Publisher{Queue: &flaky{Sender: makeQueue(t)}}
	_, err := standard.Publish(t.Context(), memsqs.SendInput{Body: "m", GroupID: "g"})
	require.ErrorIs(t, err, memsqs.ErrNotFIFO)
	fifo := pubsub.Publisher{Queue: &flaky{Sender: makeFIFOQueue(t)}}
	_, err = fifo.Publish(t.Context(), memsqs.SendInput{Body: "m", GroupID: "g"})
	require.NoError(t, err)
}

func TestCompilerTellsFIFOQueuesApart(t *testing.T) {
	fifo := reflect.TypeFor[pubsub.FIFOSender]()
	require.True(t, reflect.TypeFor[*memsqs.FIFOQueue]().Implements(fifo))
	require.False(t, reflect.TypeFor[*memsqs.Queue]().Implements(fifo))
}

func TestQueuesRefusalIsThePublishersError(t *testing.T) {
	p := pubsub.Publisher{Queue: makeFIFOQueue(t)}
	_, err := p.Publish(t.Context(), memsqs.SendInput{Body: "m", GroupID: "not one"})
	var refused *memsqs.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, memsqs.ErrInvalidParameterValue, refused.Code)
	require.Contains(t, refused.Detail, "GroupID")
}

func TestPublisherThatCannotWorkSaysWhy(t *testing.T) {
	q := makeQueue(t)
	for _, c := range []struct {
		ctx  context.Context
		p    pubsub.Publisher
		code error
		says string
	}{
		{t.Context(), pubsub.Publisher{}, memsqs.ErrMissingParameter, "no Queue"},
		{t.Context(), pubsub.Publisher{Queue: q, Attempts: -1}, memsqs.ErrInvalidParameterValue, "Attempts is -1; it must be 1 or more"},
		{nil, pubsub.Publisher{Queue: q}, memsqs.ErrInvalidParameterValue, "context is nil"},
	} {
		_, err := c.p.Publish(c.ctx, memsqs.SendInput{Body: "m"})
		require.ErrorIs(t, err, c.code)
		require.ErrorContains(t, err, c.says)
		_, err = c.p.PublishAll(c.ctx, plain("a", "b"))
		require.Len(t, failures(t, err), 2)
		require.ErrorIs(t, err, c.code)
	}
	require.Empty(t, contents(q))
}
