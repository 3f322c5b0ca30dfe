// Package uuid makes random UUIDs, version 4.
package uuid

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
)

// A UUID is two numbers and not an array, which the compiler does not keep in
// registers.
type UUID struct{ high, low uint64 }

// Len is the length of a UUID as text.
const Len = 36

// New returns a new UUID.
func New() UUID {
	return UUID{
		high: rand.Uint64()&^0xf000 | 4<<12, // the version
		low:  rand.Uint64()>>2 | 2<<62,      // the variant
	}
}

// Append appends the characters of u to b.
func (u UUID) Append(b []byte) []byte {
	var bits [16]byte
	binary.BigEndian.PutUint64(bits[:8], u.high)
	binary.BigEndian.PutUint64(bits[8:], u.low)
	var text [Len]byte
	hex.Encode(text[0:], bits[0:4])
	hex.Encode(text[9:], bits[4:6])
	hex.Encode(text[14:], bits[6:8])
	hex.Encode(text[19:], bits[8:10])
	hex.Encode(text[24:], bits[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return append(b, text[:]...)
}

// String returns the characters of u.
func (u UUID) String() string { return string(u.Append(nil)) }
