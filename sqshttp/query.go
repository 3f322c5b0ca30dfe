package sqshttp

import (
	"fmt"
	"mime"
	"net/http"
	"reflect"
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
		return nil, nil, &api.Error{Kind: noAction, Message: "The request must contain the parameter Action."}
	}
	op := api.FindOperation(action)
	onQueue := strings.Trim(r.URL.Path, "/") != ""
	if op == nil || onQueue && (action == "CreateQueue" || action == "ListQueues") { // C2.5
		return nil, nil, &api.Error{
			Kind:    api.UnknownOperation,
			Message: fmt.Sprintf("The action %s is not valid for this endpoint.", action),
		}
	}
	in := op.NewInput()
	if err := f.decode(in); err != nil {
		return nil, nil, err
	}
	if onQueue {
		setQueueURL(in, r.URL.Path)
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

// setQueueURL has an input be of the queue of the given path, unless it names one
// itself or is of none (C2.5).
func setQueueURL(input any, path string) {
	v := reflect.ValueOf(input).Elem()
	f := shapeOf(v.Type()).byName["QueueUrl"]
	if f == nil {
		return
	}
	if v := v.Field(f.index); v.IsNil() {
		v.Set(reflect.ValueOf(&path))
	}
}

func (queryProtocol) encode(r *request, op *api.Operation, out any) *reply {
	if wantsJSON(r) {
		return queryReply(http.StatusOK, "application/json", responseJSON(op, out, r.id))
	}
	return queryReply(http.StatusOK, "text/xml", responseXML(op, out, r.id))
}

func (queryProtocol) refuse(r *request, err *api.Error) *reply {
	switch {
	case err.Kind == noAction:
		return queryReply(err.Status, "text/xml", []byte("<UnknownOperationException/>\n"))
	case wantsJSON(r):
		return queryReply(err.Status, "application/json", errorJSON(err, r.id))
	}
	return queryReply(err.Status, "text/xml", errorXML(err, r.id))
}

func queryReply(status int, contentType string, body []byte) *reply {
	return &reply{status: status, header: http.Header{"Content-Type": {contentType}}, body: body}
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
