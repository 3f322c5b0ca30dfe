package memsqs

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/maphash"
	"time"
)

// A receipt is what a receipt handle says: which receive of which message it
// belongs to. The handle is sealed with the queue's seed, so that no other
// text is taken for one, not even another queue's handle; and it says all, so
// that the queue keeps nothing of a receive but its number.
type receipt struct {
	sent    moment // of the message
	receive uint32 // number of the receive
}

const (
	receiptSize = 8 + 8 + 4 + 8 // a receipt and its seal
	receiptLen  = (receiptSize*8 + 5) / 6
)

// handleEncoding refuses what it would not itself have written.
var handleEncoding = base64.RawURLEncoding.Strict()

// appendHandle appends the receipt handle of r to b.
func (q *core) appendHandle(b []byte, r receipt) []byte {
	var buf [receiptSize]byte
	binary.BigEndian.PutUint64(buf[0:], uint64(r.sent.at))
	binary.BigEndian.PutUint64(buf[8:], r.sent.nr)
	binary.BigEndian.PutUint32(buf[16:], r.receive)
	binary.BigEndian.PutUint64(buf[20:], maphash.Bytes(q.seed, buf[:20]))
	return handleEncoding.AppendEncode(b, buf[:])
}

// parseHandle returns the receipt of a handle, or false if it is not one of
// this queue.
func (q *core) parseHandle(handle string) (r receipt, ok bool) {
	var buf [receiptSize]byte
	if len(handle) != receiptLen {
		return r, false
	}
	n, err := handleEncoding.Decode(buf[:], []byte(handle))
	if err != nil || n != receiptSize || binary.BigEndian.Uint64(buf[20:]) != maphash.Bytes(q.seed, buf[:20]) {
		return r, false
	}
	r.sent.at = int64(binary.BigEndian.Uint64(buf[0:]))
	r.sent.nr = binary.BigEndian.Uint64(buf[8:])
	r.receive = binary.BigEndian.Uint32(buf[16:])
	return r, true
}

// find returns the message that a receipt handle was given out for, or nil if
// it is no longer in the queue. q.mu must be held.
//
// In a FIFO queue a handle expires when the visibility timeout of its receive
// has passed; in a standard queue it never does (A5.2, A6.6, B8.1).
func (q *core) find(handle string) (*message, error) {
	if handle == "" {
		return nil, q.refuse(ErrMissingParameter, "the receipt handle is empty")
	}
	r, ok := q.parseHandle(handle)
	if !ok {
		return nil, q.refuse(ErrReceiptHandleIsInvalid, "%s was not given out by this queue", clip(handle))
	}
	m, _ := q.byAge.get(r.sent)
	if m != nil && m.group != nil && !(m.state == InFlight && m.receives == r.receive) {
		return nil, q.refuse(ErrReceiptHandleExpired, "the visibility timeout of receipt handle %s has passed", clip(handle))
	}
	return m, nil
}

// Delete removes the message with the given receipt handle from the queue.
// That the message is no longer there, deleted before or expired, is not an
// error.
//
// It is refused with ErrReceiptHandleIsInvalid if the handle is not one of
// this queue, and with ErrMissingParameter if it is empty.
//
// In a [Queue] the handle is good for ever, also after its visibility timeout
// has passed and after later receives. In a [FIFOQueue] it is good until the
// timeout has passed, and then refused with ErrReceiptHandleExpired, unless
// the message is gone.
func (q *core) Delete(ctx context.Context, receiptHandle string) error {
	if err := q.enter(ctx); err != nil {
		return err
	}
	defer q.leave()
	return q.delete(receiptHandle)
}

// delete is Delete with q.mu held.
func (q *core) delete(handle string) error {
	m, err := q.find(handle)
	if m == nil || err != nil {
		return err
	}
	q.remove(m)
	q.totals.Deleted++
	return nil
}

// room returns how many more messages can be in flight. q.mu must be held.
func (q *core) room() int { return max(0, q.current().maxInFlight-q.inFlight) }

// invisibilityLeft returns how much longer the latest receive of m may keep it
// invisible (A6.9). It is negative when the limit has passed.
func (q *core) invisibilityLeft(m *message) time.Duration {
	return maxVisibilityTimeout - time.Duration(q.now-m.receivedAt)
}

// An attempt is what is remembered of a receive with a receive request attempt
// id: the messages as it left them, and when their visibility timeout ends.
type attempt struct {
	members []attemptMember
	until   int64
}

type attemptMember struct {
	message *message
	due     moment // changes whenever something is done to the message
}

// attemptLife is the time after which an attempt id is forgotten (B10.2).
const attemptLife = 5 * time.Minute

func newAttempt(batch []*message, until int64) attempt {
	a := attempt{members: make([]attemptMember, len(batch)), until: until}
	for i, m := range batch {
		a.members[i] = attemptMember{m, m.due}
	}
	return a
}

// retry returns the messages of an earlier receive again, with the same receipt
// handles and a visibility timeout that starts anew, within what the receive
// may have in all (B10.2). q.mu must be held.
func (q *core) retry(p poll, a *attempt) ([]Message, error) {
	var buf [maxReceiveMessages]*message
	batch := buf[:0]
	for _, member := range a.members {
		if member.message.due != member.due {
			return nil, q.refuse(ErrInvalidParameterValue, "AttemptID %s cannot be retried: a message of the receive has been changed or is gone", clip(p.attemptID))
		}
		batch = append(batch, member.message)
	}
	timeout := p.timeout
	for _, m := range batch {
		timeout = min(timeout, q.invisibilityLeft(m))
		q.lift(m)
	}
	msgs := q.handOut(batch, timeout)
	*a = newAttempt(batch, q.now+int64(timeout))
	return msgs, nil
}
