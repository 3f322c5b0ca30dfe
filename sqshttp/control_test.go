package sqshttp_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// control calls a control endpoint and returns what it answers.
func control(t *testing.T, s *sqshttp.Server, method, target string, status int) map[string]any {
	t.Helper()
	a := answerTo(t, s, newRequest(t, method, "/_memsqs/"+target, ""))
	require.Equal(t, status, a.status, a.body)
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	var out map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &out))
	if status != http.StatusOK {
		require.NotEmpty(t, out["Message"])
	}
	return out
}

// The control endpoints are not there unless they are asked for.
func TestControlIsOff(t *testing.T) {
	s, q := newServer(t)
	put(t, q, "a")
	require.Equal(t, http.StatusNotFound, answerTo(t, s, newRequest(t, http.MethodPost, "/_memsqs/reset", "")).status)
	require.Same(t, q, s.Queue("q"))
}

// A request moves a manual clock, by seconds or by a duration, and a long poll gets
// what falls due.
func TestControlAdvance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := memsqs.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		s, q := newServerWith(t, sqshttp.Options{Clock: clock, Control: true})
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: "late", Delay: new(10 * time.Second)})
		require.NoError(t, err)
		polled := make(chan string)
		go func() { polled <- callJSON(t, s, "ReceiveMessage", longPoll).body }()
		synctest.Wait()

		require.Equal(t, map[string]any{"Now": "2026-01-02T03:04:14.5Z"}, control(t, s, http.MethodPost, "advance?seconds=9.5", http.StatusOK))
		synctest.Wait()
		require.Equal(t, 1, q.Stats().Waiting)
		require.Equal(t, map[string]any{"Now": "2026-01-02T04:04:14.5Z"}, control(t, s, http.MethodPost, "advance?duration=1h", http.StatusOK))
		require.Contains(t, <-polled, `"Body":"late"`)
		require.Equal(t, map[string]any{"Now": "2026-01-02T04:04:14.5Z"}, control(t, s, http.MethodGet, "health", http.StatusOK))

		for _, bad := range []string{"advance", "advance?seconds=", "advance?seconds=x", "advance?seconds=-1", "advance?seconds=5m", "advance?seconds=1h30", "advance?seconds=1e3", "advance?seconds=1&duration=1s", "advance?duration=-1h", "advance?duration=5"} {
			control(t, s, http.MethodPost, bad, http.StatusBadRequest)
		}
		require.Equal(t, "2026-01-02T04:04:14.5Z", clock.Now().Format(time.RFC3339Nano))
	})
}

// A clock that goes by itself cannot be advanced.
func TestControlAdvanceOfPackageTime(t *testing.T) {
	s, _ := newServerWith(t, sqshttp.Options{Control: true})
	control(t, s, http.MethodPost, "advance?seconds=1", http.StatusConflict)
}

// Peek shows messages with their states and changes nothing.
func TestControlPeek(t *testing.T) {
	clock := memsqs.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	s, q := newServerWith(t, sqshttp.Options{Clock: clock, Control: true})
	require.Equal(t, map[string]any{"Messages": []any{}}, control(t, s, http.MethodGet, "peek?queue=q", http.StatusOK))
	put(t, q, "in flight")
	_, err := q.Receive(t.Context(), memsqs.ReceiveInput{})
	require.NoError(t, err)
	_, err = q.Send(t.Context(), memsqs.SendInput{
		Body: "visible", GroupID: "g", TraceHeader: "Root=1",
		Attributes: map[string]memsqs.Attribute{"a": {DataType: "String", StringValue: "v"}},
	})
	require.NoError(t, err)
	_, err = q.Send(t.Context(), memsqs.SendInput{Body: "delayed", Delay: new(time.Minute)})
	require.NoError(t, err)
	before := q.Stats()

	messages := control(t, s, http.MethodGet, "peek?queue=q", http.StatusOK)["Messages"].([]any)

	require.Equal(t, before, q.Stats())
	const now = "2026-01-02T03:04:05Z"
	for i, want := range []map[string]any{
		{"Body": "in flight", "State": "InFlight", "DueAt": "2026-01-02T03:04:35Z", "SentAt": now, "FirstReceivedAt": now, "ReceiveCount": 1.0},
		{"Body": "visible", "State": "Visible", "SentAt": now, "ReceiveCount": 0.0, "GroupId": "g", "TraceHeader": "Root=1",
			"Attributes": map[string]any{"a": map[string]any{"DataType": "String", "StringValue": "v", "BinaryValue": nil}}},
		{"Body": "delayed", "State": "Delayed", "DueAt": "2026-01-02T03:05:05Z", "SentAt": now, "ReceiveCount": 0.0},
	} {
		want["MessageId"] = messages[i].(map[string]any)["MessageId"]
		require.NotEmpty(t, want["MessageId"])
		require.Equal(t, want, messages[i])
	}
	require.Len(t, control(t, s, http.MethodGet, "peek?queue=q&max=2", http.StatusOK)["Messages"], 2)
	for _, bad := range []string{"0", "-1", "10001", "x"} {
		control(t, s, http.MethodGet, "peek?queue=q&max="+bad, http.StatusBadRequest)
	}
}

// Stats are those of the queue, with the age in seconds.
func TestControlStats(t *testing.T) {
	clock := memsqs.NewManualClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	s, q := newServerWith(t, sqshttp.Options{Clock: clock, Control: true})
	put(t, q, "a", "b")
	clock.Advance(1500 * time.Millisecond)

	stats := control(t, s, http.MethodGet, "stats?queue=q", http.StatusOK)

	require.Equal(t, 1.5, stats["OldestAge"])
	stats["OldestAge"] = 1.5e9
	text, err := json.Marshal(stats)
	require.NoError(t, err)
	var got memsqs.Stats
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, q.Stats(), got)
}

// A queue can be named by its URL, and one of another region or account with it.
func TestControlNamesAQueue(t *testing.T) {
	s, _ := newServerWith(t, sqshttp.Options{Control: true})
	r := jsonRequest(t, "CreateQueue", `{"QueueName":"far"}`)
	r.Header.Set("Authorization", credentialIn("123456789012/20260102/us-west-2/sqs/aws4_request"))
	require.Equal(t, http.StatusOK, answerTo(t, s, r).status)

	for target, status := range map[string]int{
		"queue=q":                        http.StatusOK,
		"queue=http://h/000000000000/q":  http.StatusOK,
		"queue=far&region=us-west-2":     http.StatusNotFound,
		"queue=far&account=123456789012": http.StatusNotFound,
		"queue=far":                      http.StatusNotFound,
		"":                               http.StatusBadRequest,
		"queue=far&region=us-west-2&account=123456789012": http.StatusOK,
		"queue=/123456789012/far&region=us-west-2":        http.StatusOK,
	} {
		control(t, s, http.MethodGet, "stats?"+target, status)
		control(t, s, http.MethodGet, "peek?"+target, status)
	}
}

// Reset empties the registry.
func TestControlReset(t *testing.T) {
	s, _ := newServerWith(t, sqshttp.Options{Control: true})
	control(t, s, http.MethodPost, "reset", http.StatusOK)
	require.Nil(t, s.Queue("q"))
}

// Each endpoint has one method, and there are no others.
func TestControlRefusals(t *testing.T) {
	s, q := newServerWith(t, sqshttp.Options{Control: true})
	control(t, s, http.MethodGet, "", http.StatusNotFound)
	control(t, s, http.MethodGet, "other", http.StatusNotFound)
	for endpoint, method := range map[string]string{"advance": "GET", "reset": "GET", "peek": "POST", "stats": "POST", "health": "DELETE"} {
		control(t, s, method, endpoint, http.StatusMethodNotAllowed)
	}
	require.Equal(t, "POST", answerTo(t, s, newRequest(t, http.MethodGet, "/_memsqs/reset", "")).header.Get("Allow"))
	require.Same(t, q, s.Queue("q"))
}
