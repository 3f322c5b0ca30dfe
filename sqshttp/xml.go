package sqshttp

import (
	"encoding/base64"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memsqs/memsqs/internal/api"
)

const (
	xmlHeader    = `<?xml version="1.0"?>`
	xmlNamespace = ` xmlns="http://queue.amazonaws.com/doc/2012-11-05/"`
)

// responseXML returns the reply to a call that was done (C2.2). out is a pointer to
// a struct.
func responseXML(op *api.Operation, out any, requestID string) []byte {
	b := make([]byte, 0, 1024)
	b = append(b, xmlHeader...)
	b = append(b, "<"+op.Name+"Response"+xmlNamespace+">"...)
	if op.HasOutput() {
		v := reflect.ValueOf(out).Elem()
		b = shapeOf(v.Type()).appendXML(b, op.Name+"Result", v)
	}
	b = append(b, "<ResponseMetadata>"...)
	b = appendElement(b, "RequestId", requestID)
	return append(b, "</ResponseMetadata></"+op.Name+"Response>"...)
}

// errorXML returns the reply to a call that was refused (C2.2).
func errorXML(err *api.Error, requestID string) []byte {
	b := append([]byte(xmlHeader), "<ErrorResponse"+xmlNamespace+"><Error>"...)
	b = appendElement(b, "Type", faultOf(err))
	b = appendElement(b, "Code", err.Code)
	b = appendElement(b, "Message", err.Message)
	b = append(b, "<Detail/></Error>"...)
	b = appendElement(b, "RequestId", requestID)
	return append(b, "</ErrorResponse>"...)
}

// appendXML appends v as an element of the given name, and a list or a map as one
// for each of its elements. Maps are in the order of their keys.
func (s *shape) appendXML(b []byte, name string, v reflect.Value) []byte {
	if s.pointer {
		if v.IsNil() {
			return b
		}
		v = v.Elem()
	}
	switch s.kind {
	case reflect.Struct:
		return s.appendStruct(b, name, v)
	case reflect.Slice:
		for i := range v.Len() {
			b = s.elem.appendXML(b, name, v.Index(i))
		}
		return b
	case reflect.Map:
		for _, key := range sortedKeys(v) {
			b = appendTag(b, "<", name)
			b = appendElement(b, s.key, key.String())
			b = s.elem.appendXML(b, s.value, v.MapIndex(key))
			b = appendTag(b, "</", name)
		}
		return b
	}
	return appendElement(b, name, s.text(v))
}

func (s *shape) appendStruct(b []byte, name string, v reflect.Value) []byte {
	b = appendTag(b, "<", name)
	start := len(b)
	for _, f := range s.fields {
		if fv := v.Field(f.index); !f.optional || !fv.IsZero() {
			b = f.appendXML(b, f.name, fv)
		}
	}
	if len(b) == start { // A3.6
		return append(b[:start-1], "/>"...)
	}
	return appendTag(b, "</", name)
}

// text returns a scalar as it is written in the Query protocol.
func (s *shape) text(v reflect.Value) string {
	switch s.kind {
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case blob:
		return base64.StdEncoding.EncodeToString(v.Bytes())
	}
	return v.String()
}

func sortedKeys(m reflect.Value) []reflect.Value {
	return slices.SortedFunc(slices.Values(m.MapKeys()), func(a, b reflect.Value) int {
		return strings.Compare(a.String(), b.String())
	})
}

func appendElement(b []byte, name, text string) []byte {
	b = appendTag(b, "<", name)
	b = appendText(b, text)
	return appendTag(b, "</", name)
}

func appendTag(b []byte, open, name string) []byte {
	b = append(b, open...)
	b = append(b, name...)
	return append(b, '>')
}

// appendText appends a text of any bytes, escaped as SQS does (C2.3). What XML cannot
// carry in any form becomes U+FFFD: control characters, and bytes that are not UTF-8.
func appendText(b []byte, text string) []byte {
	done := 0 // text up to there has been appended
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if escaped := escape(r, size); escaped != "" {
			b = append(b, text[done:i]...)
			b = append(b, escaped...)
			done = i + size
		}
		i += size
	}
	return append(b, text[done:]...)
}

// escape returns what is written for a character of the given size, or "" if that is
// the character itself.
func escape(r rune, size int) string {
	switch {
	case r == '&':
		return "&amp;"
	case r == '<':
		return "&lt;"
	case r == '>':
		return "&gt;"
	case r == '"':
		return "&quot;"
	case r == '\r':
		return "&#xD;"
	case r == '\t' || r == '\n':
		return ""
	case r < ' ' || r == utf8.RuneError && size == 1 || r == 0xFFFE || r == 0xFFFF:
		return string(utf8.RuneError)
	}
	return ""
}
