package sqshttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// ServeHTTP answers a request that came over a socket. A client that goes away ends
// its long poll.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, _ := s.answer(r)
	h := w.Header()
	for name, values := range a.header {
		h[name] = values
	}
	h.Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	w.Write(a.body)
}

// Do answers a request in the caller's goroutine, as the Do of an [http.Client] would
// over a socket: there is none, and no goroutine. So it works in a
// [testing/synctest] bubble. It is what the SDK for Go takes for an HTTPClient.
//
// If the request's context is done before there is an answer, Do returns the
// context's error. A receive has then taken no message.
func (s *Server) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	if r.URL == nil {
		return nil, errors.New("sqshttp: the request has no URL")
	}
	a, err := s.answer(r)
	if err != nil {
		return nil, err
	}
	body := a.body
	if r.Method == http.MethodHead {
		body = nil
	}
	return &http.Response{
		Status:        strconv.Itoa(a.status) + " " + http.StatusText(a.status),
		StatusCode:    a.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        a.header,
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(a.body)),
		Request:       r,
	}, nil
}
