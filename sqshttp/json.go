package sqshttp

import (
	"strings"

	"github.com/memsqs/memsqs/internal/api"
)

// jsonProtocol is the protocol AWS JSON 1.0 (C1).
type jsonProtocol struct{}

func (jsonProtocol) decode(r *request) (*api.Operation, any, error) {
	name, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.")
	op := api.FindOperation(name)
	if !ok || op == nil {
		return nil, nil, &api.Error{Kind: api.UnknownOperation}
	}
	return op, op.NewInput(), nil
}

func (jsonProtocol) encode(r *request, op *api.Operation, out any) *reply { return &reply{} }

func (jsonProtocol) refuse(r *request, err *api.Error) *reply { return &reply{status: err.Status} }
