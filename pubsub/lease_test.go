package pubsub_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// untilDone returns a handler that writes down why its context ended, and then
// returns nil, too late.
func untilDone(j *journal) func(context.Context, memsqs.Message) error {
	return func(ctx context.Context, m memsqs.Message) error {
		<-ctx.Done()
		j.add("ended %s: %v", m.Body, context.Cause(ctx))
		return nil
	}
}

func TestTimeoutIsRenewedWhileAHandlerRuns(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: &tap{Receiver: q, onChange: func(in []memsqs.VisibilityChange) error {
				j.add("renews for %v", in[0].Timeout)
				return nil
			}},
			VisibilityTimeout: 30 * time.Second,
			Handler:           sleeper(j, 35*time.Second), Hooks: j.hooks(),
		})
		j.second(t, 60)
		require.NoError(t, stop())
		require.Equal(t, []string{"10 renews for 30s", "20 renews for 30s", "30 renews for 30s"}, j.of("renews"))
		require.Equal(t, []string{"35 deleted a"}, j.of("deleted"))
		require.EqualValues(t, 1, q.Stats().Received)
	})
}

// Those that run, and those that wait behind them in their groups, are renewed
// in common calls.
func TestMessagesThatWaitBehindOthersAreRenewedToo(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b", "h:x")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			MaxMessages: 10,
			Queue: &tap{Receiver: q, onChange: func(in []memsqs.VisibilityChange) error {
				j.add("renews %d", len(in))
				return nil
			}},
			VisibilityTimeout: 30 * time.Second,
			Handler:           sleeper(j, 24*time.Second), Hooks: j.hooks(),
		})
		j.second(t, 60)
		require.NoError(t, stop())
		require.Equal(t, []string{"10 renews 3", "20 renews 3", "30 renews 1", "40 renews 1"}, j.of("renews"))
		require.Len(t, j.of("deleted"), 3)
		require.EqualValues(t, 3, q.Stats().Received)
	})
}

func TestLeasesThatAreDueSoonShareTheCall(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: &tap{Receiver: q, onChange: func(in []memsqs.VisibilityChange) error {
				j.add("renews %d", len(in))
				return nil
			}},
			VisibilityTimeout: 30 * time.Second,
			Handler:           sleeper(j, 26*time.Second), Hooks: j.hooks(),
		})
		for range 4 {
			put(t, q, "a")
			time.Sleep(time.Second)
		}
		j.second(t, 40)
		require.NoError(t, stop())
		require.Equal(t, []string{"10 renews 4", "20 renews 4"}, j.of("renews"))
	})
}

// SQS hides a message for 12 hours after its receive and no longer. The handler
// hears of it before another receiver can have the message.
func TestLeaseIsLostWhenTwelveHoursAreOver(t *testing.T) {
	for _, timeout := range []time.Duration{time.Hour, 12 * time.Hour} {
		t.Run(timeout.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				q := standardQueue(t, memsqs.Config{})
				put(t, q, "a")
				j := newJournal()
				stop := consume(t, pubsub.Consumer{Queue: q, Handler: untilDone(j), Hooks: j.hooks(), VisibilityTimeout: timeout, Concurrency: 1})
				j.second(t, 12*3600-11)
				require.Equal(t, 1, q.Stats().InFlight)
				j.second(t, 12*3600-9)
				require.Equal(t, []string{
					"43190 ended a: pubsub: lease of the message is lost: it has been held for as long as it may be since it was received",
				}, j.of("ended"))
				require.Empty(t, j.of("queueError"), "the queue was never asked for more than it grants")
				require.Zero(t, q.Stats().Deleted)
				require.NoError(t, stop())
			})
		})
	}
}

func TestMaxVisibilityEndsAHandlerThatHangs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{Queue: q, Handler: untilDone(j), Hooks: j.hooks(), MaxVisibility: 70 * time.Second})
		j.second(t, 69)
		require.Empty(t, j.of("ended"))
		j.second(t, 71)
		require.Len(t, j.of("ended"), 1)
		require.Equal(t, []string{"0 received a", "70 received a"}, j.of("received"))
		require.NoError(t, stop())
	})
}

func TestLeaseIsLostWhenTheMessageIsDeletedElsewhere(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{Queue: q, Hooks: j.hooks(), Handler: func(ctx context.Context, m memsqs.Message) error {
			if err := q.Delete(ctx, m.ReceiptHandle); err != nil {
				return err
			}
			<-ctx.Done()
			require.ErrorIs(t, context.Cause(ctx), pubsub.ErrLeaseLost)
			require.ErrorIs(t, context.Cause(ctx), memsqs.ErrInvalidParameterValue)
			j.add("ended %s", m.Body)
			return nil
		}})
		j.second(t, 20)
		require.NoError(t, stop())
		require.Equal(t, []string{"10 ended a"}, j.of("ended"), "at the first renewal")
	})
}

// When the queue cannot be reached, renewals are tried again while there is time,
// and then the lease counts as lost, at the very instant of the deadline.
func TestLeaseIsLostWhenItCannotBeRenewed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		tries := 0
		first := ""
		stop := consume(t, pubsub.Consumer{
			Queue: &tap{Receiver: q, onChange: func(in []memsqs.VisibilityChange) error {
				tries++
				if first == "" {
					first = in[0].ReceiptHandle
				}
				if in[0].ReceiptHandle == first {
					require.Less(t, time.Since(j.start), 30*time.Second, "it is no longer ours")
				}
				return errors.New("no route")
			}},
			Handler: untilDone(j), Hooks: j.hooks(),
			Concurrency: 1,
		})
		j.second(t, 55)
		require.Greater(t, tries, 3)
		require.Len(t, j.of("queueError"), tries)
		require.Equal(t, []string{"30 ended a: pubsub: lease of the message is lost: its visibility timeout has passed"}, j.of("ended"))
		require.Equal(t, []string{"0 received a", "30 received a"}, j.of("received"))
		require.NoError(t, stop())
	})
}

// A renewal that fails once does not lose the lease, nor does the next failure
// count as a second one in a row.
func TestRenewalIsTriedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		hooks := j.hooks()
		hooks.QueueError = func(_ error, pause time.Duration) { require.LessOrEqual(t, pause, 200*time.Millisecond) }
		tries := 0
		stop := consume(t, pubsub.Consumer{
			Queue: &tap{Receiver: q, onChange: func([]memsqs.VisibilityChange) error {
				if tries++; tries%2 == 1 {
					return errors.New("throttled")
				}
				return nil
			}},
			Handler: sleeper(j, 5*time.Minute), Hooks: hooks,
		})
		j.second(t, 301)
		require.NoError(t, stop())
		require.Empty(t, j.of("lost"))
		require.EqualValues(t, 1, q.Stats().Received)
		require.EqualValues(t, 1, q.Stats().Deleted)
	})
}
