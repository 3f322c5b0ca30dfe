package awssqs_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// A queue is what the engine's queues and those of Amazon SQS have in common.
type queue interface {
	Send(context.Context, memsqs.SendInput) (memsqs.SendResult, error)
	SendBatch(context.Context, []memsqs.SendInput) ([]memsqs.SendResult, error)
	Receive(context.Context, memsqs.ReceiveInput) ([]memsqs.Message, error)
	Delete(ctx context.Context, receiptHandle string) error
	DeleteBatch(ctx context.Context, receiptHandles []string) error
	ChangeVisibility(ctx context.Context, receiptHandle string, timeout time.Duration) error
	ChangeVisibilityBatch(context.Context, []memsqs.VisibilityChange) error
	Purge(context.Context) error
}

// A script calls a queue, and writes down what it answers in words that do not
// depend on the way there: ids and receipt handles have numbers in the order in
// which they came.
type script struct {
	*testing.T
	queue
	clock   *memsqs.ManualClock
	numbers map[string]int
	answers []string
	handles []string // in the order of the deliveries
}

// note writes down an answer.
func (s *script) note(call string, answer string, err error) {
	if err != nil {
		answer += " " + sentinels(err)
	}
	s.answers = append(s.answers, call+": "+answer)
}

// number returns the number of an id or a handle.
func (s *script) number(id string) int {
	if id != "" && s.numbers[id] == 0 {
		s.numbers[id] = len(s.numbers) + 1
	}
	return s.numbers[id]
}

func (s *script) sent(r memsqs.SendResult) string {
	return fmt.Sprintf("%d #%s;", s.number(r.MessageID), r.SequenceNumber)
}

func (s *script) send(in memsqs.SendInput) {
	result, err := s.Send(s.Context(), in)
	s.note("send", s.sent(result), err)
}

func (s *script) sendBatch(in ...memsqs.SendInput) {
	results, err := s.SendBatch(s.Context(), in)
	var all strings.Builder
	for _, r := range results {
		all.WriteString(s.sent(r))
	}
	s.note("send batch", all.String(), err)
}

func (s *script) receive(in memsqs.ReceiveInput) {
	msgs, err := s.Receive(s.Context(), in)
	var all strings.Builder
	for _, m := range msgs {
		s.handles = append(s.handles, m.ReceiptHandle)
		fmt.Fprintf(&all, "%d by %d ", s.number(m.ID), s.number(m.ReceiptHandle))
		m.ID, m.ReceiptHandle, m.InvisibleUntil = "", "", time.Time{}
		m.SentAt, m.FirstReceivedAt = m.SentAt.UTC(), m.FirstReceivedAt.UTC()
		fmt.Fprintf(&all, "%+v;", m)
	}
	s.note("receive", all.String(), err)
}

func (s *script) delete(handle string) {
	s.note("delete", "", s.Delete(s.Context(), handle))
}

func (s *script) deleteBatch(handles ...string) {
	s.note("delete batch", "", s.DeleteBatch(s.Context(), handles))
}

func (s *script) change(handle string, timeout time.Duration) {
	s.note("change", "", s.ChangeVisibility(s.Context(), handle, timeout))
}

func (s *script) changeBatch(changes ...memsqs.VisibilityChange) {
	s.note("change batch", "", s.ChangeVisibilityBatch(s.Context(), changes))
}

func (s *script) purge() { s.note("purge", "", s.Purge(s.Context())) }

// advance lets time pass.
func (s *script) advance(d time.Duration) { s.clock.Advance(d) }

// handle returns the handle of a delivery, counted from 1.
func (s *script) handle(delivery int) string {
	require.LessOrEqual(s, delivery, len(s.handles))
	return s.handles[delivery-1]
}

// sentinelNames are the engine's errors by name.
var sentinelNames = map[string]error{
	"ErrClosed":                 memsqs.ErrClosed,
	"ErrMissingParameter":       memsqs.ErrMissingParameter,
	"ErrInvalidParameterValue":  memsqs.ErrInvalidParameterValue,
	"ErrNotFIFO":                memsqs.ErrNotFIFO,
	"ErrInvalidAttributeValue":  memsqs.ErrInvalidAttributeValue,
	"ErrInvalidMessageContents": memsqs.ErrInvalidMessageContents,
	"ErrReceiptHandleIsInvalid": memsqs.ErrReceiptHandleIsInvalid,
	"ErrReceiptHandleExpired":   memsqs.ErrReceiptHandleExpired,
	"ErrMessageGone":            memsqs.ErrMessageGone,
	"ErrOverLimit":              memsqs.ErrOverLimit,
	"ErrBatchEmpty":             memsqs.ErrBatchEmpty,
	"ErrBatchTooMany":           memsqs.ErrBatchTooMany,
	"ErrBatchTooLong":           memsqs.ErrBatchTooLong,
}

// sentinels returns the names of what an error matches, for each entry of a batch
// if it is one.
func sentinels(err error) string {
	var batch *memsqs.BatchError
	if errors.As(err, &batch) {
		var all strings.Builder
		for _, i := range slices.Sorted(maps.Keys(batch.Failed)) {
			fmt.Fprintf(&all, "%d %s;", i, sentinels(batch.Failed[i]))
		}
		return all.String()
	}
	var refused *memsqs.Error
	if !errors.As(err, &refused) {
		return err.Error()
	}
	var names []string
	for name, sentinel := range sentinelNames {
		if errors.Is(err, sentinel) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return refused.Queue + " " + strings.Join(names, " ")
}
