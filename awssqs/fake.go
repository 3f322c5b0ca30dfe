package awssqs

import (
	"context"
	"crypto/rand"
	"fmt"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/memsqs/memsqs/internal/api"
	"github.com/memsqs/memsqs/sqshttp"
)

// A Fake is a client without HTTP: its calls go straight to the queues of a
// server. It has every method of [*sqs.Client], with the same signature, and so
// satisfies every interface that a client does: the narrow ones that programs
// define for what they need of it, and those of the SDK's paginators.
//
// It is the SDK's client up to the point at which a request would be written. So
// what a client does by itself it does too: it refuses an input without a required
// member, leaves out a number that is zero, checks the MD5 of bodies, applies the
// options of a call, and wraps the errors. They are those of a client, of the same
// types, with the same codes and texts.
//
// There is no request. What concerns one has no effect: signatures, retries, the
// HTTPClient, middleware behind the serializer, and interceptors but those around
// the whole call and before serialization. A test that wants a call to fail embeds
// the Fake in a type of its own with that method.
type Fake struct{ *sqs.Client }

// NewFake returns a Fake that calls the queues of server. It has the options of a
// client from [NewClient], and applies optFns to them. Region, BaseEndpoint and
// Credentials decide, as they do there, which queues it finds and how their URLs
// look; the server does not log its calls.
func NewFake(server *sqshttp.Server, optFns ...func(*sqs.Options)) *Fake {
	b := &bypass{service: server.API(), outputs: outputTypes()}
	client := NewClient(server, append(optFns[:len(optFns):len(optFns)], sqs.WithAPIOptions(b.install))...)
	b.options = client.Options()
	return &Fake{client}
}

// outputTypes returns the types that the methods of a client return pointers to.
func outputTypes() map[string]reflect.Type {
	types := make(map[string]reflect.Type)
	for method := range reflect.TypeFor[*sqs.Client]().Methods() {
		if out := method.Type.Out(0); out.Kind() == reflect.Pointer {
			types[method.Name] = out.Elem()
		}
	}
	return types
}

// A bypass is the middleware that stands in the place of the one that writes the
// request. It calls the operation instead, and none of the middleware behind it.
type bypass struct {
	service *api.Service
	options sqs.Options             // of the client
	outputs map[string]reflect.Type // by operation
}

func (b *bypass) install(stack *middleware.Stack) error {
	_, err := stack.Serialize.Swap(b.ID(), b)
	return err
}

// ID returns the name of the middleware that b replaces, so that other middleware
// finds its place before it.
func (b *bypass) ID() string { return "OperationSerializer" }

// HandleSerialize calls the operation that ctx names.
func (b *bypass) HandleSerialize(ctx context.Context, in middleware.SerializeInput, _ middleware.SerializeHandler) (
	out middleware.SerializeOutput, metadata middleware.Metadata, err error,
) {
	input, ok := in.Parameters.(smithy.Serializable)
	if !ok {
		return out, metadata, fmt.Errorf("input %T is not Serializable", in.Parameters)
	}
	caller, err := b.caller(ctx)
	if err != nil {
		return out, metadata, err
	}
	if err := ctx.Err(); err != nil {
		return out, metadata, err
	}
	out.Result, err = b.call(ctx, caller, input)
	refused, ok := err.(*api.Error)
	if err != nil && !ok {
		return out, metadata, cancellation(err)
	}
	id := rand.Text()
	awsmiddleware.SetRequestIDMetadata(&metadata, id)
	if refused != nil {
		return out, metadata, refusal(refused, id)
	}
	return out, metadata, nil
}

// caller returns who makes a call, as a server makes it out from the request. The
// region can be the call's own.
func (b *bypass) caller(ctx context.Context) (*api.Caller, error) {
	account, err := b.account(ctx)
	if err != nil {
		return nil, err
	}
	region := awsmiddleware.GetRegion(ctx)
	endpoint, err := b.options.EndpointResolverV2.ResolveEndpoint(ctx, sqs.EndpointParameters{
		Region:       optional(region),
		UseDualStack: aws.Bool(b.options.EndpointOptions.UseDualStackEndpoint == aws.DualStackEndpointStateEnabled),
		UseFIPS:      aws.Bool(b.options.EndpointOptions.UseFIPSEndpoint == aws.FIPSEndpointStateEnabled),
		Endpoint:     b.options.BaseEndpoint,
	})
	if err != nil {
		return nil, fmt.Errorf("failed to resolve service endpoint, %w", err)
	}
	return b.service.Caller(region, account, endpoint.URI.Scheme+"://"+endpoint.URI.Host), nil
}

// account returns the account that the client's access key names, or nothing.
func (b *bypass) account(ctx context.Context) (string, error) {
	if b.options.Credentials == nil {
		return "", nil
	}
	credentials, err := b.options.Credentials.Retrieve(ctx)
	if err != nil {
		return "", fmt.Errorf("get identity: get credentials: %w", err)
	}
	if key := credentials.AccessKeyID; api.IsAccount(key) {
		return key, nil
	}
	return "", nil
}

// call calls an operation.
func (b *bypass) call(ctx context.Context, caller *api.Caller, in smithy.Serializable) (any, error) {
	name := middleware.GetOperationName(ctx)
	op := api.FindOperation(name)
	if op == nil {
		return nil, &api.Error{Kind: api.UnknownOperation, Message: "The action " + name + " is not known."}
	}
	input := op.NewInput()
	record(input, in)
	result, err := op.Call(ctx, caller, input)
	if err != nil {
		return nil, err
	}
	output := reflect.New(b.outputs[name])
	fill(output.Elem(), reflect.ValueOf(result).Elem())
	return output.Interface(), nil
}
