package memsqs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memsqs/memsqs/internal/charset"
)

// The limits of Amazon SQS (sqs-behaviour.md, 0.3).
const (
	maxDelay             = 15 * time.Minute
	maxVisibilityTimeout = 12 * time.Hour
	maxWaitTime          = 20 * time.Second
	minRetention         = 60 * time.Second
	maxRetention         = 14 * 24 * time.Hour
	minMessageSize       = 1 << 10 // bytes, that a queue can be limited to
	maxMessageSize       = 1 << 20
	maxBatchSize         = 1 << 20 // bytes, of all messages together
	maxBatchEntries      = 10
	maxReceiveMessages   = 10
	maxReceiveCount      = 1000
	maxAttributes        = 10
	maxAttributeName     = 256 // characters
	maxDataType          = 256 // characters
	maxIDLength          = 128 // of a message group, deduplication or receive attempt id
)

// The range of a Number attribute (A8.5).
const (
	maxNumberDigits   = 38
	minNumberExponent = -128
	maxNumberExponent = 126
)

// refuse returns the error for a refused call.
func (q *core) refuse(code error, format string, args ...any) error {
	return &Error{Code: code, Queue: q.name, Detail: fmt.Sprintf(format, args...)}
}

// clip quotes a text for an error, and shortens it if it is long.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q... of %d bytes", s[:most], len(s))
}

// checkDuration refuses, with code, what is not within 0 and most.
func (q *core) checkDuration(code error, name string, d, most time.Duration) error {
	if d < 0 || d > most {
		return q.refuse(code, "%s is %v; it must be 0 to %v", name, d, most)
	}
	return nil
}

// checkID refuses an id that is not of the form of B1.4.
func (q *core) checkID(name, id string) error {
	for _, c := range []byte(id) {
		if c <= ' ' || c > '~' {
			return q.refuse(ErrInvalidParameterValue, "%s is %s; it can only have ASCII letters, digits and punctuation", name, clip(id))
		}
	}
	if len(id) < 1 || len(id) > maxIDLength {
		return q.refuse(ErrInvalidParameterValue, "%s is %s; it must have 1 to %d characters", name, clip(id), maxIDLength)
	}
	return nil
}

// checkMessage refuses a message that no queue takes, or that is larger than
// most bytes.
func (q *core) checkMessage(in *SendInput, most int) error {
	if in.Body == "" {
		return q.refuse(ErrMissingParameter, "Body is empty; it must have at least one character")
	}
	if n := in.Size(); n > most {
		return q.refuse(ErrInvalidParameterValue, "the message has %d bytes, its attributes included; it must have at most %d", n, most)
	}
	if r, ok := findDisallowed(in.Body); ok {
		return q.refuse(ErrInvalidMessageContents, "Body has %s", r)
	}
	if r, ok := findDisallowed(in.TraceHeader); ok {
		return q.refuse(ErrInvalidParameterValue, "TraceHeader has %s", r)
	}
	return q.checkAttributes(in.Attributes)
}

// findDisallowed describes the first character of s that SQS does not allow
// (A1.5), or returns false if there is none.
func findDisallowed(s string) (string, bool) {
	i := charset.IndexDisallowed(s)
	if i < 0 {
		return "", false
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError && n == 1 {
		return fmt.Sprintf("the byte 0x%02x at %d; it must be valid UTF-8", s[i], i), true
	}
	return fmt.Sprintf("the character %U at %d; it can have U+0009, U+000A, U+000D, U+0020 to U+D7FF, U+E000 to U+FFFD and U+10000 to U+10FFFF", r, i), true
}

// checkAttributes refuses attributes that break a rule of A8. Of several it
// names the first in the order of their names, so that the answer does not
// depend on the order of the map.
func (q *core) checkAttributes(attrs map[string]Attribute) error {
	if len(attrs) == 0 {
		return nil
	}
	if n := len(attrs); n > maxAttributes {
		return q.refuse(ErrInvalidParameterValue, "the message has %d attributes; it can have at most %d", n, maxAttributes)
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		reason := faultInName(name)
		if reason == "" {
			reason = faultInValue(attrs[name])
		}
		if reason != "" {
			return q.refuse(ErrInvalidParameterValue, "attribute %s: %s", clip(name), reason)
		}
	}
	return nil
}

// faultInName says what is wrong with the name of an attribute, if anything
// (A8.2, A8.3).
func faultInName(name string) string {
	lower := strings.ToLower(name)
	switch {
	case name == "":
		return "the name is empty"
	case utf8.RuneCountInString(name) > maxAttributeName:
		return fmt.Sprintf("the name has %d characters; it can have at most %d", utf8.RuneCountInString(name), maxAttributeName)
	case strings.HasPrefix(lower, "aws."), strings.HasPrefix(lower, "amazon."):
		return `names that begin with "AWS." or "Amazon." are reserved`
	case strings.HasPrefix(name, "."), strings.HasSuffix(name, "."), strings.Contains(name, ".."):
		return "a dot in the name must have a character before and after it that is not a dot"
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.' {
			return fmt.Sprintf("the name has %q; it can have letters, digits, '_', '-' and '.'", r)
		}
	}
	return ""
}

// faultInValue says what is wrong with the type or the value of an attribute,
// if anything (A8.4 to A8.6).
func faultInValue(a Attribute) string {
	base, label, labelled := strings.Cut(a.DataType, ".")
	_, disallowed := findDisallowed(label)
	switch {
	case base != "String" && base != "Number" && base != "Binary", labelled && label == "", disallowed:
		return fmt.Sprintf(`DataType is %s; it must be "String", "Number" or "Binary", and can have a label after a dot`, clip(a.DataType))
	case utf8.RuneCountInString(a.DataType) > maxDataType:
		return fmt.Sprintf("DataType has %d characters; it can have at most %d", utf8.RuneCountInString(a.DataType), maxDataType)
	}
	if base == "Binary" {
		if len(a.BinaryValue) == 0 || a.StringValue != "" {
			return "a Binary must have a BinaryValue that is not empty, and no StringValue"
		}
		return ""
	}
	if a.StringValue == "" || len(a.BinaryValue) != 0 {
		return fmt.Sprintf("a %s must have a StringValue that is not empty, and no BinaryValue", base)
	}
	if base == "Number" && !isNumber(a.StringValue) {
		return fmt.Sprintf("StringValue is %s; a Number is decimal, with at most %d digits, and zero or from 1e%d to 1e%d", clip(a.StringValue), maxNumberDigits, minNumberExponent, maxNumberExponent)
	}
	if reason, ok := findDisallowed(a.StringValue); ok {
		return "StringValue has " + reason
	}
	return ""
}

// isNumber reports whether s is a decimal number, with an optional sign,
// fraction and exponent, within the precision and range of A8.5.
func isNumber(s string) bool {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, _ := strings.Cut(trimSign(mantissa), ".")
	digits := whole + fraction
	if digits == "" || !isDigits(digits) {
		return false
	}
	e := 0
	if hasExponent {
		var ok bool
		if e, ok = parseExponent(exponent); !ok {
			return false
		}
	}
	significant := strings.TrimLeft(digits, "0")
	e += len(whole) - 1 - (len(digits) - len(significant)) // of the first significant digit
	significant = strings.TrimRight(significant, "0")
	switch {
	case significant == "":
		return true
	case len(significant) > maxNumberDigits || e < minNumberExponent:
		return false
	}
	return e < maxNumberExponent || e == maxNumberExponent && significant == "1"
}

// parseExponent returns the value of a decimal number with an optional sign. It
// stops counting where no mantissa can make up for the exponent any more, so
// that a number of any length does not overflow.
func parseExponent(s string) (e int, ok bool) {
	digits := trimSign(s)
	if digits == "" || !isDigits(digits) {
		return 0, false
	}
	const most = 10 * maxMessageSize // a mantissa has fewer digits than that
	for _, c := range []byte(digits) {
		e = min(10*e+int(c-'0'), most)
	}
	if s[0] == '-' {
		e = -e
	}
	return e, true
}

func trimSign(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

func isDigits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}
