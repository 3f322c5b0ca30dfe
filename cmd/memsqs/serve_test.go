package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A pipes is a listener whose connections work in a bubble.
type pipes struct {
	conns  chan net.Conn
	closed context.Context
	close  context.CancelFunc
}

func newPipes() *pipes {
	closed, cancel := context.WithCancel(context.Background())
	return &pipes{make(chan net.Conn), closed, cancel}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed.Done():
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.close()
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial returns the client's side of a new connection.
func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

// A bubble is the command in a bubble: it serves a queue q until its context is done.
type bubble struct {
	*pipes
	stop   context.CancelFunc
	served chan error
}

func serveInBubble(t *testing.T, args ...string) *bubble {
	t.Helper()
	c, err := parse(append(args, "-queue", "q"))
	require.NoError(t, err)
	s, err := newService(t.Context(), c, io.Discard)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	b := &bubble{newPipes(), cancel, make(chan error, 1)}
	go func() { b.served <- s.serve(ctx, b) }()
	return b
}

// poll makes a long poll of q and returns the status and the body of the answer.
func (b *bubble) poll(t *testing.T) (int, string) {
	t.Helper()
	conn := b.dial()
	defer conn.Close()
	const input = `{"QueueUrl":"q","WaitTimeSeconds":20}`
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AmazonSQS.ReceiveMessage\r\nContent-Length: %d\r\n\r\n%s", len(input), input)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

// No timeout of the server cuts a poll, also when its request has come slowly.
func TestPollOf20Seconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := serveInBubble(t)
		start := time.Now()
		status, body := b.poll(t)
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, "{}", body)
		require.Equal(t, 20*time.Second, time.Since(start))

		conn := b.dial()
		io.WriteString(conn, "GET /?Action=ReceiveMessage&QueueUrl=q&WaitTimeSeconds=20 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n")
		time.Sleep(readTime - time.Second)
		io.WriteString(conn, " ")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, resp.StatusCode)
		conn.Close()
		b.stop()
		require.NoError(t, <-b.served)
	})
}

// On a manual clock a poll waits for as long as the test takes.
func TestPollOnAManualClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := serveInBubble(t, "-manual-clock")
		go func() {
			time.Sleep(24 * time.Hour)
			conn := b.dial()
			defer conn.Close()
			io.WriteString(conn, "POST /_memsqs/advance?seconds=20 HTTP/1.0\r\n\r\n")
			io.ReadAll(conn)
		}()
		status, body := b.poll(t)
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, "{}", body)
		b.stop()
		require.NoError(t, <-b.served)
	})
}

// A client that does not send what it has begun loses its connection.
func TestSlowClients(t *testing.T) {
	for _, tt := range []struct {
		request string
		cut     time.Duration
	}{
		{"POST / HTTP/1.1\r\nHost:", 10 * time.Second},
		{"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{", readTime + pollTime},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := serveInBubble(t)
			conn := b.dial()
			defer conn.Close()
			start := time.Now()
			io.WriteString(conn, tt.request)
			io.ReadAll(conn)
			require.Equal(t, tt.cut, time.Since(start))
			b.stop()
			require.NoError(t, <-b.served)
		})
	}
}

// What drains waits for the requests under way, but not for ever.
func TestDrainIsPatient(t *testing.T) {
	const begun = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AmazonSQS.ListQueues\r\nContent-Length: 2\r\n\r\n{"
	synctest.Test(t, func(t *testing.T) {
		b := serveInBubble(t)
		conn := b.dial()
		defer conn.Close()
		io.WriteString(conn, begun)
		synctest.Wait()
		b.stop()
		time.Sleep(patience - time.Second)
		io.WriteString(conn, "}")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, resp.StatusCode)
		resp.Body.Close()
		require.NoError(t, <-b.served)
	})
	synctest.Test(t, func(t *testing.T) {
		b := serveInBubble(t)
		conn := b.dial()
		defer conn.Close()
		io.WriteString(conn, begun)
		synctest.Wait()
		start := time.Now()
		b.stop()
		require.EqualError(t, <-b.served, "a client did not finish its request within 10s, and was cut off")
		require.Equal(t, patience, time.Since(start))
	})
}
