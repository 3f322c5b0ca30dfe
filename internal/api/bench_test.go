package api_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
)

// BenchmarkSendReceiveDelete measures the life of one message, by the size of its
// body in bytes.
func BenchmarkSendReceiveDelete(b *testing.B) {
	for _, size := range []int{100, 10_000} {
		b.Run("body="+strconv.Itoa(size), func(b *testing.B) {
			c := newCaller()
			addQueue(b, c, memsqs.Config{})
			url := "http://localhost/123456789012/" + standard
			in := api.SendMessageInput{QueueUrl: &url, MessageBody: new(strings.Repeat("b", size))}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.SendMessage(b.Context(), &in); err != nil {
					b.Fatal(err)
				}
				out, err := c.ReceiveMessage(b.Context(), &api.ReceiveMessageInput{QueueUrl: &url})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := c.DeleteMessage(b.Context(), &api.DeleteMessageInput{QueueUrl: &url, ReceiptHandle: &out.Messages[0].ReceiptHandle}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
