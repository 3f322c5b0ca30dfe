package sqshttp_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/internal/api"
	"github.com/memsqs/memsqs/sqshttp"
)

func text(s string) *api.MessageAttributeValue {
	return &api.MessageAttributeValue{DataType: new("String"), StringValue: &s}
}

// forms are forms, and the inputs that they fill.
var forms = []struct {
	name, form string
	want       any
}{
	{"scalars", "MessageBody=a%20b+c%2B&DelaySeconds=-5&QueueUrl=http%3A%2F%2Fh%2F1%2Fq&MessageGroupId=",
		&api.SendMessageInput{MessageBody: new("a b c+"), DelaySeconds: new(-5), QueueUrl: new("http://h/1/q"), MessageGroupId: new("")}},
	{"nothing", "", &api.SendMessageInput{}},
	{"list", "AttributeName.1=All&MessageAttributeName.1=a&MessageAttributeName.2=b",
		&api.ReceiveMessageInput{AttributeNames: []string{"All"}, MessageAttributeNames: []string{"a", "b"}}},
	{"list in any order, with gaps", "TagKey.10=d&TagKey.7=c&TagKey.1=a&TagKey.3=b",
		&api.UntagQueueInput{TagKeys: []string{"a", "b", "c", "d"}}},
	{"indices beyond any integer", "TagKey.99999999999999999999999=c&TagKey.9223372036854775808=b&TagKey.2147483648=a",
		&api.UntagQueueInput{TagKeys: []string{"a", "b", "c"}}},
	{"empty elements", "TagKey.1=&TagKey.2=b", &api.UntagQueueInput{TagKeys: []string{"", "b"}}},
	{"an empty list, as clients send it", "AttributeNames=&TagKey=", &api.UntagQueueInput{TagKeys: []string{}}},
	{"an only element without index", "AttributeName=All", &api.GetQueueAttributesInput{AttributeNames: []string{"All"}}},
	{"elements with and without index", "TagKey.1=a&TagKey=z", &api.UntagQueueInput{TagKeys: []string{"z", "a"}}},
	{"map", "Attribute.1.Name=DelaySeconds&Attribute.1.Value=5&Attribute.2.Value=&Attribute.2.Name=Policy&Tag.1.Key=k&Tag.1.Value=v",
		&api.CreateQueueInput{Attributes: map[string]string{"DelaySeconds": "5", "Policy": ""}, Tags: map[string]string{"k": "v"}}},
	{"map with an only element without index", "Attribute.Name=VisibilityTimeout&Attribute.Value=35",
		&api.SetQueueAttributesInput{Attributes: map[string]string{"VisibilityTimeout": "35"}}},
	{"of two elements with one key the latter counts", "Tag.2.Key=k&Tag.2.Value=2&Tag.1.Key=k&Tag.1.Value=1",
		&api.TagQueueInput{Tags: map[string]string{"k": "2"}}},
	{"of an element with an index and one without the latter counts", "Tag.Value=2&Tag.Key=k&Tag.1.Key=k&Tag.1.Value=1",
		&api.TagQueueInput{Tags: map[string]string{"k": "2"}}},
	{"of many parameters with one name the first counts", "MessageBody=1" + strings.Repeat("&DelaySeconds=7&MessageBody=2", 50),
		&api.SendMessageInput{MessageBody: new("1"), DelaySeconds: new(7)}},
	{"of two parameters with one name the first counts", "MessageBody=1&MessageBody=2&DelaySeconds=1&DelaySeconds=x",
		&api.SendMessageInput{MessageBody: new("1"), DelaySeconds: new(1)}},
	{"message attributes", "MessageAttribute.1.Name=s&MessageAttribute.1.Value.DataType=String&MessageAttribute.1.Value.StringValue=%C3%B8" +
		"&MessageAttribute.2.Name=b&MessageAttribute.2.Value.DataType=Binary.png&MessageAttribute.2.Value.BinaryValue=AQID" +
		"&MessageAttribute.3.Name=e&MessageAttribute.3.Value.BinaryValue=" +
		"&MessageAttribute.4.Name=l&MessageAttribute.4.Value.StringListValue.2=y&MessageAttribute.4.Value.StringListValue.1=x" +
		"&MessageAttribute.4.Value.BinaryListValue.1=AQ%3D%3D" +
		"&MessageSystemAttribute.1.Name=AWSTraceHeader&MessageSystemAttribute.1.Value.DataType=String&MessageSystemAttribute.1.Value.StringValue=Root",
		&api.SendMessageInput{
			MessageAttributes: map[string]api.MessageAttributeValue{
				"s": *text("ø"),
				"b": {DataType: new("Binary.png"), BinaryValue: []byte{1, 2, 3}},
				"e": {BinaryValue: []byte{}},
				"l": {StringListValues: []string{"x", "y"}, BinaryListValues: [][]byte{{1}}},
			},
			MessageSystemAttributes: map[string]api.MessageAttributeValue{"AWSTraceHeader": *text("Root")},
		}},
	{"entries", "SendMessageBatchRequestEntry.2.Id=b&SendMessageBatchRequestEntry.2.MessageBody=2&SendMessageBatchRequestEntry.1.Id=a" +
		"&SendMessageBatchRequestEntry.1.DelaySeconds=3&SendMessageBatchRequestEntry.2.MessageAttribute.1.Name=n" +
		"&SendMessageBatchRequestEntry.2.MessageAttribute.1.Value.DataType=String&SendMessageBatchRequestEntry.2.MessageAttribute.1.Value.StringValue=v",
		&api.SendMessageBatchInput{Entries: []api.SendMessageBatchRequestEntry{
			{Id: new("a"), DelaySeconds: new(3)},
			{Id: new("b"), MessageBody: new("2"), MessageAttributes: map[string]api.MessageAttributeValue{"n": *text("v")}},
		}}},
	{"more than ten entries stay apart", entries(11), func() any {
		in := new(api.DeleteMessageBatchInput)
		for i := range 11 {
			in.Entries = append(in.Entries, api.DeleteMessageBatchRequestEntry{Id: new(fmt.Sprint(i + 1))})
		}
		return in
	}()},
	{"unknown parameters are ignored", "Action=X&Version=2008-01-01&AWSAccessKeyId=k&a.b.c=d&.=&..=&=&&Tag.1.Key=k&Tag.1.Value=v&Tag.1.ValueType=t&Tag.2.X=y&Tag.=",
		&api.TagQueueInput{Tags: map[string]string{"k": "v"}}},
	{"an empty list of values", "MessageAttribute.1.Name=n&MessageAttribute.1.Value.StringListValue=&MessageAttribute.1.Value.ValueType=String", // A8.7
		&api.SendMessageInput{MessageAttributes: map[string]api.MessageAttributeValue{"n": {StringListValues: []string{}}}}},
	{"tags without a value", "Tag.1.Key=a&Tag.2.Key=b&Tag.2.Value=c", // A17.1
		&api.CreateQueueInput{Tags: map[string]string{"a": "", "b": "c"}}},
	{"tags as the SDKs for Java send them", "Tags.1.Key=a&Tags.1.Value=b&Tags.2.Key=c",
		&api.TagQueueInput{Tags: map[string]string{"a": "b", "c": ""}}},
	{"bytes that are not UTF-8 are left to the operation", "MessageBody=%FF%00", &api.SendMessageInput{MessageBody: new("\xff\x00")}},
	{"separators within a value", "MessageBody=a=b;c", &api.SendMessageInput{MessageBody: new("a=b;c")}},
}

// Every form of parameter arrives in the input it belongs to (C2.9).
func TestFormFillsTheInput(t *testing.T) {
	for _, c := range forms {
		t.Run(c.name, func(t *testing.T) {
			for _, f := range [][2]string{{c.form, ""}, {"", c.form}} {
				got := newLike(c.want)
				require.NoError(t, sqshttp.DecodeForm(f[0], f[1], got))
				require.Equal(t, c.want, got)
			}
		})
	}
}

// The parameters of the URL and those of the body are one form.
func TestFormIsTheURLAndTheBody(t *testing.T) {
	var in api.SendMessageInput
	require.NoError(t, sqshttp.DecodeForm("QueueUrl=q&MessageBody=url", "MessageBody=body&DelaySeconds=1", &in))
	require.Equal(t, api.SendMessageInput{QueueUrl: new("q"), MessageBody: new("url"), DelaySeconds: new(1)}, in)
}

// malformedForms are what a form is refused for.
var malformedForms = []struct {
	form string
	kind *api.Kind
	text string
}{
	{"AttributeName.0=All", api.Serialization, "0 is not a valid index"}, // C2.6
	{"AttributeNameList.0=All", api.Serialization, "0 is not a valid index"},
	{"SendMessageBatchRequestEntry.1.MessageAttribute.0.Name=n", api.Serialization, "0 is not a valid index"},
	{"AttributeName.01=All", api.Serialization, "01 is not a valid index"},
	{"AttributeName.member.1=All", api.Serialization, "Start of list found where not expected"},
	{"AttributeName.1.x=All", api.Serialization, "Start of list found where not expected"},
	{"QueueUrl.1=q&QueueUrl=q", api.Serialization, "Start of list found where not expected"},
	{"QueueUrl.1=q", api.Serialization, "Start of list found where not expected"},
	{"DelaySeconds=ten", api.Serialization, "Value ten for parameter DelaySeconds is invalid. Reason: Must be an integer from -2147483648 to 2147483647."},
	{"DelaySeconds=", api.Serialization, "Value  for parameter DelaySeconds is invalid. Reason: Must be an integer from -2147483648 to 2147483647."},
	{"DelaySeconds=1.5", api.Serialization, "Value 1.5 for parameter DelaySeconds is invalid. Reason: Must be an integer from -2147483648 to 2147483647."},
	{"DelaySeconds=99999999999999999999", api.Serialization, "Value 99999999999999999999 for parameter DelaySeconds is invalid. Reason: Must be an integer from -2147483648 to 2147483647."},
	{"SendMessageBatchRequestEntry.3.DelaySeconds=x", api.Serialization,
		"Value x for parameter SendMessageBatchRequestEntry.3.DelaySeconds is invalid. Reason: Must be an integer from -2147483648 to 2147483647."},
	{"MessageAttribute.1.Name=n&MessageAttribute.1.Value.BinaryValue=A", api.Serialization,
		"The value of parameter MessageAttribute.1.Value.BinaryValue is invalid. Reason: Must be base64."},
	{"MessageBody=%zz", api.Serialization, `invalid URL escape "%zz"`},
	{"%=x", api.Serialization, `invalid URL escape "%"`},
	{"Attribute.7.Name=Policy", api.MissingParameter, "The request must contain the parameter Attribute.7.Value."},
	{"Attribute.Value=5", api.MissingParameter, "The request must contain the parameter Attribute.Name."},
	{"SendMessageBatchRequestEntry.2.MessageAttribute.1.Value.DataType=String", api.MissingParameter,
		"The request must contain the parameter SendMessageBatchRequestEntry.2.MessageAttribute.1.Name."},
}

// A form that cannot be read is refused with the reason.
func TestFormRefusals(t *testing.T) {
	for _, c := range malformedForms {
		t.Run(c.form, func(t *testing.T) {
			var in struct {
				QueueUrl          *string
				DelaySeconds      *int
				AttributeNames    []string                             `query:"AttributeName"`
				Attributes        map[string]string                    `query:"Attribute,Name,Value"`
				MessageAttributes map[string]api.MessageAttributeValue `query:"MessageAttribute,Name,Value"`
				Entries           []api.SendMessageBatchRequestEntry   `query:"SendMessageBatchRequestEntry"`
			}
			err := sqshttp.DecodeForm(c.form, "", &in)
			var refused *api.Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.kind, refused.Kind)
			require.Equal(t, c.text, refused.Message)
		})
	}
}

// A form has a limit of the parameters that are known, and names longer than any that
// is known are ignored.
func TestFormLimits(t *testing.T) {
	var in api.DeleteMessageBatchInput
	require.NoError(t, sqshttp.DecodeForm("", entries(10_000)+strings.Repeat("&x=", 1000), &in))
	require.Len(t, in.Entries, 10_000)
	require.EqualError(t, sqshttp.DecodeForm("", entries(10_001), new(api.DeleteMessageBatchInput)),
		"MalformedInput: The request has more than 10000 parameters.")

	var tags api.UntagQueueInput
	deep := "TagKey" + strings.Repeat(".1", 200)
	require.NoError(t, sqshttp.DecodeForm(deep+"=a&TagKey.1=b&TagKey.2"+strings.Repeat("3", 300)+"=c", "", &tags))
	require.Equal(t, []string{"b"}, tags.TagKeys)
}

// What a form costs depends on its length, and not on the indices it names.
func TestFormCostDoesNotDependOnIndices(t *testing.T) {
	var form strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&form, "SendMessageBatchRequestEntry.%d000000000.Id=x&", i+1)
		fmt.Fprintf(&form, "SendMessageBatchRequestEntry.1.MessageAttribute.%d000000000.Name=%[1]d&", i+1)
		fmt.Fprintf(&form, "SendMessageBatchRequestEntry.1.MessageAttribute.%d000000000.Value.StringListValue.9999999999=y&", i+1)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var in api.SendMessageBatchInput
	require.NoError(t, sqshttp.DecodeForm("", form.String(), &in))
	runtime.ReadMemStats(&after)
	require.Len(t, in.Entries, 1001)
	require.Len(t, in.Entries[0].MessageAttributes, 1000)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(50*form.Len()))
}

// entries returns a form with n entries of a DeleteMessageBatch, the last first.
func entries(n int) string {
	var form strings.Builder
	for i := range n {
		fmt.Fprintf(&form, "DeleteMessageBatchRequestEntry.%d.Id=%[1]d&", n-i)
	}
	return form.String()
}

// newLike returns a pointer to a new value of the type that v is a pointer to.
func newLike(v any) any { return reflect.New(reflect.TypeOf(v).Elem()).Interface() }
