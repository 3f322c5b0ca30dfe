package pubsub_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// number returns an attribute of type Number.
func number(s string) memsqs.Attribute {
	return memsqs.Attribute{DataType: "Number", StringValue: s}
}

func TestConditions(t *testing.T) {
	bytes := memsqs.Attribute{DataType: "Binary", BinaryValue: []byte("a")}
	labelled := memsqs.Attribute{DataType: "Number.int", StringValue: "5"}
	other := memsqs.Attribute{DataType: "Numbers", StringValue: "5"}
	teens := pubsub.All(pubsub.AtLeast(13), pubsub.Below(20))
	for _, c := range []struct {
		name      string
		condition pubsub.Condition
		matches   []memsqs.Attribute
		not       []memsqs.Attribute
		absent    bool // whether no attribute matches
	}{
		{"equal", pubsub.Equal("a", "b"), []memsqs.Attribute{text("a"), text("b")}, []memsqs.Attribute{text("A"), text("ab"), bytes}, false},
		{"equal is of the text", pubsub.Equal("5"), []memsqs.Attribute{text("5"), number("5"), labelled}, []memsqs.Attribute{number("5.0")}, false},
		{"equal to no text", pubsub.Equal(""), nil, []memsqs.Attribute{bytes}, false},
		{"equal to nothing", pubsub.Equal(), nil, []memsqs.Attribute{text("a")}, false},
		{"prefix", pubsub.Prefix("or"), []memsqs.Attribute{text("or"), text("order")}, []memsqs.Attribute{text("o"), text("for"), bytes}, false},
		{"empty prefix", pubsub.Prefix(""), []memsqs.Attribute{text("or")}, []memsqs.Attribute{bytes}, false},
		{"exists", pubsub.Exists(), []memsqs.Attribute{text("a"), number("1"), bytes}, nil, false},
		{"absent", pubsub.Absent(), nil, []memsqs.Attribute{text("a"), bytes}, true},
		{"at least", pubsub.AtLeast(5), []memsqs.Attribute{number("5"), number("5.00"), number("5e1"), labelled}, []memsqs.Attribute{number("4.999"), number("-6"), text("5"), other, bytes}, false},
		{"above", pubsub.Above(5), []memsqs.Attribute{number("5.001")}, []memsqs.Attribute{number("5"), text("6")}, false},
		{"at most", pubsub.AtMost(5), []memsqs.Attribute{number("5"), number("-6")}, []memsqs.Attribute{number("5.001"), text("5")}, false},
		{"below", pubsub.Below(5), []memsqs.Attribute{number("4.999")}, []memsqs.Attribute{number("5"), text("4"), number("four"), number("")}, false},
		{"all, as a range", teens, []memsqs.Attribute{number("13"), number("19.9")}, []memsqs.Attribute{number("12"), number("20"), text("15")}, false},
		{"all of none", pubsub.All(), []memsqs.Attribute{text("a")}, nil, true},
		{"anything but", pubsub.AnythingBut(pubsub.Equal("a"), pubsub.Prefix("b")), []memsqs.Attribute{text("c"), number("1"), bytes}, []memsqs.Attribute{text("a"), text("bc")}, false},
		{"anything but a range", pubsub.AnythingBut(teens), []memsqs.Attribute{number("12"), number("20")}, []memsqs.Attribute{number("15")}, false},
		{"anything but absent", pubsub.AnythingBut(pubsub.Absent()), []memsqs.Attribute{text("c")}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, a := range c.matches {
				require.True(t, c.condition(a, true), "%v", a)
			}
			for _, a := range c.not {
				require.False(t, c.condition(a, true), "%v", a)
			}
			require.Equal(t, c.absent, c.condition(memsqs.Attribute{}, false), "absent")
		})
	}
}

func TestFilterWantsOneConditionOfEachName(t *testing.T) {
	filter := pubsub.Filter{
		"kind":  {pubsub.Equal("order"), pubsub.Prefix("refund")},
		"total": {pubsub.AtLeast(100)},
	}
	for _, c := range []struct {
		attributes map[string]memsqs.Attribute
		want       bool
	}{
		{map[string]memsqs.Attribute{"kind": text("order"), "total": number("100")}, true},
		{map[string]memsqs.Attribute{"kind": text("refund.part"), "total": number("100"), "more": text("x")}, true},
		{map[string]memsqs.Attribute{"kind": text("order"), "total": number("99")}, false},
		{map[string]memsqs.Attribute{"kind": text("invoice"), "total": number("100")}, false},
		{map[string]memsqs.Attribute{"kind": text("order")}, false},
		{map[string]memsqs.Attribute{"Kind": text("order"), "total": number("100")}, false},
		{nil, false},
	} {
		require.Equal(t, c.want, filter.Match(c.attributes), "%v", c.attributes)
	}
}

func TestEmptyFilterMatchesAllAndANameWithoutConditionsNone(t *testing.T) {
	for _, attributes := range []map[string]memsqs.Attribute{nil, {"a": text("b")}} {
		require.True(t, pubsub.Filter(nil).Match(attributes))
		require.True(t, pubsub.Filter{}.Match(attributes))
		require.False(t, pubsub.Filter{"a": {}}.Match(attributes))
	}
}
