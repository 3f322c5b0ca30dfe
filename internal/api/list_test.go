// Lists of queues, page by page, and the URLs of queues.

package api_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/internal/api"
)

// A queue has a URL that names the host the caller used, and is found by its URL,
// whatever its host, and by its name (C3.1 to C3.3).
func TestQueueURLs(t *testing.T) {
	c := newCaller()
	create(t, c, "orders", nil)
	other := c.Service.Caller(region, "111111111111", "https://sqs.example")
	create(t, other, "theirs", nil)
	urlOf := func(c *api.Caller, in *api.GetQueueUrlInput) string {
		return must[api.GetQueueUrlOutput](t, c, in).QueueUrl
	}
	require.Equal(t, "http://localhost/123456789012/orders", urlOf(c, &api.GetQueueUrlInput{QueueName: new("orders")}))
	require.Equal(t, "https://sqs.example/123456789012/orders", urlOf(other, &api.GetQueueUrlInput{QueueName: new("orders"), QueueOwnerAWSAccountId: new(account)}))
	require.Equal(t, "https://sqs.example/111111111111/theirs", urlOf(other, &api.GetQueueUrlInput{QueueName: new("theirs")}))
	for _, url := range []string{"orders", "/123456789012/orders", "http://localhost/123456789012/orders", "https://eu-north-1.queue.amazonaws.com/123456789012/orders"} {
		require.Equal(t, arn("orders"), get(t, c, url, "QueueArn")["QueueArn"])
	}
}

// Pages are as long as is wanted and together have every queue once; only a caller who
// says how long gets a token (A16.9).
func TestListQueues(t *testing.T) {
	c := newCaller()
	require.Empty(t, must[api.ListQueuesOutput](t, c, new(api.ListQueuesInput)))
	for i := range 1005 {
		create(t, c, fmt.Sprintf("queue-%04d", i), nil)
	}
	create(t, c, "Queue", nil)
	all := must[api.ListQueuesOutput](t, c, new(api.ListQueuesInput))
	require.Len(t, all.QueueUrls, 1000)
	require.Empty(t, all.NextToken)
	require.Len(t, must[api.ListQueuesOutput](t, c, &api.ListQueuesInput{QueueNamePrefix: new("Queue")}).QueueUrls, 1)
	require.Empty(t, must[api.ListQueuesOutput](t, c, &api.ListQueuesInput{QueueNamePrefix: new("none")}))

	in := &api.ListQueuesInput{QueueNamePrefix: new("queue-"), MaxResults: new(335)}
	var got []string
	var tokens []string
	for {
		out := must[api.ListQueuesOutput](t, c, in)
		require.Len(t, out.QueueUrls, 335)
		got = append(got, out.QueueUrls...)
		if in.NextToken = &out.NextToken; out.NextToken == "" {
			break
		}
		tokens = append(tokens, out.NextToken)
	}
	require.Len(t, tokens, 2)
	require.Equal(t, all.QueueUrls[1:], got[:999]) // Queue comes first
	require.Len(t, got, 1005)

	rest := must[api.ListQueuesOutput](t, c, &api.ListQueuesInput{QueueNamePrefix: new("queue-"), NextToken: &tokens[1]})
	require.Equal(t, got[670:], rest.QueueUrls)
	requireRefused(t, c, &api.ListQueuesInput{NextToken: &tokens[0]}, api.InvalidParameterValue, badToken)
	requireRefused(t, c, &api.ListDeadLetterSourceQueuesInput{QueueUrl: new("Queue"), NextToken: &tokens[0]}, api.InvalidParameterValue, badToken)
}

// A page goes on where the last one ended, also if queues were deleted and created
// since.
func TestPagesOfAListThatChanges(t *testing.T) {
	c := newCaller()
	for _, name := range []string{"a", "b", "c", "d"} {
		create(t, c, name, nil)
	}
	in := &api.ListQueuesInput{MaxResults: new(2)}
	in.NextToken = &must[api.ListQueuesOutput](t, c, in).NextToken
	deleteQueue(t, c, "b")
	create(t, c, "aa", nil)
	create(t, c, "bb", nil)
	require.Equal(t, []string{"http://localhost/123456789012/bb", "http://localhost/123456789012/c"}, must[api.ListQueuesOutput](t, c, in).QueueUrls)
}

// The sources of a dead-letter queue are those that name it now, and none is an empty
// answer (A16.10).
func TestListDeadLetterSourceQueues(t *testing.T) {
	c := newCaller()
	dead := create(t, c, "dead", nil)
	in := &api.ListDeadLetterSourceQueuesInput{QueueUrl: &dead}
	require.Empty(t, must[api.ListDeadLetterSourceQueuesOutput](t, c, in))
	a := create(t, c, "a", attrs{"RedrivePolicy": redrivePolicy("dead", "1")})
	create(t, c, "other", attrs{"RedrivePolicy": redrivePolicy("a", "1")})
	set(t, c, dead, attrs{"RedrivePolicy": redrivePolicy("dead", "1")})
	require.Equal(t, []string{a, dead}, must[api.ListDeadLetterSourceQueuesOutput](t, c, in).QueueUrls)

	in.MaxResults = new(1)
	first := must[api.ListDeadLetterSourceQueuesOutput](t, c, in)
	require.Equal(t, []string{a}, first.QueueUrls)
	in.NextToken = &first.NextToken
	second := must[api.ListDeadLetterSourceQueuesOutput](t, c, in)
	require.Equal(t, &api.ListDeadLetterSourceQueuesOutput{QueueUrls: []string{dead}}, second)

	deleteQueue(t, c, a)
	require.Equal(t, []string{dead}, must[api.ListDeadLetterSourceQueuesOutput](t, c, &api.ListDeadLetterSourceQueuesInput{QueueUrl: &dead}).QueueUrls)
}
