package pubsub_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

func TestPermanentErrorSendsTheMessageToTheDeadLetterQueueAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q, dead := fifoQueue(t, memsqs.FIFOConfig{}), fifoQueue(t, memsqs.FIFOConfig{})
		_, err := q.Send(t.Context(), memsqs.SendInput{
			Body: "g:a", GroupID: "g", DeduplicationID: "1", TraceHeader: "Root=1",
			Attributes: map[string]memsqs.Attribute{"kind": {DataType: "String", StringValue: "order"}},
		})
		require.NoError(t, err)
		put(t, q, "g:b")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: q, DeadLetter: dead, Hooks: j.hooks(),
			Handler: failing(j, 1, pubsub.Permanent(errors.New("no such order"))),
		})
		j.second(t, 1)
		require.NoError(t, stop())
		require.Equal(t, []string{
			"0 failed g:a: no such order", "0 deadLettered g:a", "0 deleted g:a", "0 begins g:b", "0 deleted g:b",
		}, j.of("failed", "deadLettered", "deleted", "begins")[1:], "and the group goes on")
		m := takeAll(t, dead, time.Minute)[0]
		require.Equal(t, "g:a", m.Body)
		require.Equal(t, "g", m.GroupID)
		require.Equal(t, "Root=1", m.TraceHeader)
		require.Equal(t, "order", m.Attributes["kind"].StringValue)
		require.NotEqual(t, "1", m.DeduplicationID)
	})
}

// Without a DeadLetter it is up to the queue's own dead-letter queue.
func TestPermanentErrorIsLikeOthersWithoutADeadLetterQueue(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		dead := standardQueue(t, memsqs.Config{})
		q := standardQueue(t, memsqs.Config{DeadLetter: &memsqs.DeadLetter{Queue: dead, MaxReceiveCount: 2}})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: q, Hooks: j.hooks(), Backoff: pubsub.Constant(time.Second),
			Handler: failing(j, 9, pubsub.Permanent(errors.New("no"))),
		})
		j.second(t, 10)
		require.NoError(t, stop())
		require.Equal(t, []string{"0 begins a", "1 begins a"}, j.of("begins"))
		require.Equal(t, 1, dead.Stats().Visible)
	})
}

func TestMessageStaysWhenTheDeadLetterQueueFails(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q, dead := standardQueue(t, memsqs.Config{}), standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		require.NoError(t, dead.Close())
		j := newJournal()
		permanent := errors.New("no such order")
		hooks := j.hooks()
		hooks.Failed = func(_ memsqs.Message, err error, _ time.Duration) {
			require.ErrorIs(t, err, permanent)
			require.ErrorIs(t, err, memsqs.ErrClosed)
		}
		stop := consume(t, pubsub.Consumer{
			Queue: q, DeadLetter: dead, Hooks: hooks, Backoff: pubsub.Constant(time.Minute),
			Handler: failing(j, 1, pubsub.Permanent(permanent)),
		})
		j.second(t, 1)
		require.NoError(t, stop())
		require.Equal(t, []string{"0 released a for 1m0s"}, j.of("released"))
		require.Equal(t, 1, q.Stats().InFlight)
	})
}

func TestPermanentOfNilIsNil(t *testing.T) {
	require.NoError(t, pubsub.Permanent(nil))
	err := errors.New("no")
	require.ErrorIs(t, pubsub.Permanent(err), err)
	require.EqualError(t, pubsub.Permanent(err), "no")
}

// The kinds of the two queues need not agree.
func TestDeadLetterSuitsTheKindOfItsQueue(t *testing.T) {
	type queue interface {
		pubsub.Sender
		pubsub.Receiver
	}
	for _, body := range []string{"a", "g:a"} {
		for _, toFIFO := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s to FIFO %t", body, toFIFO), func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					var q, dead queue = standardQueue(t, memsqs.Config{}), standardQueue(t, memsqs.Config{})
					if body == "g:a" {
						q = fifoQueue(t, memsqs.FIFOConfig{})
					}
					if toFIFO {
						dead = fifoQueue(t, memsqs.FIFOConfig{})
					}
					put(t, q, body)
					j := newJournal()
					stop := consume(t, pubsub.Consumer{
						Queue: q, DeadLetter: dead, Hooks: j.hooks(),
						Handler: failing(j, 1, pubsub.Permanent(errors.New("no such order"))),
					})
					j.second(t, 1)
					require.NoError(t, stop())
					require.Equal(t, []string{"0 deadLettered " + body, "0 deleted " + body}, j.of("deadLettered", "deleted", "released"))
					m := takeAll(t, dead, time.Minute)[0]
					require.Equal(t, body, m.Body)
					require.Equal(t, toFIFO, m.DeduplicationID != "")
					if toFIFO && body == "a" {
						require.Equal(t, pubsub.DefaultGroup, m.GroupID)
					}
				})
			})
		}
	}
}
