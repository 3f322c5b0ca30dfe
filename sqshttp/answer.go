package sqshttp

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/memsqs/memsqs/internal/api"
	"github.com/memsqs/memsqs/internal/uuid"
)

// maxBody is the limit of a request's body in bytes: more than a batch of 1 MiB has
// when each byte of it is escaped, in six.
const maxBody = 8 << 20

// What a request can be refused for before it comes to an operation, besides the
// errors of the API.
var (
	methodNotAllowed = &api.Kind{Shape: api.UnknownOperation.Shape, Code: api.UnknownOperation.Code, Status: http.StatusMethodNotAllowed}
	bodyTooLarge     = &api.Kind{Shape: api.Serialization.Shape, Code: api.Serialization.Code, Status: http.StatusRequestEntityTooLarge}
	unavailable      = &api.Kind{Shape: "com.amazon.coral.service#ServiceUnavailableException", Code: "ServiceUnavailable", Status: http.StatusServiceUnavailable}
)

// refusal returns an error of a kind.
func refusal(k *api.Kind, format string, args ...any) *api.Error {
	return &api.Error{Kind: k, Message: fmt.Sprintf(format, args...)}
}

// A request is a request under way.
type request struct {
	*http.Request
	id     string // by which its answer and the log name it
	body   []byte // all of it
	caller *api.Caller
}

// A reply is the answer to a request.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// A protocol is one of the two that clients speak.
type protocol interface {
	// decode returns the operation that a request calls, and its input. A
	// request that it cannot make out is refused with an *api.Error.
	decode(*request) (*api.Operation, any, error)
	// encode returns the answer to a call that was done.
	encode(*request, *api.Operation, any) *reply
	// refuse returns the answer to a call that was refused.
	refuse(*request, *api.Error) *reply
}

// protocolOf returns the protocol of a request.
func protocolOf(r *http.Request) protocol {
	contentType := strings.ToLower(r.Header.Get("Content-Type"))
	if r.Header.Get("X-Amz-Target") != "" || strings.HasPrefix(contentType, "application/x-amz-json-") {
		return jsonProtocol{}
	}
	return queryProtocol{}
}

// answer answers a request. If there is no answer, since the request cannot be
// read or its context is done, it also returns an error that says so.
func (s *Server) answer(r *http.Request) (a *reply, err error) {
	start := time.Now()
	req := &request{Request: r, id: uuid.New().String()}
	p := protocolOf(r)
	defer func() {
		if v := recover(); v != nil {
			s.log.ErrorContext(r.Context(), "panic", "request", req.id, "panic", v, "stack", string(debug.Stack()))
			a, err = p.refuse(req, refusal(api.InternalFailure, "The request has failed because of an internal error.")), nil
		}
	}()
	if s.opts.Control && strings.HasPrefix(r.URL.Path, controlPath) {
		return s.control(req), nil
	}
	op, out, err := s.call(p, req)
	s.logCall(req, op, err, time.Since(start))
	if err != nil {
		a, err = refuse(p, req, err)
	} else {
		a = p.encode(req, op, out)
	}
	if s.opts.Clock != nil {
		a.header.Set("Date", s.api.Now().UTC().Format(http.TimeFormat))
	}
	return a, err
}

// call calls the operation that a request asks for, and returns it as far as it
// is known.
func (s *Server) call(p protocol, r *request) (op *api.Operation, out any, err error) {
	r.caller = s.caller(r.Request)
	_, r.caller.Query = p.(queryProtocol)
	if m := cmp.Or(r.Method, http.MethodGet); m != http.MethodGet && m != http.MethodPost {
		return nil, nil, refusal(methodNotAllowed, "The method of the request is %.20q; it must be GET or POST.", m)
	}
	if err := r.readBody(); err != nil {
		return nil, nil, err
	}
	if s.opts.Verify != nil {
		if err := s.verify(r); err != nil {
			return nil, nil, err
		}
	}
	op, in, err := p.decode(r)
	if err != nil {
		return op, nil, err
	}
	out, err = s.drain.call(r, op, in)
	return op, out, err
}

// refuse returns the answer to a request that ended in err, and err again if that
// is not an answer itself.
func refuse(p protocol, r *request, err error) (*reply, error) {
	var refused *api.Error
	if errors.As(err, &refused) {
		a := p.refuse(r, refused)
		if refused.Kind == methodNotAllowed {
			a.header.Set("Allow", "GET, POST")
		}
		return a, nil
	}
	if r.Context().Err() == nil {
		return p.refuse(r, refusal(api.Serialization, "The body of the request cannot be read.")), err
	}
	return p.refuse(r, refusal(unavailable, "The request was given up.")), err
}

// logCall logs a call that took so long and ended in err. The operation is nil if
// it is not known.
func (s *Server) logCall(r *request, op *api.Operation, err error, took time.Duration) {
	level := slog.LevelDebug
	if err != nil {
		level = slog.LevelInfo
	}
	if !s.log.Enabled(r.Context(), level) {
		return
	}
	attrs := []slog.Attr{slog.String("request", r.id), slog.Duration("took", took)}
	if op != nil {
		attrs = append(attrs, slog.String("operation", op.Name))
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	s.log.LogAttrs(r.Context(), level, "request", attrs...)
}

// readBody reads the body of the request.
func (r *request) readBody() error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	// The client's word on the length is taken for a small body only: memory is
	// not given on credit.
	var b bytes.Buffer
	b.Grow(int(max(0, min(r.ContentLength, 64<<10))) + bytes.MinRead)
	n, err := b.ReadFrom(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return fmt.Errorf("reading the request's body: %w", err)
	}
	if n > maxBody {
		return refusal(bodyTooLarge, "The request has a body of more than %d bytes.", maxBody)
	}
	r.body = b.Bytes()
	return nil
}

// reply returns an answer to the request.
func (r *request) reply(status int, contentType string, body []byte) *reply {
	v := []string{contentType, r.id}
	return &reply{status, http.Header{"Content-Type": v[:1:1], "X-Amzn-Requestid": v[1:]}, body}
}
