// Move tasks: what they move, and how they are followed.

package api_test

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
)

// moving makes a dead-letter queue with a number of messages, and a source of it.
func moving(t testing.TB, c *api.Caller, n int) {
	t.Helper()
	create(t, c, "dead", nil)
	create(t, c, "orders", attrs{"RedrivePolicy": redrivePolicy("dead", "1")})
	for i := range n {
		must[api.SendMessageOutput](t, c, &api.SendMessageInput{QueueUrl: new("dead"), MessageBody: new(strconv.Itoa(i))})
	}
}

// start starts a task to the queue orders, with a limit of its rate.
func start(t testing.TB, c *api.Caller, perSecond int) (handle string) {
	t.Helper()
	return must[api.StartMessageMoveTaskOutput](t, c, &api.StartMessageMoveTaskInput{
		SourceArn: new(arn("dead")), DestinationArn: new(arn("orders")), MaxNumberOfMessagesPerSecond: &perSecond,
	}).TaskHandle
}

// tasks returns the latest tasks of the dead-letter queue.
func tasks(t testing.TB, c *api.Caller, n int) []api.ListMessageMoveTasksResultEntry {
	t.Helper()
	return must[api.ListMessageMoveTasksOutput](t, c, &api.ListMessageMoveTasksInput{SourceArn: new(arn("dead")), MaxResults: &n}).Results
}

// requireTask requires what is said of the latest task.
func requireTask(t testing.TB, c *api.Caller, status string, moved int) {
	t.Helper()
	task := tasks(t, c, 1)[0]
	require.Equal(t, status, task.Status)
	require.EqualValues(t, moved, task.ApproximateNumberOfMessagesMoved)
	require.Equal(t, status == "RUNNING", task.TaskHandle != "")
}

// Without a destination each message goes back to the queue that it came from, also
// with several (A20.3), and can be received there anew (A20.11).
func TestMoveToTheOrigins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		moving(t, c, 0)
		sources := []string{"orders", "more"}
		create(t, c, "more", attrs{"RedrivePolicy": redrivePolicy("dead", "1")})
		for _, url := range sources {
			must[api.SendMessageOutput](t, c, &api.SendMessageInput{QueueUrl: &url, MessageBody: new("of " + url)})
			require.Equal(t, []string{"of " + url}, bodies(receive(t, c, url)))
			time.Sleep(30 * time.Second)
			require.Empty(t, receive(t, c, url))
		}
		now := time.Now().UnixMilli()
		must[api.StartMessageMoveTaskOutput](t, c, &api.StartMessageMoveTaskInput{SourceArn: new(arn("dead"))})
		require.Equal(t, []api.ListMessageMoveTasksResultEntry{{
			ApproximateNumberOfMessagesMoved:  2,
			ApproximateNumberOfMessagesToMove: new(int64(2)),
			SourceArn:                         arn("dead"),
			StartedTimestamp:                  now,
			Status:                            "COMPLETED",
		}}, tasks(t, c, 1))
		for _, url := range sources {
			require.Equal(t, []string{"of " + url}, bodies(receive(t, c, url)))
		}
	})
}

// A task with a destination and a rate is followed while it runs (A20.5, A20.9), and
// is the only one of its source (A20.4).
func TestMoveWithARate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		moving(t, c, 5)
		now := time.Now().UnixMilli()
		handle := start(t, c, 2)
		for moved := range 5 {
			synctest.Wait()
			if moved < 4 {
				require.Equal(t, []api.ListMessageMoveTasksResultEntry{{
					ApproximateNumberOfMessagesMoved:  int64(moved + 1),
					ApproximateNumberOfMessagesToMove: new(int64(5)),
					DestinationArn:                    arn("orders"),
					MaxNumberOfMessagesPerSecond:      new(2),
					SourceArn:                         arn("dead"),
					StartedTimestamp:                  now,
					Status:                            "RUNNING",
					TaskHandle:                        handle,
				}}, tasks(t, c, 1))
				requireRefused(t, c, &api.StartMessageMoveTaskInput{SourceArn: new(arn("dead"))}, api.InvalidParameterValue,
					"There is already a task running. Only one active task is allowed for a source queue arn at a given time.")
			}
			time.Sleep(time.Second / 2)
		}
		requireTask(t, c, "COMPLETED", 5)
		require.Len(t, receive(t, c, "orders"), 5)
	})
}

// The counters of a task are its own, whatever was moved before it.
func TestMoveAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		moving(t, c, 3)
		start(t, c, 500)
		time.Sleep(time.Second)
		must[api.SendMessageOutput](t, c, &api.SendMessageInput{QueueUrl: new("dead"), MessageBody: new("a")})
		must[api.SendMessageOutput](t, c, &api.SendMessageInput{QueueUrl: new("dead"), MessageBody: new("b"), DelaySeconds: new(60)})
		start(t, c, 1)
		require.EqualValues(t, 2, *tasks(t, c, 1)[0].ApproximateNumberOfMessagesToMove)
		requireTask(t, c, "RUNNING", 1)
		time.Sleep(1500 * time.Millisecond)
		requireTask(t, c, "COMPLETED", 2)
	})
}

// FIFO queues have tasks too (A20.12).
func TestMoveOfAFIFOQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		create(t, c, "dead.fifo", attrs{"FifoQueue": "true"})
		create(t, c, fifo, attrs{"FifoQueue": "true", "VisibilityTimeout": "0", "RedrivePolicy": redrivePolicy("dead.fifo", "1")})
		sendGroup(t, c, "g", "a", "b")
		require.Len(t, receive(t, c, fifo), 2)
		require.Empty(t, receive(t, c, fifo))
		must[api.StartMessageMoveTaskOutput](t, c, &api.StartMessageMoveTaskInput{SourceArn: new(arn("dead.fifo"))})
		require.Equal(t, []string{"a", "b"}, bodies(receive(t, c, fifo)))
	})
}

// The latest ten tasks are listed, newest first, and one if the caller does not say how
// many (A20.9).
func TestListMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		moving(t, c, 0)
		require.Empty(t, tasks(t, c, 10))
		began := time.Now().UnixMilli()
		var first string
		for i := range 12 {
			handle := start(t, c, 1)
			if i == 0 {
				first = handle
			}
			time.Sleep(time.Second)
		}
		require.Len(t, must[api.ListMessageMoveTasksOutput](t, c, &api.ListMessageMoveTasksInput{SourceArn: new(arn("dead"))}).Results, 1)
		all := tasks(t, c, 10)
		require.Len(t, all, 10)
		for i, task := range all {
			require.EqualValues(t, 11-i, (task.StartedTimestamp-began)/1000)
		}
		requireRefused(t, c, &api.CancelMessageMoveTaskInput{TaskHandle: &first}, api.ResourceNotFound, "Task does not exist.")
	})
}

// A handle is base64 of a JSON object with the id of the task and its source (A20.6).
func TestHandleOfAMove(t *testing.T) {
	c := newCaller()
	moving(t, c, 0)
	text, err := base64.StdEncoding.DecodeString(start(t, c, 1))
	require.NoError(t, err)
	var members map[string]string
	require.NoError(t, json.Unmarshal(text, &members))
	require.Len(t, members, 2)
	require.Equal(t, arn("dead"), members["sourceArn"])
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, members["taskId"])
}

// On a ManualClock a task moves what falls due in each advance.
func TestMoveOnAManualClock(t *testing.T) {
	clock := memsqs.NewManualClock(time.Unix(1_000_000_000, 0))
	c := newCallerOf(api.Options{Clock: clock})
	moving(t, c, 10)
	handle := start(t, c, 1)
	requireTask(t, c, "RUNNING", 1)
	clock.Advance(4 * time.Second)
	requireTask(t, c, "RUNNING", 5)
	require.EqualValues(t, 5, must[api.CancelMessageMoveTaskOutput](t, c, &api.CancelMessageMoveTaskInput{TaskHandle: &handle}).ApproximateNumberOfMessagesMoved)
	require.EqualValues(t, 1_000_000_000_000, tasks(t, c, 1)[0].StartedTimestamp)
}

const noSource = "The resource that you specified for the SourceArn parameter doesn't exist."

// badARN is how an ARN that is none is refused.
func badARN(parameter string) string {
	return "You must use this format to specify the " + parameter + ": arn:<partition>:<service>:<region>:<account-id>:<resource-id>"
}

// requireMovesRefused requires that calls on move tasks are refused.
func requireMovesRefused(t *testing.T, refusals map[string]refused) {
	requireAllRefused(t, func(t *testing.T, c *api.Caller) {
		moving(t, c, 3)
		create(t, c, "jobs.fifo", attrs{"FifoQueue": "true"})
	}, refusals)
}

// Tasks that cannot be started (A20.1, A20.2, A20.5, A20.13).
func TestRefusedMoves(t *testing.T) {
	from := func(source string) *api.StartMessageMoveTaskInput {
		return &api.StartMessageMoveTaskInput{SourceArn: &source}
	}
	to := func(destination string) *api.StartMessageMoveTaskInput {
		return &api.StartMessageMoveTaskInput{SourceArn: new(arn("dead")), DestinationArn: &destination}
	}
	at := func(rate int) *api.StartMessageMoveTaskInput {
		return &api.StartMessageMoveTaskInput{SourceArn: new(arn("dead")), MaxNumberOfMessagesPerSecond: &rate}
	}
	const (
		noDestination = "The resource that you specified for the DestinationArn parameter doesn't exist."
		rate          = " for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: You must enter a number that's between 1 and 500."
	)
	requireMovesRefused(t, map[string]refused{
		"no source":              {&api.StartMessageMoveTaskInput{}, api.MissingParameter, "The request must contain the parameter SourceArn."},
		"a source's name":        {from("dead"), api.InvalidParameterValue, badARN("SourceArn")},
		"an unknown source":      {from(arn("unknown")), api.ResourceNotFound, noSource},
		"no dead-letter queue":   {from(arn("orders")), api.InvalidParameterValue, "Source queue must be configured as a Dead Letter Queue."},
		"a destination's name":   {to("orders"), api.InvalidParameterValue, badARN("DestinationArn")},
		"an unknown destination": {to(arn("unknown")), api.ResourceNotFound, noDestination},
		"the source itself":      {to(arn("dead")), api.InvalidParameterValue, "Source queue arn and destination queue arn cannot be the same."},
		"another type":           {to(arn("jobs.fifo")), api.InvalidParameterValue, "Source queue and destination queue must be of the same type."},
		"a rate of 0":            {at(0), api.InvalidParameterValue, "Value 0" + rate},
		"a rate of 501":          {at(501), api.InvalidParameterValue, "Value 501" + rate},
	})
}

// Tasks are of the queues of the caller's region alone, wherever they go.
func TestMovesInAnotherRegion(t *testing.T) {
	c := newCaller()
	moving(t, c, 0)
	handle := start(t, c, 1)
	elsewhere := c.Service.Caller("us-west-2", "", "http://localhost")
	create(t, elsewhere, "orders", nil)
	for _, in := range []any{
		&api.StartMessageMoveTaskInput{SourceArn: new(arn("dead"))},
		&api.ListMessageMoveTasksInput{SourceArn: new(arn("dead"))},
		&api.CancelMessageMoveTaskInput{TaskHandle: &handle},
	} {
		requireRefused(t, elsewhere, in, api.ResourceNotFound, noSource)
	}
	there := get(t, elsewhere, "orders", "QueueArn")["QueueArn"]
	requireRefused(t, c, &api.StartMessageMoveTaskInput{SourceArn: new(arn("dead")), DestinationArn: &there},
		api.ResourceNotFound, "The resource that you specified for the DestinationArn parameter doesn't exist.")
}

// Tasks that cannot be cancelled (A20.7).
func TestRefusedCancels(t *testing.T) {
	cancel := func(handle string) *api.CancelMessageMoveTaskInput {
		return &api.CancelMessageMoveTaskInput{TaskHandle: new(base64.StdEncoding.EncodeToString([]byte(handle)))}
	}
	const badHandle = "Value for parameter TaskHandle is invalid."
	requireMovesRefused(t, map[string]refused{
		"no handle":               {&api.CancelMessageMoveTaskInput{}, api.MissingParameter, "The request must contain the parameter TaskHandle."},
		"an empty handle":         {cancel(""), api.InvalidParameterValue, badHandle},
		"a handle not of base64":  {&api.CancelMessageMoveTaskInput{TaskHandle: new("{}")}, api.InvalidParameterValue, badHandle},
		"a handle without a task": {cancel(`{"sourceArn":"` + arn("dead") + `"}`), api.InvalidParameterValue, badHandle},
		"a handle of a name":      {cancel(`{"taskId":"x","sourceArn":"dead"}`), api.InvalidParameterValue, badHandle},
		"a task of no queue":      {cancel(`{"taskId":"x","sourceArn":"` + arn("unknown") + `"}`), api.ResourceNotFound, noSource},
		"an unknown task":         {cancel(`{"taskId":"x","sourceArn":"` + arn("dead") + `"}`), api.ResourceNotFound, "Task does not exist."},
	})
}

// Tasks that cannot be listed (A20.9).
func TestRefusedListsOfMoves(t *testing.T) {
	list := func(source string, n int) *api.ListMessageMoveTasksInput {
		return &api.ListMessageMoveTasksInput{SourceArn: &source, MaxResults: &n}
	}
	const results = " for parameter MaxResults is invalid. Reason: You must enter a number that's between 1 and 10."
	requireMovesRefused(t, map[string]refused{
		"no source to list":      {&api.ListMessageMoveTasksInput{}, api.MissingParameter, "The request must contain the parameter SourceArn."},
		"a name to list":         {list("dead", 1), api.InvalidParameterValue, badARN("SourceArn")},
		"an unknown one to list": {list(arn("unknown"), 1), api.ResourceNotFound, noSource},
		"no results":             {list(arn("dead"), 0), api.InvalidParameterValue, "Value 0" + results},
		"eleven results":         {list(arn("dead"), 11), api.InvalidParameterValue, "Value 11" + results},
	})
}
