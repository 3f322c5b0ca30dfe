package api

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memsqs/memsqs"
)

// An attribute is what a queue's attribute of some name is.
type attribute struct {
	fifo  bool                                         // standard queues do not have it
	show  func(*view) string                           // its value, or "" if there is none
	parse func(p *parser, value string) (edit, *Error) // nil if it cannot be set
}

// A view is what the attributes of a queue show at one instant.
type view struct {
	settings
	arn                   arn
	stats                 memsqs.Stats
	createdAt, modifiedAt time.Time
}

// view returns what the queue's attributes show now.
func (q *queue) view() *view {
	stats := q.Stats()
	q.mu.Lock()
	defer q.mu.Unlock()
	return &view{q.settings(), q.arn, stats, q.createdAt, q.modifiedAt}
}

// attributes are all attributes by name. It is not changed.
var attributes = map[string]*attribute{
	"ApproximateNumberOfMessages":           readOnly(func(v *view) string { return strconv.Itoa(v.stats.Visible) }),
	"ApproximateNumberOfMessagesDelayed":    readOnly(func(v *view) string { return strconv.Itoa(v.stats.Delayed) }),
	"ApproximateNumberOfMessagesNotVisible": readOnly(func(v *view) string { return strconv.Itoa(v.stats.InFlight) }),
	"CreatedTimestamp":                      readOnly(func(v *view) string { return strconv.FormatInt(v.createdAt.Unix(), 10) }),
	"LastModifiedTimestamp":                 readOnly(func(v *view) string { return strconv.FormatInt(v.modifiedAt.Unix(), 10) }),
	"QueueArn":                              readOnly(func(v *view) string { return v.arn.String() }),

	"DelaySeconds": seconds(0, 900,
		func(s *settings) time.Duration { return s.Delay },
		func(s *settings, d time.Duration) { s.Delay = d }),
	"MessageRetentionPeriod": seconds(60, 1_209_600,
		func(s *settings) time.Duration { return s.Retention },
		func(s *settings, d time.Duration) { s.Retention = d }),
	"ReceiveMessageWaitTimeSeconds": seconds(0, 20,
		func(s *settings) time.Duration { return s.WaitTime },
		func(s *settings, d time.Duration) { s.WaitTime = d }),
	"VisibilityTimeout": seconds(0, 43_200,
		func(s *settings) time.Duration { return *s.VisibilityTimeout },
		func(s *settings, d time.Duration) { s.VisibilityTimeout = &d }),
	"MaximumMessageSize": integer(1024, 1_048_576,
		func(s *settings) int { return s.MaxMessageSize },
		func(s *settings, n int) { s.MaxMessageSize = n }),

	"FifoQueue": {
		fifo:  true,
		show:  func(*view) string { return "true" },
		parse: parseFifoQueue,
	},
	"ContentBasedDeduplication": fifoOnly(boolean(
		func(s *settings) bool { return s.ContentBasedDeduplication },
		func(s *settings, on bool) { s.ContentBasedDeduplication = on })),
}

// fifoOnly makes a an attribute that standard queues do not have.
func fifoOnly(a *attribute) *attribute {
	a.fifo = true
	return a
}

// parseFifoQueue accepts that a FIFO queue is one (A12.9).
func parseFifoQueue(p *parser, value string) (edit, *Error) {
	switch strings.ToLower(value) {
	case "true":
		return func(*settings) {}, nil
	case "false":
		return nil, p.invalid("Modifying queue type is not supported.")
	}
	return nil, p.invalid("")
}

func readOnly(show func(*view) string) *attribute { return &attribute{show: show} }

// integer is an attribute whose values are numbers from least to most.
func integer(least, most int, get func(*settings) int, set func(*settings, int)) *attribute {
	return &attribute{
		show: func(v *view) string { return strconv.Itoa(get(&v.settings)) },
		parse: func(p *parser, value string) (edit, *Error) {
			n, err := strconv.Atoi(value)
			if err != nil || n < least || n > most {
				return nil, p.invalid("")
			}
			return func(s *settings) { set(s, n) }, nil
		},
	}
}

// seconds is an attribute whose values are seconds. Go code can configure parts of
// a second; they are shown as a whole one.
func seconds(least, most int, get func(*settings) time.Duration, set func(*settings, time.Duration)) *attribute {
	return integer(least, most,
		func(s *settings) int { return int((get(s) + time.Second - 1) / time.Second) },
		func(s *settings, n int) { set(s, time.Duration(n)*time.Second) })
}

// boolean is an attribute whose values are true and false, in any case (A12.10).
func boolean(get func(*settings) bool, set func(*settings, bool)) *attribute {
	return &attribute{
		show: func(v *view) string { return strconv.FormatBool(get(&v.settings)) },
		parse: func(p *parser, value string) (edit, *Error) {
			on := strings.EqualFold(value, "true")
			if !on && !strings.EqualFold(value, "false") {
				return nil, p.invalid("")
			}
			return func(s *settings) { set(s, on) }, nil
		},
	}
}

// A parser parses the attributes that a call gives for a queue, which need not
// exist yet.
type parser struct {
	service *Service
	arn     arn
	fifo    bool
	name    string // of the attribute it has come to
}

// invalid refuses the value of an attribute, with a reason if it is not empty
// (A12.6).
func (p *parser) invalid(reason string) *Error {
	if reason != "" {
		reason = " Reason: " + reason
	}
	return InvalidAttributeValue.errorf("Invalid value for the parameter %s.%s", p.name, reason)
}

// An attributeEdit is what a call wants to make of an attribute.
type attributeEdit struct {
	name string
	edit edit
}

// parse returns the edits that attributes are, in the order of their names. Of
// several mistakes it reports the first in that order.
func (p *parser) parse(values map[string]string) ([]attributeEdit, *Error) {
	edits := make([]attributeEdit, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		a := attributes[name]
		if a == nil || a.parse == nil || a.fifo && !p.fifo {
			return nil, unknownAttribute(name)
		}
		p.name = name
		e, err := a.parse(p, values[name])
		if err != nil {
			return nil, err
		}
		edits = append(edits, attributeEdit{name, e})
	}
	return edits, nil
}

func unknownAttribute(name string) *Error {
	return InvalidAttributeName.errorf("Unknown Attribute %s.", name)
}

// together returns one edit that is all of them.
func together(edits []attributeEdit) edit {
	return func(s *settings) {
		for _, e := range edits {
			e.edit(s)
		}
	}
}
