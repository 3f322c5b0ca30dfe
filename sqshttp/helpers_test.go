package sqshttp_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// newServerWith returns a server with an empty queue q.
func newServerWith(t testing.TB, opts sqshttp.Options) (*sqshttp.Server, *memsqs.Queue) {
	t.Helper()
	s := sqshttp.NewServer(opts)
	q, err := memsqs.NewQueue(memsqs.Config{Name: "q", Clock: opts.Clock})
	require.NoError(t, err)
	require.NoError(t, s.Add(q))
	return s, q
}

// put puts messages on a queue.
func put(t testing.TB, q *memsqs.Queue, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: body})
		require.NoError(t, err)
	}
}

// jsonRequest returns a request of the JSON protocol.
func jsonRequest(t testing.TB, operation, body string) *http.Request {
	t.Helper()
	r := newRequest(t, http.MethodPost, "/", body)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
	return r
}

// A reply is what the server has answered.
type reply struct {
	status int
	header http.Header
	body   string
}

// answerTo returns the reply to a request.
func answerTo(t testing.TB, s *sqshttp.Server, r *http.Request) reply {
	t.Helper()
	status, header, body := do(t, s, r)
	return reply{status, header, string(body)}
}

// callJSON returns the reply to a call in the JSON protocol.
func callJSON(t testing.TB, s *sqshttp.Server, operation, body string) reply {
	t.Helper()
	return answerTo(t, s, jsonRequest(t, operation, body))
}

// requireRefused requires that a reply of the JSON protocol is a refusal (C1.5), and
// returns its message.
func requireRefused(t testing.TB, a reply, status int, shape, code string) string {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	fault := ";Sender"
	if status >= http.StatusInternalServerError {
		fault = ";Receiver"
	}
	require.Equal(t, code+fault, a.header.Get("x-amzn-query-error"))
	require.Equal(t, "application/x-amz-json-1.0", a.header.Get("Content-Type"))
	require.NotEmpty(t, a.header.Get("x-amzn-RequestId"))
	var refused struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &refused))
	require.Equal(t, shape, refused.Type)
	require.NotEmpty(t, refused.Message)
	return refused.Message
}

// requireMalformed requires that a reply is a SerializationException (C1.9), and
// returns its message.
func requireMalformed(t testing.TB, a reply) string {
	t.Helper()
	return requireRefused(t, a, http.StatusBadRequest, "com.amazon.coral.service#SerializationException", "MalformedInput")
}
