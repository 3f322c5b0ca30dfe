package sqshttp

import "github.com/memsqs/memsqs/internal/api"

// queryProtocol is the Query protocol (C2). Placeholder: its methods are written in
// this file and in xml.go.
type queryProtocol struct{}

func (queryProtocol) decode(r *request) (*api.Operation, any, error) {
	return nil, nil, &api.Error{Kind: api.UnknownOperation}
}

func (queryProtocol) encode(r *request, op *api.Operation, out any) *reply { return &reply{} }

func (queryProtocol) refuse(r *request, err *api.Error) *reply { return &reply{status: err.Status} }
