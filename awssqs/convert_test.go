package awssqs_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/schemas"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/aws/smithy-go/transport/http/protocol/awsjson"
	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/internal/api"
)

// operations calls test with the operation and the types of the input and the
// output of each method of a client.
func operations(t *testing.T, test func(t *testing.T, op *api.Operation, in, out reflect.Type)) {
	for method := range reflect.TypeFor[*sqs.Client]().Methods() {
		if method.Type.NumIn() != 4 { // receiver, context, input, options
			continue
		}
		t.Run(method.Name, func(t *testing.T) {
			op := api.FindOperation(method.Name)
			require.NotNil(t, op)
			test(t, op, method.Type.In(2).Elem(), method.Type.Out(0).Elem())
		})
	}
}

// schema stands for that of an operation. Protocols read no more of it than whether
// there is an input and an output.
var schema = smithy.NewOperationSchema(schemas.SendMessage, schemas.SendMessageRequest, schemas.SendMessageResult)

// A Fake gives an operation what a server makes out of the request that a client
// writes, whatever the input.
func TestFakeInputs(t *testing.T) {
	operations(t, func(t *testing.T, op *api.Operation, input, _ reflect.Type) {
		for _, how := range []filling{absent, zero, full, mangled} {
			in := reflect.New(input)
			how.fill(in.Elem(), "")
			want := op.NewInput()
			require.NoError(t, json.Unmarshal(written(t, in.Interface().(smithy.Serializable)), want))
			got := op.NewInput()
			awssqs.Record(got, in.Interface().(smithy.Serializable))
			require.Equal(t, want, got, "%v", how)
			if how == full {
				requireNoneZero(t, reflect.ValueOf(got).Elem(), input.Name())
			}
		}
	})
}

// written returns the body of the request that a client writes.
func written(t *testing.T, in smithy.Serializable) []byte {
	request := smithyhttp.NewStackRequest().(*smithyhttp.Request)
	require.NoError(t, awsjson.New10(schemas.AmazonSQS).SerializeRequest(t.Context(), schema, in, request))
	body, err := io.ReadAll(request.GetStream())
	require.NoError(t, err)
	return body
}

// A Fake returns what a client makes out of a server's answer, whatever the output.
func TestFakeOutputs(t *testing.T) {
	operations(t, func(t *testing.T, op *api.Operation, _, output reflect.Type) {
		for _, how := range []filling{sparse, full} {
			method, _ := reflect.TypeFor[*api.Caller]().MethodByName(op.Name)
			answer := reflect.New(method.Type.Out(0).Elem()).Interface()
			how.fill(reflect.ValueOf(answer).Elem(), "")
			body, err := json.Marshal(answer)
			require.NoError(t, err)
			want := reflect.New(output).Interface()
			read(t, body, want.(smithy.Deserializable))
			got := reflect.New(output).Interface()
			awssqs.Fill(got, answer)
			require.Equal(t, want, got, "%v: %s", how, body)
		}
	})
}

// read reads the answer that a server has written.
func read(t *testing.T, body []byte, out smithy.Deserializable) {
	response := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(body))}
	err := awsjson.New10(schemas.AmazonSQS).DeserializeResponse(t.Context(), schema, sqs.TypeRegistry, &smithyhttp.Response{Response: response}, out)
	require.NoError(t, err)
}

// A filling is what a value is filled with.
type filling int

const (
	absent  filling = iota // nil, and 0 where there is no nil
	zero                   // pointers to zero, and what has no elements
	sparse                 // something in what an answer always has
	full                   // something in everything
	mangled                // the same, with bytes that are not UTF-8
)

// fill fills v, whose name tells its strings apart.
func (how filling) fill(v reflect.Value, name string) {
	if how == absent {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && (how != sparse || !strings.Contains(f.Tag.Get("json"), "omitempty")) {
				how.fill(v.Field(i), name+"."+f.Name)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		how.fill(v.Elem(), name)
	case reflect.Slice, reflect.Map:
		how.fillMany(v, name)
	case reflect.String:
		if how >= sparse {
			v.SetString(name + how.suffix())
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		if how >= sparse {
			v.SetInt(7)
		}
	case reflect.Bool:
		v.SetBool(how >= sparse)
	case reflect.Uint8:
		v.SetUint(0xfe)
	}
}

// suffix returns what strings end with.
func (how filling) suffix() string {
	if how == mangled {
		return " \xff\xfe é"
	}
	return " \u2028\x00é"
}

// fillMany fills a slice or a map.
func (how filling) fillMany(v reflect.Value, name string) {
	n := 0
	if how >= sparse {
		n = 2
	}
	if v.Kind() == reflect.Slice {
		v.Set(reflect.MakeSlice(v.Type(), n, n))
	} else {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for i := range n {
		e := reflect.New(v.Type().Elem()).Elem()
		how.fill(e, name+strconv.Itoa(i))
		if v.Kind() == reflect.Slice {
			v.Index(i).Set(e)
		} else {
			v.SetMapIndex(reflect.ValueOf(strconv.Itoa(i)+how.suffix()), e)
		}
	}
}

// requireNoneZero requires that there is something in every field, since the names
// of package api are those of the SDK.
func requireNoneZero(t *testing.T, v reflect.Value, name string) {
	require.False(t, v.IsZero(), name)
	switch v = reflect.Indirect(v); v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			requireNoneZero(t, v.Field(i), name+"."+v.Type().Field(i).Name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			requireNoneZero(t, v.Index(i), name+"[]")
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			requireNoneZero(t, value, name+"["+key.String()+"]")
		}
	}
}
