package sqshttp

import (
	"mime"
	"net/http"
	"strings"

	"github.com/memsqs/memsqs/internal/api"
)

// queryProtocol is the Query protocol (C2), in which a request is a form and a reply
// is XML.
type queryProtocol struct{}

// noAction is the kind of a request that names no operation, which is answered with
// a document of its own (C2.7).
var noAction = &api.Kind{Shape: api.UnknownOperation.Shape, Code: api.UnknownOperation.Code, Status: http.StatusNotFound}

func (queryProtocol) decode(r *request) (*api.Operation, any, error) {
	f := formOf(r)
	action, err := f.get("Action")
	if err != nil {
		return nil, nil, err
	}
	if action == "" {
		return nil, nil, refusal(noAction, "The request must contain the parameter Action.")
	}
	op := api.FindOperation(action)
	onQueue := strings.Trim(r.URL.Path, "/") != ""
	if op == nil || onQueue && (action == "CreateQueue" || action == "ListQueues") { // C2.5
		return nil, nil, refusal(api.UnknownOperation, "The action %.100s is not valid for this endpoint.", action)
	}
	in := op.NewInput()
	if err := f.decode(in); err != nil {
		return op, nil, err
	}
	return op, in, nil
}

// formOf returns the form of a request. A body that says that it is something else is
// none.
func formOf(r *request) form {
	f := form{query: []byte(r.URL.RawQuery)}
	contentType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if contentType == "" || contentType == "application/x-www-form-urlencoded" {
		f.body = r.body
	}
	return f
}

func (queryProtocol) encode(r *request, op *api.Operation, out any) *reply {
	if wantsJSON(r) {
		return r.reply(http.StatusOK, "application/json", responseJSON(op, out, r.id))
	}
	return r.reply(http.StatusOK, "text/xml", responseXML(op, out, r.id))
}

func (queryProtocol) refuse(r *request, err *api.Error) *reply {
	switch {
	case err.Kind == noAction:
		return r.reply(err.Status, "text/xml", []byte("<UnknownOperationException/>\n"))
	case wantsJSON(r):
		return r.reply(err.Status, "application/json", errorJSON(err, r.id))
	}
	return r.reply(err.Status, "text/xml", errorXML(err, r.id))
}

// wantsJSON reports whether a request asks for JSON (C2.4).
func wantsJSON(r *request) bool {
	for _, accept := range r.Header["Accept"] {
		for part := range strings.SplitSeq(accept, ",") {
			mediaType, _, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(mediaType), "application/json") {
				return true
			}
		}
	}
	return false
}

// faultOf returns whose fault an error is.
func faultOf(err *api.Error) string {
	if err.Status >= http.StatusInternalServerError {
		return "Receiver"
	}
	return "Sender"
}
