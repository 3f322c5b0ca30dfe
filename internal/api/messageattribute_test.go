package api_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

// A wording is of attributes that are refused, and in which words.
type wording struct {
	attrs attributes
	text  string
}

// requireWordings requires that a message is refused for each of the attributes.
func requireWordings(t *testing.T, wordings map[string]wording) {
	for name, w := range wordings {
		t.Run(name, func(t *testing.T) {
			requireAttributesRefused(t, api.InvalidParameterValue, w.text, w.attrs, nil)
		})
	}
}

func TestNamesOfMessageAttributesAreRefused(t *testing.T) {
	many := make(attributes)
	for i := range 11 {
		many[strconv.Itoa(i)] = text("String", "v")
	}
	const (
		reserved = "You can't use message attribute names beginning with 'AWS.' or 'Amazon'. These strings are reserved for internal use."
		badName  = " was found in the message attribute name. Can only include alphanumeric characters, hyphens, underscores, or dots."
	)
	requireWordings(t, map[string]wording{
		"eleven":      {many, "Number of message attributes [11] exceeds the allowed maximum [10]."}, // A8.1
		"no name":     {attributes{"": text("String", "v")}, "The request must contain non-empty message attribute name."},
		"long name":   {attributes{strings.Repeat("n", 257): text("String", "v")}, "Message (user) attribute name must be shorter than 256 bytes."},
		"AWS name":    {attributes{"aWs.n": text("String", "v")}, reserved},
		"Amazon name": {attributes{"AMAZON.n": text("String", "v")}, reserved},
		"dot before":  {attributes{".n": text("String", "v")}, "Message (user) attribute name must not begin with character '.'."},
		"dot after":   {attributes{"n.": text("String", "v")}, "Message (user) attribute name must not end with character '.'."},
		"two dots":    {attributes{"n..n": text("String", "v")}, "Message (user) attribute name must not have successive '.' characters."},
		"name with !": {attributes{"n!": text("String", "v")}, "Invalid non-alphanumeric character '#x21'" + badName},
		"name with §": {attributes{"n§": text("String", "v")}, "Invalid non-alphanumeric character '#xA7'" + badName}, // A8.3
	})
}

func TestValuesOfMessageAttributesAreRefused(t *testing.T) {
	const (
		badType = "The type of message (user) attribute 'n' is invalid. You must use only the following supported type prefixes: Binary, Number, String."
		noType  = "The message (user) attribute 'n' must contain a non-empty message attribute type."
	)
	requireWordings(t, map[string]wording{
		"nothing":              {attributes{"n": {}}, "The message (user) attribute 'n' must contain a non-empty message attribute value."},
		"no type":              {attributes{"n": {StringValue: new("v")}}, noType},
		"empty type":           {attributes{"n": text("", "v")}, noType},
		"unknown type":         {attributes{"n": text("Text", "v")}, badType}, // A8.4
		"type in lower case":   {attributes{"n": text("string", "v")}, badType},
		"type with empty part": {attributes{"n": text("String.", "v")}, badType},
		"long type":            {attributes{"n": text("String."+strings.Repeat("n", 257), "v")}, "Message (user) attribute type must be shorter than 256 bytes."},
		"empty String":         {attributes{"n": text("String", "")}, "Message (user) attribute 'n' must contain a non-empty value of type 'String'."}, // A8.6
		"no value":             {attributes{"n": {DataType: new("Number.int")}}, "Message (user) attribute 'n' must contain a non-empty value of type 'Number.int'."},
		"empty Binary":         {attributes{"n": blob("")}, "Message (user) attribute 'n' must contain a non-empty value of type 'Binary'."},
		"two values":           {attributes{"n": {DataType: new("String"), StringValue: new("v"), BinaryValue: []byte("v")}}, "Message (user) attribute 'n' must have a single value."},
		"String of bytes":      {attributes{"n": {DataType: new("String"), BinaryValue: []byte("v")}}, "Message (user) attribute 'n' with type 'String' must use field 'String'."},
		"Number of bytes":      {attributes{"n": {DataType: new("Number"), BinaryValue: []byte("1")}}, "Message (user) attribute 'n' with type 'Number' must use field 'String'."},
		"Binary of text":       {attributes{"n": text("Binary.png", "v")}, "Message (user) attribute 'n' with type 'Binary.png' must use field 'Binary'."},
		"bad character":        {attributes{"n": text("String", "v\x00")}, "Invalid binary character '#x0' was found in the message attribute 'n' value, " + allowedText}, // A1.7
		"two that are bad":     {attributes{"a": text("String", ""), "n": text("Text", "v")}, "Message (user) attribute 'a' must contain a non-empty value of type 'String'."},
		"good beside bad":      {attributes{"attr.1øßä": text("String", "v"), "n": {DataType: new("Text"), StringValue: new("v")}}, badType},
	})
}

// Of several numbers the one that is none is named (A8.5).
func TestNumbersAreRefused(t *testing.T) {
	const notANumber = "Can't cast the value of message (user) attribute 'n' to a number."
	for good, bad := range map[string]string{
		"1":                            "ten",
		"+0.5":                         "0x10",
		"-1.5e3":                       "Inf",
		"1e126":                        "1e127",
		"-1e-128":                      "1e-129",
		"1000e123":                     "1.0000000000000000000000000001e126", // in float64 it is 1e126
		"5.":                           "1_000",
		strings.Repeat("7", 38):        strings.Repeat("7", 39),
		"0." + strings.Repeat("0", 60): " 1",
	} {
		requireAttributesRefused(t, api.InvalidParameterValue, notANumber, attributes{"a": text("Number", good), "n": text("Number", bad), "z": text("Number", "2")}, nil)
	}
}

// Values that are lists are not supported, be they empty (A8.7), in system attributes
// neither. One refuses the whole of a batch.
func TestListValuesAreRefused(t *testing.T) {
	for name, list := range map[string]api.MessageAttributeValue{
		"strings":       {DataType: new("String"), StringValue: new("v"), StringListValues: []string{"v"}},
		"blobs":         {DataType: new("Binary"), BinaryListValues: [][]byte{{1}}},
		"empty list":    {DataType: new("String"), StringValue: new("v"), StringListValues: []string{}},
		"list of blobs": {DataType: new("String"), StringValue: new("v"), BinaryListValues: [][]byte{}},
	} {
		for kind, in := range map[string]api.SendMessageBatchRequestEntry{
			"attribute":        {MessageAttributes: attributes{"a": text("String", "v"), "n": list}},
			"system attribute": {MessageSystemAttributes: attributes{"AWSTraceHeader": list}},
		} {
			t.Run(name+" as "+kind, func(t *testing.T) {
				c := newCaller()
				q := addQueue(t, c, memsqs.Config{})
				out, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(standard), MessageBody: new("b"), MessageAttributes: in.MessageAttributes, MessageSystemAttributes: in.MessageSystemAttributes})
				requireFault(t, api.UnsupportedOperation, "Message attribute list values in SendMessage operation are not supported.", out, err)
				in.Id, in.MessageBody = new("2"), new("b")
				batch, err := c.SendMessageBatch(t.Context(), &api.SendMessageBatchInput{QueueUrl: new(standard), Entries: []api.SendMessageBatchRequestEntry{{Id: new("1"), MessageBody: new("good")}, in}})
				requireFault(t, api.UnsupportedOperation, "Message attribute list values in SendMessageBatch operation are not supported.", batch, err)
				requireNothingChanged(t, q)
			})
		}
	}
}

// Only AWSTraceHeader can be sent as a system attribute, and only as a String
// (A10.2).
func TestMessageSystemAttributesAreRefused(t *testing.T) {
	const badType = "The type of message system attribute 'AWSTraceHeader' is invalid. You must use only the following supported type prefixes: String."
	for name, test := range map[string]struct {
		attrs attributes
		text  string
	}{
		"other name":    {attributes{"AWSTraceHeader": text("String", "v"), "SenderId": text("String", "v")}, "Message system attribute name 'SenderId' is invalid."},
		"Number":        {attributes{"AWSTraceHeader": text("Number", "1")}, badType},
		"labelled":      {attributes{"AWSTraceHeader": text("String.x", "1")}, badType},
		"no type":       {attributes{"AWSTraceHeader": {StringValue: new("v")}}, badType},
		"empty":         {attributes{"AWSTraceHeader": text("String", "")}, "Message system attribute 'AWSTraceHeader' must contain a non-empty value of type 'String'."},
		"bytes":         {attributes{"AWSTraceHeader": {DataType: new("String"), BinaryValue: []byte("v")}}, "Message system attribute 'AWSTraceHeader' must contain a non-empty value of type 'String'."},
		"two values":    {attributes{"AWSTraceHeader": {DataType: new("String"), StringValue: new("v"), BinaryValue: []byte("v")}}, "Message system attribute 'AWSTraceHeader' must have a single value."},
		"bad character": {attributes{"AWSTraceHeader": text("String", "\x02")}, "Invalid binary character '#x2' was found in the message system attribute 'AWSTraceHeader' value, " + allowedText},
	} {
		t.Run(name, func(t *testing.T) {
			requireAttributesRefused(t, api.InvalidParameterValue, test.text, nil, test.attrs)
		})
	}
}

// requireAttributesRefused requires that a message with the given attributes is
// refused, and in a batch fails alone.
func requireAttributesRefused(t *testing.T, kind *api.Kind, text string, attrs, system attributes) {
	t.Helper()
	c := newCaller()
	q := addQueue(t, c, memsqs.Config{})
	out, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(standard), MessageBody: new("body"), MessageAttributes: attrs, MessageSystemAttributes: system})
	requireFault(t, kind, text, out, err)
	requireNothingChanged(t, q)
	batch, err := c.SendMessageBatch(t.Context(), &api.SendMessageBatchInput{QueueUrl: new(standard), Entries: []api.SendMessageBatchRequestEntry{
		{Id: new("1"), MessageBody: new("bad"), MessageAttributes: attrs, MessageSystemAttributes: system},
		{Id: new("2"), MessageBody: new("good")},
	}})
	require.NoError(t, err)
	require.Equal(t, []api.BatchResultErrorEntry{failed("1", kind, text)}, batch.Failed)
	require.Equal(t, "good", receiveOne(t, c, standard).Body)
}

// A caller's trace header is that of the messages that have none, in a batch too
// (A10.3). It has no MD5: it was not sent as an attribute.
func TestTraceHeaderOfTheCaller(t *testing.T) {
	c := newCaller()
	addQueue(t, c, memsqs.Config{})
	c.TraceHeader = "Root=1"
	own := attributes{"AWSTraceHeader": text("String", "Root=2")}
	sent, err := c.SendMessage(t.Context(), &api.SendMessageInput{QueueUrl: new(standard), MessageBody: new("a")})
	require.NoError(t, err)
	require.Empty(t, sent.MD5OfMessageSystemAttributes)
	batch, err := c.SendMessageBatch(t.Context(), &api.SendMessageBatchInput{QueueUrl: new(standard), Entries: []api.SendMessageBatchRequestEntry{
		{Id: new("1"), MessageBody: new("b"), MessageSystemAttributes: own},
		{Id: new("2"), MessageBody: new("c")},
	}})
	require.NoError(t, err)
	require.NotEmpty(t, batch.Successful[0].MD5OfMessageSystemAttributes)
	require.Empty(t, batch.Successful[1].MD5OfMessageSystemAttributes)
	for i, m := range receive(t, c, standard) {
		require.Equal(t, []string{"Root=1", "Root=2", "Root=1"}[i], m.Attributes["AWSTraceHeader"])
	}
}
