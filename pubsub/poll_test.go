package pubsub_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// Calls that fail wait longer and longer, up to 20 seconds, and start anew after
// one that did not.
func TestPollsThatFailBackOffAndSurface(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		j := newJournal()
		hooks := j.hooks()
		var pauses []time.Duration
		hooks.QueueError = func(err error, pause time.Duration) {
			require.EqualError(t, err, "throttled")
			pauses = append(pauses, pause)
		}
		stop := consume(t, pubsub.Consumer{
			Queue: &tap{Receiver: q, onReceive: func(memsqs.ReceiveInput) error {
				if len(pauses) < 10 {
					return errors.New("throttled")
				}
				return nil
			}},
			Handler: sleeper(j, 0), Hooks: hooks,
		})
		put(t, q, "a")
		j.second(t, 120)
		require.NoError(t, stop())
		require.Len(t, pauses, 10)
		for i, pause := range pauses {
			most := min(200*time.Millisecond<<i, 20*time.Second)
			require.LessOrEqual(t, pause, most)
			require.GreaterOrEqual(t, pause, most/2)
		}
		require.Len(t, j.of("deleted"), 1)
	})
}

// A queue that does not wait is asked once a second.
func TestQueueThatAnswersAtOnceWithNothingIsNotAskedInABusyLoop(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		j := newJournal()
		polls := 0
		impatient := &tap{Receiver: q, onReceive: func(in memsqs.ReceiveInput) error {
			polls++
			*in.WaitTime = 0
			return nil
		}}
		stop := consume(t, pubsub.Consumer{Queue: impatient, Handler: sleeper(j, 0), Hooks: j.hooks()})
		j.second(t, 59.5)
		require.NoError(t, stop())
		require.Equal(t, 60, polls)
		require.Empty(t, j.lines)
	})
}

// As many messages in flight as a queue allows are no error of a long poll; the
// consumer goes on when there is room again.
func TestFullQuotaOfMessagesInFlight(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{MaxInFlight: 2})
		put(t, q, "a", "b", "c")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{Queue: q, Handler: sleeper(j, 30*time.Second), Hooks: j.hooks()})
		j.second(t, 100)
		require.NoError(t, stop())
		require.Equal(t, []string{"60 deleted c"}, j.of("deleted")[2:])
		require.Empty(t, j.of("queueError"))
	})
}
