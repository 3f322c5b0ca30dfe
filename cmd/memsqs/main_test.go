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

// An answer is what came to a request.
type answer struct {
	status int // 0 if nothing came
	body   string
}

// empty is the answer to a receive that got nothing.
var empty = answer{http.StatusOK, "{}"}

// call makes a call that is not signed.
func (c *command) call(operation, input string) answer {
	return c.send(http.MethodPost, "/", "AmazonSQS."+operation, input)
}

// control calls a control endpoint.
func (c *command) control(method, path string) answer {
	return c.send(method, "/_memsqs/"+path, "", "")
}

// client leaves no connection open: an unused one would hold up a drain for seconds.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func (c *command) send(method, path, target, body string) answer {
	r, err := http.NewRequest(method, c.endpoint+path, strings.NewReader(body))
	if err != nil {
		return answer{0, err.Error()}
	}
	r.Header.Set("X-Amz-Target", target)
	resp, err := client.Do(r)
	if err != nil {
		return answer{0, err.Error()}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{0, err.Error()}
	}
	return answer{resp.StatusCode, string(text)}
}

// poll begins a long poll of queue q, at which nobody waits, and returns when it
// waits there.
func (c *command) poll(t *testing.T) <-chan answer {
	t.Helper()
	answered := make(chan answer, 1)
	go func() { answered <- c.call("ReceiveMessage", `{"QueueUrl":"q","WaitTimeSeconds":20}`) }()
	for {
		a := c.control(http.MethodGet, "stats?queue=q")
		require.Equal(t, http.StatusOK, a.status, a.body)
		var stats struct{ Waiting int }
		require.NoError(t, json.Unmarshal([]byte(a.body), &stats))
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
	a := c.call("ListQueues", "{}")
	require.Equal(t, http.StatusOK, a.status)
	require.JSONEq(t, `{"QueueUrls":["`+c.endpoint+`/000000000000/jobs.fifo","`+c.endpoint+`/000000000000/orders"]}`, a.body)
}

func TestNoSignatureIsNeededUnlessAsked(t *testing.T) {
	require.Equal(t, empty, start(t).call("ListQueues", "{}"))

	c := start(t, "-verify", file(t, "keys.json", `{"AKIDEXAMPLE": "a secret"}`))
	require.Equal(t, http.StatusForbidden, c.call("ListQueues", "{}").status)
	for _, text := range []string{"--no-sign-request", "Anonymous", "a secret"} {
		require.NotContains(t, c.output, text)
	}
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
		require.Equal(t, http.StatusOK, c.call("PurgeQueue", `{"QueueUrl":"q"}`).status)
		require.Equal(t, tt.want, c.call("PurgeQueue", `{"QueueUrl":"q"}`).status)
	}
}

func TestControlEndpointsMustBeAskedFor(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{"-queue", "q"}, http.StatusNotFound},
		{[]string{"-queue", "q", "-control"}, http.StatusOK},
		{[]string{"-queue", "q", "-manual-clock"}, http.StatusOK},
	} {
		require.Equal(t, tt.want, start(t, tt.args...).control(http.MethodGet, "stats?queue=q").status)
	}
}

// Time passes when it is told to, and not before.
func TestManualClock(t *testing.T) {
	c := start(t, "-manual-clock", "-queue", "q")
	polled := c.poll(t)
	require.Equal(t, http.StatusOK, c.control(http.MethodPost, "advance?duration=20s").status)
	require.Equal(t, empty, <-polled)

	c.call("SendMessage", `{"QueueUrl":"q","MessageBody":"m"}`)
	for range 2 {
		require.Contains(t, c.call("ReceiveMessage", `{"QueueUrl":"q","VisibilityTimeout":43200}`).body, `"Body":"m"`)
		require.Equal(t, empty, c.call("ReceiveMessage", `{"QueueUrl":"q"}`))
		require.Equal(t, http.StatusOK, c.control(http.MethodPost, "advance?duration=12h").status)
	}
}

// When it is told to end, it answers the poll that waits, and ends well.
func TestDrains(t *testing.T) {
	c := start(t, "-control", "-queue", "q")
	polled := c.poll(t)
	c.stop()
	require.Equal(t, empty, <-polled)
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
