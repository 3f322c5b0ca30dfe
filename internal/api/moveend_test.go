// How move tasks end before all is moved.

package api_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
)

// A task that is cancelled has ended when the call returns; what it has moved stays
// moved (A20.7, A20.8).
func TestCancelMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		moving(t, c, 10)
		handle := start(t, c, 1)
		time.Sleep(2500 * time.Millisecond)
		cancel := &api.CancelMessageMoveTaskInput{TaskHandle: &handle}
		require.EqualValues(t, 3, must[api.CancelMessageMoveTaskOutput](t, c, cancel).ApproximateNumberOfMessagesMoved)
		requireTask(t, c, "CANCELLED", 3)
		time.Sleep(time.Minute)
		requireTask(t, c, "CANCELLED", 3)
		require.Equal(t, "7", get(t, c, "dead", "All")["ApproximateNumberOfMessages"])
		require.Equal(t, "3", get(t, c, "orders", "All")["ApproximateNumberOfMessages"])
		requireRefused(t, c, cancel, api.InvalidParameterValue, "Only active tasks can be cancelled.")
		start(t, c, 500)
		time.Sleep(time.Second)
		requireTask(t, c, "COMPLETED", 7)
	})
}

// Of several calls that cancel a task at once, one does.
func TestMoveIsCancelledOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		moving(t, c, 10)
		handle := start(t, c, 1)
		var done atomic.Int64
		for range 10 {
			go func() {
				if _, err := invoke(t, c, &api.CancelMessageMoveTaskInput{TaskHandle: &handle}); err == nil {
					done.Add(1)
				}
			}()
		}
		synctest.Wait()
		require.EqualValues(t, 1, done.Load())
		requireTask(t, c, "CANCELLED", 1)
	})
}

// A task whose destination is deleted fails (A20.10); one whose source is deleted ends.
func TestMoveFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		moving(t, c, 10)
		create(t, c, "other", nil)
		must[api.StartMessageMoveTaskOutput](t, c, &api.StartMessageMoveTaskInput{
			SourceArn: new(arn("dead")), DestinationArn: new(arn("other")), MaxNumberOfMessagesPerSecond: new(1),
		})
		time.Sleep(1500 * time.Millisecond)
		deleteQueue(t, c, "other")
		time.Sleep(time.Second)
		requireTask(t, c, "FAILED", 2)
		require.Equal(t, "AWS.SimpleQueueService.NonExistentQueue", tasks(t, c, 1)[0].FailureReason)
		require.Equal(t, "8", get(t, c, "dead", "All")["ApproximateNumberOfMessages"])

		handle := start(t, c, 1)
		deleteQueue(t, c, "dead")
		requireRefused(t, c, &api.ListMessageMoveTasksInput{SourceArn: new(arn("dead"))}, api.ResourceNotFound, noSource)
		requireRefused(t, c, &api.CancelMessageMoveTaskInput{TaskHandle: &handle}, api.ResourceNotFound, noSource)
	})
}

// A task on a queue that its owner has closed cannot start.
func TestMoveOfAClosedQueue(t *testing.T) {
	c := newCaller()
	moving(t, c, 1)
	to := &api.StartMessageMoveTaskInput{SourceArn: new(arn("dead")), DestinationArn: new(arn("orders"))}
	require.NoError(t, c.Service.Queue("orders").Close())
	requireRefused(t, c, to, api.ResourceNotFound, "The resource that you specified for the DestinationArn parameter doesn't exist.")
	require.NoError(t, c.Service.Queue("dead").Close())
	requireRefused(t, c, to, api.ResourceNotFound, noSource)
}

// A task that nobody ends does not keep a bubble from ending.
func TestMoveHasNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		moving(t, c, 10)
		start(t, c, 1)
		requireTask(t, c, "RUNNING", 1)
	})
}

// Reset ends tasks, also those between queues that were added and go on.
func TestResetCancelsMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		dead, orders := newQueue(t, "dead"), newQueue(t, "orders")
		require.NoError(t, orders.Configure(func(cfg *memsqs.Config) {
			cfg.DeadLetter = &memsqs.DeadLetter{Queue: dead, MaxReceiveCount: 1}
		}))
		require.NoError(t, c.Service.Add(dead))
		require.NoError(t, c.Service.Add(orders))
		for range 5 {
			must[api.SendMessageOutput](t, c, &api.SendMessageInput{QueueUrl: new("dead"), MessageBody: new("m")})
		}
		start(t, c, 1)
		c.Service.Reset()
		time.Sleep(time.Minute)
		require.Equal(t, 4, dead.Stats().Visible)
		require.Equal(t, 1, orders.Stats().Visible)
	})
}
