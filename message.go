package memsqs

import (
	"bytes"
	"maps"
	"strconv"
	"time"

	"github.com/memsqs/memsqs/internal/uuid"
)

// A SendInput is a message to be sent. Only Body is required, and GroupID in
// a [FIFOQueue].
type SendInput struct {
	// Body holds at least one character. It must be valid UTF-8 of the
	// characters that SQS allows: tab, line feed, carriage return, and all
	// from U+0020 on but for surrogates, U+FFFE and U+FFFF.
	Body string

	// Delay is the time for which the message is delayed, 0 to 15 minutes.
	// Nil means the queue's. In a FIFOQueue only the queue can delay
	// messages: zero means the queue's delay too, and more is refused.
	Delay *time.Duration

	// Attributes are sent with the body, at most 10. They count toward the
	// size of the message: names, types and values.
	Attributes map[string]Attribute

	// TraceHeader is the message's AWSTraceHeader, for tracing. It does not
	// count toward the size of the message, and its length is not limited.
	TraceHeader string

	// GroupID is the message group of a FIFO message. In a standard queue
	// it names a tenant, is handed to the receiver, and has no effect on
	// order. It holds 1 to 128 ASCII letters, digits and punctuation.
	GroupID string

	// DeduplicationID is what tells a FIFO message from a duplicate. It
	// holds 1 to 128 ASCII letters, digits and punctuation. A standard queue
	// refuses it with ErrNotFIFO.
	DeduplicationID string
}

// Size returns the number of bytes that count toward the size of the message:
// those of its body and of the names, types and values of its attributes (A1.4).
func (in *SendInput) Size() int {
	n := len(in.Body)
	for name, a := range in.Attributes {
		n += len(name) + len(a.DataType) + len(a.StringValue) + len(a.BinaryValue)
	}
	return n
}

// A SendResult identifies a message that was sent.
type SendResult struct {
	MessageID      string // a UUID; for a duplicate, that of the first message
	SequenceNumber string // 20 digits, increasing; empty in a standard queue
}

// An Attribute is a typed value that is sent with a message.
type Attribute struct {
	// DataType is "String", "Number" or "Binary". A label of the sender's
	// own can follow after a dot, as in "Number.int64"; with it, the type
	// has up to 256 characters.
	DataType string

	// StringValue is the value of a String or a Number: a text that is not
	// empty, or a decimal number of up to 38 digits and a size from 1e-128
	// to 1e126. It is handed to the receiver as it was sent.
	StringValue string

	// BinaryValue is the value of a Binary, at least one byte.
	BinaryValue []byte
}

// A Message is a message as it was received.
type Message struct {
	ID, ReceiptHandle, Body string

	Attributes  map[string]Attribute // the receiver's own copy; nil when there are none
	TraceHeader string

	GroupID, DeduplicationID string

	SequenceNumber   string // empty in a standard queue
	DeadLetterSource string // Name of the queue that the message was moved here from

	SentAt          time.Time // does not change, but for a move; see [DeadLetter]
	FirstReceivedAt time.Time
	InvisibleUntil  time.Time // the end of this receive's visibility timeout
	ReceiveCount    int       // 1 on the first receive
}

// A MessageState is a message as [Queue.Peek] shows it.
type MessageState struct {
	Message           // without a receipt handle
	State   State     // Visible, Delayed or InFlight
	DueAt   time.Time // when it becomes visible; zero when it is
}

// A State is what a message in a queue waits for.
type State int

const (
	Visible  State = iota // to be received; in a FIFOQueue perhaps behind others of its group
	Delayed               // for its delay to pass
	InFlight              // for its receiver to delete it, or for the visibility timeout to pass
)

// String returns the name of the constant.
func (s State) String() string {
	switch s {
	case Visible:
		return "Visible"
	case Delayed:
		return "Delayed"
	case InFlight:
		return "InFlight"
	}
	return "State(" + strconv.Itoa(int(s)) + ")"
}

// A message is a message in a queue. The queue's mutex guards it.
//
// Its sent moment, which does not change, is its place on core.byAge; its due
// moment is its place on core.hidden or core.visible.
type message struct {
	sent moment // when, and its number in the queue
	due  moment // when it becomes or became visible, and its turn among those of that instant

	id    uuid.UUID
	body  string
	extra *extra // nil for most

	receivedAt        int64 // by the latest receive
	firstReceivedAt   int64 // by the first
	receives          uint32
	receivesElsewhere uint32 // those of receives that were in other queues
	state             State

	// In a FIFOQueue alone.
	group      *group
	prev, next *message // in the group
	dedupID    string
}

// An extra is what few messages have.
type extra struct {
	attributes  map[string]Attribute
	traceHeader string
	tenant      string // GroupID in a standard queue
	origin      *core  // the queue that dead-lettered the message, or nil
}

// extras returns m's extra, or an empty one if it has none.
func (m *message) extras() extra {
	if m.extra == nil {
		return extra{}
	}
	return *m.extra
}

// newMessage returns a message of what the sender gave, which shares nothing
// with the sender. The tenant is empty in a FIFO queue.
func newMessage(in *SendInput, tenant string) *message {
	m := &message{id: uuid.New(), body: in.Body}
	if len(in.Attributes) > 0 || in.TraceHeader != "" || tenant != "" {
		m.extra = &extra{attributes: copyAttributes(in.Attributes), traceHeader: in.TraceHeader, tenant: tenant}
	}
	return m
}

// A draft is a message that has been checked and is about to be put on a queue.
type draft struct {
	message *message
	delay   time.Duration // in a standard queue
	groupID string        // in a FIFO queue
}

// isHead reports whether no other message of its group is before m.
func (m *message) isHead() bool { return m.group == nil || m.group.first == m }

// identity returns what the sender of the message is told.
func (m *message) identity() identity { return identity{m.id, m.number()} }

// number returns the sequence number of the message, 0 for none.
func (m *message) number() uint64 {
	if m.group == nil {
		return 0
	}
	return firstSequenceNumber + m.sent.nr
}

// An identity is what a send is answered with.
type identity struct {
	id     uuid.UUID
	number uint64 // 0 for none
}

// firstSequenceNumber makes every sequence number one of 20 digits (B3).
const firstSequenceNumber = 10_000_000_000_000_000_000

// append appends the texts of i to b.
func (i identity) append(b []byte) []byte {
	return appendNumber(i.id.Append(b), i.number)
}

func (i identity) result() SendResult {
	var buf [uuid.Len + sequenceNumberLen]byte
	return asResult(string(i.append(buf[:0])))
}

// asResult takes apart the texts of an identity.
func asResult(text string) SendResult {
	return SendResult{MessageID: text[:uuid.Len], SequenceNumber: text[uuid.Len:]}
}

// results returns the results of a batch, that of a zero identity zero. Their
// texts are parts of one string, which is one allocation instead of ten.
func results(ids []identity) []SendResult {
	var buf [maxBatchEntries * (uuid.Len + sequenceNumberLen)]byte
	b := buf[:0]
	var ends [maxBatchEntries]int
	for i, id := range ids {
		if id != (identity{}) {
			b = id.append(b)
		}
		ends[i] = len(b)
	}
	text, start := string(b), 0
	all := make([]SendResult, len(ids))
	for i, end := range ends[:len(ids)] {
		if end > start {
			all[i] = asResult(text[start:end])
		}
		start = end
	}
	return all
}

const sequenceNumberLen = 20

// appendNumber appends the digits of a sequence number, or nothing for none.
func appendNumber(b []byte, number uint64) []byte {
	if number == 0 {
		return b
	}
	return strconv.AppendUint(b, number, 10)
}

// copyAttributes returns a copy that shares nothing with attrs.
func copyAttributes(attrs map[string]Attribute) map[string]Attribute {
	if len(attrs) == 0 {
		return nil
	}
	c := maps.Clone(attrs)
	for name, a := range c {
		if a.BinaryValue != nil {
			a.BinaryValue = bytes.Clone(a.BinaryValue)
			c[name] = a
		}
	}
	return c
}
