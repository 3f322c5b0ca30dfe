package sqshttp

import (
	"encoding/base64"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/memsqs/memsqs/internal/api"
)

// maxName is the limit of the length of a parameter's name: more than any that is known
// has.
const maxName = 256

// decode fills an input, which is a pointer to a struct. Parameters that it has no
// field for are ignored; of two with one name the first counts.
//
// It costs O(n log n) for n parameters, whatever their indices are.
func (f form) decode(input any) error {
	v := reflect.ValueOf(input).Elem()
	s := shapeOf(v.Type())
	var params []param
	for p, err := range f.all() {
		if err != nil {
			return err
		}
		if first, _ := cutPart(p.name); s.byName[first] == nil || len(p.name) > maxName {
			continue
		}
		if len(params) == maxElements {
			return refusal(api.Serialization, "The request has more than %d parameters.", maxElements)
		}
		params = append(params, p)
	}
	slices.SortStableFunc(params, compareParams)
	return s.decode(v, params)
}

// decode sets v to what its parameters say, which are in order.
func (s *shape) decode(v reflect.Value, params []param) error {
	switch s.kind {
	case reflect.Struct:
		return s.decodeStruct(v, params)
	case reflect.Slice:
		return s.decodeList(v, params)
	case reflect.Map:
		return s.decodeMap(v, params)
	}
	if params[len(params)-1].rest != "" {
		return refusal(api.Serialization, "Start of list found where not expected")
	}
	if s.pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	return s.decodeScalar(v, params[0])
}

func (s *shape) decodeStruct(v reflect.Value, params []param) error {
	for len(params) > 0 {
		var name string
		var own []param
		name, own, params = split(params, cutPart)
		f := s.byName[name]
		if f == nil {
			continue
		}
		if err := f.decode(v.Field(f.index), own); err != nil {
			return err
		}
	}
	return nil
}

// decodeList appends elements in the order of their indices, which may have gaps.
// A list without elements is not nil, as it is not in JSON.
func (s *shape) decodeList(v reflect.Value, params []param) error {
	if v.IsNil() {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	for len(params) > 0 {
		var index string
		var own []param
		index, own, params = split(params, cutIndex)
		if index+own[0].rest+own[0].value == "" {
			continue // what clients send for an empty list
		}
		n := v.Len()
		v.Grow(1)
		v.SetLen(n + 1)
		if err := s.elem.decode(v.Index(n), own); err != nil {
			return err
		}
	}
	return nil
}

// decodeMap adds elements in the order of their indices: of two with one key the
// latter counts.
func (s *shape) decodeMap(v reflect.Value, params []param) error {
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for len(params) > 0 {
		var own []param
		_, own, params = split(params, cutIndex)
		if err := s.decodeElement(v, own); err != nil {
			return err
		}
	}
	return nil
}

// decodeElement adds an element to the map m.
func (s *shape) decodeElement(m reflect.Value, params []param) error {
	prefix := strings.TrimSuffix(params[0].name, params[0].rest)
	var key *string
	elem := reflect.New(m.Type().Elem()).Elem()
	hasElem := false
	for len(params) > 0 {
		var name string
		var own []param
		name, own, params = split(params, cutPart)
		switch name {
		case s.key:
			key = &own[0].value
		case s.value:
			hasElem = true
			if err := s.elem.decode(elem, own); err != nil {
				return err
			}
		}
	}
	switch {
	case key == nil && !hasElem:
		return nil
	case key == nil:
		return refusal(api.MissingParameter, "The request must contain the parameter %s.", prefix+s.key)
	case !hasElem && !s.omitsEmpty:
		return refusal(api.MissingParameter, "The request must contain the parameter %s.", prefix+s.value)
	}
	m.SetMapIndex(reflect.ValueOf(*key), elem)
	return nil
}

func (s *shape) decodeScalar(v reflect.Value, p param) error {
	switch s.kind {
	case reflect.String:
		v.SetString(p.value)
	case reflect.Int:
		n, err := strconv.ParseInt(p.value, 10, 32)
		if err != nil {
			return refusal(api.Serialization, "Value %.30s for parameter %s is invalid. Reason: Must be an integer from %d to %d.",
				p.value, p.name, math.MinInt32, math.MaxInt32)
		}
		v.SetInt(n)
	case blob:
		b, err := base64.StdEncoding.DecodeString(p.value)
		if err != nil {
			return refusal(api.Serialization, "The value of parameter %s is invalid. Reason: Must be base64.", p.name)
		}
		v.SetBytes(b)
	}
	return nil
}
