package api

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
)

// md5OfBody returns the MD5 of a body in hexadecimal (A9.1). It goes through the
// body piece by piece: to hash a string in one piece takes a copy of it.
func md5OfBody(body string) string {
	h := md5.New()
	var piece [1024]byte
	for len(body) > 0 {
		n := copy(piece[:], body)
		h.Write(piece[:n])
		body = body[n:]
	}
	return hexOf([md5.Size]byte(h.Sum(piece[:0])))
}

// md5OfAttributes returns the MD5 of attributes, which hold no lists, in
// hexadecimal; none have no MD5 (A9.2 to A9.4).
func md5OfAttributes(attrs map[string]MessageAttributeValue) string {
	if len(attrs) == 0 {
		return ""
	}
	const (
		text = 1
		blob = 2
	)
	var buf [512]byte
	b := buf[:0]
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		a := attrs[name]
		b = appendField(b, name)
		b = appendField(b, value(a.DataType))
		if len(a.BinaryValue) > 0 {
			b = appendField(append(b, blob), a.BinaryValue)
		} else {
			b = appendField(append(b, text), value(a.StringValue))
		}
	}
	return hexOf(md5.Sum(b))
}

// appendField appends the length of a field and the field to b.
func appendField[T string | []byte](b []byte, field T) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(field)))
	return append(b, field...)
}

func hexOf(sum [md5.Size]byte) string {
	var text [2 * md5.Size]byte
	hex.Encode(text[:], sum[:])
	return string(text[:])
}
