// Tests of what a refused call returns: the codes, the texts, and what
// errors.Is and errors.As make of them.

package memsqs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// sentinels are all codes that an Error can have.
var sentinels = []error{
	memsqs.ErrClosed, memsqs.ErrNotFIFO,
	memsqs.ErrMissingParameter, memsqs.ErrInvalidParameterValue,
	memsqs.ErrInvalidAttributeValue, memsqs.ErrInvalidMessageContents,
	memsqs.ErrReceiptHandleIsInvalid, memsqs.ErrReceiptHandleExpired,
	memsqs.ErrMessageGone, memsqs.ErrOverLimit,
	memsqs.ErrBatchEmpty, memsqs.ErrBatchTooMany, memsqs.ErrBatchTooLong,
}

// sendError returns the error of a send.
func sendError(t testing.TB, q queue, in memsqs.SendInput) error {
	_, err := q.Send(t.Context(), in)
	return err
}

// receiveError returns the error of a receive.
func receiveError(t testing.TB, q queue, in memsqs.ReceiveInput) error {
	_, err := q.Receive(t.Context(), in)
	return err
}

// The codes are told apart by errors.Is, but that SQS answers three of them with
// the code of a fourth (D2).
func TestCodesMatchThemselvesAlone(t *testing.T) {
	for _, code := range sentinels {
		for _, target := range sentinels {
			also := target == memsqs.ErrInvalidParameterValue &&
				(code == memsqs.ErrNotFIFO || code == memsqs.ErrReceiptHandleExpired || code == memsqs.ErrMessageGone)
			err := fmt.Errorf("wrapped: %w", &memsqs.Error{Code: code})
			require.Equal(t, code == target || also, errors.Is(err, target), "%v is %v", code, target)
		}
	}
}

// The text of an Error has the queue's name, if it has one, the code and the
// detail in it, on one line.
func TestErrorTextHasQueueCodeAndDetail(t *testing.T) {
	in := memsqs.ReceiveInput{MaxMessages: 11}
	err := receiveError(t, newQueue(t, memsqs.Config{Name: "orders"}), in)
	require.EqualError(t, err, "memsqs: queue orders: invalid parameter value: MaxMessages is 11; it must be 1 to 10, or 0 for 1")

	err = receiveError(t, newQueue(t, memsqs.Config{}), in)
	require.EqualError(t, err, "memsqs: invalid parameter value: MaxMessages is 11; it must be 1 to 10, or 0 for 1")
}

// A text of the caller's is quoted in an error, and shortened, so that an error
// about a large or strange value is still one short line.
func TestErrorTextQuotesAndShortensTheCallersText(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	for _, size := range []int{1, 64, 65, 1 << 20} {
		err := q.Delete(t.Context(), strings.Repeat("\n", size))
		require.NotContains(t, err.Error(), "\n")
		require.Less(t, len(err.Error()), 300)
		require.Equal(t, size > 64, strings.Contains(err.Error(), fmt.Sprintf("of %d bytes", size)))
	}
}

// A refusal has the code of its family of mistakes, and says what the value
// was and what it must be (D3).
func TestRefusalNamesTheValueAndWhatIsAccepted(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "standard", MaxMessageSize: 1024})
	fifo := newFIFOQueue(t, memsqs.FIFOConfig{Name: "fifo"})
	redrive := func(to *memsqs.Queue, rate int) error {
		_, err := q.Redrive(t.Context(), to, rate)
		return err
	}
	attribute := func(name, dataType, value string) memsqs.SendInput {
		return memsqs.SendInput{Body: "b", Attributes: map[string]memsqs.Attribute{name: {DataType: dataType, StringValue: value}}}
	}
	for _, tt := range []struct {
		err, code error
		parts     []string
	}{
		{sendError(t, q, memsqs.SendInput{}), memsqs.ErrMissingParameter, []string{"Body is empty", "at least one character"}},
		{sendError(t, q, memsqs.SendInput{Body: "a\x01"}), memsqs.ErrInvalidMessageContents, []string{"Body", "U+0001 at 1", "U+E000 to U+FFFD"}},
		{sendError(t, q, memsqs.SendInput{Body: "a\xff"}), memsqs.ErrInvalidMessageContents, []string{"Body", "0xff at 1", "valid UTF-8"}},
		{sendError(t, q, memsqs.SendInput{Body: strings.Repeat("a", 1025)}), memsqs.ErrInvalidParameterValue, []string{"1025 bytes", "at most 1024"}},
		{sendError(t, q, memsqs.SendInput{Body: "b", Delay: seconds(901)}), memsqs.ErrInvalidParameterValue, []string{"Delay is 15m1s", "0 to 15m0s"}},
		{sendError(t, q, memsqs.SendInput{Body: "b", GroupID: "a b"}), memsqs.ErrInvalidParameterValue, []string{`GroupID is "a b"`, "ASCII letters, digits and punctuation"}},
		{sendError(t, q, memsqs.SendInput{Body: "b", GroupID: strings.Repeat("g", 129)}), memsqs.ErrInvalidParameterValue, []string{"of 129 bytes", "1 to 128"}},
		{sendError(t, q, memsqs.SendInput{Body: "b", DeduplicationID: "d"}), memsqs.ErrNotFIFO, []string{`DeduplicationID is "d"`, "only a FIFO queue"}},
		{sendError(t, q, memsqs.SendInput{Body: "b", TraceHeader: "\x01"}), memsqs.ErrInvalidParameterValue, []string{"TraceHeader", "U+0001 at 0"}},
		{sendError(t, q, attribute("n!", "String", "v")), memsqs.ErrInvalidParameterValue, []string{`"n!"`, `'!'`, "letters, digits"}},
		{sendError(t, q, attribute("n", "Text", "v")), memsqs.ErrInvalidParameterValue, []string{`"n"`, `"Text"`, `"String", "Number" or "Binary"`}},
		{sendError(t, q, attribute("n", "String", "")), memsqs.ErrInvalidParameterValue, []string{`"n"`, "not empty"}},
		{sendError(t, q, attribute("n", "Number", "ten")), memsqs.ErrInvalidParameterValue, []string{`"ten"`, "38 digits", "1e-128 to 1e126"}},
		{sendError(t, fifo, memsqs.SendInput{Body: "b"}), memsqs.ErrMissingParameter, []string{"GroupID"}},
		{sendError(t, fifo, memsqs.SendInput{Body: "b", GroupID: "g"}), memsqs.ErrInvalidParameterValue, []string{"DeduplicationID"}},
		{sendError(t, fifo, memsqs.SendInput{Body: "b", GroupID: "g", DeduplicationID: "d", Delay: seconds(1)}), memsqs.ErrInvalidParameterValue, []string{"Delay is 1s", "0 or nil"}},
		{receiveError(t, q, memsqs.ReceiveInput{MaxMessages: 11}), memsqs.ErrInvalidParameterValue, []string{"MaxMessages is 11", "1 to 10"}},
		{receiveError(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(43201)}), memsqs.ErrInvalidParameterValue, []string{"VisibilityTimeout is 12h0m1s", "0 to 12h0m0s"}},
		{receiveError(t, q, memsqs.ReceiveInput{WaitTime: seconds(21)}), memsqs.ErrInvalidParameterValue, []string{"WaitTime is 21s", "0 to 20s"}},
		{receiveError(t, q, memsqs.ReceiveInput{AttemptID: "a"}), memsqs.ErrNotFIFO, []string{`AttemptID is "a"`, "only a FIFO queue"}},
		{q.Delete(t.Context(), ""), memsqs.ErrMissingParameter, []string{"receipt handle is empty"}},
		{q.Delete(t.Context(), "garbage"), memsqs.ErrReceiptHandleIsInvalid, []string{`"garbage"`, "this queue"}},
		{q.ChangeVisibility(t.Context(), "garbage", -time.Second), memsqs.ErrInvalidParameterValue, []string{"is -1s", "0 to 12h0m0s"}},
		{redrive(q, 0), memsqs.ErrInvalidParameterValue, []string{"itself"}},
		{redrive(nil, -1), memsqs.ErrInvalidParameterValue, []string{"-1 messages per second", "positive, or 0"}},
	} {
		requireDetail(t, tt.err, tt.code, tt.parts...)
	}
}

// An error names the queue that refused the call.
func TestErrorNamesTheQueueThatRefused(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "source"})
	closed := newQueue(t, memsqs.Config{Name: "closed"})
	require.NoError(t, closed.Close())

	requireRefused(t, q, q.Delete(t.Context(), "garbage"), memsqs.ErrReceiptHandleIsInvalid)
	_, err := q.Redrive(t.Context(), closed, 0)
	requireRefused(t, closed, err, memsqs.ErrClosed)
	_, err = q.SendBatch(t.Context(), []memsqs.SendInput{{}})
	requireRefused(t, q, failedEntries(t, err)[0], memsqs.ErrMissingParameter)
	_, err = memsqs.NewQueue(memsqs.Config{Name: "source", Delay: -1})
	requireRefused(t, q, err, memsqs.ErrInvalidAttributeValue)
}

// A BatchError tells of its entries in the order of the batch, and matches what
// any of them matches.
func TestBatchErrorTellsOfItsEntriesInOrder(t *testing.T) {
	third := &memsqs.Error{Code: memsqs.ErrMissingParameter, Queue: "q", Detail: "third"}
	eighth := &memsqs.Error{Code: memsqs.ErrNotFIFO, Queue: "q", Detail: "eighth"}
	tenth := &memsqs.Error{Code: memsqs.ErrReceiptHandleIsInvalid, Queue: "q", Detail: "tenth"}
	err := &memsqs.BatchError{Failed: map[int]error{9: tenth, 2: third, 7: eighth}}

	require.EqualError(t, err, "memsqs: 3 of the batch failed; entry 2: "+third.Error()+
		"; entry 7: "+eighth.Error()+"; entry 9: "+tenth.Error())
	require.Equal(t, []error{third, eighth, tenth}, err.Unwrap())
	for _, code := range sentinels {
		matches := errors.Is(third, code) || errors.Is(eighth, code) || errors.Is(tenth, code)
		require.Equal(t, matches, errors.Is(err, code), "%v", code)
	}
	var first *memsqs.Error
	require.ErrorAs(t, err, &first)
	require.Same(t, third, first)
}

// A BatchError can be of a call of any length, so what it says has an end.
func TestBatchErrorTellsOfTenEntriesAtMost(t *testing.T) {
	err := &memsqs.BatchError{Failed: map[int]error{}}
	for i := range 12 {
		err.Failed[i] = memsqs.ErrClosed
	}
	require.ErrorContains(t, err, "12 of the batch failed; entry 0: ")
	require.ErrorContains(t, err, "; entry 9: queue is closed; and 2 more")
	require.NotContains(t, err.Error(), "entry 10")
}

// Size counts what the limit of a message's size counts, in bytes. (A1.4)
func TestSizeCountsBodyAndAttributesButNoTraceHeader(t *testing.T) {
	in := memsqs.SendInput{
		Body:        "äb",
		TraceHeader: "Root=1",
		GroupID:     "g",
		Attributes: map[string]memsqs.Attribute{
			"n": {DataType: "Number", StringValue: "12"},
			"b": {DataType: "Binary", BinaryValue: []byte{1, 2, 3}},
		},
	}
	require.Equal(t, 3+(1+6+2)+(1+6+3), in.Size())
}
