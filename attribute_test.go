// Tests of what attributes a message can have.

package memsqs_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// requireAttribute requires that an attribute is accepted or refused.
func requireAttribute(t testing.TB, q queue, accepted bool, name string, a memsqs.Attribute) {
	t.Helper()
	code := memsqs.ErrInvalidParameterValue
	if accepted {
		code = nil
	}
	requireSend(t, q, memsqs.SendInput{Body: "b", Attributes: map[string]memsqs.Attribute{name: a}}, code)
}

// A message has at most 10 attributes (A8.1).
func TestMessageHasTenAttributesAtMost(t *testing.T) {
	q := onFixedClock(t)
	attributes := make(map[string]memsqs.Attribute)
	for n := 1; n <= 12; n++ {
		attributes["n"+strconv.Itoa(n)] = memsqs.Attribute{DataType: "String", StringValue: "v"}
		if n <= 10 {
			requireSend(t, q, memsqs.SendInput{Body: "b", Attributes: attributes}, nil)
			continue
		}
		err := sendError(t, q, memsqs.SendInput{Body: "b", Attributes: attributes})
		requireDetail(t, err, memsqs.ErrInvalidParameterValue, strconv.Itoa(n)+" attributes", "at most 10")
	}
}

// An attribute's name has 1 to 256 letters, digits, hyphens, underscores and
// dots; no dot at its ends or two together; and not a prefix that is reserved
// (A8.2). Letters are those of any script (A8.3).
func TestAttributeNames(t *testing.T) {
	q := onFixedClock(t)
	for accepted, names := range map[bool][]string{
		true: {
			"n", "N", "0", "-", "_", "a.b", "a.b.c", "-.-", "A_b-C.9", "attr.1øßä", "名前", "٣",
			"AWS", "aws-", "awsome.x", "Amazon", "amazons.x", "x.aws.y",
			strings.Repeat("n", 256), strings.Repeat("é", 256),
		},
		false: {
			"", " ", "a b", "a\t", "a\n", "a\x00", ".", ".a", "a.", "a..b", "..", "a...b",
			"a!", `a"`, "a§", "a(", "a?", "a/b", "a:b", "a,b", "€", "a\U0001f600", "\u0301",
			"\xff", "a\xc3", "\ufffd", "\ufffe",
			"AWS.x", "aws.x", "aWs.x", "aws.", "Amazon.x", "AMAZON.x", "amazon.x",
			strings.Repeat("n", 257), strings.Repeat("é", 257),
		},
	} {
		for _, name := range names {
			t.Run(strconv.Quote(name), func(t *testing.T) {
				requireAttribute(t, q, accepted, name, memsqs.Attribute{DataType: "String", StringValue: "v"})
			})
		}
	}
}

// The names of attributes are case sensitive (A8.2).
func TestAttributeNamesDifferInCase(t *testing.T) {
	q := onFixedClock(t)
	attributes := map[string]memsqs.Attribute{
		"name": {DataType: "String", StringValue: "lower"},
		"Name": {DataType: "String", StringValue: "upper"},
	}
	requireSend(t, q, memsqs.SendInput{Body: "b", Attributes: attributes}, nil)
	require.Equal(t, attributes, receiveOne(t, q).Attributes)
}

// A type is String, Number or Binary, exactly so, and may have a label of any
// text after a dot; the whole has 256 characters at most (A8.4).
func TestAttributeTypes(t *testing.T) {
	q := onFixedClock(t)
	for accepted, types := range map[bool][]string{
		true: {
			"String", "Number", "Binary",
			"String.json", "Number.java.lang.Long", "Binary.png", "String..", "String. ", "Number.ø",
			"String." + strings.Repeat("x", 249), "Binary." + strings.Repeat("é", 249),
		},
		false: {
			"", ".", "Text", "string", "NUMBER", "Strings", "String ", " String", "String\n",
			"String.", "Number.", "Binary.", ".String", "StringList", "String:json",
			"String." + strings.Repeat("x", 250), "Binary." + strings.Repeat("é", 250),
		},
	} {
		for _, dataType := range types {
			t.Run(strconv.Quote(dataType), func(t *testing.T) {
				a := memsqs.Attribute{DataType: dataType, StringValue: "1"}
				if strings.HasPrefix(dataType, "Binary") {
					a = memsqs.Attribute{DataType: dataType, BinaryValue: []byte("1")}
				}
				requireAttribute(t, q, accepted, "n", a)
			})
		}
	}
}

// An attribute has a value of the kind of its type, not empty, and no other
// (A8.6).
func TestAttributeHasTheValueOfItsType(t *testing.T) {
	q := onFixedClock(t)
	for _, dataType := range []string{"String", "Number", "Binary", "String.x", "Number.x", "Binary.x"} {
		binary := strings.HasPrefix(dataType, "Binary")
		requireAttribute(t, q, !binary, "n", memsqs.Attribute{DataType: dataType, StringValue: "1"})
		requireAttribute(t, q, binary, "n", memsqs.Attribute{DataType: dataType, BinaryValue: []byte("1")})
		requireAttribute(t, q, false, "n", memsqs.Attribute{DataType: dataType, StringValue: "1", BinaryValue: []byte("1")})
		requireAttribute(t, q, false, "n", memsqs.Attribute{DataType: dataType, BinaryValue: []byte{}})
		requireAttribute(t, q, false, "n", memsqs.Attribute{DataType: dataType})
	}
}

// A number is decimal, zero or of a size from 1e-128 to 1e126, with 38 digits
// at most when the zeros at its ends are left out (A8.5).
func TestNumberAttributes(t *testing.T) {
	q := onFixedClock(t)
	nines := strings.Repeat("9", 38)
	zeros := strings.Repeat("0", 1000)
	for accepted, numbers := range map[bool][]string{
		true: {
			"0", "-0", "+0", "00", "0.0", "0e0", "0e999999999999999999999", "0e-999999999999999999999", ".0",
			"1", "-1", "+1", "007", "1.", ".5", "-.5", "1.50", "1e0", "1E5", "1e+5", "1e-5", "1.e1", ".1e1", "1e005",
			nines, "-" + nines, "0." + nines, zeros + nines + zeros[:88], zeros + "." + nines[:1] + zeros, nines[:20] + "." + nines[:18],
			"0." + zeros[:90] + nines,
			"1e126", "-1e126", "0.1e127", "1000e123", "9." + nines[:37] + "e125", "1" + zeros[:126], "1." + zeros + "e126",
			"1e-128", "-1e-128", "0.1e-127", "0.001e-125", "1000e-131", "1.1e-128", "0." + zeros[:127] + "1",
			"1" + zeros + "e-1000", "0." + zeros + "1e1001", "1e0000000000000000000000000000000000000000000000000000005",
		},
		false: {
			" ", " 1", "1 ", "1\n", "ten", "-", "+", ".", "-.", "e", "e5", ".e5", "1e", "1e+", "1e-", "1e5.", "1e1.5", "1e1e1",
			"--1", "+-1", "1-", "1+1", "1,5", "1_000", "1.2.3", "..1", "0x10", "0b1", "1/2", "1p5", "NaN", "Inf", "-inf", "infinity",
			"１", "٣", "1\x00", "\xff", "½",
			nines + "9", "1" + nines, "0." + nines + "9", nines + ".1", nines[:20] + "." + nines[:19], "1." + zeros[:37] + "1",
			"1e127", "-1e127", "1.1e126", "2e126", "-2e126", "1.0000000000000000000000000000000000001e126", "1" + zeros[:127], "10e126", "1e999999999999999999999",
			"1e-129", "-1e-129", "9.9e-129", "0.9e-128", "0." + zeros[:128] + "1", "1e-999999999999999999999",
			"1" + zeros, "0." + zeros + "1",
		},
	} {
		for _, number := range numbers {
			t.Run(strconv.Quote(number), func(t *testing.T) {
				requireAttribute(t, q, accepted, "n", memsqs.Attribute{DataType: "Number", StringValue: number})
				requireAttribute(t, q, accepted, "n", memsqs.Attribute{DataType: "Number.custom", StringValue: number})
			})
		}
	}
}

// Of several attributes that break a rule the first by name is told of, always.
func TestFirstBadAttributeIsToldOf(t *testing.T) {
	q := onFixedClock(t)
	attributes := make(map[string]memsqs.Attribute)
	for _, name := range []string{"good", "first bad", "second bad", "third bad"} {
		attributes[name] = memsqs.Attribute{DataType: "String", StringValue: "v"}
	}
	for range 20 {
		err := sendError(t, q, memsqs.SendInput{Body: "b", Attributes: attributes})
		requireDetail(t, err, memsqs.ErrInvalidParameterValue, `"first bad"`)
	}
}
