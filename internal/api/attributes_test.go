// The attributes of queues: what is shown, what can be set, and that the engine and
// the API agree on it.

package api_test

import (
	"maps"
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

// A new queue has exactly these attributes (A12.1, A12.2).
func TestAttributesOfANewQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		now := strconv.FormatInt(time.Now().Unix(), 10)
		want := attrs{
			"ApproximateNumberOfMessages":           "0",
			"ApproximateNumberOfMessagesDelayed":    "0",
			"ApproximateNumberOfMessagesNotVisible": "0",
			"CreatedTimestamp":                      now,
			"DelaySeconds":                          "0",
			"LastModifiedTimestamp":                 now,
			"MaximumMessageSize":                    "1048576",
			"MessageRetentionPeriod":                "345600",
			"QueueArn":                              arn("orders"),
			"ReceiveMessageWaitTimeSeconds":         "0",
			"SqsManagedSseEnabled":                  "true",
			"VisibilityTimeout":                     "30",
		}
		require.Equal(t, want, get(t, c, create(t, c, "orders", nil), "All"))

		want["QueueArn"] = arn("jobs.fifo")
		maps.Copy(want, attrs{
			"ContentBasedDeduplication": "false",
			"DeduplicationScope":        "queue",
			"FifoQueue":                 "true",
			"FifoThroughputLimit":       "perQueue",
		})
		require.Equal(t, want, get(t, c, create(t, c, "jobs.fifo", attrs{"FifoQueue": "true"}), "All"))
	})
}

// Only what is asked for is shown (A12.4), and FifoQueue not of a standard queue
// (A12.2).
func TestAttributesThatAreAskedFor(t *testing.T) {
	c := newCaller()
	url := create(t, c, "orders", nil)
	require.Empty(t, get(t, c, url))
	require.Equal(t, attrs{"DelaySeconds": "0", "VisibilityTimeout": "30"}, get(t, c, url, "VisibilityTimeout", "DelaySeconds", "Policy", "FifoQueue"))
	require.Len(t, get(t, c, url, "VisibilityTimeout", "All"), 12)
	requireRefused(t, c, &api.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: []string{"All", "Foobar"}}, api.InvalidAttributeName, "Unknown Attribute Foobar.")
}

// The messages are counted by their states (A13.1), and those that wait behind others
// of their group are visible (A13.2).
func TestCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		counters := []string{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesDelayed", "ApproximateNumberOfMessagesNotVisible"}
		url := create(t, c, "orders", nil)
		for _, delay := range []int{0, 0, 0, 60} {
			must[api.SendMessageOutput](t, c, &api.SendMessageInput{QueueUrl: &url, MessageBody: new("m"), DelaySeconds: &delay})
		}
		must[api.ReceiveMessageOutput](t, c, &api.ReceiveMessageInput{QueueUrl: &url})
		require.Equal(t, attrs{counters[0]: "2", counters[1]: "1", counters[2]: "1"}, get(t, c, url, counters...))

		fifo := create(t, c, "jobs.fifo", attrs{"FifoQueue": "true"})
		for i := range 6 {
			must[api.SendMessageOutput](t, c, &api.SendMessageInput{
				QueueUrl: &fifo, MessageBody: new("m"), MessageGroupId: new(strconv.Itoa(i % 3)), MessageDeduplicationId: new(strconv.Itoa(i)),
			})
		}
		for range 2 {
			must[api.ReceiveMessageOutput](t, c, &api.ReceiveMessageInput{QueueUrl: &fifo})
		}
		require.Equal(t, attrs{counters[0]: "4", counters[1]: "0", counters[2]: "2"}, get(t, c, fifo, counters...))
	})
}

// Attributes that are not named keep their values (A12.12), what is set is seen in the
// form of A12.1 and A12.10, and the time of the change is shown.
func TestSetQueueAttributes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		url := create(t, c, "jobs.fifo", attrs{"FifoQueue": "TRUE", "DelaySeconds": "7"})
		want := get(t, c, url, "All")
		time.Sleep(1500 * time.Millisecond)
		set(t, c, url, attrs{
			"VisibilityTimeout":         "030",
			"MaximumMessageSize":        "1024",
			"MessageRetentionPeriod":    "60",
			"FifoQueue":                 "true",
			"ContentBasedDeduplication": "True",
			"DeduplicationScope":        "messageGroup",
			"FifoThroughputLimit":       "perMessageGroupId",
		})
		want["MaximumMessageSize"] = "1024"
		want["MessageRetentionPeriod"] = "60"
		want["ContentBasedDeduplication"] = "true"
		want["DeduplicationScope"] = "messageGroup"
		want["FifoThroughputLimit"] = "perMessageGroupId"
		want["LastModifiedTimestamp"] = strconv.FormatInt(time.Now().Unix(), 10)
		require.NotEqual(t, want["CreatedTimestamp"], want["LastModifiedTimestamp"])
		require.Equal(t, want, get(t, c, url, "All"))
		require.Equal(t, want, get(t, c, create(t, c, "jobs.fifo", attrs{"ContentBasedDeduplication": "TRUE", "FifoQueue": "true"}), "All"))
	})
}

// The least and the most that the attributes can be; with one less or more they are
// refused (A12.6).
func TestBoundsOfAttributes(t *testing.T) {
	c := newCaller()
	url := create(t, c, "orders", attrs{"KmsMasterKeyId": "key"})
	for name, bounds := range map[string][2]int{
		"DelaySeconds":                  {0, 900},
		"KmsDataKeyReusePeriodSeconds":  {60, 86_400},
		"MaximumMessageSize":            {1024, 1_048_576},
		"MessageRetentionPeriod":        {60, 1_209_600},
		"ReceiveMessageWaitTimeSeconds": {0, 20},
		"VisibilityTimeout":             {0, 43_200},
	} {
		for i, good := range bounds {
			set(t, c, url, attrs{name: strconv.Itoa(good)})
			require.Equal(t, strconv.Itoa(good), get(t, c, url, name)[name])
			bad := strconv.Itoa(good + []int{-1, 1}[i])
			requireRefused(t, c, &api.SetQueueAttributesInput{QueueUrl: &url, Attributes: attrs{name: bad}},
				api.InvalidAttributeValue, "Invalid value for the parameter "+name+".")
		}
	}
}

// What the API sets is what the queue is configured with, and the other way round.
func TestEngineAndAPIAgree(t *testing.T) {
	c := newCaller()
	url := create(t, c, "orders", attrs{"VisibilityTimeout": "0", "ReceiveMessageWaitTimeSeconds": "20"})
	q := c.Service.Queue("orders")
	require.Zero(t, *q.Config().VisibilityTimeout)
	require.Equal(t, 20*time.Second, q.Config().WaitTime)
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) {
		cfg.Delay = 1500 * time.Millisecond
		cfg.MaxMessageSize = 2048
		cfg.MaxInFlight = 5
	}))
	require.Equal(t, attrs{"DelaySeconds": "2", "MaximumMessageSize": "2048"}, get(t, c, url, "DelaySeconds", "MaximumMessageSize"))
	set(t, c, url, attrs{"MessageRetentionPeriod": "1209600"})
	require.Equal(t, 14*24*time.Hour, q.Config().Retention)
	require.Equal(t, 1500*time.Millisecond, q.Config().Delay)
	require.Equal(t, 5, q.Config().MaxInFlight)

	fifo := create(t, c, "jobs.fifo", attrs{"FifoQueue": "true", "DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"})
	jobs := c.Service.FIFOQueue("jobs.fifo")
	require.Equal(t, memsqs.DeduplicateGroup, jobs.Config().DeduplicationScope)
	require.NoError(t, jobs.Configure(func(cfg *memsqs.FIFOConfig) { cfg.DeduplicationScope = memsqs.DeduplicateQueue }))
	require.Equal(t, attrs{"DeduplicationScope": "queue", "FifoThroughputLimit": "perQueue"}, get(t, c, fifo, "DeduplicationScope", "FifoThroughputLimit"))
}

// Changes that are made at the same time, by the API and by Go code, are all there.
func TestConcurrentChangesAreNotLost(t *testing.T) {
	c := newCaller()
	url := create(t, c, "orders", nil)
	want := attrs{"DelaySeconds": "1", "VisibilityTimeout": "2", "ReceiveMessageWaitTimeSeconds": "3", "KmsMasterKeyId": "key", "Policy": `{"Id":"p"}`}
	var wg sync.WaitGroup
	for name, value := range want {
		wg.Go(func() {
			if _, err := c.SetQueueAttributes(t.Context(), &api.SetQueueAttributesInput{QueueUrl: &url, Attributes: attrs{name: value}}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Go(func() {
		if err := c.Service.Queue("orders").Configure(func(cfg *memsqs.Config) { cfg.Retention = time.Hour }); err != nil {
			t.Error(err)
		}
	})
	wg.Wait()
	want["MessageRetentionPeriod"] = "3600"
	got := get(t, c, url, "All")
	for name, value := range want {
		require.Equal(t, value, got[name], name)
	}
}

// A queue has one kind of encryption at most, and the attributes of a key are shown
// while there is one (A12.11).
func TestEncryption(t *testing.T) {
	c := newCaller()
	url := create(t, c, "orders", nil)
	shown := func() attrs {
		return get(t, c, url, "KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds", "SqsManagedSseEnabled")
	}
	for _, step := range []struct{ set, want attrs }{
		{attrs{"KmsMasterKeyId": "alias/key", "KmsDataKeyReusePeriodSeconds": "600"}, attrs{"KmsMasterKeyId": "alias/key", "KmsDataKeyReusePeriodSeconds": "600", "SqsManagedSseEnabled": "false"}},
		{attrs{"KmsMasterKeyId": "", "KmsDataKeyReusePeriodSeconds": "300"}, attrs{"SqsManagedSseEnabled": "false"}},
		{attrs{"SqsManagedSseEnabled": "True"}, attrs{"SqsManagedSseEnabled": "true"}},
		{attrs{"KmsMasterKeyId": "", "SqsManagedSseEnabled": "true"}, attrs{"SqsManagedSseEnabled": "true"}},
		{attrs{"KmsMasterKeyId": "key", "KmsDataKeyReusePeriodSeconds": "300", "SqsManagedSseEnabled": "false"}, attrs{"KmsMasterKeyId": "key", "KmsDataKeyReusePeriodSeconds": "300", "SqsManagedSseEnabled": "false"}},
		{attrs{"SqsManagedSseEnabled": "true"}, attrs{"SqsManagedSseEnabled": "true"}},
		{attrs{"KmsMasterKeyId": ""}, attrs{"SqsManagedSseEnabled": "true"}},
		{attrs{"KmsMasterKeyId": "key", "KmsDataKeyReusePeriodSeconds": "600"}, attrs{"KmsMasterKeyId": "key", "KmsDataKeyReusePeriodSeconds": "600", "SqsManagedSseEnabled": "false"}},
		{attrs{"SqsManagedSseEnabled": "true"}, attrs{"SqsManagedSseEnabled": "true"}},
		{attrs{"SqsManagedSseEnabled": "false"}, attrs{"SqsManagedSseEnabled": "false"}},
	} {
		set(t, c, url, step.set)
		require.Equal(t, step.want, shown(), step.set)
	}
	requireRefused(t, c, &api.SetQueueAttributesInput{QueueUrl: &url, Attributes: attrs{"KmsMasterKeyId": "key", "SqsManagedSseEnabled": "TRUE"}},
		api.InvalidAttributeName, "You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.")
}

// An existing queue is found if what is given of it equals what it has now, whatever
// the form (A16.2, A16.4).
func TestCreateQueueThatExists(t *testing.T) {
	c := newCaller()
	create(t, c, "dead", nil)
	create(t, c, "jobs.fifo", attrs{"FifoQueue": "true"})
	given := attrs{
		"VisibilityTimeout":    "45",
		"SqsManagedSseEnabled": "true",
		"RedrivePolicy":        redrivePolicy("dead", "3"),
		"RedriveAllowPolicy":   `{"redrivePermission":"denyAll"}`,
		"Policy":               `{"Version":"2012-10-17","Id":"p","Statement":[]}`,
	}
	url := create(t, c, "orders", given)
	must[api.SendMessageOutput](t, c, &api.SendMessageInput{QueueUrl: &url, MessageBody: new("m")})
	for _, same := range []attrs{
		nil,
		given,
		{"VisibilityTimeout": "045", "SqsManagedSseEnabled": "TRUE", "DelaySeconds": "0"},
		{"RedrivePolicy": `{ "maxReceiveCount" : "3" , "deadLetterTargetArn": "` + arn("dead") + `" }`},
		{"Policy": ` {"Id":"p", "Statement":[], "Version":"2012-10-17"}`},
		{"RedriveAllowPolicy": `{ "redrivePermission" : "denyAll" }`},
	} {
		require.Equal(t, url, create(t, c, "orders", same))
	}
	must[api.CreateQueueOutput](t, c, &api.CreateQueueInput{QueueName: new("orders"), Tags: map[string]string{"k": "v"}})
	require.Empty(t, must[api.ListQueueTagsOutput](t, c, &api.ListQueueTagsInput{QueueUrl: &url}).Tags)
	create(t, c, "jobs.fifo", attrs{"FifoQueue": "True", "FifoThroughputLimit": "perQueue"})
	set(t, c, url, attrs{"VisibilityTimeout": "60"})
	create(t, c, "orders", attrs{"VisibilityTimeout": "60"})
}

// What differs from what the queue has now is refused (A16.2, A16.3).
func TestCreateQueueThatDiffers(t *testing.T) {
	c := newCaller()
	create(t, c, "dead", nil)
	given := attrs{
		"VisibilityTimeout":  "45",
		"RedrivePolicy":      redrivePolicy("dead", "3"),
		"RedriveAllowPolicy": `{"redrivePermission":"denyAll"}`,
		"Policy":             `{"Version":"2012-10-17","Id":"p","Statement":[]}`,
	}
	url := create(t, c, "orders", given)
	before := snapshot(t, c)
	for name, value := range (attrs{
		"KmsMasterKeyId":               "1",
		"VisibilityTimeout":            "46",
		"SqsManagedSseEnabled":         "false",
		"RedrivePolicy":                redrivePolicy("dead", "4"),
		"RedriveAllowPolicy":           `{"redrivePermission":"allowAll"}`,
		"Policy":                       "",
		"KmsDataKeyReusePeriodSeconds": "600",
	}) {
		requireRefused(t, c, &api.CreateQueueInput{QueueName: new("orders"), Attributes: attrs{"DelaySeconds": "0", name: value}},
			api.QueueNameExists, "A queue already exists with the same name and a different value for attribute "+name)
	}
	require.Equal(t, before, snapshot(t, c))

	set(t, c, url, attrs{"VisibilityTimeout": "60"})
	requireRefused(t, c, &api.CreateQueueInput{QueueName: new("orders"), Attributes: given},
		api.QueueNameExists, "A queue already exists with the same name and a different value for attribute VisibilityTimeout")
}

// Names have 1 to 80 characters, the suffix counted, and their case matters (A16.1).
func TestQueueNames(t *testing.T) {
	c := newCaller()
	for _, name := range []string{"a", "A", "Az-_09", strings.Repeat("n", 80)} {
		create(t, c, name, nil)
	}
	for _, name := range []string{"a.fifo", strings.Repeat("n", 75) + ".fifo"} {
		create(t, c, name, attrs{"FifoQueue": "true"})
	}
	require.Len(t, must[api.ListQueuesOutput](t, c, new(api.ListQueuesInput)).QueueUrls, 6)
}
