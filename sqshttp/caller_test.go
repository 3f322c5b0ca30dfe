package sqshttp_test

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// credentialIn returns an Authorization header of a signature with that credential.
func credentialIn(credential string) string {
	return "AWS4-HMAC-SHA256 Credential=" + credential + ", SignedHeaders=host, Signature=00"
}

// The region is that of the signature's scope and the account the access key, if that
// is one; else both are the server's.
func TestRegionAndAccount(t *testing.T) {
	opts := sqshttp.Options{Region: "eu-west-3", Account: "210987654321"}
	for credential, want := range map[string]string{
		"AKID/20260102/us-west-2/sqs/aws4_request":                       "us-west-2:210987654321",
		"123456789012/20260102/us-west-2/sqs/aws4_request":               "us-west-2:123456789012",
		"1234567890123/20260102/us-west-2/sqs/aws4_request":              "us-west-2:210987654321",
		"12345678901a/20260102//sqs/aws4_request":                        "eu-west-3:210987654321",
		"AKID/20260102/a:b/sqs/aws4_request":                             "eu-west-3:210987654321",
		"AKID/20260102/" + strings.Repeat("a", 64) + "/sqs/aws4_request": "eu-west-3:210987654321",
		"123456789012/20260102/us-west-2/sqs/aws4_request/more":          "eu-west-3:210987654321",
		"AKID/20260102": "eu-west-3:210987654321",
		"":              "eu-west-3:210987654321",
	} {
		s := sqshttp.NewServer(opts)
		byHeader := func(operation, body string) reply {
			r := jsonRequest(t, operation, body)
			r.Header.Set("Authorization", credentialIn(credential))
			return answerTo(t, s, r)
		}
		require.Equal(t, http.StatusOK, byHeader("CreateQueue", `{"QueueName":"new"}`).status)
		require.Contains(t, byHeader("GetQueueAttributes", `{"QueueUrl":"new","AttributeNames":["QueueArn"]}`).body, "arn:aws:sqs:"+want+":new", credential)

		r := newRequest(t, http.MethodGet, "/new?Action=GetQueueAttributes&AttributeName.1=QueueArn", "")
		q := r.URL.Query()
		q.Set("X-Amz-Credential", credential)
		r.URL.RawQuery = q.Encode()
		require.Contains(t, answerTo(t, s, r).body, "arn:aws:sqs:"+want+":new", credential)
	}
}

// Queues of different regions and accounts are apart, and Go code sees those of the
// server's own.
func TestRegionsAreApart(t *testing.T) {
	s, q := newServer(t)
	r := jsonRequest(t, "SendMessage", `{"QueueUrl":"q","MessageBody":"a"}`)
	r.Header.Set("Authorization", credentialIn("AKID/20260102/us-west-2/sqs/aws4_request"))
	require.Equal(t, http.StatusBadRequest, answerTo(t, s, r).status)
	require.Same(t, q, s.Queue("q"))
	require.Nil(t, s.FIFOQueue("q"))
}

// The URL of a queue begins as the client has called the server.
func TestEndpoint(t *testing.T) {
	s, _ := newServer(t)
	for _, c := range []struct {
		change func(*http.Request)
		want   string
	}{
		{func(*http.Request) {}, "http://sqs.test"},
		{func(r *http.Request) { r.Host = "localhost:9324" }, "http://localhost:9324"},
		{func(r *http.Request) { r.URL.Scheme, r.URL.Host, r.Host = "https", "h", "" }, "https://h"},
		{func(r *http.Request) { r.URL.Scheme, r.URL.Host = "", ""; r.TLS = &tls.ConnectionState{} }, "https://sqs.test"},
		{func(r *http.Request) { r.URL.Scheme, r.URL.Host, r.Host = "", "", "" }, "http://localhost"},
		{func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "https") }, "https://sqs.test"},
		{func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "gopher") }, "http://sqs.test"},
		{func(r *http.Request) { r.TLS = &tls.ConnectionState{}; r.Header.Set("X-Forwarded-Proto", "http") }, "http://sqs.test"},
	} {
		r := jsonRequest(t, "GetQueueUrl", `{"QueueName":"q"}`)
		c.change(r)
		require.Equal(t, `{"QueueUrl":"`+c.want+`/000000000000/q"}`, answerTo(t, s, r).body)
	}
}

// The header of a trace is that of the messages that are sent with it (A10.3), unless
// they have their own.
func TestTraceHeader(t *testing.T) {
	s, q := newServer(t)
	for _, body := range []string{
		`{"QueueUrl":"q","MessageBody":"a"}`,
		`{"QueueUrl":"q","MessageBody":"a","MessageSystemAttributes":{"AWSTraceHeader":{"DataType":"String","StringValue":"Root=2"}}}`,
	} {
		r := jsonRequest(t, "SendMessage", body)
		r.Header.Set("X-Amzn-Trace-Id", "Root=1")
		require.Equal(t, http.StatusOK, answerTo(t, s, r).status)
	}
	var traces []string
	for _, m := range q.Peek(10) {
		traces = append(traces, m.TraceHeader)
	}
	require.Equal(t, []string{"Root=1", "Root=2"}, traces)
}

// What cannot be added is refused, and Reset forgets what was.
func TestAdd(t *testing.T) {
	s, q := newServer(t)
	fifo, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{Name: "jobs.fifo"})
	require.NoError(t, err)
	require.NoError(t, s.Add(fifo))
	require.Same(t, fifo, s.FIFOQueue("jobs.fifo"))
	require.Nil(t, s.Queue("jobs.fifo"))

	for _, bad := range []sqshttp.Queue{nil, q, (*memsqs.Queue)(nil), struct{ sqshttp.Queue }{q}} {
		err := s.Add(bad)
		require.ErrorIs(t, err, memsqs.ErrInvalidParameterValue)
		require.ErrorContains(t, err, "sqshttp: ")
	}
	s.Reset()
	require.Nil(t, s.Queue("q"))
	require.NoError(t, s.Add(q))
	require.Equal(t, q.Stats(), s.Queue("q").Stats())
}
