package api

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memsqs/memsqs"
)

// A parser parses the attributes that a call gives for a queue, which need not
// exist yet. What they mean together with others that do not change is decided while
// the service's setup mutex is held.
type parser struct {
	service *Service
	arn     arn
	fifo    bool
	name    string // of the attribute that is parsed
}

// An attributeEdit is what a call wants to make of an attribute.
type attributeEdit struct {
	name string
	edit edit
}

// together returns one edit that is all of them.
func together(edits []attributeEdit) edit {
	return func(s *settings) {
		for _, e := range edits {
			e.edit(s)
		}
	}
}

// parse returns the edits that attributes are, in the order of their names, or the
// first mistake in that order. The current settings are those that they are to
// change.
func (p *parser) parse(values map[string]string, current settings) ([]attributeEdit, *Error) {
	edits := make([]attributeEdit, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		a := attributes[name]
		if err := p.checkSettable(name, a); err != nil {
			return nil, err
		}
		p.name = name
		if _, bad := findDisallowed(values[name]); bad { // XML could not show it
			return nil, p.invalid("")
		}
		e, err := a.parse(p, values[name])
		if err != nil {
			return nil, err
		}
		edits = append(edits, attributeEdit{name, e})
	}
	if strings.EqualFold(values["SqsManagedSseEnabled"], "true") && values["KmsMasterKeyId"] != "" { // A12.11
		return nil, InvalidAttributeName.errorf("You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.")
	}
	together(edits)(&current)
	return edits, p.checkThroughput(&current)
}

// checkSettable refuses what is not an attribute that can be set of a queue of the
// type (A12.5, A12.7).
func (p *parser) checkSettable(name string, a *attribute) *Error {
	switch {
	case a == nil || a.parse == nil:
		return unknownAttribute(name)
	case !a.fifo || p.fifo:
		return nil
	case name == "DeduplicationScope" || name == "FifoThroughputLimit":
		return InvalidAttributeName.errorf("You can specify the %s only when FifoQueue is set to true.", name)
	}
	return unknownAttribute(name)
}

func unknownAttribute(name string) *Error {
	return InvalidAttributeName.errorf("Unknown Attribute %s.", name)
}

// checkThroughput refuses the one pair of values that cannot be (B4.1).
func (p *parser) checkThroughput(s *settings) *Error {
	if s.perGroupThroughput && s.DeduplicationScope != memsqs.DeduplicateGroup {
		p.name = "FifoThroughputLimit"
		return p.invalid("To set FifoThroughputLimit to perMessageGroupId, the DeduplicationScope must be messageGroup.")
	}
	return nil
}

// invalid refuses the value of an attribute (A12.6), with a reason unless that is
// empty.
func (p *parser) invalid(reason string) *Error {
	if reason != "" {
		reason = " Reason: " + reason
	}
	return InvalidAttributeValue.errorf("Invalid value for the parameter %s.%s", p.name, reason)
}

func (p *parser) integer(value string, least, most int) (int, *Error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		return 0, p.invalid("")
	}
	return n, nil
}

// boolean parses true and false, in any case (A12.10).
func (p *parser) boolean(value string) (bool, *Error) {
	on := strings.EqualFold(value, "true")
	if !on && !strings.EqualFold(value, "false") {
		return false, p.invalid("")
	}
	return on, nil
}

// integer is an attribute whose values are numbers from least to most.
func integer(least, most int, get func(*settings) int, set func(*settings, int)) *attribute {
	return &attribute{
		show: func(v *view) string { return strconv.Itoa(get(&v.settings)) },
		parse: func(p *parser, value string) (edit, *Error) {
			n, err := p.integer(value, least, most)
			return func(s *settings) { set(s, n) }, err
		},
	}
}

// seconds is an attribute whose values are seconds. Go code can configure parts of
// one; they are shown as a whole one.
func seconds(least, most int, get func(*settings) time.Duration, set func(*settings, time.Duration)) *attribute {
	return integer(least, most,
		func(s *settings) int { return int((get(s) + time.Second - 1) / time.Second) },
		func(s *settings, n int) { set(s, time.Duration(n)*time.Second) })
}

// boolean is an attribute whose values are true and false.
func boolean(get func(*settings) bool, set func(*settings, bool)) *attribute {
	return &attribute{
		show: func(v *view) string { return strconv.FormatBool(get(&v.settings)) },
		parse: func(p *parser, value string) (edit, *Error) {
			on, err := p.boolean(value)
			return func(s *settings) { set(s, on) }, err
		},
	}
}

// choice is an attribute with two values, of which second is the one for true.
func choice(first, second string, get func(*settings) bool, set func(*settings, bool)) *attribute {
	return &attribute{
		show: func(v *view) string {
			if get(&v.settings) {
				return second
			}
			return first
		},
		parse: func(p *parser, value string) (edit, *Error) {
			if value != first && value != second {
				return nil, p.invalid("")
			}
			return func(s *settings) { set(s, value == second) }, nil
		},
	}
}

// fifoOnly makes a an attribute that standard queues do not have.
func fifoOnly(a *attribute) *attribute {
	a.fifo = true
	return a
}
