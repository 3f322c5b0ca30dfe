package sqshttp_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// textLogger returns a logger of every level.
func textLogger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// A listener hands out connections inside the process, so that net/http can serve in a
// bubble.
type listener chan net.Conn

func (l listener) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l listener) Close() error   { close(l); return nil }
func (l listener) Addr() net.Addr { return &net.TCPAddr{} }

// serve has net/http serve s to the client that it returns, until the test ends.
func serve(t *testing.T, s http.Handler) *http.Client {
	t.Helper()
	l := make(listener)
	server := &http.Server{Handler: s}
	go server.Serve(l)
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		l <- far
		return near, nil
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	return &http.Client{Transport: transport}
}

// What a client gets over a socket is what Do returns, with its length.
func TestServeHTTP(t *testing.T) {
	s, q := newServer(t)
	server := httptest.NewServer(s)
	defer server.Close()
	for _, body := range []string{"a", strings.Repeat("a", 100_000)} {
		put(t, q, body)
		r := jsonRequest(t, "ReceiveMessage", `{"QueueUrl":"q"}`)
		r.URL.Host = server.Listener.Addr().String()
		resp, err := server.Client().Do(r)
		require.NoError(t, err)
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.EqualValues(t, len(text), resp.ContentLength)
		require.Contains(t, string(text), `"Body":"`+body+`"`)
		require.NotEmpty(t, resp.Header.Get("x-amzn-RequestId"))
	}
}

// A client that vanishes ends its long poll, and the next message is not lost to it.
func TestClientThatVanishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, q := newServer(t)
		client := serve(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := client.Do(jsonRequest(t, "ReceiveMessage", longPoll).WithContext(ctx))
			done <- err
		}()
		synctest.Wait()
		require.Equal(t, 1, q.Stats().Waiting)

		cancel()

		require.ErrorIs(t, <-done, context.Canceled)
		synctest.Wait()
		put(t, q, "a")
		stats := q.Stats()
		require.Equal(t, [3]int{1, 0, 0}, [3]int{stats.Visible, stats.InFlight, stats.Waiting})
	})
}

// A request that is given up for another reason than that the client is gone, is
// answered with a status that tells the client to try again.
func TestRequestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newServer(t)
		client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), time.Second)
			defer cancel()
			s.ServeHTTP(w, r.WithContext(ctx))
		}))
		resp, err := client.Do(jsonRequest(t, "ReceiveMessage", longPoll))
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	})
}

// A body that breaks off is the client's fault, who need not send it again.
func TestBodyThatBreaksOff(t *testing.T) {
	s, _ := newServer(t)
	r := jsonRequest(t, "ListQueues", "")
	r.Body = io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	requireMalformed(t, reply{w.Code, w.Header(), w.Body.String()})
}

// A log has a line for each request: a refused one at level Info, others at Debug.
func TestLog(t *testing.T) {
	var log strings.Builder
	s, _ := newServerWith(t, sqshttp.Options{Logger: textLogger(&log)})
	a := callJSON(t, s, "SendMessage", `{"QueueUrl":"q","MessageBody":"a"}`)
	b := callJSON(t, s, "SendMessage", `{"QueueUrl":"none","MessageBody":"a"}`)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, lines, 2)
	require.Regexp(t, `level=DEBUG msg=request request=`+a.header.Get("x-amzn-RequestId")+` took=\S+ operation=SendMessage$`, lines[0])
	require.Regexp(t, `level=INFO msg=request request=`+b.header.Get("x-amzn-RequestId")+
		` took=\S+ operation=SendMessage error="AWS.SimpleQueueService.NonExistentQueue: The specified queue does not exist."$`, lines[1])
}

// The Date of an answer is on the server's clock, if it has one.
func TestDateHeader(t *testing.T) {
	clock := memsqs.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	s, _ := newServerWith(t, sqshttp.Options{Clock: clock})
	require.Equal(t, "Fri, 02 Jan 2026 03:04:05 GMT", callJSON(t, s, "ListQueues", "").header.Get("Date"))
	s, _ = newServer(t)
	require.Empty(t, callJSON(t, s, "ListQueues", "").header.Get("Date"))
}
