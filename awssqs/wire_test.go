package awssqs_test

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// A recorder is an HTTPClient that keeps the body of the latest request, and has an
// answer to every one.
type recorder struct{ body map[string]any }

func (r *recorder) Do(request *http.Request) (*http.Response, error) {
	r.body = nil
	if err := json.NewDecoder(request.Body).Decode(&r.body); err != nil {
		return nil, err
	}
	answer := strings.NewReader(`{
		"Attributes": {"VisibilityTimeout": "30"},
		"Successful": [{"Id": "0", "MessageId": "id", "MD5OfMessageBody": "9dd4e461268c8034f5c8564e155c67a6"}]
	}`)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(answer)}, nil
}

// entry returns the first entry of the latest request.
func (r *recorder) entry() map[string]any {
	return r.body["Entries"].([]any)[0].(map[string]any)
}

// newRecorded returns a queue whose requests are recorded.
func newRecorded() (*awssqs.Queue, *recorder) {
	wire := new(recorder)
	client := awssqs.NewClient(sqshttp.NewServer(sqshttp.Options{}), func(o *sqs.Options) { o.HTTPClient = wire })
	return awssqs.NewQueue(client, "https://sqs.us-east-1.amazonaws.com/000000000000/orders"), wire
}

// sendDuration has the calls that send a duration, and what they send.
var sendDuration = map[string]func(ctx context.Context, q *awssqs.Queue, wire *recorder, d *time.Duration) (any, error){
	"delay": func(ctx context.Context, q *awssqs.Queue, wire *recorder, d *time.Duration) (any, error) {
		_, err := q.Send(ctx, memsqs.SendInput{Body: "x", Delay: d})
		return wire.body["DelaySeconds"], err
	},
	"delay in a batch": func(ctx context.Context, q *awssqs.Queue, wire *recorder, d *time.Duration) (any, error) {
		_, err := q.SendBatch(ctx, []memsqs.SendInput{{Body: "x", Delay: d}})
		return wire.entry()["DelaySeconds"], err
	},
	"wait": func(ctx context.Context, q *awssqs.Queue, wire *recorder, d *time.Duration) (any, error) {
		_, err := q.Receive(ctx, memsqs.ReceiveInput{WaitTime: d})
		return wire.body["WaitTimeSeconds"], err
	},
	"visibility timeout": func(ctx context.Context, q *awssqs.Queue, wire *recorder, d *time.Duration) (any, error) {
		_, err := q.Receive(ctx, memsqs.ReceiveInput{VisibilityTimeout: d})
		return wire.body["VisibilityTimeout"], err
	},
	"change": func(ctx context.Context, q *awssqs.Queue, wire *recorder, d *time.Duration) (any, error) {
		if d == nil {
			return nil, nil
		}
		err := q.ChangeVisibility(ctx, "handle", *d)
		return wire.body["VisibilityTimeout"], err
	},
	"change in a batch": func(ctx context.Context, q *awssqs.Queue, wire *recorder, d *time.Duration) (any, error) {
		if d == nil {
			return nil, nil
		}
		err := q.ChangeVisibilityBatch(ctx, []memsqs.VisibilityChange{{ReceiptHandle: "handle", Timeout: *d}})
		return wire.entry()["VisibilityTimeout"], err
	},
}

// A duration is sent in whole seconds, rounded up; a negative one stays negative;
// zero is sent as zero, and none is not sent.
func TestDurationsOnTheWire(t *testing.T) {
	q, wire := newRecorded()
	for name, send := range sendDuration {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				d    *time.Duration
				want any
			}{
				{nil, nil},
				{new(time.Duration(0)), 0.0},
				{new(time.Duration(1)), 1.0},
				{new(time.Second), 1.0},
				{new(time.Second + 1), 2.0},
				{new(time.Duration(-1)), -1.0},
				{new(-time.Second), -1.0},
				{new(time.Duration(math.MaxInt64)), float64(math.MaxInt32)},
				{new(time.Duration(math.MinInt64)), float64(math.MinInt32 + 1)},
			} {
				got, err := send(t.Context(), q, wire, c.d)
				require.NoError(t, err)
				require.Equal(t, c.want, got, "%v", c.d)
			}
		})
	}
}

// A number of messages that SQS would not take for a number is refused all the same.
func TestMaxMessagesOnTheWire(t *testing.T) {
	q, wire := newRecorded()
	for n, want := range map[int]any{0: nil, 1: 1.0, 11: 11.0, -1: -1.0, 1<<32 + 1: float64(math.MaxInt32), math.MinInt: float64(math.MinInt32 + 1)} {
		_, err := q.Receive(t.Context(), memsqs.ReceiveInput{MaxMessages: n})
		require.NoError(t, err)
		require.Equal(t, want, wire.body["MaxNumberOfMessages"], n)
	}
}

// What is empty for the engine is absent for SQS.
func TestEmptyIsAbsentOnTheWire(t *testing.T) {
	q, wire := newRecorded()
	_, err := q.Send(t.Context(), memsqs.SendInput{Body: "x"})
	require.NoError(t, err)
	delete(wire.body, "QueueUrl")
	require.Equal(t, map[string]any{"MessageBody": "x"}, wire.body)
}
