package awssqs

import (
	"errors"
	"net/http"
	"strings"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// A failure is an error of the API that the engine has no sentinel for. It says
// whether the call may succeed if it is made again, which package pubsub asks.
type failure struct {
	error     // the SDK's
	retryable bool
}

func (f failure) Unwrap() error   { return f.error }
func (f failure) Retryable() bool { return f.retryable }

// newFailure returns the failure for err, in which refused is the API's error.
// What the server is to blame for passes, and so does throttling, which SQS calls
// the sender's fault. Of an error that the SDK does not know, such as a lack of
// permission, the HTTP status says who is to blame.
func newFailure(err error, refused smithy.APIError) failure {
	throttled := strings.Contains(refused.ErrorCode(), "Throttl")
	fault := refused.ErrorFault()
	var response *smithyhttp.ResponseError
	if fault == smithy.FaultUnknown && errors.As(err, &response) && response.HTTPStatusCode() < http.StatusInternalServerError {
		fault = smithy.FaultClient
	}
	return failure{err, throttled || fault != smithy.FaultClient}
}
