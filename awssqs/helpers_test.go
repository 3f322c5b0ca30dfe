package awssqs_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// A connection is a way to call a server.
type connection struct {
	name string
	open func(t *testing.T, server *sqshttp.Server, optFns ...func(*sqs.Options)) everyMethod
}

// connections are all ways to call a server with the SDK. The last one opens
// sockets, and is not for bubbles.
var connections = []connection{
	{"fake", func(_ *testing.T, server *sqshttp.Server, optFns ...func(*sqs.Options)) everyMethod {
		return awssqs.NewFake(server, optFns...)
	}},
	{"client", func(_ *testing.T, server *sqshttp.Server, optFns ...func(*sqs.Options)) everyMethod {
		return awssqs.NewClient(server, optFns...)
	}},
	{"loopback", loopback},
}

// loopback returns a client that calls the server over a socket.
func loopback(t *testing.T, server *sqshttp.Server, optFns ...func(*sqs.Options)) everyMethod {
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	overSocket := func(o *sqs.Options) {
		o.BaseEndpoint = aws.String(listener.URL)
		o.HTTPClient = &http.Client{Transport: transport}
	}
	return awssqs.NewClient(server, append(optFns, overSocket)...)
}

// create returns the URL of a new queue.
func create(t *testing.T, c everyMethod, name string, attributes map[string]string) *string {
	t.Helper()
	out, err := c.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	require.NoError(t, err)
	return out.QueueUrl
}

// start is a time of whole milliseconds, which are all that SQS shows.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
