package sqshttp_test

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// A client of the storm calls whatever comes to its mind, on few names, so that queues
// are made, changed, added, deleted and closed while others use them.
type stormyClient struct {
	server *sqshttp.Server
	rand   *rand.Rand
	handle string // of a message or of a move task, seen last
}

// stormyCalls are requests of the JSON protocol. In their bodies NAME is the name of a queue,
// OTHER another one, ARN and OTHERARN are their ARNs, and HANDLE is a handle.
var stormyCalls = [...][2]string{
	{"CreateQueue", `{"QueueName":"NAME","Attributes":{"VisibilityTimeout":"1"}}`},
	{"CreateQueue", `{"QueueName":"NAME"}`},
	{"DeleteQueue", `{"QueueUrl":"NAME"}`},
	{"SetQueueAttributes", `{"QueueUrl":"NAME","Attributes":{"RedrivePolicy":"{\"deadLetterTargetArn\":\"OTHERARN\",\"maxReceiveCount\":1}"}}`},
	{"SetQueueAttributes", `{"QueueUrl":"NAME","Attributes":{"RedrivePolicy":"","DelaySeconds":"1"}}`},
	{"GetQueueAttributes", `{"QueueUrl":"NAME","AttributeNames":["All"]}`},
	{"ListQueues", `{}`},
	{"ListDeadLetterSourceQueues", `{"QueueUrl":"NAME"}`},
	{"SendMessage", `{"QueueUrl":"NAME","MessageBody":"a"}`},
	{"SendMessageBatch", `{"QueueUrl":"NAME","Entries":[{"Id":"1","MessageBody":"b"},{"Id":"2","MessageBody":""}]}`},
	{"ReceiveMessage", `{"QueueUrl":"NAME","WaitTimeSeconds":20,"VisibilityTimeout":1}`},
	{"ReceiveMessage", `{"QueueUrl":"NAME","MaxNumberOfMessages":10,"VisibilityTimeout":0}`},
	{"DeleteMessage", `{"QueueUrl":"NAME","ReceiptHandle":"HANDLE"}`},
	{"ChangeMessageVisibility", `{"QueueUrl":"NAME","ReceiptHandle":"HANDLE","VisibilityTimeout":1}`},
	{"PurgeQueue", `{"QueueUrl":"NAME"}`},
	{"TagQueue", `{"QueueUrl":"NAME","Tags":{"a":"b"}}`},
	{"UntagQueue", `{"QueueUrl":"NAME","TagKeys":["a"]}`},
	{"ListQueueTags", `{"QueueUrl":"NAME"}`},
	{"AddPermission", `{"QueueUrl":"NAME","Label":"l","AWSAccountIds":["123456789012"],"Actions":["*"]}`},
	{"RemovePermission", `{"QueueUrl":"NAME","Label":"l"}`},
	{"StartMessageMoveTask", `{"SourceArn":"ARN","DestinationArn":"OTHERARN","MaxNumberOfMessagesPerSecond":2}`},
	{"StartMessageMoveTask", `{"SourceArn":"ARN"}`},
	{"ListMessageMoveTasks", `{"SourceArn":"ARN","MaxResults":10}`},
	{"CancelMessageMoveTask", `{"TaskHandle":"HANDLE"}`},
}

// handles finds the handles in an answer.
var handles = regexp.MustCompile(`"(?:ReceiptHandle|TaskHandle)":"([^"]+)"`)

// call makes one call, which may be cancelled on the way.
func (c *stormyClient) call(t *testing.T) {
	names := []string{"a", "b", "c"}
	name, other := names[c.rand.IntN(3)], names[c.rand.IntN(3)]
	const arn = "arn:aws:sqs:us-east-1:000000000000:"
	call := stormyCalls[c.rand.IntN(len(stormyCalls))]
	body := strings.NewReplacer("NAME", name, "OTHERARN", arn+other, "ARN", arn+name, "HANDLE", c.handle).Replace(call[1])
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(c.rand.IntN(3000))*time.Millisecond)
	defer cancel()
	resp, err := c.server.Do(jsonRequest(t, call[0], body).WithContext(ctx))
	if err != nil {
		require.ErrorIs(t, err, context.DeadlineExceeded)
		return
	}
	require.Less(t, resp.StatusCode, http.StatusInternalServerError, call[0])
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	if found := handles.FindSubmatch(text); found != nil {
		c.handle = string(found[1])
	}
}

// own does what Go code does beside the clients.
func (c *stormyClient) own(t *testing.T) {
	q, err := memsqs.NewQueue(memsqs.Config{Name: "a"})
	require.NoError(t, err)
	if c.server.Add(q) == nil && c.rand.IntN(2) == 0 {
		time.Sleep(time.Second)
		require.NoError(t, q.Close())
	}
	if q := c.server.Queue("b"); q != nil {
		q.Stats()
	}
	if c.rand.IntN(4) == 0 {
		c.server.Reset()
	}
}

// Queues that are made, changed, deleted, closed and forgotten, while messages are sent,
// moved and waited for, and requests are cancelled: nothing panics, nothing hangs, and
// nothing is left that runs.
func TestEverythingAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sqshttp.NewServer(sqshttp.Options{Relaxed: true})
		var storm sync.WaitGroup
		for seed := range uint64(8) {
			c := &stormyClient{server: s, rand: rand.New(rand.NewPCG(1, seed))}
			storm.Go(func() {
				for range 200 {
					c.call(t)
				}
			})
		}
		storm.Go(func() {
			c := &stormyClient{server: s, rand: rand.New(rand.NewPCG(2, 0))}
			for range 100 {
				c.own(t)
				time.Sleep(time.Second)
			}
		})
		storm.Wait()
		s.Reset()
	})
}
