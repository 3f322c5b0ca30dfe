package api

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memsqs/memsqs"
)

// wants reports whether a receive with the given MessageAttributeNames asks for
// the message attribute of that name (A8.9). What a pattern begins with need not
// end where a part of the name does.
func wants(patterns []string, name string) bool {
	for _, p := range patterns {
		prefix, open := strings.CutSuffix(p, ".*")
		if p == name || p == "All" || p == "*" || open && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// selectAttributes returns those of a message's attributes that a receive asks for,
// nil for none. They have no lists (A3.11).
func selectAttributes(patterns []string, attrs map[string]memsqs.Attribute) map[string]MessageAttributeValue {
	var selected map[string]MessageAttributeValue
	for name, a := range attrs {
		if !wants(patterns, name) {
			continue
		}
		if selected == nil {
			selected = make(map[string]MessageAttributeValue)
		}
		selected[name] = attributeValue(a)
	}
	return selected
}

// attributeValue returns the value of an attribute of the engine.
func attributeValue(a memsqs.Attribute) MessageAttributeValue {
	if len(a.BinaryValue) > 0 {
		return MessageAttributeValue{DataType: &a.DataType, BinaryValue: a.BinaryValue}
	}
	return MessageAttributeValue{DataType: &a.DataType, StringValue: &a.StringValue}
}

// systemAttributes are the message system attributes that a receive can ask for
// (A10.1). One whose value is empty is one that the message does not have.
var systemAttributes = [...]struct {
	name  string
	value func(*queue, *memsqs.Message) string
}{
	{"SenderId", func(q *queue, m *memsqs.Message) string { return q.arn.account }}, // A4.3
	{"SentTimestamp", func(q *queue, m *memsqs.Message) string { return timestamp(m.SentAt) }},
	{"ApproximateReceiveCount", func(q *queue, m *memsqs.Message) string { return strconv.Itoa(m.ReceiveCount) }},
	{"ApproximateFirstReceiveTimestamp", func(q *queue, m *memsqs.Message) string { return timestamp(m.FirstReceivedAt) }},
	{"SequenceNumber", func(q *queue, m *memsqs.Message) string { return m.SequenceNumber }},
	{"MessageDeduplicationId", func(q *queue, m *memsqs.Message) string { return m.DeduplicationID }},
	{"MessageGroupId", func(q *queue, m *memsqs.Message) string { return m.GroupID }},
	{traceHeader, func(q *queue, m *memsqs.Message) string { return m.TraceHeader }},
	{"DeadLetterQueueSourceArn", (*queue).sourceARN},
}

// timestamp returns milliseconds since the epoch (A4.2).
func timestamp(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// sourceARN returns the ARN of the queue that a message was moved from as a dead
// letter, or "" if it was not. It is of the same place (A19.9).
func (q *queue) sourceARN(m *memsqs.Message) string {
	if m.DeadLetterSource == "" {
		return ""
	}
	return arn{q.arn.place, m.DeadLetterSource}.String()
}

// A selection says which of systemAttributes a receive asks for.
type selection struct {
	some  bool
	wants [len(systemAttributes)]bool
}

// selectSystem returns what lists of names, which add up (A10.5), ask for. Other
// names have no effect (A10.6).
func selectSystem(lists ...[]string) (s selection) {
	for _, names := range lists {
		for i, a := range systemAttributes {
			if slices.Contains(names, a.name) || slices.Contains(names, "All") {
				s.some, s.wants[i] = true, true
			}
		}
	}
	return s
}

// of returns the selected attributes of a message, nil for none (A10.4).
func (s *selection) of(q *queue, m *memsqs.Message) map[string]string {
	if !s.some {
		return nil
	}
	attrs := make(map[string]string)
	for i, a := range systemAttributes {
		if s.wants[i] {
			if v := a.value(q, m); v != "" {
				attrs[a.name] = v
			}
		}
	}
	return attrs
}
