// Fuzz tests of what comes from outside: messages and receipt handles.

package memsqs_test

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// FuzzSend sends any message. It is accepted if and only if the rules below,
// the same ones told in another way, say so, and then received as it was sent.
func FuzzSend(f *testing.F) {
	for _, seed := range [][5]string{
		{"hello", "", "", "", ""},
		{"", "n", "String", "v", "tenant"},
		{"\ufffd\ufffe", "n", "String.json", "{}", "a b"},
		{"b", "attr.1øßä", "Number", "-1.50e+3", "g"},
		{"b", "aWs.x", "Number.int", "0x10", ""},
		{"b", "a..b", "Binary.png", "\x89PNG\r\n", ""},
		{"b", "n", "Number", "1e-128", ""},
		{"b", "n", "Number", "0." + strings.Repeat("0", 88) + strings.Repeat("9", 38), ""},
		{"b", "n", "Number", "123e99999999999999999999", ""},
		{"\xed\xa0\x80", "n", "Text", "v", "\x7f"},
		{"\r\n\t", "n.", "Number", "9.99e125", strings.Repeat("g", 129)},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	f.Fuzz(func(t *testing.T, body, name, dataType, value, group string) {
		in := memsqs.SendInput{Body: body, GroupID: group}
		if name+dataType+value != "" {
			a := memsqs.Attribute{DataType: dataType, StringValue: value}
			if strings.HasPrefix(dataType, "Binary") {
				a = memsqs.Attribute{DataType: dataType, BinaryValue: []byte(value)}
			}
			in.Attributes = map[string]memsqs.Attribute{name: a}
		}
		q := newQueue(t, memsqs.Config{Name: "q"})
		result, err := q.Send(t.Context(), in)
		if !isAcceptable(in) {
			require.Error(t, err, "%+q", in)
			var refused *memsqs.Error
			require.ErrorAs(t, err, &refused)
			requireCounts(t, q, 0, 0, 0)
			return
		}
		require.NoError(t, err, "%+q", in)
		m := receiveOne(t, q)
		require.Equal(t, result.MessageID, m.ID)
		require.Equal(t, in, memsqs.SendInput{Body: m.Body, Attributes: m.Attributes, GroupID: m.GroupID})
	})
}

// isAcceptable says whether a standard queue takes a message that has only a
// body, a group id and attributes (A1.1 to A1.10).
func isAcceptable(in memsqs.SendInput) bool {
	size := len(in.Body)
	for name, a := range in.Attributes {
		size += len(name + a.DataType + a.StringValue + string(a.BinaryValue))
		if !isName(name) || !isType(a.DataType) || !isValue(a) {
			return false
		}
	}
	return in.Body != "" && isText(in.Body) && size <= 1<<20 && isTenant(in.GroupID)
}

// isText says whether a text is UTF-8 of the characters of A1.5.
func isText(s string) bool {
	for _, r := range s {
		if !(r == 0x9 || r == 0xA || r == 0xD || 0x20 <= r && r <= 0xD7FF || 0xE000 <= r && r <= 0xFFFD || 0x10000 <= r && r <= 0x10FFFF) {
			return false
		}
	}
	return utf8.ValidString(s)
}

var (
	tenantForm   = regexp.MustCompile(`^[!-~]{0,128}$`)
	nameForm     = regexp.MustCompile(`^[\p{L}\p{Nd}_-]+(\.[\p{L}\p{Nd}_-]+)*$`)
	reservedForm = regexp.MustCompile(`^([Aa][Ww][Ss]|[Aa][Mm][Aa][Zz][Oo][Nn])\.`)
	typeForm     = regexp.MustCompile(`(?s)^(String|Number|Binary)(\..+)?$`)
	numberForm   = regexp.MustCompile(`^([+-]?)([0-9]*)\.?([0-9]*)([eE]([+-]?[0-9]+))?$`)
)

func isTenant(s string) bool { return tenantForm.MatchString(s) }

// isName says whether a name is one of A8.2 and A8.3.
func isName(s string) bool {
	return nameForm.MatchString(s) && !reservedForm.MatchString(s) && utf8.RuneCountInString(s) <= 256
}

// isType says whether a data type is one of A8.4.
func isType(s string) bool {
	return typeForm.MatchString(s) && isText(s) && utf8.RuneCountInString(s) <= 256
}

// isValue says whether an attribute has the value that its type asks for (A8.5,
// A8.6).
func isValue(a memsqs.Attribute) bool {
	switch base, _, _ := strings.Cut(a.DataType, "."); base {
	case "Binary":
		return len(a.BinaryValue) > 0 && a.StringValue == ""
	case "Number":
		return len(a.BinaryValue) == 0 && isDecimal(a.StringValue)
	}
	return len(a.BinaryValue) == 0 && a.StringValue != "" && isText(a.StringValue)
}

// isDecimal says whether a text is a number of A8.5: it computes the number.
func isDecimal(s string) bool {
	part := numberForm.FindStringSubmatch(s)
	if part == nil || part[2]+part[3] == "" {
		return false
	}
	whole, fraction, exponent := part[2], part[3], part[5]
	digits, _ := new(big.Int).SetString(whole+fraction, 10)
	if digits.Sign() == 0 {
		return true
	}
	scale := new(big.Int) // the number is digits * 10^scale
	if exponent != "" {
		scale.SetString(strings.TrimPrefix(exponent, "+"), 10)
	}
	scale.Sub(scale, big.NewInt(int64(len(fraction))))
	ten := big.NewInt(10)
	for new(big.Int).Rem(digits, ten).Sign() == 0 {
		digits.Quo(digits, ten)
		scale.Add(scale, big.NewInt(1))
	}
	if len(digits.String()) > 38 || scale.CmpAbs(big.NewInt(1000)) > 0 {
		return false
	}
	number := new(big.Rat).SetInt(digits)
	number.Mul(number, powerOfTen(scale.Int64()))
	return number.Cmp(powerOfTen(-128)) >= 0 && number.Cmp(powerOfTen(126)) <= 0
}

// powerOfTen returns 10^n.
func powerOfTen(n int64) *big.Rat {
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(max(n, -n)), nil))
	if n < 0 {
		power.Inv(power)
	}
	return power
}

// FuzzReceiptHandle tries any text for a receipt handle, and a handle that was
// given out with any text put in the place of any part of it. None is accepted
// but that handle itself.
func FuzzReceiptHandle(f *testing.F) {
	for _, seed := range []string{"", "A", "garbage", "\n", "\r\n", "=", "==", "AAAA", "é", "\xff", strings.Repeat("A", 38)} {
		f.Add(seed, uint(0), uint(0))
		f.Add(seed, uint(7), uint(len(seed)))
		f.Add(seed, uint(37), uint(1))
		f.Add(seed, uint(38), uint(0))
	}
	f.Fuzz(func(t *testing.T, text string, from, length uint) {
		q := newQueue(t, memsqs.Config{Name: "q"})
		send(t, q, "hello")
		handle := receiveOne(t, q).ReceiptHandle
		size := uint(len(handle))
		from = min(from, size)
		to := from + min(length, size-from)
		for _, tried := range []string{text, handle[:from] + text + handle[to:], handle[from:] + text, text + handle[:to]} {
			if tried == handle {
				continue
			}
			code := memsqs.ErrReceiptHandleIsInvalid
			if tried == "" {
				code = memsqs.ErrMissingParameter
			}
			requireRefused(t, q, q.Delete(t.Context(), tried), code)
			requireRefused(t, q, q.ChangeVisibility(t.Context(), tried, 0), code)
			requireCounts(t, q, 0, 1, 0)
		}
		require.NoError(t, q.Delete(t.Context(), handle))
		requireCounts(t, q, 0, 0, 0)
	})
}
