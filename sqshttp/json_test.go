package sqshttp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/internal/api"
	"github.com/memsqs/memsqs/sqshttp"
)

// An operation with output answers it as JSON, without what is empty; one without
// output answers an empty body (C1.2 to C1.4).
func TestJSONAnswers(t *testing.T) {
	s, _ := newServer(t)
	for _, c := range []struct{ operation, body, want string }{
		{"SendMessage", `{"QueueUrl":"q","MessageBody":"hello"}`, `^{"MD5OfMessageBody":"5d41402abc4b2a76b9719d911017c592","MessageId":"[0-9a-f-]{36}"}$`},
		{"PurgeQueue", `{"QueueUrl":"q"}`, `^$`},
		{"ReceiveMessage", `{"QueueUrl":"q"}`, `^{}$`},
		{"GetQueueAttributes", `{"QueueUrl":"q"}`, `^{}$`},
		{"CreateQueue", `{"QueueName":"new"}`, `^{"QueueUrl":"http://sqs\.test/000000000000/new"}$`},
	} {
		a := callJSON(t, s, c.operation, c.body)
		require.Equal(t, http.StatusOK, a.status, c.operation)
		require.Regexp(t, c.want, a.body, c.operation)
		require.Equal(t, "application/x-amz-json-1.0", a.header.Get("Content-Type"))
		require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, a.header.Get("x-amzn-RequestId"))
	}
}

// Text comes out as it came in, and markup in it as itself.
func TestJSONText(t *testing.T) {
	const text = "<a href=\"x\">&amp;</a>\r\n\t\\ é 😀 \u2028 \U0010FFFD"
	s, q := newServer(t)
	put(t, q, text)

	a := callJSON(t, s, "ReceiveMessage", `{"QueueUrl":"q"}`)

	require.Contains(t, a.body, `<a href=\"x\">&amp;</a>`)
	var out api.ReceiveMessageOutput
	require.NoError(t, json.Unmarshal([]byte(a.body), &out))
	require.Equal(t, text, out.Messages[0].Body)
}

// What is sent arrives, however it is escaped; bytes are base64 (C1.8). Members that are
// unknown, null or of another case are as good as absent, and of two the later counts.
func TestJSONInput(t *testing.T) {
	for _, c := range []struct{ name, members, want string }{
		{"plain", `"MessageBody":"a"`, "a"},
		{"escapes", `"MessageBody":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac"`, "\"\\/\b\f\n\r\tAé€"},
		{"escaped after plain", `"MessageBody":"aé\nbé"`, "aé\nbé"},
		{"a pair of surrogates", `"MessageBody":"\ud83d\uDE00"`, "😀"},
		{"an escaped name", `"Message\u0042ody":"a"`, "a"},
		{"white space", " \t\r\n \"MessageBody\" \n:\t\"a\" ", "a"},
		{"unknown members", `"X":[{"a":[1,-0.5e+7,true,false,null,{}]},[]],"MessageBody":"a","Y":"\n","Z":0`, "a"},
		{"a member of another case", `"messageBody":1,"MessageBody":"a","MESSAGEBODY":"b"`, "a"},
		{"a member twice", `"MessageBody":"a","MessageBody":"b"`, "b"},
		{"null members", `"MessageBody":"a","DelaySeconds":null,"MessageAttributes":null,"MessageGroupId":null`, "a"},
		{"an integer with a sign", `"MessageBody":"a","DelaySeconds":-0`, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in api.SendMessageInput
			require.NoError(t, sqshttp.DecodeJSON([]byte(`{`+c.members+`}`), &in))
			require.Equal(t, c.want, *in.MessageBody)
			require.Nil(t, in.MessageAttributes)
			require.Nil(t, in.MessageGroupId)
		})
	}
}

// A null after a value leaves nothing of it.
func TestJSONNullAfterAValue(t *testing.T) {
	var in api.SendMessageInput
	require.NoError(t, sqshttp.DecodeJSON([]byte(`{"MessageBody":"a","MessageBody":null}`), &in))
	require.Nil(t, in.MessageBody)
}

// No body at all is an input without members.
func TestJSONWithoutABody(t *testing.T) {
	s := sqshttp.NewServer(sqshttp.Options{})
	require.Equal(t, http.StatusOK, callJSON(t, s, "ListQueues", "").status)
}

// An empty list, map or blob is told from none.
func TestJSONEmptyIsNotAbsent(t *testing.T) {
	var in api.SendMessageBatchInput
	require.NoError(t, sqshttp.DecodeJSON([]byte(`{"Entries":[{"MessageAttributes":{"a":{"BinaryValue":"","StringListValues":[],"StringValue":""}}}]}`), &in))
	require.Equal(t, api.SendMessageBatchInput{Entries: []api.SendMessageBatchRequestEntry{{
		MessageAttributes: map[string]api.MessageAttributeValue{"a": {BinaryValue: []byte{}, StringListValues: []string{}, StringValue: new("")}},
	}}}, in)
}

// A name with an escape stays what it is while a value with one is read.
func TestJSONEscapedNameOfAValue(t *testing.T) {
	var in api.TagQueueInput
	require.NoError(t, sqshttp.DecodeJSON([]byte(`{"Tags":{"\u0061b":"\u0063d","x":"\ny"}}`), &in))
	require.Equal(t, map[string]string{"ab": "cd", "x": "\ny"}, in.Tags)
}

// A request that is not a POST calls no operation.
func TestJSONMethod(t *testing.T) {
	s, _ := newServer(t)
	r := jsonRequest(t, "CreateQueue", `{"QueueName":"new"}`)
	r.Method = http.MethodGet
	a := answerTo(t, s, r)
	requireRefused(t, a, http.StatusMethodNotAllowed, "com.amazon.coral.service#UnknownOperationException", "InvalidAction")
	require.Equal(t, "GET, POST", a.header.Get("Allow"))
	require.Nil(t, s.Queue("new"))
}

// Every field of every input can be filled.
func TestJSONKnowsEveryInput(t *testing.T) {
	n := 0
	for method := range reflect.TypeFor[*api.Caller]().Methods() {
		name := method.Name
		op := api.FindOperation(name)
		if op == nil {
			continue
		}
		n++
		in := op.NewInput()
		want := reflect.New(reflect.TypeOf(in).Elem())
		fill(want.Elem())
		text, err := json.Marshal(want.Interface())
		require.NoError(t, err)
		require.NoError(t, sqshttp.DecodeJSON(text, in), name)
		require.Equal(t, want.Interface(), in, name)
	}
	require.Equal(t, 23, n)
}

// fill sets v to a value without a zero in it.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.Map:
		elem := reflect.New(v.Type().Elem()).Elem()
		fill(elem)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key"), elem)
	case reflect.String:
		v.SetString("text")
	case reflect.Int:
		v.SetInt(-7)
	case reflect.Uint8:
		v.SetUint(200)
	default:
		panic("an input has a " + v.Type().String())
	}
}

// sendStart is the beginning of a good SendMessage.
const sendStart = `{"QueueUrl":"q","MessageBody":"a",`

// malformedJSON are bodies of SendMessage, and how they are refused.
var malformedJSON = []struct{ name, body, message string }{
	{"no JSON", `hello`, "The body of the request is not a JSON object, at byte 0."},
	{"an array", `[]`, "The body of the request is not a JSON object, at byte 0."},
	{"a string", `"a"`, "The body of the request is not a JSON object, at byte 0."},
	{"null", `null`, "The body of the request is not a JSON object, at byte 0."},
	{"white space", ` `, "The body of the request is not a JSON object, at byte 1."},
	{"an open object", `{"QueueUrl":"q","MessageBody":"a"`, "The JSON ends too early, at byte 33."},
	{"an open string", `{"QueueUrl":"q","MessageBody":"a`, "The JSON ends too early, at byte 32."},
	{"an open escape", `{"MessageBody":"a\`, "The JSON ends too early, at byte 18."},
	{"an open string after an escape", `{"MessageBody":"\n`, "The JSON ends too early, at byte 18."},
	{"an open code unit", `{"MessageBody":"\u12`, "The JSON ends too early, at byte 20."},
	{"more behind it", `{"QueueUrl":"q","MessageBody":"a"}{}`, "There is more after the end of the JSON object, at byte 34."},
	{"a comma too many", sendStart + `}`, "The JSON is malformed, at byte 34."},
	{"a comma too few", `{"MessageBody":"a" "QueueUrl":"q"}`, "The JSON is malformed, at byte 19."},
	{"a colon too few", `{"MessageBody" "a"}`, "The JSON is malformed, at byte 15."},
	{"a name without quotes", `{MessageBody:"a"}`, "The JSON is malformed, at byte 1."},
	{"single quotes", `{'MessageBody':"a"}`, "The JSON is malformed, at byte 1."},
	{"a comment", `{/**/}`, "The JSON is malformed, at byte 1."},
	{"a byte order mark", "\ufeff{}", "The body of the request is not a JSON object, at byte 0."},
	{"an unknown word", sendStart + `"X":nil}`, "The JSON is malformed, at byte 38."},
	{"a word with a tail", sendStart + `"X":nullx}`, "The JSON is malformed, at byte 42."},
	{"a leading zero", sendStart + `"X":01}`, "The JSON is malformed, at byte 39."},
	{"a leading point", sendStart + `"X":.1}`, "The JSON is malformed, at byte 38."},
	{"a trailing point", sendStart + `"X":1.}`, "The JSON is malformed, at byte 40."},
	{"an open exponent", sendStart + `"X":1e+}`, "The JSON is malformed, at byte 41."},
	{"a lone sign", sendStart + `"DelaySeconds":-}`, "The JSON is malformed, at byte 50."},
	{"an unknown escape", sendStart + `"X":"\x41"}`, "The JSON is malformed, at byte 40."},
	{"a code unit of no number", sendStart + `"X":"\u12g4"}`, "The JSON is malformed, at byte 41."},
	{"a control character", sendStart + "\"X\":\"\n\"}", "The JSON is malformed, at byte 39."},
	{"a control character after an escape", sendStart + "\"X\":\"\\n\n\"}", "The JSON is malformed, at byte 41."},
	{"invalid UTF-8", sendStart + "\"X\":\"\xff\"}", "The JSON is not valid UTF-8, at byte 40."},
	{"invalid UTF-8 after an escape", sendStart + "\"X\":\"\\n\xc3\"}", "The JSON is not valid UTF-8, at byte 42."},
	{"invalid UTF-8 in a name", sendStart + "\"\xc3\":1}", "The JSON is not valid UTF-8, at byte 36."},
	{"a high surrogate", sendStart + `"X":"\ud83d"}`, "The JSON has half of a surrogate pair, at byte 45."},
	{"a low surrogate", sendStart + `"X":"\ude00"}`, "The JSON has half of a surrogate pair, at byte 45."},
	{"a high surrogate before a malformed escape", sendStart + `"X":"\ud83d\u00g0"}`, "The JSON is malformed, at byte 47."},
	{"two high surrogates", sendStart + `"X":"\ud83d\ud83d"}`, "The JSON has half of a surrogate pair, at byte 51."},
	{"a high surrogate before another escape", sendStart + `"X":"\ud83d\n"}`, "The JSON has half of a surrogate pair, at byte 46."},
	{"a string for an integer", sendStart + `"DelaySeconds":"1"}`, "STRING_VALUE can not be converted to an Integer"},
	{"a truth for an integer", sendStart + `"DelaySeconds":true}`, "TRUE_VALUE can not be converted to an Integer"},
	{"a structure for an integer", sendStart + `"DelaySeconds":{}}`, "Start of structure or map found where not expected."},
	{"a list for an integer", sendStart + `"DelaySeconds":[1]}`, "Start of list found where not expected."},
	{"a decimal for an integer", sendStart + `"DelaySeconds":1.5}`, "DECIMAL_VALUE can not be converted to an Integer"},
	{"an exponent for an integer", sendStart + `"DelaySeconds":1e1}`, "DECIMAL_VALUE can not be converted to an Integer"},
	{"more than 32 bits", sendStart + `"DelaySeconds":2147483648}`, "The number 2147483648 is out of the range of an Integer, -2147483648 to 2147483647."},
	{"less than 32 bits", sendStart + `"DelaySeconds":-2147483649}`, "The number -2147483649 is out of the range of an Integer, -2147483648 to 2147483647."},
	{"an integer for a string", `{"QueueUrl":"q","MessageBody":1}`, "NUMBER_VALUE can not be converted to a String"},
	{"a falsehood for a string", `{"QueueUrl":"q","MessageBody":false}`, "FALSE_VALUE can not be converted to a String"},
	{"an unknown word for a string", `{"QueueUrl":"q","MessageBody":nil}`, "The JSON is malformed, at byte 30."},
	{"a structure for a string", `{"QueueUrl":"q","MessageBody":{}}`, "Start of structure or map found where not expected."},
	{"a string for a map", sendStart + `"MessageAttributes":"a"}`, "STRING_VALUE can not be converted to a Structure"},
	{"a list for a map", sendStart + `"MessageAttributes":[]}`, "Start of list found where not expected."},
	{"a map for a list", sendStart + `"MessageAttributes":{"a":{"StringListValues":{}}}}`, "Start of structure or map found where not expected."},
	{"a number for a list", sendStart + `"MessageAttributes":{"a":{"StringListValues":1}}}`, "NUMBER_VALUE can not be converted to a List"},
	{"null in a list", sendStart + `"MessageAttributes":{"a":{"StringListValues":[null]}}}`, "Null is no element of a list, at byte 84."},
	{"a number for base64", sendStart + `"MessageAttributes":{"a":{"BinaryValue":1}}}`, "NUMBER_VALUE can not be converted to a String"},
	{"no base64", sendStart + `"MessageAttributes":{"a":{"BinaryValue":"A"}}}`, "A binary value is not base64, at byte 77."},
	{"too deep", sendStart + `"X":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "The JSON is nested more than 100 deep, at byte 137."},
	{"too long a map", sendStart + `"MessageAttributes":{` + manyMembers(10_001) + `}}`, "The lists and maps have more than 10000 elements, at byte 98953."},
	{"too long a list", sendStart + `"MessageAttributes":{"a":{"BinaryListValues":[` + strings.Repeat(`"",`, 10_000) + `""]}}}`, "The lists and maps have more than 10000 elements, at byte 30077."},
	{"too many in lists and maps", sendStart + `"MessageAttributes":{"a":{"StringListValues":[` + strings.Repeat(`"",`, 5000) + `""]},"b":{"BinaryListValues":[` + strings.Repeat(`"",`, 5000) + `""]}}}`, "The lists and maps have more than 10000 elements, at byte 30101."},
}

// What is not JSON, or not of the type that a member has, is refused with a
// SerializationException, and changes nothing (C1.9).
func TestJSONMalformed(t *testing.T) {
	for _, c := range malformedJSON {
		t.Run(c.name, func(t *testing.T) {
			s, q := newServer(t)
			message := requireMalformed(t, callJSON(t, s, "SendMessage", c.body))
			require.Equal(t, c.message, message)
			require.Zero(t, q.Stats().Sent)
		})
	}
}

// A null in a map is an invalid parameter, not malformed JSON (A17.3).
func TestJSONNullInAMap(t *testing.T) {
	for operation, body := range map[string]string{
		"TagQueue":           `{"QueueUrl":"q","Tags":{"a":null}}`,
		"SetQueueAttributes": `{"QueueUrl":"q","Attributes":{"Policy":null}}`,
		"SendMessage":        `{"QueueUrl":"q","MessageBody":"b","MessageAttributes":{"a":null}}`,
	} {
		t.Run(operation, func(t *testing.T) {
			s, _ := newServer(t)
			message := requireRefused(t, callJSON(t, s, operation, body), http.StatusBadRequest,
				"com.amazon.coral.service#InvalidParameterValueException", "InvalidParameterValue")
			require.Equal(t, "the parameter 'value' may not be null", message)
		})
	}
}

// manyMembers returns n members of a map.
func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%d":{}`, i)
	}
	return b.String()
}

// As deep as the limit is no offence, nor are many small values that add up.
func TestJSONDepthIsOfWhatIsOpen(t *testing.T) {
	deep := strings.Repeat(`[`, 99) + strings.Repeat(`]`, 99)
	var in api.SendMessageInput
	require.NoError(t, sqshttp.DecodeJSON([]byte(`{"A":`+deep+`,"B":`+deep+strings.Repeat(`,"C":[]`, 1000)+`}`), &in))
}

// A target that is no operation's is refused, whatever the body (C1.9).
func TestJSONUnknownTarget(t *testing.T) {
	s := sqshttp.NewServer(sqshttp.Options{})
	for _, target := range []string{"AmazonSQS.Nothing", "AmazonSQS.sendMessage", "AmazonSQS.", "SendMessage", "DynamoDB_20120810.ListTables", "amazonsqs.SendMessage"} {
		r := jsonRequest(t, "", "[")
		r.Header.Set("X-Amz-Target", target)
		message := requireRefused(t, answerTo(t, s, r), http.StatusBadRequest, "com.amazon.coral.service#UnknownOperationException", "InvalidAction")
		require.Contains(t, message, target)
	}
}

// A request whose content is JSON is answered in JSON also if it has no target.
func TestJSONWithoutATarget(t *testing.T) {
	r := jsonRequest(t, "", "{}")
	r.Header.Del("X-Amz-Target")
	requireRefused(t, answerTo(t, sqshttp.NewServer(sqshttp.Options{}), r), http.StatusBadRequest, "com.amazon.coral.service#UnknownOperationException", "InvalidAction")
}

// An error carries both of its names (C1.5, C1.6).
func TestJSONRefusal(t *testing.T) {
	s, _ := newServer(t)
	message := requireRefused(t, callJSON(t, s, "SendMessage", `{"QueueUrl":"none","MessageBody":"a"}`),
		http.StatusBadRequest, "com.amazonaws.sqs#QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue")
	require.Equal(t, "The specified queue does not exist.", message)
}

// A request on the path of a queue works as on the root (C1.7), and the path names the
// queue if the body does not.
func TestJSONOnAQueuesPath(t *testing.T) {
	s, q := newServer(t)
	for path, body := range map[string]string{
		"000000000000/q":     `{"MessageBody":"a"}`,
		"q":                  `{"MessageBody":"a"}`,
		"000000000000/other": `{"MessageBody":"a","QueueUrl":"q"}`,
	} {
		r := jsonRequest(t, "SendMessage", body)
		r.URL.Path = "/" + path
		require.Equal(t, http.StatusOK, answerTo(t, s, r).status, path)
	}
	require.EqualValues(t, 3, q.Stats().Sent)

	r := jsonRequest(t, "SendMessage", `{"MessageBody":"a","QueueUrl":"none"}`)
	r.URL.Path = "/000000000000/q"
	require.Equal(t, http.StatusBadRequest, answerTo(t, s, r).status)
}
