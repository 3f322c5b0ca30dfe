package sqshttp

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memsqs/memsqs/internal/api"
)

// maxDepth limits how deep the values of a request are nested. Those that are known
// are by five.
const maxDepth = 100

// A jsonReader reads JSON text (RFC 8259), all of it valid UTF-8. What it refuses,
// it refuses with a SerializationException (C1.9).
type jsonReader struct {
	text     []byte
	at       int    // where the next value begins, or white space before it
	depth    int    // of the objects and arrays that are open
	elements int    // of lists and maps, so far
	scratch  []byte // for strings with escapes
}

// refuse returns an error for the value before which the reader stands.
func (d *jsonReader) refuse(format string, args ...any) error {
	return refusal(api.Serialization, "%s, at byte %d.", fmt.Sprintf(format, args...), d.at)
}

// malformed returns an error for text that is not JSON.
func (d *jsonReader) malformed() error {
	if d.at >= len(d.text) {
		return d.refuse("The JSON ends too early")
	}
	return d.refuse("The JSON is malformed")
}

// mistyped returns an error for a value that is not of the type that is wanted.
func (d *jsonReader) mistyped(want string) error {
	kind := ""
	switch c := d.peek(); {
	case c == '{':
		return refusal(api.Serialization, "Start of structure or map found where not expected.")
	case c == '[':
		return refusal(api.Serialization, "Start of list found where not expected.")
	case c == '"':
		kind = "STRING_VALUE"
	case c == 't':
		kind = "TRUE_VALUE"
	case c == 'f':
		kind = "FALSE_VALUE"
	case beginsNumber(c):
		kind = "NUMBER_VALUE"
	default:
		return d.malformed()
	}
	return refusal(api.Serialization, "%s can not be converted to %s", kind, want)
}

// space skips white space.
func (d *jsonReader) space() {
	for d.at < len(d.text) {
		switch d.text[d.at] {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return
		}
	}
}

// peek returns the next byte, or zero at the end of the text.
func (d *jsonReader) peek() byte {
	if d.at < len(d.text) {
		return d.text[d.at]
	}
	return 0
}

// take takes the next byte if it is c.
func (d *jsonReader) take(c byte) bool {
	if d.peek() != c {
		return false
	}
	d.at++
	return true
}

// literal takes a word that is null, true or false.
func (d *jsonReader) literal(word string) bool {
	d.space()
	if !bytes.HasPrefix(d.text[d.at:], []byte(word)) {
		return false
	}
	d.at += len(word)
	return true
}

// object reads an object. It calls member with the name of each member, which is
// good until member reads on, to read the value.
func (d *jsonReader) object(member func(name []byte) error) error {
	if d.space(); d.peek() != '{' {
		return d.mistyped("a Structure")
	}
	return d.sequence('}', func() error {
		if d.peek() != '"' {
			return d.malformed()
		}
		name, err := d.chars()
		if err != nil {
			return err
		}
		if d.space(); !d.take(':') {
			return d.malformed()
		}
		return member(name)
	})
}

// array reads an array. It calls element to read each of its values.
func (d *jsonReader) array(element func() error) error {
	if d.space(); d.peek() != '[' {
		return d.mistyped("a List")
	}
	return d.sequence(']', element)
}

// element counts an element of a list or a map.
func (d *jsonReader) element() error {
	if d.elements++; d.elements > maxElements {
		return d.refuse("The lists and maps have more than %d elements", maxElements)
	}
	return nil
}

// sequence reads what is between a bracket, before which the reader stands, and its
// counterpart. It calls next, with the reader not before white space, to read what
// is between two commas.
func (d *jsonReader) sequence(end byte, next func() error) error {
	if d.depth == maxDepth {
		return d.refuse("The JSON is nested more than %d deep", maxDepth)
	}
	d.depth++
	d.at++
	d.space()
	for first := true; !d.take(end); first = false {
		if !first {
			if !d.take(',') {
				return d.malformed()
			}
			d.space()
		}
		if err := next(); err != nil {
			return err
		}
		d.space()
	}
	d.depth--
	return nil
}

// string reads a string.
func (d *jsonReader) string() (string, error) {
	if d.space(); d.peek() != '"' {
		return "", d.mistyped("a String")
	}
	b, err := d.chars()
	return string(b), err
}

// chars reads a string, before which the reader stands, and returns what is in it.
// That is good until the next is read.
func (d *jsonReader) chars() ([]byte, error) {
	d.at++
	begin, ascii := d.at, true
	for ; d.at < len(d.text); d.at++ {
		switch c := d.text[d.at]; {
		case c == '"':
			b := d.text[begin:d.at]
			if !ascii && !utf8.Valid(b) {
				return nil, d.refuse("The JSON is not valid UTF-8")
			}
			d.at++
			return b, nil
		case c == '\\':
			return d.escapedChars(begin)
		case c < ' ':
			return nil, d.malformed()
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, d.malformed()
}

// escapedChars is chars for a string that begins at the given place, from its first
// escape on, before which the reader stands.
func (d *jsonReader) escapedChars(begin int) ([]byte, error) {
	b := append(d.scratch[:0], d.text[begin:d.at]...)
	for d.at < len(d.text) {
		switch c := d.text[d.at]; {
		case c == '"':
			d.scratch = b
			if !utf8.Valid(b) {
				return nil, d.refuse("The JSON is not valid UTF-8")
			}
			d.at++
			return b, nil
		case c == '\\':
			r, err := d.escape()
			if err != nil {
				return nil, err
			}
			b = utf8.AppendRune(b, r)
		case c < ' ':
			return nil, d.malformed()
		default:
			b = append(b, c)
			d.at++
		}
	}
	return nil, d.malformed()
}

// escape reads an escape.
func (d *jsonReader) escape() (rune, error) {
	d.at++
	c := d.peek()
	if c != 'u' {
		i := strings.IndexByte(`"\/bfnrt`, c)
		if i < 0 {
			return 0, d.malformed()
		}
		d.at++
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	r, err := d.codeUnit()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if d.take('\\') && d.peek() == 'u' {
		low, err := d.codeUnit()
		if err != nil {
			return 0, err
		}
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			return r, nil
		}
	}
	return 0, d.refuse("The JSON has half of a surrogate pair")
}

// codeUnit reads the u of an escape and the four digits behind it.
func (d *jsonReader) codeUnit() (rune, error) {
	d.at++
	var unit [2]byte
	if len(d.text)-d.at < 4 {
		d.at = len(d.text)
		return 0, d.malformed()
	}
	if _, err := hex.Decode(unit[:], d.text[d.at:d.at+4]); err != nil {
		return 0, d.malformed()
	}
	d.at += 4
	return rune(binary.BigEndian.Uint16(unit[:])), nil
}

// int reads a number that is an integer of 32 bits.
func (d *jsonReader) int() (int, error) {
	if d.space(); !beginsNumber(d.peek()) {
		return 0, d.mistyped("an Integer")
	}
	number, err := d.number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(number), 10, 32)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0, refusal(api.Serialization, "DECIMAL_VALUE can not be converted to an Integer")
	case err != nil:
		return 0, refusal(api.Serialization, "The number %.30s is out of the range of an Integer, %d to %d.", number, math.MinInt32, math.MaxInt32)
	}
	return int(n), nil
}

// number reads a number, before which the reader stands.
func (d *jsonReader) number() ([]byte, error) {
	begin := d.at
	d.take('-')
	if !d.take('0') && !d.digits() {
		return nil, d.malformed()
	}
	if d.take('.') && !d.digits() {
		return nil, d.malformed()
	}
	if d.take('e') || d.take('E') {
		if !d.take('+') {
			d.take('-')
		}
		if !d.digits() {
			return nil, d.malformed()
		}
	}
	return d.text[begin:d.at], nil
}

// digits takes a row of digits.
func (d *jsonReader) digits() bool {
	begin := d.at
	for isDigit(d.peek()) {
		d.at++
	}
	return d.at > begin
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func beginsNumber(c byte) bool { return c == '-' || isDigit(c) }

// skip reads a value of any type.
func (d *jsonReader) skip() error {
	d.space()
	var err error
	switch c := d.peek(); {
	case c == '{':
		err = d.object(func([]byte) error { return d.skip() })
	case c == '[':
		err = d.array(d.skip)
	case c == '"':
		_, err = d.chars()
	case beginsNumber(c):
		_, err = d.number()
	case !d.literal("null") && !d.literal("true") && !d.literal("false"):
		err = d.malformed()
	}
	return err
}
