package sqshttp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/memsqs/memsqs/internal/api"
)

const jsonContentType = "application/x-amz-json-1.0"

// jsonProtocol is the protocol AWS JSON 1.0 (C1).
type jsonProtocol struct{}

func (jsonProtocol) decode(r *request) (*api.Operation, any, error) {
	if r.Method != http.MethodPost {
		return nil, nil, refusal(methodNotAllowed, "The method of the request is %.20q; it must be POST.", r.Method)
	}
	target := r.Header.Get("X-Amz-Target")
	name, ok := strings.CutPrefix(target, "AmazonSQS.")
	op := api.FindOperation(name)
	if !ok || op == nil {
		return nil, nil, refusal(api.UnknownOperation, "There is no operation %.100q.", target)
	}
	in := op.NewInput()
	if err := decodeJSON(r.body, in); err != nil {
		return op, nil, err
	}
	return op, in, nil
}

func (jsonProtocol) encode(r *request, op *api.Operation, out any) *reply {
	var body []byte
	if op.HasOutput() { // C1.3
		body = encodeJSON(out)
	}
	return r.reply(http.StatusOK, jsonContentType, body)
}

func (jsonProtocol) refuse(r *request, err *api.Error) *reply {
	a := r.reply(err.Status, jsonContentType, encodeJSON(struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
	}{err.Shape, err.Message}))
	a.header["X-Amzn-Query-Error"] = []string{err.Code + ";" + faultOf(err)} // C1.6
	return a
}

// encodeJSON returns v as JSON.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("bug: " + err.Error()) // no output has anything that JSON has not
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
