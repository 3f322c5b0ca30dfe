// What the tests of operations on queues have in common.

package api_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/internal/api"
)

const (
	region  = "eu-north-1"
	account = "123456789012"
)

// newCaller returns a caller of a new service.
func newCaller() *api.Caller {
	return newCallerOf(api.Options{})
}

func newCallerOf(opts api.Options) *api.Caller {
	opts.Region, opts.Account = region, account
	return api.NewService(opts).Caller("", "", "http://localhost")
}

// invoke calls the operation that an input is of.
func invoke(t testing.TB, c *api.Caller, input any) (any, error) {
	name := strings.TrimSuffix(reflect.TypeOf(input).Elem().Name(), "Input")
	op := api.FindOperation(name)
	require.NotNil(t, op, name)
	return op.Call(t.Context(), c, input)
}

// must invokes an operation that is not refused, and returns its output.
func must[Out any](t testing.TB, c *api.Caller, input any) *Out {
	t.Helper()
	out, err := invoke(t, c, input)
	require.NoError(t, err)
	return out.(*Out)
}

// requireRefused requires that an operation is refused with an error of a kind and
// text.
func requireRefused(t testing.TB, c *api.Caller, input any, kind *api.Kind, text string) {
	t.Helper()
	_, err := invoke(t, c, input)
	var refusal *api.Error
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, text, refusal.Message)
	require.Equal(t, kind.Code, refusal.Code)
}

type attrs = map[string]string

// create makes a queue and returns its URL.
func create(t testing.TB, c *api.Caller, name string, attributes attrs) string {
	t.Helper()
	return must[api.CreateQueueOutput](t, c, &api.CreateQueueInput{QueueName: &name, Attributes: attributes}).QueueUrl
}

func set(t testing.TB, c *api.Caller, url string, attributes attrs) {
	t.Helper()
	must[api.SetQueueAttributesOutput](t, c, &api.SetQueueAttributesInput{QueueUrl: &url, Attributes: attributes})
}

// get returns the attributes of a queue with the given names.
func get(t testing.TB, c *api.Caller, url string, names ...string) attrs {
	t.Helper()
	return must[api.GetQueueAttributesOutput](t, c, &api.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: names}).Attributes
}

func deleteQueue(t testing.TB, c *api.Caller, url string) {
	t.Helper()
	must[api.DeleteQueueOutput](t, c, &api.DeleteQueueInput{QueueUrl: &url})
}

// arn returns the ARN of a queue.
func arn(name string) string { return "arn:aws:sqs:" + region + ":" + account + ":" + name }

// redrivePolicy returns a RedrivePolicy as it is shown.
func redrivePolicy(target, maxReceiveCount string) string {
	return `{"deadLetterTargetArn":"` + arn(target) + `","maxReceiveCount":` + maxReceiveCount + `}`
}

// snapshot returns all that can be seen of the queues of a caller, by name.
func snapshot(t testing.TB, c *api.Caller) map[string]attrs {
	t.Helper()
	all := make(map[string]attrs)
	for _, url := range must[api.ListQueuesOutput](t, c, new(api.ListQueuesInput)).QueueUrls {
		all[url] = get(t, c, url, "All")
		for key, value := range must[api.ListQueueTagsOutput](t, c, &api.ListQueueTagsInput{QueueUrl: &url}).Tags {
			all[url]["tag "+key] = value
		}
	}
	return all
}
