package pubsub

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memsqs/memsqs"
)

// A Filter says which messages a subscription gets, by their attributes. It is
// modelled on the filter policies of Amazon SNS: for each name in it, the
// attribute of that name must satisfy one of the conditions.
//
//	pubsub.Filter{
//		"event": {pubsub.Equal("order.paid"), pubsub.Prefix("refund.")},
//		"total": {pubsub.All(pubsub.AtLeast(100), pubsub.Below(1000))},
//		"test":  {pubsub.Absent()},
//	}
//
// A nil or empty Filter matches every message, and a name without conditions
// none. Names are matched as they are written, in upper or lower case.
type Filter map[string][]Condition

// Match reports whether f matches a message with the given attributes.
func (f Filter) Match(attributes map[string]memsqs.Attribute) bool {
	for name, conditions := range f {
		a, ok := attributes[name]
		matches := func(c Condition) bool { return c(a, ok) }
		if !slices.ContainsFunc(conditions, matches) {
			return false
		}
	}
	return true
}

// A Condition is what a [Filter] asks of an attribute: it reports whether the
// attribute, or that there is none, satisfies it. It may be called by several
// goroutines at once.
type Condition func(a memsqs.Attribute, exists bool) bool

// Equal is satisfied by a String or Number attribute whose text is one of the
// given. So "1.0" is not "1"; for numbers, see [AtLeast].
func Equal(texts ...string) Condition {
	return func(a memsqs.Attribute, exists bool) bool {
		return exists && isText(a) && slices.Contains(texts, a.StringValue)
	}
}

// Prefix is satisfied by a String or Number attribute whose text begins with
// prefix.
func Prefix(prefix string) Condition {
	return func(a memsqs.Attribute, exists bool) bool {
		return exists && isText(a) && strings.HasPrefix(a.StringValue, prefix)
	}
}

// Exists is satisfied by an attribute of any type and value.
func Exists() Condition {
	return func(_ memsqs.Attribute, exists bool) bool { return exists }
}

// Absent is satisfied if there is no such attribute.
func Absent() Condition {
	return func(_ memsqs.Attribute, exists bool) bool { return !exists }
}

// AtLeast is satisfied by a Number attribute of n or more. A range is made with
// [All]. Numbers are compared as values of type float64, so with a precision of
// 15 digits.
func AtLeast(n float64) Condition {
	return number(func(x float64) bool { return x >= n })
}

// Above is satisfied by a Number attribute of more than n; see [AtLeast].
func Above(n float64) Condition {
	return number(func(x float64) bool { return x > n })
}

// AtMost is satisfied by a Number attribute of n or less; see [AtLeast].
func AtMost(n float64) Condition {
	return number(func(x float64) bool { return x <= n })
}

// Below is satisfied by a Number attribute of less than n; see [AtLeast].
func Below(n float64) Condition {
	return number(func(x float64) bool { return x < n })
}

// number is satisfied by a Number attribute whose value is in a range.
func number(isIn func(float64) bool) Condition {
	return func(a memsqs.Attribute, exists bool) bool {
		if !exists || a.DataType != "Number" && !strings.HasPrefix(a.DataType, "Number.") {
			return false
		}
		x, err := strconv.ParseFloat(a.StringValue, 64)
		return err == nil && isIn(x)
	}
}

// All is satisfied if each of the conditions is.
func All(conditions ...Condition) Condition {
	return func(a memsqs.Attribute, exists bool) bool {
		for _, c := range conditions {
			if !c(a, exists) {
				return false
			}
		}
		return true
	}
}

// AnythingBut is satisfied by an attribute that satisfies none of the conditions.
// As in Amazon SNS, the attribute must exist.
func AnythingBut(conditions ...Condition) Condition {
	return func(a memsqs.Attribute, exists bool) bool {
		satisfied := func(c Condition) bool { return c(a, exists) }
		return exists && !slices.ContainsFunc(conditions, satisfied)
	}
}
