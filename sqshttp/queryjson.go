package sqshttp

import (
	"reflect"

	"github.com/memsqs/memsqs/internal/api"
)

// An object is a JSON object. It is written in the order of its names.
type object map[string]any

// responseJSON returns the reply of responseXML, rendered as JSON (C2.4).
func responseJSON(op *api.Operation, out any, requestID string) []byte {
	response := object{"ResponseMetadata": object{"RequestId": requestID}}
	if op.HasOutput() {
		v := reflect.ValueOf(out).Elem()
		response[op.Name+"Result"] = shapeOf(v.Type()).render(v)
	}
	return encodeJSON(object{op.Name + "Response": response})
}

// errorJSON returns the reply of errorXML, rendered as JSON.
func errorJSON(err *api.Error, requestID string) []byte {
	return encodeJSON(object{
		"Error":     object{"Code": err.Code, "Message": err.Message, "Type": faultOf(err)},
		"RequestId": requestID,
	})
}

// render returns what v is in JSON. What a reply leaves out is null, and a map is a
// list.
func (s *shape) render(v reflect.Value) any {
	if s.pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	switch s.kind {
	case reflect.Struct:
		o := make(object, len(s.fields))
		for _, f := range s.fields {
			o[f.jsonName] = f.renderField(v.Field(f.index))
		}
		return o
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = s.elem.render(v.Index(i))
		}
		return list
	case reflect.Map:
		list := make([]any, 0, v.Len())
		for _, key := range sortedKeys(v) {
			list = append(list, object{s.key: key.String(), s.value: s.elem.render(v.MapIndex(key))})
		}
		return list
	}
	return v.Interface()
}

func (f *field) renderField(v reflect.Value) any {
	if f.optional && v.IsZero() {
		return nil
	}
	return f.render(v)
}
