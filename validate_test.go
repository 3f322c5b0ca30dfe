// Tests of what is accepted: bodies and other texts, sizes, delays, ids, and the
// inputs of receives.

package memsqs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// requireSend requires that a message is accepted if code is nil, and is else
// refused with it and not there.
func requireSend(t testing.TB, q queue, in memsqs.SendInput, code error) {
	t.Helper()
	before := q.Stats()
	result, err := q.Send(t.Context(), in)
	if code == nil {
		require.NoError(t, err)
		require.Equal(t, before.Sent+1, q.Stats().Sent)
		return
	}
	requireRefused(t, q, err, code)
	requireDetail(t, err, code)
	require.Zero(t, result)
	require.Equal(t, before, q.Stats())
}

// onFixedClock returns a queue whose Stats do not change with time.
func onFixedClock(t testing.TB) *memsqs.Queue {
	return newQueue(t, memsqs.Config{Name: "q", Clock: memsqs.NewManualClock(time.Unix(0, 0))})
}

// texts are valid and invalid texts: a body of SQS holds tab, line feed,
// carriage return and everything from U+0020 on, but for surrogates, U+FFFE and
// U+FFFF (A1.5).
var texts = []struct {
	text  string
	valid bool
}{
	{" ", true},
	{"\x00", false},
	{"\x08", false},
	{"\t", true},
	{"\n", true},
	{"\x0b", false},
	{"\x0c", false},
	{"\r", true},
	{"\x0e", false},
	{"\x1f", false},
	{"\x20", true},
	{"\x7f", true},
	{"\u0080", true},
	{"\u07ff\u0800", true},
	{"\ud7ff", true},
	{"\xed\xa0\x80", false}, // U+D800
	{"\xed\xbf\xbf", false}, // U+DFFF
	{"\ue000", true},
	{"\ufffd", true},
	{"\ufffe", false},
	{"\uffff", false},
	{"\U00010000", true},
	{"\U0001fffe", true},
	{"\U0001f600", true},
	{"\U0010ffff", true},
	{"\xf4\x90\x80\x80", false}, // beyond U+10FFFF
	{"\xff", false},
	{"\x80", false},
	{"\xc0\x80", false}, // an overlong NUL
	{"\xe2\x82", false}, // cut off
	{"\xe2\x82\xac", true},
}

// A body holds what the characters of SQS allow, wherever in it they are; else
// it is refused as invalid contents (A1.5). In the value of an attribute and in
// the trace header the same characters are an invalid parameter (A1.7).
func TestTextHoldsTheCharactersOfSQS(t *testing.T) {
	q := onFixedClock(t)
	for _, tt := range texts {
		invalidContents, invalidParameter := memsqs.ErrInvalidMessageContents, memsqs.ErrInvalidParameterValue
		if tt.valid {
			invalidContents, invalidParameter = nil, nil
		}
		for _, text := range []string{tt.text, "x" + tt.text, tt.text + "x", "é" + tt.text + "\n"} {
			requireSend(t, q, memsqs.SendInput{Body: text}, invalidContents)
			requireSend(t, q, memsqs.SendInput{Body: "b", TraceHeader: text}, invalidParameter)
			requireAttribute(t, q, tt.valid, "n", memsqs.Attribute{DataType: "String", StringValue: text})
			requireAttribute(t, q, tt.valid, "n", memsqs.Attribute{DataType: "Binary." + text, BinaryValue: []byte("v")})
			requireAttribute(t, q, true, "n", memsqs.Attribute{DataType: "Binary", BinaryValue: []byte(text)})
		}
	}
}

// A body is required (A1.1).
func TestEmptyBodyIsAMissingParameter(t *testing.T) {
	q := onFixedClock(t)
	requireSend(t, q, memsqs.SendInput{}, memsqs.ErrMissingParameter)
	requireSend(t, q, memsqs.SendInput{TraceHeader: "t", Attributes: map[string]memsqs.Attribute{
		"n": {DataType: "String", StringValue: "v"},
	}}, memsqs.ErrMissingParameter)
}

// A message of exactly the largest size is accepted, and one byte more is not
// (A1.2). The size is in bytes of UTF-8, and counts the body and of each
// attribute name, type and value, but not the trace header (A1.4).
func TestSizeIsCountedToTheByte(t *testing.T) {
	text := func(dataType, value string) memsqs.Attribute {
		return memsqs.Attribute{DataType: dataType, StringValue: value}
	}
	for _, tt := range []struct {
		attributes map[string]memsqs.Attribute
		body       string // the beginning of it
		size       int    // of both
	}{
		{nil, "", 0},
		{nil, "é€\U0001f600", 2 + 3 + 4},
		{map[string]memsqs.Attribute{"n": text("String", "v")}, "", 1 + 6 + 1},
		{map[string]memsqs.Attribute{"naïve": text("String", "€")}, "", 6 + 6 + 3},
		{map[string]memsqs.Attribute{"n": text("Number.int", "0001")}, "", 1 + 10 + 4},
		{map[string]memsqs.Attribute{"n": {DataType: "Binary", BinaryValue: make([]byte, 7)}}, "", 1 + 6 + 7},
		{map[string]memsqs.Attribute{"a": text("String", "1"), "b": text("String", "22")}, "x", 1 + 8 + 9},
	} {
		for limit, limits := range map[int]memsqs.Config{1024: {MaxMessageSize: 1024}, 1 << 20: {}} {
			limits.Clock = memsqs.NewManualClock(time.Unix(0, 0))
			q := newQueue(t, limits)
			in := memsqs.SendInput{
				Body:        tt.body + strings.Repeat("x", limit-tt.size),
				Attributes:  tt.attributes,
				TraceHeader: strings.Repeat("t", 2000),
			}
			requireSend(t, q, in, nil)
			in.Body += "x"
			requireSend(t, q, in, memsqs.ErrInvalidParameterValue)
		}
	}
}

// A message's own delay is 0 to 15 minutes (A2.1, A2.2).
func TestDelayOfAMessageHasARange(t *testing.T) {
	q := onFixedClock(t)
	for delay, code := range map[time.Duration]error{
		-1 << 63:           memsqs.ErrInvalidParameterValue,
		-1:                 memsqs.ErrInvalidParameterValue,
		0:                  nil,
		15 * time.Minute:   nil,
		15*time.Minute + 1: memsqs.ErrInvalidParameterValue,
		1<<63 - 1:          memsqs.ErrInvalidParameterValue,
	} {
		requireSend(t, q, memsqs.SendInput{Body: "b", Delay: &delay}, code)
	}
}

// An id has 1 to 128 ASCII letters, digits and punctuation characters (A1.10,
// B1.4); an empty one is one that was not given.
func TestIDsAreShortAndASCII(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "q"})
	fifo := newFIFOQueue(t, memsqs.FIFOConfig{Name: "fifo"})
	ids := map[string]bool{
		strings.Repeat("x", 128):                true,
		strings.Repeat("x", 129):                false,
		strings.Repeat("é", 64):                 false,
		"a b":                                   false,
		"a\n":                                   false,
		`!"#$%&'()*+,-./:;<=>?@[\]^_{|}~` + "`": true,
	}
	for c := range 256 {
		ids[string([]byte{byte(c)})] = c > ' ' && c < 0x7f
	}
	for field, use := range map[string]func(id string) (queue, error){
		"GroupID of a standard queue": func(id string) (queue, error) {
			return q, sendError(t, q, memsqs.SendInput{Body: "b", GroupID: id})
		},
		"GroupID": func(id string) (queue, error) {
			return fifo, sendError(t, fifo, memsqs.SendInput{Body: "b", GroupID: id, DeduplicationID: "d"})
		},
		"DeduplicationID": func(id string) (queue, error) {
			return fifo, sendError(t, fifo, memsqs.SendInput{Body: "b", GroupID: "g", DeduplicationID: id})
		},
		"AttemptID": func(id string) (queue, error) {
			return fifo, receiveError(t, fifo, memsqs.ReceiveInput{AttemptID: id})
		},
	} {
		for id, accepted := range ids {
			q, err := use(id)
			if accepted {
				require.NoError(t, err, "%s %q", field, id)
			} else {
				requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
				requireDetail(t, err, memsqs.ErrInvalidParameterValue, strings.Fields(field)[0])
			}
		}
	}
	require.NoError(t, sendError(t, q, memsqs.SendInput{Body: "b"}))
}

// What a receive asks for has its ranges, and both their ends are in them
// (A3.1, A3.2, A3.4). One that is refused receives nothing.
func TestReceiveInputsHaveTheirRanges(t *testing.T) {
	for _, tt := range []struct {
		in      memsqs.ReceiveInput
		refused []string // nil if it is accepted
	}{
		{memsqs.ReceiveInput{MaxMessages: -1}, []string{"MaxMessages is -1", "1 to 10"}},
		{memsqs.ReceiveInput{MaxMessages: 0}, nil},
		{memsqs.ReceiveInput{MaxMessages: 1}, nil},
		{memsqs.ReceiveInput{MaxMessages: 10}, nil},
		{memsqs.ReceiveInput{MaxMessages: 11}, []string{"MaxMessages is 11", "1 to 10"}},
		{memsqs.ReceiveInput{VisibilityTimeout: new(time.Duration(-1))}, []string{"VisibilityTimeout is -1ns", "0 to 12h0m0s"}},
		{memsqs.ReceiveInput{VisibilityTimeout: new(time.Duration(0))}, nil},
		{memsqs.ReceiveInput{VisibilityTimeout: new(12 * time.Hour)}, nil},
		{memsqs.ReceiveInput{VisibilityTimeout: new(12*time.Hour + 1)}, []string{"VisibilityTimeout is 12h0m0.000000001s", "0 to 12h0m0s"}},
		{memsqs.ReceiveInput{WaitTime: new(time.Duration(-1))}, []string{"WaitTime is -1ns", "0 to 20s"}},
		{memsqs.ReceiveInput{WaitTime: new(time.Duration(0))}, nil},
		{memsqs.ReceiveInput{WaitTime: new(20 * time.Second)}, nil},
		{memsqs.ReceiveInput{WaitTime: new(20*time.Second + 1)}, []string{"WaitTime is 20.000000001s", "0 to 20s"}},
	} {
		for _, q := range []queue{newQueue(t, memsqs.Config{}), newFIFOQueue(t, memsqs.FIFOConfig{ContentBasedDeduplication: true})} {
			requireSend(t, q, memsqs.SendInput{Body: "b", GroupID: "g"}, nil)
			msgs, err := q.Receive(t.Context(), tt.in)
			if tt.refused == nil {
				require.NoError(t, err)
				require.Len(t, msgs, 1)
				continue
			}
			require.Empty(t, msgs)
			requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
			requireDetail(t, err, memsqs.ErrInvalidParameterValue, tt.refused...)
			requireCounts(t, q, 1, 0, 0)
		}
	}
}

// Only a FIFO queue takes the ids of deduplication and of receive attempts
// (A1.9).
func TestStandardQueueTakesNoIDsOfFIFOQueues(t *testing.T) {
	q := onFixedClock(t)
	requireSend(t, q, memsqs.SendInput{Body: "b", DeduplicationID: "d"}, memsqs.ErrNotFIFO)
	requireSend(t, q, memsqs.SendInput{Body: "b"}, nil)
	err := receiveError(t, q, memsqs.ReceiveInput{AttemptID: "a"})
	requireRefused(t, q, err, memsqs.ErrNotFIFO)
	require.ErrorIs(t, err, memsqs.ErrInvalidParameterValue)
	requireCounts(t, q, 1, 0, 0)
}
