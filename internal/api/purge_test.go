package api_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
	"github.com/stretchr/testify/require"
)

// purge purges a queue.
func purge(t testing.TB, c *api.Caller, queue string) (*api.PurgeQueueOutput, error) {
	return c.PurgeQueue(t.Context(), &api.PurgeQueueInput{QueueUrl: &queue})
}

// A purge drops messages in every state (A14.1), and deduplication ids (B5.8).
func TestPurgeQueueDropsEverything(t *testing.T) {
	c := newCaller()
	q := addFIFOQueue(t, c, memsqs.FIFOConfig{})
	sendGroup(t, c, "g", "in-flight", "visible")
	_, err := c.ReceiveMessage(t.Context(), &api.ReceiveMessageInput{QueueUrl: new(fifo)})
	require.NoError(t, err)
	require.NoError(t, q.Configure(func(cfg *memsqs.FIFOConfig) { cfg.Delay = time.Minute }))
	sendGroup(t, c, "h", "delayed")
	_, err = purge(t, c, fifo)
	require.NoError(t, err)
	s := q.Stats()
	require.EqualValues(t, 3, s.Purged)
	require.Zero(t, s.Visible+s.InFlight+s.Delayed+s.Deduplications)
}

// A queue can be purged once in 60 seconds (A14.3). One that is refused drops
// nothing and does not count, and neither does one that is cancelled.
func TestPurgeQueueTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller()
		q := addQueue(t, c, memsqs.Config{})
		addFIFOQueue(t, c, memsqs.FIFOConfig{})
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := c.PurgeQueue(cancelled, &api.PurgeQueueInput{QueueUrl: new(standard)})
		require.Equal(t, context.Canceled, err)

		_, err = purge(t, c, standard)
		require.NoError(t, err)
		_, err = purge(t, c, fifo)
		require.NoError(t, err, "of another queue")
		send(t, c, "a")
		time.Sleep(time.Minute - time.Nanosecond)
		out, err := purge(t, c, standard)
		requireFault(t, api.PurgeQueueInProgress, "Only one PurgeQueue operation on "+standard+" is allowed every 60 seconds.", out, err)
		require.Equal(t, 403, api.PurgeQueueInProgress.Status)
		require.Equal(t, 1, q.Stats().Visible)
		time.Sleep(time.Nanosecond)
		_, err = purge(t, c, standard)
		require.NoError(t, err)
		require.Zero(t, q.Stats().Visible)
	})
}

// A relaxed service lets a queue be purged at any time, and the time is that of its
// clock.
func TestPurgeQueueKeepsToOptions(t *testing.T) {
	clock := memsqs.NewManualClock(time.Now())
	for _, opts := range []api.Options{{Relaxed: true}, {Clock: clock}} {
		c := api.NewService(opts).Caller("", "", "")
		addQueue(t, c, memsqs.Config{})
		for range 3 {
			_, err := purge(t, c, standard)
			require.NoError(t, err)
			clock.Advance(time.Minute)
		}
	}
}
