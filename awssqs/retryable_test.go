package awssqs_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/pubsub"
)

// A failing client fails its first call to send with err, and accepts the rest.
type failing struct {
	awssqs.Client
	err   error
	calls int
}

func (c *failing) SendMessage(context.Context, *sqs.SendMessageInput, ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	c.calls++
	if c.calls == 1 {
		return nil, c.err
	}
	return &sqs.SendMessageOutput{MessageId: aws.String("id")}, nil
}

// SendMessageBatch fails the second entry, and says that the server is to blame.
func (c *failing) SendMessageBatch(_ context.Context, in *sqs.SendMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error) {
	entry := types.BatchResultErrorEntry{Id: in.Entries[1].Id, Code: aws.String("InternalError"), SenderFault: false}
	out := &sqs.SendMessageBatchOutput{Failed: []types.BatchResultErrorEntry{entry}}
	for i, sent := range in.Entries {
		if i != 1 {
			out.Successful = append(out.Successful, types.SendMessageBatchResultEntry{Id: sent.Id, MessageId: aws.String("id")})
		}
	}
	return out, nil
}

// unknown returns what the SDK makes of an error that it has no type for.
func unknown(code string, status int) error {
	return &smithy.OperationError{Err: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
		Err:      &smithy.GenericAPIError{Code: code},
	}}
}

func TestPublisherTriesAgainWhatSQSIsToBlameFor(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		again bool
	}{
		{"throttled", &types.RequestThrottled{}, true},
		{"throttled by the key service", &types.KmsThrottled{}, true},
		{"unknown throttling", unknown("ThrottlingException", http.StatusBadRequest), true},
		{"internal", unknown("InternalFailure", http.StatusInternalServerError), true},
		{"internal, without a response", &smithy.GenericAPIError{Code: "InternalError", Fault: smithy.FaultServer}, true},
		{"network", &smithyhttp.RequestSendError{Err: http.ErrServerClosed}, true},
		{"no permission", unknown("AccessDenied", http.StatusForbidden), false},
		{"no key", &types.KmsAccessDenied{}, false},
		{"no queue", &types.QueueDoesNotExist{}, false},
		{"bad message", &types.InvalidMessageContents{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &failing{err: c.err}
				p := pubsub.Publisher{Queue: awssqs.NewQueue(client, "https://host/1/q")}
				_, err := p.Publish(t.Context(), memsqs.SendInput{Body: "m"})
				if c.again {
					require.NoError(t, err)
					require.Equal(t, 2, client.calls)
					return
				}
				require.ErrorIs(t, err, c.err)
				require.Equal(t, 1, client.calls)
			})
		})
	}
}

func TestPublisherTriesAgainTheEntryThatSQSIsToBlameFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &failing{calls: 1}
		p := pubsub.Publisher{Queue: awssqs.NewQueue(client, "https://host/1/q")}
		results, err := p.PublishAll(t.Context(), []memsqs.SendInput{{Body: "a"}, {Body: "b"}})
		require.NoError(t, err)
		require.Equal(t, "id", results[1].MessageID, "of the second call")
		require.Equal(t, 2, client.calls)
	})
}
