package api

import (
	"errors"
	"time"

	"github.com/memsqs/memsqs"
)

// fault returns the API's error for one of the engine: words says it for a
// refusal of the call's own. The error of a context stays what it is.
//
// A queue that is closed has been deleted, perhaps while the call waited.
func (c *Caller) fault(err error, words func(*memsqs.Error) *Error) error {
	refused, ok := errors.AsType[*memsqs.Error](err)
	switch {
	case !ok:
		return err
	case refused.Code == memsqs.ErrClosed:
		return c.noSuchQueue()
	}
	return words(refused)
}

// wholeCall words a refusal for which the API has looked before, and found no
// reason: only a configuration that has changed since can be one.
func wholeCall(refused *memsqs.Error) *Error {
	return InvalidParameterValue.errorf("One or more parameters are invalid. Reason: %s", refused.Detail)
}

// missing refuses a call without a parameter that it needs.
func missing(parameter string) *Error {
	return MissingParameter.errorf("The request must contain the parameter %s.", parameter)
}

// invalid refuses a parameter for its value.
func invalid(parameter string, v any, reason string) *Error {
	return InvalidParameterValue.errorf("Value %v for parameter %s is invalid. Reason: %s", v, parameter, reason)
}

// notForThisType is why a parameter of the other type of queue is refused.
const notForThisType = "The request include parameter that is not valid for this queue type"

// badHandle refuses a text that is not a receipt handle of the queue (A5.5).
func badHandle(handle string) *Error {
	return ReceiptHandleIsInvalid.errorf(`The input receipt handle "%s" is not a valid receipt handle.`, handle)
}

// checkID refuses a message group, deduplication or receive attempt id that is
// not of the form of B1.4. One that is absent is in order.
func checkID(parameter string, id *string) *Error {
	if id == nil || isID(*id) {
		return nil
	}
	return invalid(parameter, *id, parameter+" can only include alphanumeric and punctuation characters. 1 to 128 in length.")
}

func isID(id string) bool {
	for _, c := range []byte(id) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return 1 <= len(id) && len(id) <= 128
}

// within reports whether a number is absent or in the given range.
func within(n *int, least, most int) bool {
	return n == nil || least <= *n && *n <= most
}

// durationOf returns the duration of a number of seconds, which must be within the
// range of its parameter, and nil if it is absent.
func durationOf(n *int) *time.Duration {
	if n == nil {
		return nil
	}
	return new(time.Duration(*n) * time.Second)
}

// number returns the number that is given, or 0 if it is absent.
func number(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// value returns the text that is given, or "" if it is absent.
func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
