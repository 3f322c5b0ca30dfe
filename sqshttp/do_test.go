package sqshttp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/sqshttp"
)

const longPoll = `{"QueueUrl":"q","WaitTimeSeconds":20}`

// What Do returns has all that a response over a socket has.
func TestDoResponse(t *testing.T) {
	s, _ := newServer(t)
	r := jsonRequest(t, "ReceiveMessage", `{"QueueUrl":"q"}`)
	resp, err := s.Do(r)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, "{}", string(body))
	require.NoError(t, resp.Body.Close())
	require.Equal(t, "200 OK", resp.Status)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, "HTTP/1.1", resp.Proto)
	require.True(t, resp.ProtoAtLeast(1, 1))
	require.EqualValues(t, 2, resp.ContentLength)
	require.Same(t, r, resp.Request)
}

// Do closes the body of the request, as http.Client does, and a request needs none.
func TestDoClosesTheBody(t *testing.T) {
	s, _ := newServer(t)
	body := &closeSpy{Reader: strings.NewReader("{}")}
	r := jsonRequest(t, "ListQueues", "")
	r.Body = body
	answerTo(t, s, r)
	require.Equal(t, 1, body.closed)

	r.Body = nil
	require.Equal(t, http.StatusOK, answerTo(t, s, r).status)
}

type closeSpy struct {
	io.Reader
	closed int
}

func (c *closeSpy) Close() error { c.closed++; return nil }

// The answer to HEAD has no body.
func TestDoHead(t *testing.T) {
	s, _ := newServer(t)
	a := answerTo(t, s, newRequest(t, http.MethodHead, "/", ""))
	require.Equal(t, http.StatusMethodNotAllowed, a.status)
	require.Equal(t, "GET, POST", a.header.Get("Allow"))
	require.Empty(t, a.body)
}

// A request whose context is done does nothing, and returns the context's error.
func TestDoOfACancelledRequest(t *testing.T) {
	s, q := newServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, operation := range []string{"SendMessage", "CreateQueue", "ReceiveMessage"} {
		_, err := s.Do(jsonRequest(t, operation, `{"QueueUrl":"q","MessageBody":"a","QueueName":"new"}`).WithContext(ctx))
		require.ErrorIs(t, err, context.Canceled, operation)
	}
	require.Zero(t, q.Stats().Sent)
	require.Nil(t, s.Queue("new"))
}

// Cancelling a request ends its long poll at once, and no message is taken.
func TestDoCancelledInALongPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, q := newServer(t)
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
		defer cancel()
		start := time.Now()

		_, err := s.Do(jsonRequest(t, "ReceiveMessage", longPoll).WithContext(ctx))

		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 7*time.Second, time.Since(start))
		put(t, q, "a")
		stats := q.Stats()
		require.Equal(t, [3]int{1, 0, 0}, [3]int{stats.Visible, stats.InFlight, stats.Waiting})
	})
}

// A message that was handed to a long poll before its context was done is answered.
func TestDoCancelledAfterALongPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, q := newServer(t)
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			answered := make(chan bool)
			go func() {
				resp, err := s.Do(jsonRequest(t, "ReceiveMessage", longPoll).WithContext(ctx))
				answered <- err == nil && resp.StatusCode == http.StatusOK
			}()
			synctest.Wait()
			go cancel()
			put(t, q, "a")
			inFlight := map[bool]int{true: 1, false: 0}[<-answered]
			require.Equal(t, inFlight, q.Stats().InFlight)
			require.NoError(t, q.Purge(t.Context()))
		}
	})
}

// A body that cannot be read is an error, as it is for http.Client.
func TestDoWithABodyThatFails(t *testing.T) {
	s, _ := newServer(t)
	failure := errors.New("no more")
	r := jsonRequest(t, "ListQueues", "")
	r.Body = io.NopCloser(iotest.ErrReader(failure))
	_, err := s.Do(r)
	require.ErrorIs(t, err, failure)
}

// A request that http.Client would not send is an error, and no panic.
func TestDoWithoutAURL(t *testing.T) {
	s, _ := newServer(t)
	body := &closeSpy{Reader: strings.NewReader("")}
	_, err := s.Do(&http.Request{Body: body})
	require.EqualError(t, err, "sqshttp: the request has no URL")
	require.Equal(t, 1, body.closed)
}

// A program that polls lives through twelve hours in a bubble, and gets each message
// at the instant at which it is sent.
func TestTwelveHoursOfLongPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 12
		s, q := newServer(t)
		start := time.Now()
		go func() {
			for range n {
				time.Sleep(time.Hour - 7*time.Second) // so that most fall into the midst of a poll
				put(t, q, time.Since(start).String())
			}
		}()
		polls, received := 0, 0
		for ; time.Since(start) < n*time.Hour; polls++ {
			a := callJSON(t, s, "ReceiveMessage", `{"QueueUrl":"q","WaitTimeSeconds":20,"VisibilityTimeout":43200}`)
			require.Equal(t, http.StatusOK, a.status)
			if a.body != "{}" {
				received++
				require.Contains(t, a.body, `"Body":"`+time.Since(start).String()+`"`)
			}
		}
		require.Equal(t, n, received)
		require.Greater(t, polls, n*3600/20)
	})
}

// A thousand long polls wait side by side, and each message ends one of them.
func TestAThousandLongPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		s, q := newServer(t)
		var polls sync.WaitGroup
		bodies := make(chan string, n)
		for range n {
			polls.Go(func() { bodies <- callJSON(t, s, "ReceiveMessage", longPoll).body })
		}
		synctest.Wait()
		require.Equal(t, n, q.Stats().Waiting)
		for range n / 2 {
			put(t, q, "a")
		}
		polls.Wait()
		empty := 0
		for range n {
			if <-bodies == "{}" {
				empty++
			}
		}
		require.Equal(t, n/2, empty)
		require.Equal(t, n/2, q.Stats().InFlight)
	})
}

// A body of more than 8 MiB is refused unread; the largest batch with every byte
// escaped is not.
func TestBodyLimit(t *testing.T) {
	s, q := newServer(t)
	escaped := strings.Repeat(`\u0061`, 1<<20)
	a := callJSON(t, s, "SendMessageBatch", `{"QueueUrl":"q","Entries":[{"Id":"1","MessageBody":"`+escaped+`"}]}`)
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.body, `"Successful"`)

	for _, length := range []int64{-1, 10 << 20} { // not known, and known
		r := jsonRequest(t, "SendMessage", "")
		r.Body = io.NopCloser(io.LimitReader(endless{}, 10<<20))
		r.ContentLength = length
		requireRefused(t, answerTo(t, s, r), http.StatusRequestEntityTooLarge, "com.amazon.coral.service#SerializationException", "MalformedInput")
	}
	require.EqualValues(t, 1, q.Stats().Sent)
}

// endless is white space without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte(" "), len(p))), nil }

// A panicClock panics when it is asked for the time.
type panicClock struct{ armed bool }

func (c *panicClock) Now() time.Time {
	if c.armed {
		panic("secret of the clock")
	}
	return time.Now()
}

func (c *panicClock) AfterFunc(d time.Duration, f func()) memsqs.Timer { return time.AfterFunc(d, f) }

// A panic is answered with InternalFailure in both protocols, of which no word is the
// panic's; the log has it with its stack. The server goes on.
func TestPanicBarrier(t *testing.T) {
	var log bytes.Buffer
	clock := &panicClock{}
	s, q := newServerWith(t, sqshttp.Options{Clock: clock, Logger: textLogger(&log)})

	clock.armed = true
	a := callJSON(t, s, "SendMessage", `{"QueueUrl":"q","MessageBody":"a"}`)
	requireRefused(t, a, http.StatusInternalServerError, "com.amazon.coral.service#InternalFailure", "InternalError")
	require.NotContains(t, a.body, "secret")
	require.Contains(t, log.String(), `panic="secret of the clock"`)
	require.Contains(t, log.String(), "panicClock")
	require.Contains(t, log.String(), a.header.Get("x-amzn-RequestId"))

	a = answerTo(t, s, newRequest(t, http.MethodGet, queuePath+"?Action=SendMessage&MessageBody=a", ""))
	require.Equal(t, http.StatusInternalServerError, a.status)
	require.Contains(t, a.body, "<Code>InternalError</Code>")
	require.NotContains(t, a.body, "secret")

	clock.armed = false
	require.Equal(t, http.StatusOK, callJSON(t, s, "SendMessage", `{"QueueUrl":"q","MessageBody":"a"}`).status)
	require.EqualValues(t, 1, q.Stats().Sent)
}
