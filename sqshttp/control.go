package sqshttp

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
)

// controlPath is what the paths of the control endpoints begin with.
const controlPath = "/_memsqs/"

// The messages that peek returns at most, by default and in any case.
const (
	defaultPeek = 100
	maxPeek     = 10_000
)

// A controlError is why a control endpoint refuses a request.
type controlError struct {
	status int
	text   string
}

// badControl returns an error for a parameter that is not as it must be.
func badControl(format string, args ...any) *controlError {
	return &controlError{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// control answers a request to a control endpoint.
func (s *Server) control(r *request) *reply {
	var method string
	var serve func(url.Values) (any, *controlError)
	switch strings.TrimPrefix(r.URL.Path, controlPath) {
	case "advance":
		method, serve = http.MethodPost, s.controlAdvance
	case "reset":
		method, serve = http.MethodPost, s.controlReset
	case "peek":
		method, serve = http.MethodGet, s.controlPeek
	case "stats":
		method, serve = http.MethodGet, s.controlStats
	case "health":
		method, serve = http.MethodGet, s.controlHealth
	default:
		return controlRefusal(r, http.StatusNotFound, "there is nothing here; there are advance, reset, peek, stats and health")
	}
	if r.Method != method {
		a := controlRefusal(r, http.StatusMethodNotAllowed, "the method is "+strconv.Quote(r.Method)+"; it must be "+method)
		a.header.Set("Allow", method)
		return a
	}
	out, err := serve(r.URL.Query())
	if err != nil {
		return controlRefusal(r, err.status, err.text)
	}
	return r.reply(http.StatusOK, "application/json", encodeJSON(out))
}

func controlRefusal(r *request, status int, text string) *reply {
	return r.reply(status, "application/json", encodeJSON(struct{ Message string }{text}))
}

// present is the time on the server's clock, as control endpoints tell it.
type present struct{ Now time.Time }

func (s *Server) present() present { return present{s.api.Now().UTC()} }

func (s *Server) controlHealth(url.Values) (any, *controlError) {
	return s.present(), nil
}

func (s *Server) controlReset(url.Values) (any, *controlError) {
	s.Reset()
	return s.present(), nil
}

func (s *Server) controlAdvance(query url.Values) (any, *controlError) {
	clock, ok := s.opts.Clock.(*memsqs.ManualClock)
	if !ok {
		return nil, &controlError{http.StatusConflict, "the server's clock goes by itself; only a manual clock can be advanced"}
	}
	d, err := distance(query.Get("seconds"), query.Get("duration"))
	if err != nil {
		return nil, err
	}
	clock.Advance(d)
	return s.present(), nil
}

// distance returns how far a clock is to be advanced: a number of seconds, or a
// duration as in Go.
func distance(seconds, duration string) (time.Duration, *controlError) {
	text := duration
	if seconds != "" {
		text = seconds + "s"
	}
	d, err := time.ParseDuration(text)
	switch {
	case seconds != "" && duration != "":
		return 0, badControl("there are seconds and a duration; there must be one of them")
	case err != nil || d < 0 || strings.Trim(seconds, "0123456789.") != "":
		return 0, badControl("seconds is %q and duration is %q; it must be a number, or a duration as in 1h30m, and not negative", seconds, duration)
	}
	return d, nil
}

func (s *Server) controlStats(query url.Values) (any, *controlError) {
	q, err := s.inspect(query)
	if err != nil {
		return nil, err
	}
	stats := q.Stats()
	return struct {
		memsqs.Stats
		OldestAge float64 // in seconds, instead of that of the Stats
	}{stats, stats.OldestAge.Seconds()}, nil
}

// A peekedMessage is a message as peek shows it.
type peekedMessage struct {
	MessageId        string
	State            string
	DueAt            time.Time `json:",omitzero"`
	SentAt           time.Time
	FirstReceivedAt  time.Time `json:",omitzero"`
	ReceiveCount     int
	Body             string
	Attributes       map[string]memsqs.Attribute `json:",omitempty"`
	TraceHeader      string                      `json:",omitempty"`
	GroupId          string                      `json:",omitempty"`
	DeduplicationId  string                      `json:",omitempty"`
	SequenceNumber   string                      `json:",omitempty"`
	DeadLetterSource string                      `json:",omitempty"`
}

func (s *Server) controlPeek(query url.Values) (any, *controlError) {
	limit := defaultPeek
	if text := query.Get("max"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxPeek {
			return nil, badControl("max is %q; it must be 1 to %d", text, maxPeek)
		}
		limit = n
	}
	q, err := s.inspect(query)
	if err != nil {
		return nil, err
	}
	messages := []peekedMessage{}
	for _, m := range q.Peek(limit) {
		messages = append(messages, peekedMessage{
			MessageId:        m.ID,
			State:            m.State.String(),
			DueAt:            m.DueAt.UTC(),
			SentAt:           m.SentAt.UTC(),
			FirstReceivedAt:  m.FirstReceivedAt.UTC(),
			ReceiveCount:     m.ReceiveCount,
			Body:             m.Body,
			Attributes:       m.Attributes,
			TraceHeader:      m.TraceHeader,
			GroupId:          m.GroupID,
			DeduplicationId:  m.DeduplicationID,
			SequenceNumber:   m.SequenceNumber,
			DeadLetterSource: m.DeadLetterSource,
		})
	}
	return struct{ Messages []peekedMessage }{messages}, nil
}

// inspect returns the queue that a query names.
func (s *Server) inspect(query url.Values) (api.Inspector, *controlError) {
	name := query.Get("queue")
	if name == "" {
		return nil, badControl("there is no parameter queue")
	}
	region, account := query.Get("region"), query.Get("account")
	q := s.api.Caller(region, account, "").Inspect(name)
	if q == nil {
		return nil, &controlError{http.StatusNotFound, fmt.Sprintf("there is no queue %q", name)}
	}
	return q, nil
}
