// How queues get into the registry and out of it, by Go code and by the API.

package api_test

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
)

func newQueue(t testing.TB, name string) *memsqs.Queue {
	t.Helper()
	q, err := memsqs.NewQueue(memsqs.Config{Name: name})
	require.NoError(t, err)
	return q
}

// A queue that was created is found by Go code, by its type.
func TestGoCodeFindsQueues(t *testing.T) {
	c := newCaller()
	require.Equal(t, "http://localhost/123456789012/orders", create(t, c, "orders", nil))
	create(t, c, "jobs.fifo", attrs{"FifoQueue": "True"})
	require.Equal(t, "orders", c.Service.Queue("orders").Config().Name)
	require.Equal(t, "jobs.fifo", c.Service.FIFOQueue("jobs.fifo").Config().Name)
	require.Nil(t, c.Service.Queue("jobs.fifo"))
	require.Nil(t, c.Service.FIFOQueue("orders"))
	require.Nil(t, c.Service.Queue("unknown"))
	require.Nil(t, c.Service.FIFOQueue("unknown"))
}

// A queue of either type can have 120,000 messages in flight (A7.1, B11.1).
func TestQuotasOfANewQueue(t *testing.T) {
	c := newCaller()
	create(t, c, "orders", nil)
	create(t, c, "jobs.fifo", attrs{"FifoQueue": "true"})
	require.Equal(t, 120_000, c.Service.Queue("orders").Config().MaxInFlight)
	require.Equal(t, 120_000, c.Service.FIFOQueue("jobs.fifo").Config().MaxInFlight)
}

// Queues of Go code live in the service's own region and account.
func TestAddedQueuesAreFoundByTheAPI(t *testing.T) {
	c := newCaller()
	q := newQueue(t, "orders")
	require.NoError(t, c.Service.Add(q))
	fifo, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{Name: "jobs.fifo", ContentBasedDeduplication: true})
	require.NoError(t, err)
	require.NoError(t, c.Service.Add(fifo))
	require.Same(t, q, c.Service.Queue("orders"))
	require.Equal(t, "true", get(t, c, "jobs.fifo", "All")["ContentBasedDeduplication"])
	require.Len(t, must[api.ListQueuesOutput](t, c, new(api.ListQueuesInput)).QueueUrls, 2)
	elsewhere := c.Service.Caller("us-west-2", "", "http://localhost")
	require.Empty(t, must[api.ListQueuesOutput](t, elsewhere, new(api.ListQueuesInput)).QueueUrls)
}

func TestAddRefuses(t *testing.T) {
	s := newCaller().Service
	require.NoError(t, s.Add(newQueue(t, "taken")))
	fifo, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{Name: "jobs"})
	require.NoError(t, err)
	closed := newQueue(t, "closed")
	require.NoError(t, closed.Close())
	for _, c := range []struct {
		queue any
		want  string
	}{
		{closed, "queue closed: invalid parameter value: the queue is closed"},
		{new(memsqs.FIFOQueue), "the queue is closed"},
		{nil, "the queue is a <nil>"},
		{(*memsqs.Queue)(nil), "the queue is nil"},
		{(*memsqs.FIFOQueue)(nil), "the queue is nil"},
		{"orders", "the queue is a string"},
		{newQueue(t, ""), "1 to 80 in length"},
		{newQueue(t, "a b"), "queue a b: "},
		{newQueue(t, "jobs.fifo"), "1 to 80 in length"},
		{fifo, "must end with .fifo"},
		{newQueue(t, "taken"), "the name is taken"},
	} {
		err := s.Add(c.queue)
		require.ErrorIs(t, err, memsqs.ErrInvalidParameterValue)
		require.ErrorContains(t, err, c.want)
	}
}

// A queue that its owner has closed is as good as deleted. Its name can be used at once,
// and who sent it its dead letters sends them to the next of its name.
func TestClosedQueueIsGone(t *testing.T) {
	again := map[string]func(testing.TB, *api.Caller){
		"added":   func(t testing.TB, c *api.Caller) { require.NoError(t, c.Service.Add(newQueue(t, "dead"))) },
		"created": func(t testing.TB, c *api.Caller) { create(t, c, "dead", nil) },
	}
	for name, again := range again {
		t.Run(name, func(t *testing.T) {
			c := newCaller()
			first := newQueue(t, "dead")
			require.NoError(t, c.Service.Add(first))
			policy := attrs{"RedrivePolicy": redrivePolicy("dead", "1")}
			url := create(t, c, "orders", policy)

			require.NoError(t, first.Close())

			require.Nil(t, c.Service.Queue("dead"))
			require.Equal(t, []string{url}, must[api.ListQueuesOutput](t, c, new(api.ListQueuesInput)).QueueUrls)
			requireRefused(t, c, &api.GetQueueUrlInput{QueueName: new("dead")}, api.QueueDoesNotExist, "The specified queue does not exist.")
			require.Equal(t, policy, get(t, c, url, "RedrivePolicy"))

			again(t, c)
			second := c.Service.Queue("dead")
			require.NotSame(t, first, second)
			require.Same(t, second, c.Service.Queue("orders").Config().DeadLetter.Queue)
		})
	}
}

// A service does not grow by queues that come and go, with their places and with the
// policies that have named them.
func TestDeletedQueuesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		orders := create(t, c, "orders", nil)
		for i := range 10 {
			dead := "dead-" + strconv.Itoa(i)
			url := create(t, c, dead, nil)
			set(t, c, orders, attrs{"RedrivePolicy": redrivePolicy(dead, "1")})
			deleteQueue(t, c, url)

			elsewhere := c.Service.Caller("region-"+strconv.Itoa(i), "", "http://localhost")
			policy := strings.ReplaceAll(redrivePolicy("dead", "1"), region, "region-"+strconv.Itoa(i))
			url = create(t, elsewhere, "dead", nil)
			source := create(t, elsewhere, "orders", attrs{"RedrivePolicy": policy})
			deleteQueue(t, elsewhere, url)
			deleteQueue(t, elsewhere, source)
			time.Sleep(time.Minute)
		}
		deleteQueue(t, c, create(t, c, "last", nil))
		places, queues, names := c.Service.Held()
		require.Equal(t, [3]int{1, 1, 2}, [3]int{places, queues, names}, "orders, and the names last and dead-9")
		create(t, c, "dead-9", nil)
		places, queues, names = c.Service.Held()
		require.Equal(t, [3]int{1, 2, 1}, [3]int{places, queues, names}, "orders and dead-9, and the name last")
	})
}

// Reset closes the queues that CreateQueue made, forgets those that were added, and
// the names of those that were deleted.
func TestReset(t *testing.T) {
	c := newCaller()
	added := newQueue(t, "added")
	require.NoError(t, c.Service.Add(added))
	create(t, c, "created", nil)
	created := c.Service.Queue("created")
	deleteQueue(t, c, create(t, c, "deleted", nil))

	c.Service.Reset()
	require.Empty(t, must[api.ListQueuesOutput](t, c, new(api.ListQueuesInput)).QueueUrls)
	require.NoError(t, added.Purge(t.Context()))
	require.ErrorIs(t, created.Purge(t.Context()), memsqs.ErrClosed)
	create(t, c, "deleted", nil)
	require.NoError(t, c.Service.Add(added))
}

// Queues of different regions and accounts are apart, and so are the names of those
// that were deleted.
func TestPlacesAreApart(t *testing.T) {
	c := newCaller()
	create(t, c, "orders", nil)
	for _, elsewhere := range []*api.Caller{
		c.Service.Caller("us-west-2", "", "http://localhost"),
		c.Service.Caller("", "999999999999", "http://localhost"),
	} {
		url := create(t, elsewhere, "orders", attrs{"DelaySeconds": "7"})
		require.Equal(t, "7", get(t, elsewhere, url, "All")["DelaySeconds"])
		deleteQueue(t, elsewhere, url)
	}
	require.Equal(t, "0", get(t, c, "orders", "All")["DelaySeconds"])
	deleteQueue(t, c, "orders")
}

// The name of a deleted queue cannot be used for 60 seconds (A16.5), unless the
// service is relaxed. Go code can use it.
func TestNameOfADeletedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		again := &api.CreateQueueInput{QueueName: new("orders")}
		for range 2 {
			deleteQueue(t, c, create(t, c, "orders", nil))
			time.Sleep(60*time.Second - 1)
			requireRefused(t, c, again, api.QueueDeletedRecently, "You must wait 60 seconds after deleting a queue before you can create another with the same name.")
			time.Sleep(1 * time.Nanosecond)
			create(t, c, "orders", nil)
			deleteQueue(t, c, "orders")
			require.NoError(t, c.Service.Add(newQueue(t, "orders")))
			deleteQueue(t, c, "orders")
			time.Sleep(60 * time.Second)
		}
		relaxed := newCallerOf(api.Options{Relaxed: true})
		deleteQueue(t, relaxed, create(t, relaxed, "orders", nil))
		create(t, relaxed, "orders", nil)
	})
}

// The 60 seconds count from the last deletion, also where Go code has used the name
// in between.
func TestNameThatWasDeletedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		deleteQueue(t, c, create(t, c, "orders", nil))
		time.Sleep(40 * time.Second)
		require.NoError(t, c.Service.Add(newQueue(t, "orders")))
		deleteQueue(t, c, "orders")
		time.Sleep(40 * time.Second)
		_, err := c.CreateQueue(t.Context(), &api.CreateQueueInput{QueueName: new("orders")})
		require.Error(t, err)
		time.Sleep(20 * time.Second)
		create(t, c, "orders", nil)
	})
}

// The 60 seconds pass on the service's clock.
func TestNameOfADeletedQueueOnAManualClock(t *testing.T) {
	clock := memsqs.NewManualClock(time.Unix(1_000_000_000, 0))
	c := newCallerOf(api.Options{Clock: clock})
	url := create(t, c, "orders", nil)
	require.Equal(t, "1000000000", get(t, c, url, "All")["CreatedTimestamp"])
	deleteQueue(t, c, url)
	clock.Advance(time.Minute)
	create(t, c, "orders", nil)
	require.Equal(t, "1000000060", get(t, c, url, "All")["CreatedTimestamp"])
}

// A deleted queue is closed: what waits on it ends, and later calls find none (A16.7).
func TestDeletingEndsLongPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		url := create(t, c, "orders", nil)
		polled := make(chan error)
		go func() {
			_, err := c.ReceiveMessage(t.Context(), &api.ReceiveMessageInput{QueueUrl: &url, WaitTimeSeconds: new(20)})
			polled <- err
		}()
		synctest.Wait()
		deleteQueue(t, c, url)
		require.ErrorContains(t, <-polled, api.QueueDoesNotExist.Code)
		requireRefused(t, c, &api.DeleteQueueInput{QueueUrl: &url}, api.QueueDoesNotExist, "The specified queue does not exist.")
	})
}

// Concurrent calls that create one name make one queue.
func TestConcurrentCreates(t *testing.T) {
	c := newCaller()
	urls := make([]string, 20)
	engines := make([]*memsqs.Queue, len(urls))
	var wg sync.WaitGroup
	for i := range urls {
		wg.Go(func() {
			out, err := c.CreateQueue(t.Context(), &api.CreateQueueInput{QueueName: new("orders"), Attributes: attrs{"DelaySeconds": "1"}})
			if err == nil {
				urls[i], engines[i] = out.QueueUrl, c.Service.Queue("orders")
			}
		})
	}
	wg.Wait()
	for i := range urls {
		require.Equal(t, urls[0], urls[i])
		require.Same(t, engines[0], engines[i])
	}
}

// Queues can be created, deleted, set, listed and reset at the same time.
func TestConcurrentCallsOnTheRegistry(t *testing.T) {
	c := newCallerOf(api.Options{Relaxed: true})
	create(t, c, "dead", nil)
	var wg sync.WaitGroup
	for _, input := range []any{
		&api.CreateQueueInput{QueueName: new("dead")},
		&api.CreateQueueInput{QueueName: new("orders"), Attributes: attrs{"RedrivePolicy": redrivePolicy("dead", "3")}},
		&api.DeleteQueueInput{QueueUrl: new("orders")},
		&api.DeleteQueueInput{QueueUrl: new("dead")},
		&api.SetQueueAttributesInput{QueueUrl: new("orders"), Attributes: attrs{"RedrivePolicy": redrivePolicy("orders", "2")}},
		&api.GetQueueAttributesInput{QueueUrl: new("orders"), AttributeNames: []string{"All"}},
		&api.AddPermissionInput{QueueUrl: new("orders"), Label: new("l"), Actions: []string{"*"}, AWSAccountIds: []string{account}},
		&api.TagQueueInput{QueueUrl: new("orders"), Tags: map[string]string{"k": "v"}},
		&api.ListQueueTagsInput{QueueUrl: new("orders")},
		&api.UntagQueueInput{QueueUrl: new("orders"), TagKeys: []string{"k"}},
		&api.ListDeadLetterSourceQueuesInput{QueueUrl: new("dead")},
		&api.StartMessageMoveTaskInput{SourceArn: new(arn("dead"))},
		&api.ListMessageMoveTasksInput{SourceArn: new(arn("dead"))},
		&api.SendMessageInput{QueueUrl: new("dead"), MessageBody: new("m")},
		&api.ReceiveMessageInput{QueueUrl: new("orders")},
	} {
		wg.Go(func() {
			for range 100 {
				_, err := invoke(t, c, input)
				if refusal, ok := errors.AsType[*api.Error](err); err != nil && (!ok || refusal.Kind == api.InternalFailure) {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			c.Service.Reset()
		}
	})
	wg.Wait()
}
