package awssqs

import (
	"net/http"
	"reflect"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/memsqs/memsqs/internal/api"
)

// refusal returns the error of a client whose request was refused.
func refusal(refused *api.Error, requestID string) error {
	header := http.Header{"X-Amzn-Requestid": {requestID}}
	return responseError(apiError(refused), refused.Status, header, requestID)
}

// cancellation returns the error of a client whose context was done while it
// waited for an answer.
func cancellation(err error) error {
	return responseError(&smithy.CanceledError{Err: err}, 0, http.Header{}, "")
}

// responseError wraps err as a client does.
func responseError(err error, status int, header http.Header, requestID string) error {
	response := &http.Response{StatusCode: status, Header: header, Body: http.NoBody}
	return &awshttp.ResponseError{
		ResponseError: &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: response}, Err: err},
		RequestID:     requestID,
	}
}

// apiError returns an error of the SDK's type for it, if there is one.
func apiError(refused *api.Error) error {
	modelled, ok := sqs.TypeRegistry.DeserializableError(refused.Shape)
	if !ok {
		fault := smithy.FaultClient
		if refused.Status >= http.StatusInternalServerError {
			fault = smithy.FaultServer
		}
		return &smithy.GenericAPIError{Code: refused.Code, Message: refused.Message, Fault: fault}
	}
	fields := reflect.ValueOf(modelled).Elem()
	fields.FieldByName("Message").Set(reflect.ValueOf(&refused.Message))
	fields.FieldByName("ErrorCodeOverride").Set(reflect.ValueOf(&refused.Code))
	return modelled
}
