package sqshttp

import (
	"bytes"
	"io"
	"net/http"
)

// Do answers a request in the caller's goroutine, as the Do of an [http.Client] would
// over a socket. It is what the HTTPClient of the AWS SDK's options needs.
func (s *Server) Do(r *http.Request) (*http.Response, error) {
	a, err := s.answer(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode:    a.status,
		Header:        a.header,
		Body:          io.NopCloser(bytes.NewReader(a.body)),
		ContentLength: int64(len(a.body)),
		Request:       r,
	}, nil
}
