package memsqs

import (
	"context"
	"time"
)

// The ways of a message between hidden and visible. Each of these methods is
// called with q.mu held.

// place puts m, which is on neither hidden nor visible, on the one where it
// belongs: it is hidden for the given time, in the given state, and then
// visible. Its due moment is a new one, so that of messages that fall due at one
// instant the one that was placed last comes last.
func (q *core) place(m *message, hideFor time.Duration, s State) {
	m.due = moment{q.now + int64(hideFor), q.number()}
	m.state = s
	if s == InFlight {
		q.inFlight++
	}
	if hideFor <= 0 {
		q.reveal(m)
		return
	}
	q.hidden.insert(m.due, m)
}

// reveal makes m visible, whose time has come and which is not on hidden.
func (q *core) reveal(m *message) {
	if m.state == InFlight {
		q.inFlight--
		q.totals.Returned++
	}
	m.state = Visible
	if m.isHead() {
		q.visible.insert(m.due, m)
	}
}

// offer lets m, which has become the head of its group, be received if it is
// visible. If nothing is left of the group, m is nil.
//
// It keeps its due moment: groups are served in the order in which their heads
// became visible (B6.12), and a message becomes visible when its time comes,
// not when those before it go.
func (q *core) offer(m *message) {
	if m != nil && m.state == Visible {
		q.visible.insert(m.due, m)
	}
}

// lift takes m off hidden or visible, whichever it is on, if it is on one.
func (q *core) lift(m *message) {
	switch {
	case m.state != Visible:
		q.hidden.remove(m.due)
	case m.isHead():
		q.visible.remove(m.due)
	}
	if m.state == InFlight {
		q.inFlight--
	}
}

// ChangeVisibility makes the message with the given receipt handle visible
// when timeout, 0 to 12 hours, has passed from now; with 0 that is at once.
// The timeout replaces what is left of the receive's, and has no effect on
// later receives.
//
// It is refused with ErrInvalidParameterValue if the timeout would end later
// than 12 hours after the latest receive of the message; with ErrMessageGone if
// the message is no longer there; with ErrReceiptHandleIsInvalid if the handle
// is not one of this queue; and with ErrMissingParameter if it is empty.
//
// In a [Queue] the handle is good for as long as the message is there, also
// after its visibility timeout has passed, when the message is hidden again,
// and after later receives. In a [FIFOQueue] it is good until the timeout has
// passed, and then refused with ErrReceiptHandleExpired.
func (q *core) ChangeVisibility(ctx context.Context, receiptHandle string, timeout time.Duration) error {
	if err := q.enter(ctx); err != nil {
		return err
	}
	defer q.leave()
	return q.changeVisibility(VisibilityChange{receiptHandle, timeout})
}

func (q *core) changeVisibility(c VisibilityChange) error {
	if err := q.checkDuration(ErrInvalidParameterValue, "the visibility timeout", c.Timeout, maxVisibilityTimeout); err != nil {
		return err
	}
	m, err := q.find(c.ReceiptHandle)
	if err != nil {
		return err
	}
	if m == nil {
		return q.refuse(ErrMessageGone, "the message of receipt handle %s does not exist any more", clip(c.ReceiptHandle))
	}
	switch left := q.invisibilityLeft(m); {
	case left < 0:
		return q.refuse(ErrInvalidParameterValue, "the visibility timeout is %v; it can be changed within %v of the receive, and %v have passed", c.Timeout, maxVisibilityTimeout, maxVisibilityTimeout-left)
	case c.Timeout > left:
		return q.refuse(ErrInvalidParameterValue, "the visibility timeout is %v; it must be 0 to %v, what is left of %v since the receive", c.Timeout, left, maxVisibilityTimeout)
	}
	q.lift(m)
	to := InFlight
	if c.Timeout == 0 {
		to = m.state // so that what is visible does not count as returned
	}
	q.place(m, c.Timeout, to)
	return nil
}

// A VisibilityChange is an entry of [Queue.ChangeVisibilityBatch].
type VisibilityChange struct {
	ReceiptHandle string
	Timeout       time.Duration // 0 to 12 hours
}
