package awssqs

import (
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/aws/smithy-go"
)

// A recorder is what an input of the SDK writes itself to, in order to become the
// input of package api whose members have the same names. So what the SDK leaves
// out of a request is left out here too, and by the same rule.
//
// It has no methods for values of kinds that are foreign to SQS, such as times. A
// member that package api does not know is dropped, as a server drops it.
type recorder struct {
	smithy.ShapeSerializer // nil

	root reflect.Value
	open []container // from the outside in
}

// A container is a struct, slice or map that is being written; the zero Value is
// one that is dropped.
type container struct {
	reflect.Value
	member *smithy.Schema // what it is in the container around it
	key    string         // of the next value, in a map
}

// record writes what in contains to dst, a pointer to a struct.
func record(dst any, in smithy.Serializable) {
	in.Serialize(&recorder{root: reflect.ValueOf(dst).Elem()})
}

func (r *recorder) WriteStruct(member *smithy.Schema) { r.begin(member) }
func (r *recorder) CloseStruct()                      { r.end() }
func (r *recorder) WriteList(member *smithy.Schema)   { r.begin(member) }
func (r *recorder) CloseList()                        { r.end() }
func (r *recorder) WriteMap(member *smithy.Schema)    { r.begin(member) }
func (r *recorder) CloseMap()                         { r.end() }

func (r *recorder) WriteKey(_ *smithy.Schema, key string) { r.top().key = wellFormed(key) }

func (r *recorder) WriteString(member *smithy.Schema, v string) { r.write(member, wellFormed(v)) }
func (r *recorder) WriteBlob(member *smithy.Schema, v []byte)   { r.write(member, v) }
func (r *recorder) WriteBool(member *smithy.Schema, v bool)     { r.write(member, v) }
func (r *recorder) WriteInt32(member *smithy.Schema, v int32)   { r.write(member, v) }
func (r *recorder) WriteInt64(member *smithy.Schema, v int64)   { r.write(member, v) }

// wellFormed returns s as it would come out of JSON: with U+FFFD for each byte
// that is not UTF-8.
func wellFormed(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// top returns the innermost container.
func (r *recorder) top() *container { return &r.open[len(r.open)-1] }

// begin opens a container.
func (r *recorder) begin(member *smithy.Schema) {
	if len(r.open) == 0 {
		r.open = append(r.open, container{Value: r.root})
		return
	}
	c := container{member: member}
	if t := r.top().typeOf(member); t != nil {
		c.Value = reflect.New(t).Elem()
		switch t.Kind() {
		case reflect.Slice:
			c.Set(reflect.MakeSlice(t, 0, 0))
		case reflect.Map:
			c.Set(reflect.MakeMap(t))
		}
	}
	r.open = append(r.open, c)
}

// end closes the innermost container.
func (r *recorder) end() {
	c := *r.top()
	r.open = r.open[:len(r.open)-1]
	if len(r.open) > 0 && c.IsValid() {
		r.top().put(c.member, c.Value)
	}
}

// write writes a value that is not a container.
func (r *recorder) write(member *smithy.Schema, value any) {
	t := r.top().typeOf(member)
	if t == nil {
		return
	}
	v := reflect.New(t).Elem()
	if t.Kind() == reflect.Pointer {
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(reflect.ValueOf(value).Convert(t.Elem()))
	} else {
		v.Set(reflect.ValueOf(value).Convert(t))
	}
	r.top().put(member, v)
}

// typeOf returns the type of a member of c, or nil if it has no such member.
func (c *container) typeOf(member *smithy.Schema) reflect.Type {
	switch c.Kind() {
	case reflect.Struct:
		if f, ok := c.Type().FieldByName(fieldName(member)); ok {
			return f.Type
		}
	case reflect.Slice, reflect.Map:
		return c.Type().Elem()
	}
	return nil
}

// put puts a value of the type that typeOf returns into c.
func (c *container) put(member *smithy.Schema, v reflect.Value) {
	switch c.Kind() {
	case reflect.Struct:
		c.FieldByName(fieldName(member)).Set(v)
	case reflect.Slice:
		c.Set(reflect.Append(c.Value, v))
	case reflect.Map:
		c.SetMapIndex(reflect.ValueOf(c.key), v)
	}
}

// fieldName returns the name of the field that a member is in Go: tags is Tags.
func fieldName(member *smithy.Schema) string {
	name := member.MemberName()
	return strings.ToUpper(name[:1]) + name[1:]
}

// fill sets dst, an output of the SDK or a part of one, to what src of package api
// has in it. What is zero or empty there is absent from an answer, and so nil here.
func fill(dst, src reflect.Value) {
	if src.IsZero() {
		return
	}
	if dst.Kind() == reflect.Pointer {
		dst.Set(reflect.New(dst.Type().Elem()))
		dst, src = dst.Elem(), reflect.Indirect(src)
	}
	switch src.Kind() {
	case reflect.Struct:
		for i := range src.NumField() {
			fill(dst.FieldByName(src.Type().Field(i).Name), src.Field(i))
		}
	case reflect.Slice:
		fillSlice(dst, src)
	case reflect.Map:
		fillMap(dst, src)
	default:
		dst.Set(src.Convert(dst.Type()))
	}
}

func fillSlice(dst, src reflect.Value) {
	if src.Len() == 0 {
		return
	}
	dst.Set(reflect.MakeSlice(dst.Type(), src.Len(), src.Len()))
	if dst.Type() == src.Type() {
		reflect.Copy(dst, src)
		return
	}
	for i := range src.Len() {
		fill(dst.Index(i), src.Index(i))
	}
}

func fillMap(dst, src reflect.Value) {
	if src.Len() == 0 {
		return
	}
	dst.Set(reflect.MakeMap(dst.Type()))
	for key, value := range src.Seq2() {
		v := reflect.New(dst.Type().Elem()).Elem()
		fill(v, value)
		dst.SetMapIndex(key, v)
	}
}
