package sqshttp

import (
	"cmp"
	"reflect"
	"strings"
	"sync"
)

// blob is the kind of bytes, which are written in base64. No type of package api has
// an array.
const blob = reflect.Array

// A shape says how values of a type of package api are written in the Query
// protocol: what the type and its tags say, read once. It is not changed after that.
type shape struct {
	kind    reflect.Kind // String, Int, Int64, Bool, blob, Slice, Map or Struct
	pointer bool         // the type is a pointer to one of that kind

	fields     []*field          // Struct: in the order of the type
	byName     map[string]*field // by name
	member     map[string]*field // and by the name of the member in the JSON protocol
	elem       *shape            // Slice, Map: of the elements
	key, value string            // Map: what its keys and its elements are called
	omitsEmpty bool              // Map: a key can be without an element, which is then empty
}

// A field is a field of a struct.
type field struct {
	*shape
	index    int
	name     string   // of the element; of each one, if it is a list or a map
	names    []string // of the parameter
	jsonName string   // in a reply that is rendered as JSON
	optional bool     // left out of replies if it is zero
}

// shapes are the shapes of structs by their reflect.Type. There are as many as
// package api has types.
var shapes sync.Map

// shapeOf returns the shape of a struct.
func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s, _ := shapes.LoadOrStore(t, newShape(t, ""))
	return s.(*shape)
}

// newShape returns the shape of a field with the given query tag.
func newShape(t reflect.Type, tag string) *shape {
	s := &shape{kind: t.Kind()}
	if s.kind == reflect.Pointer {
		t = t.Elem()
		s.kind, s.pointer = t.Kind(), true
	}
	switch s.kind {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			s.kind = blob
			break
		}
		s.elem = newShape(t.Elem(), "")
	case reflect.Map:
		_, names, _ := strings.Cut(tag, ",")
		s.key, s.value, _ = strings.Cut(names, ",")
		s.value, s.omitsEmpty = strings.CutSuffix(s.value, "?")
		s.elem = newShape(t.Elem(), "")
	case reflect.Struct:
		s.byName = make(map[string]*field, t.NumField())
		s.member = make(map[string]*field, t.NumField())
		for i := range t.NumField() {
			f := newField(t.Field(i))
			s.fields = append(s.fields, f)
			for _, name := range f.names {
				s.byName[name] = f
			}
			s.member[memberName(t.Field(i))] = f
		}
	}
	return s
}

func newField(f reflect.StructField) *field {
	tag := f.Tag.Get("query")
	names, _, _ := strings.Cut(tag, ",")
	all := strings.Split(cmp.Or(names, f.Name), "|")
	_, jsonOptions, _ := strings.Cut(f.Tag.Get("json"), ",")
	return &field{
		shape:    newShape(f.Type, tag),
		index:    f.Index[0],
		name:     all[0],
		names:    all,
		jsonName: renderedName(f.Name),
		optional: jsonOptions == "omitempty",
	}
}

// memberName returns the name that a field has in the JSON protocol.
func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return cmp.Or(name, f.Name)
}

// renderedName returns the name of a field in a reply that is rendered as JSON. These
// two lists are known to begin with a lower-case letter there (C2.4).
func renderedName(name string) string {
	switch name {
	case "Messages":
		return "messages"
	case "QueueUrls":
		return "queueUrls"
	}
	return name
}
