package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A command is the program under test, at run in this process.
type command struct {
	endpoint string
	output   string // what it printed on its start, but for the endpoint's address
	stop     context.CancelFunc
	status   chan int
}

// start runs the program on a free port until the test ends.
func start(t *testing.T, args ...string) *command {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c := &command{stop: cancel, status: make(chan int, 1)}
	stdout, w := io.Pipe()
	go func() {
		c.status <- run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), w, t.Output())
		w.Close()
	}()
	t.Cleanup(func() {
		cancel()
		stdout.Close()
	})
	c.read(t, stdout)
	return c
}

// read reads what the program prints on its start.
func (c *command) read(t *testing.T, stdout io.Reader) {
	t.Helper()
	lines := bufio.NewScanner(stdout)
	for !strings.HasPrefix(lines.Text(), "Go SDK") {
		require.True(t, lines.Scan(), "it has ended before it listens")
		if value, ok := strings.CutPrefix(lines.Text(), "endpoint"); ok {
			c.endpoint = strings.TrimSpace(value)
		}
		c.output += lines.Text() + "\n"
	}
	c.output = strings.ReplaceAll(c.output, c.endpoint, "http://ENDPOINT")
	go io.Copy(io.Discard, stdout)
}

// call makes a call, unsigned, and returns the status and the body of the answer.
func (c *command) call(t *testing.T, operation, input string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, c.endpoint, strings.NewReader(input))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
	return roundTrip(t, r)
}

// control calls a control endpoint.
func (c *command) control(t *testing.T, method, path string) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, c.endpoint+"/_memsqs/"+path, nil)
	require.NoError(t, err)
	return roundTrip(t, r)
}

func roundTrip(t *testing.T, r *http.Request) (int, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

// An answer is what came to a call.
type answer struct {
	status int
	body   string
}

// poll begins a long poll of a queue, and returns when it waits there.
func (c *command) poll(t *testing.T, queue string) <-chan answer {
	t.Helper()
	answered := make(chan answer, 1)
	go func() {
		status, body := c.call(t, "ReceiveMessage", `{"QueueUrl":"`+queue+`","WaitTimeSeconds":20}`)
		answered <- answer{status, body}
	}()
	for {
		status, body := c.control(t, http.MethodGet, "stats?queue="+queue)
		require.Equal(t, http.StatusOK, status, body)
		var stats struct{ Waiting int }
		require.NoError(t, json.Unmarshal([]byte(body), &stats))
		if stats.Waiting > 0 {
			return answered
		}
	}
}

// file writes a file for a test and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// outcome runs the program to its end.
func outcome(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	status = run(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

func TestAnnouncesHowToReachIt(t *testing.T) {
	c := start(t, "-region", "eu-west-3", "-account", "123456789012", "-queue", "orders", "-queue", "jobs.fifo")
	require.Equal(t, `endpoint  http://ENDPOINT
region    eu-west-3
account   123456789012
queue     http://ENDPOINT/123456789012/jobs.fifo
queue     http://ENDPOINT/123456789012/orders
AWS CLI   aws --endpoint-url http://ENDPOINT --region eu-west-3 --no-sign-request sqs list-queues
Go SDK    client := sqs.New(sqs.Options{BaseEndpoint: aws.String("http://ENDPOINT"), Region: "eu-west-3", Credentials: aws.AnonymousCredentials{}})
`, c.output)
}

// The queues are found under the URLs that are printed.
func TestServesQueuesOfTheCommandLine(t *testing.T) {
	c := start(t, "-queue", "orders", "-queue", "jobs.fifo")
	status, body := c.call(t, "ListQueues", "{}")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"QueueUrls":["`+c.endpoint+`/000000000000/jobs.fifo","`+c.endpoint+`/000000000000/orders"]}`, body)
}

func TestNoSignatureIsNeededUnlessAsked(t *testing.T) {
	keys := file(t, "keys.json", `{"AKIDEXAMPLE": "secret"}`)
	c := start(t, "-verify", keys)
	require.NotContains(t, c.output, "--no-sign-request")
	require.NotContains(t, c.output, "Anonymous")
	require.NotContains(t, c.output, "secret")
	status, body := c.call(t, "ListQueues", "{}")
	require.Equal(t, http.StatusForbidden, status, body)

	status, body = start(t).call(t, "ListQueues", "{}")
	require.Equal(t, http.StatusOK, status, body)
}

func TestPausesOf60SecondsUnlessRelaxed(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{"-queue", "q"}, http.StatusForbidden},
		{[]string{"-queue", "q", "-relaxed"}, http.StatusOK},
	} {
		c := start(t, tt.args...)
		c.call(t, "PurgeQueue", `{"QueueUrl":"q"}`)
		status, body := c.call(t, "PurgeQueue", `{"QueueUrl":"q"}`)
		require.Equal(t, tt.want, status, body)
	}
}

func TestControlEndpointsMustBeAskedFor(t *testing.T) {
	status, _ := start(t, "-queue", "q").control(t, http.MethodGet, "stats?queue=q")
	require.NotEqual(t, http.StatusOK, status)

	for _, flag := range []string{"-control", "-manual-clock"} {
		status, body := start(t, "-queue", "q", flag).control(t, http.MethodGet, "stats?queue=q")
		require.Equal(t, http.StatusOK, status, body)
	}
}

// Twelve hours pass when they are told to.
func TestManualClock(t *testing.T) {
	c := start(t, "-manual-clock", "-queue", "q")
	polled := c.poll(t, "q")
	c.control(t, http.MethodPost, "advance?duration=20s")
	require.Equal(t, answer{http.StatusOK, "{}"}, <-polled)

	c.call(t, "SendMessage", `{"QueueUrl":"q","MessageBody":"m"}`)
	for range 2 {
		_, body := c.call(t, "ReceiveMessage", `{"QueueUrl":"q","VisibilityTimeout":43200}`)
		require.Contains(t, body, `"Body":"m"`)
		_, body = c.call(t, "ReceiveMessage", `{"QueueUrl":"q"}`)
		require.Equal(t, "{}", body)
		status, body := c.control(t, http.MethodPost, "advance?duration=12h")
		require.Equal(t, http.StatusOK, status, body)
	}
}

// When it is told to end, it answers the polls that wait, and ends well.
func TestDrains(t *testing.T) {
	c := start(t, "-control", "-queue", "q")
	first, second := c.poll(t, "q"), c.poll(t, "q")
	c.stop()
	require.Equal(t, answer{http.StatusOK, "{}"}, <-first)
	require.Equal(t, answer{http.StatusOK, "{}"}, <-second)
	require.Zero(t, <-c.status)
	_, err := net.Dial("tcp", strings.TrimPrefix(c.endpoint, "http://"))
	require.Error(t, err)
}

func TestHelpIsAManual(t *testing.T) {
	status, stdout, stderr := outcome(t, "-h")
	require.Zero(t, status)
	require.Empty(t, stderr)
	require.Equal(t, manual, stdout)
}

func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	addr := l.Addr().String()
	status, stdout, stderr := outcome(t, "-addr", addr)
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Equal(t, "memsqs: the address "+addr+" is in use, perhaps by another memsqs; -addr 127.0.0.1:0 takes a free port\n", stderr)
}
