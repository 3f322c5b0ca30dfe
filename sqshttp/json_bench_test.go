package sqshttp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/memsqs/memsqs/sqshttp"
)

// BenchmarkDo measures a send and a receive of a message, as a client in the process
// makes them, with what it costs to make the request.
func BenchmarkDo(b *testing.B) {
	for _, c := range []struct{ operation, input string }{
		{"SendMessage", `{"QueueUrl":"http://sqs.test/000000000000/q","MessageBody":"` + strings.Repeat("a", 100) + `"}`},
		{"ReceiveMessage", `{"QueueUrl":"http://sqs.test/000000000000/q","VisibilityTimeout":0}`},
	} {
		b.Run(c.operation, func(b *testing.B) {
			s, q := newServerWith(b, sqshttp.Options{})
			put(b, q, strings.Repeat("a", 100))
			b.ReportAllocs()
			for b.Loop() {
				resp, err := s.Do(jsonRequest(b, c.operation, c.input))
				if err != nil || resp.StatusCode != http.StatusOK {
					b.Fatal(resp, err)
				}
			}
		})
	}
}
