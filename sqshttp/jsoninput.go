package sqshttp

import (
	"encoding/base64"
	"reflect"

	"github.com/memsqs/memsqs/internal/api"
)

// maxElements limits the elements of all lists and maps of a request together: more
// than any needs that is not refused anyway, and few enough that a body of {},{},{} is
// not many times its size in memory.
const maxElements = 10_000

// decodeJSON fills an input, which is a pointer to a struct, from JSON text. No text
// at all is an input without members.
//
// Package encoding/json would not do: it takes members for others that differ
// in case, and replaces what is not UTF-8.
//
// A member that is unknown is skipped, one that is null is as good as absent, and
// of two with one name the later counts.
func decodeJSON(text []byte, input any) error {
	if len(text) == 0 {
		return nil
	}
	d := &jsonReader{text: text}
	if d.space(); d.peek() != '{' {
		return d.refuse("The body of the request is not a JSON object")
	}
	if err := decodeStruct(d, input); err != nil {
		return err
	}
	if d.space(); d.at < len(d.text) {
		return d.refuse("There is more after the end of the JSON object")
	}
	return nil
}

// decodeValue reads the next value, which is not null, into what p points to, which
// must be zero.
func decodeValue(d *jsonReader, p any) (err error) {
	switch p := p.(type) {
	case **string:
		*p = new(string)
		**p, err = d.string()
	case **int:
		*p = new(int)
		**p, err = d.int()
	case *string:
		*p, err = d.string()
	case *[]byte:
		*p, err = decodeBlob(d)
	case *[][]byte:
		return decodeList(d, p)
	case *[]string:
		return decodeList(d, p)
	case *[]api.SendMessageBatchRequestEntry:
		return decodeList(d, p)
	case *[]api.DeleteMessageBatchRequestEntry:
		return decodeList(d, p)
	case *[]api.ChangeMessageVisibilityBatchRequestEntry:
		return decodeList(d, p)
	case *map[string]string:
		return decodeMap(d, p)
	case *map[string]api.MessageAttributeValue:
		return decodeMap(d, p)
	default:
		return decodeStruct(d, p)
	}
	return err
}

// decodeStruct reads an object into the struct that p points to.
func decodeStruct(d *jsonReader, p any) error {
	v := reflect.ValueOf(p).Elem()
	s := shapeOf(v.Type())
	return d.object(func(name []byte) error {
		f := s.member[string(name)]
		if f == nil {
			return d.skip()
		}
		member := v.Field(f.index)
		member.SetZero()
		if d.literal("null") {
			return nil
		}
		return decodeValue(d, member.Addr().Interface())
	})
}

// decodeList reads a list into what p points to.
func decodeList[E any](d *jsonReader, p *[]E) error {
	*p = []E{}
	return d.array(func() error {
		if err := d.element(); err != nil {
			return err
		}
		if d.literal("null") {
			return d.refuse("Null is no element of a list")
		}
		*p = append(*p, *new(E))
		return decodeValue(d, &(*p)[len(*p)-1])
	})
}

// decodeMap reads an object into the map that p points to.
func decodeMap[E any](d *jsonReader, p *map[string]E) error {
	*p = make(map[string]E)
	return d.object(func(name []byte) error {
		if err := d.element(); err != nil {
			return err
		}
		if d.literal("null") {
			return refusal(api.InvalidParameterValue, "the parameter 'value' may not be null") // A17.3
		}
		key := string(name) // before the value is read, which may reuse name
		var e E
		if err := decodeValue(d, &e); err != nil {
			return err
		}
		(*p)[key] = e
		return nil
	})
}

// decodeBlob reads a string of base64.
func decodeBlob(d *jsonReader) ([]byte, error) {
	s, err := d.string()
	if err != nil {
		return nil, err
	}
	blob, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, d.refuse("A binary value is not base64")
	}
	return blob, nil
}
