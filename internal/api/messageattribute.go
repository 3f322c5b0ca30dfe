package api

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/charset"
)

const (
	maxAttributes = 10  // of a message
	maxAttribute  = 256 // characters of a name, and of a type
)

// traceHeader is the only message system attribute that can be sent (A10.2).
const traceHeader = "AWSTraceHeader"

// attributesOf returns message attributes as the engine knows them.
func attributesOf(attrs map[string]MessageAttributeValue) map[string]memsqs.Attribute {
	if len(attrs) == 0 {
		return nil
	}
	all := make(map[string]memsqs.Attribute, len(attrs))
	for name, a := range attrs {
		all[name] = memsqs.Attribute{DataType: value(a.DataType), StringValue: value(a.StringValue), BinaryValue: a.BinaryValue}
	}
	return all
}

// checkNoLists refuses a message, or the whole of its batch, for values that are
// lists, be they empty (A8.7).
func checkNoLists(e *SendMessageBatchRequestEntry, at int) *Error {
	operation := "SendMessage"
	if at != alone {
		operation = "SendMessageBatch"
	}
	for _, attrs := range []map[string]MessageAttributeValue{e.MessageAttributes, e.MessageSystemAttributes} {
		for _, a := range attrs {
			if a.StringListValues != nil || a.BinaryListValues != nil {
				return UnsupportedOperation.errorf("Message attribute list values in %s operation are not supported.", operation)
			}
		}
	}
	return nil
}

// traceHeaderOf returns the trace header among message system attributes, or the
// given one if there is none (A10.2, A10.3).
func traceHeaderOf(attrs map[string]MessageAttributeValue, fallback string) (header string, fault *Error) {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		if name != traceHeader {
			return "", InvalidParameterValue.errorf("Message system attribute name '%s' is invalid.", name)
		}
	}
	a, ok := attrs[traceHeader]
	if !ok {
		return fallback, nil
	}
	switch {
	case value(a.DataType) != "String":
		fault = InvalidParameterValue.errorf("The type of message system attribute '%s' is invalid. You must use only the following supported type prefixes: String.", traceHeader)
	case value(a.StringValue) == "":
		fault = InvalidParameterValue.errorf("Message system attribute '%s' must contain a non-empty value of type 'String'.", traceHeader)
	case a.BinaryValue != nil:
		fault = InvalidParameterValue.errorf("Message system attribute '%s' must have a single value.", traceHeader)
	}
	return value(a.StringValue), fault
}

// allowed says which characters a message can have (A1.5).
const allowed = "the set of allowed characters is #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF]."

// findDisallowed returns the first character of s that is not allowed, or the
// first byte that is not UTF-8, and false if there is none.
func findDisallowed(s string) (string, bool) {
	i := charset.IndexDisallowed(s)
	if i < 0 {
		return "", false
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError && n == 1 {
		r = rune(s[i])
	}
	return fmt.Sprintf("#x%X", r), true
}

// wordsOfAttributes words the refusal of attributes (A8), nil if they are not what
// is refused. Of several that are faulty it is for the first, in the order of their
// names, as it is in the engine.
func wordsOfAttributes(attrs map[string]MessageAttributeValue) *Error {
	if len(attrs) > maxAttributes {
		return InvalidParameterValue.errorf("Number of message attributes [%d] exceeds the allowed maximum [%d].", len(attrs), maxAttributes)
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		a := attrs[name]
		for _, words := range []string{wordsOfName(name), wordsOfType(name, &a), wordsOfValue(name, &a)} {
			if words != "" {
				return InvalidParameterValue.errorf("%s", words)
			}
		}
	}
	return nil
}

// wordsOfName says what is wrong with the name of an attribute, if anything.
func wordsOfName(name string) string {
	lower := strings.ToLower(name)
	switch {
	case name == "":
		return "The request must contain non-empty message attribute name."
	case utf8.RuneCountInString(name) > maxAttribute:
		return "Message (user) attribute name must be shorter than 256 bytes."
	case strings.HasPrefix(lower, "aws."), strings.HasPrefix(lower, "amazon."):
		return "You can't use message attribute names beginning with 'AWS.' or 'Amazon'. These strings are reserved for internal use."
	case strings.HasPrefix(name, "."):
		return "Message (user) attribute name must not begin with character '.'."
	case strings.HasSuffix(name, "."):
		return "Message (user) attribute name must not end with character '.'."
	case strings.Contains(name, ".."):
		return "Message (user) attribute name must not have successive '.' characters."
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r) {
			return fmt.Sprintf("Invalid non-alphanumeric character '#x%X' was found in the message attribute name. Can only include alphanumeric characters, hyphens, underscores, or dots.", r)
		}
	}
	return ""
}

// wordsOfType says what is wrong with the type of an attribute, if anything.
func wordsOfType(name string, a *MessageAttributeValue) string {
	dataType := value(a.DataType)
	base, label, labelled := strings.Cut(dataType, ".")
	_, disallowed := findDisallowed(label)
	switch {
	case dataType == "" && a.StringValue == nil && a.BinaryValue == nil:
		return fmt.Sprintf("The message (user) attribute '%s' must contain a non-empty message attribute value.", name)
	case dataType == "":
		return fmt.Sprintf("The message (user) attribute '%s' must contain a non-empty message attribute type.", name)
	case base != "String" && base != "Number" && base != "Binary", labelled && label == "", disallowed:
		return fmt.Sprintf("The type of message (user) attribute '%s' is invalid. You must use only the following supported type prefixes: Binary, Number, String.", name)
	case utf8.RuneCountInString(dataType) > maxAttribute:
		return "Message (user) attribute type must be shorter than 256 bytes."
	}
	return ""
}

// wordsOfValue says what is wrong with the value of an attribute, whose type is
// good, if anything.
func wordsOfValue(name string, a *MessageAttributeValue) string {
	dataType, text := value(a.DataType), value(a.StringValue)
	field, _, _ := strings.Cut(dataType, ".")
	if field == "Number" {
		field = "String"
	}
	char, disallowed := findDisallowed(text)
	switch hasText, hasBlob := text != "", len(a.BinaryValue) > 0; {
	case !hasText && !hasBlob: // A8.6
		return fmt.Sprintf("Message (user) attribute '%s' must contain a non-empty value of type '%s'.", name, dataType)
	case hasText && hasBlob:
		return fmt.Sprintf("Message (user) attribute '%s' must have a single value.", name)
	case hasBlob != (field == "Binary"):
		return fmt.Sprintf("Message (user) attribute '%s' with type '%s' must use field '%s'.", name, dataType, field)
	case strings.HasPrefix(dataType, "Number") && !isNumber(text):
		return fmt.Sprintf("Can't cast the value of message (user) attribute '%s' to a number.", name)
	case disallowed: // A1.7
		return fmt.Sprintf("Invalid binary character '%s' was found in the message attribute '%s' value, %s", char, name, allowed)
	}
	return ""
}

// isNumber reports whether s is a Number (A8.5). Only the engine knows: it is asked,
// to find the culprit among several.
func isNumber(s string) bool {
	q, err := memsqs.NewQueue(memsqs.Config{})
	if err != nil {
		return false
	}
	number := memsqs.Attribute{DataType: "Number", StringValue: s}
	_, err = q.Send(context.Background(), memsqs.SendInput{Body: "n", Attributes: map[string]memsqs.Attribute{"n": number}})
	return err == nil
}
