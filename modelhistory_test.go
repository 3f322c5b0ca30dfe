package memsqs_test

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/memsqs/memsqs"
)

// The history of a driver: what it did and what the queues answered, in a form
// from which a failure can be repeated by hand.

// An event is a line of the history. It is made a text only when somebody is
// to read it: few are ever read, and names are not known at once.
type event struct {
	at     time.Duration // since the start
	format string        // of texts
	args   []any
}

func (d *driver) logf(format string, args ...any) {
	d.history = append(d.history, event{time.Since(d.start), format, args})
}

// printIfFailed prints the history of a test that has failed. In it m1 is a
// message id, and m1/2 the receipt handle of its second receive.
func (d *driver) printIfFailed() {
	if !d.t.Failed() {
		return
	}
	var b strings.Builder
	for _, e := range d.history {
		for i := range e.args {
			e.args[i] = d.text(e.args[i])
		}
		fmt.Fprintf(&b, "%20v  %s\n", e.at, fmt.Sprintf(e.format, e.args...))
	}
	d.t.Logf("what was done:\n%s", b.String())
}

// text returns what stands for v in the history.
func (d *driver) text(v any) string {
	switch v := v.(type) {
	case string:
		return cmp.Or(d.names[v], fmt.Sprintf("%q", v))
	case *time.Duration:
		if v == nil {
			return "nil"
		}
		return v.String()
	case *pair:
		if v == nil {
			return "nil"
		}
		return v.ref.name
	case refRules:
		return fmt.Sprintf("{visibility %v, delay %v, retention %v, at most %d bytes and %d in flight, %d receives, by content %v, scope %v, window %v}",
			v.visibility, v.delay, v.retention, v.maxSize, v.maxInFlight, v.maxReceives, v.byContent, v.scope, v.window)
	case memsqs.SendInput:
		return fmt.Sprintf("{%.12q, delay %s, group %q, deduplication %q}", v.Body, d.text(v.Delay), v.GroupID, v.DeduplicationID)
	case memsqs.VisibilityChange:
		return d.text(v.ReceiptHandle) + " " + v.Timeout.String()
	case []string:
		return listOf(d, v)
	case []memsqs.SendInput:
		return listOf(d, v)
	case []memsqs.VisibilityChange:
		return listOf(d, v)
	}
	return fmt.Sprint(v)
}

func listOf[T any](d *driver, all []T) string {
	list := make([]string, len(all))
	for i, v := range all {
		list[i] = d.text(v)
	}
	return "[" + strings.Join(list, ", ") + "]"
}
