package sqshttp_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/memsqs/memsqs/internal/api"
	"github.com/memsqs/memsqs/sqshttp"
)

var benchBody = strings.Repeat(`{"order": 17, "text": "a & b"}`, 34) // 1 kB

// BenchmarkFormDecode reads a batch of ten messages with an attribute each.
func BenchmarkFormDecode(b *testing.B) {
	values := url.Values{}
	for i := range 10 {
		entry := fmt.Sprintf("SendMessageBatchRequestEntry.%d.", i+1)
		values.Set(entry+"Id", fmt.Sprint(i))
		values.Set(entry+"MessageBody", benchBody)
		values.Set(entry+"MessageAttribute.1.Name", "n")
		values.Set(entry+"MessageAttribute.1.Value.DataType", "String")
		values.Set(entry+"MessageAttribute.1.Value.StringValue", "v")
	}
	form := values.Encode()
	b.ReportAllocs()
	b.SetBytes(int64(len(form)))
	for b.Loop() {
		var in api.SendMessageBatchInput
		if err := sqshttp.DecodeForm("", form, &in); err != nil || len(in.Entries) != 10 {
			b.Fatal(err)
		}
	}
}

// BenchmarkResponseXML writes a receive of ten messages with an attribute each.
func BenchmarkResponseXML(b *testing.B) {
	out := new(api.ReceiveMessageOutput)
	for range 10 {
		out.Messages = append(out.Messages, api.Message{
			Body: benchBody, Attributes: map[string]string{"SenderId": "1", "SentTimestamp": "2"},
			MessageAttributes: map[string]api.MessageAttributeValue{"n": *text("v")},
		})
	}
	op := api.FindOperation("ReceiveMessage")
	b.ReportAllocs()
	b.SetBytes(10 * int64(len(benchBody)))
	for b.Loop() {
		sqshttp.ResponseXML(op, out, "id")
	}
}
