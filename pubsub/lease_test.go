package pubsub_test

import (
	"context"
	"errors"
	"fmt"
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
func TestMessagesThatWaitInALaneAreRenewedToo(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b", "h:x")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
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
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{Queue: q, Handler: untilDone(j), Hooks: j.hooks(), VisibilityTimeout: time.Hour, Concurrency: 1})
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

// A call that does not return is abandoned in time for another.
func TestRenewalThatHangsIsAbandoned(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue:   &hanging{Receiver: q, times: 1},
			Handler: sleeper(j, 45*time.Second), Hooks: j.hooks(),
		})
		j.second(t, 50)
		require.NoError(t, stop())
		require.Equal(t, []string{"20 queueError context deadline exceeded"}, j.of("queueError"))
		require.Equal(t, []string{"45 deleted a"}, j.of("deleted"))
		require.EqualValues(t, 1, q.Stats().Received)
	})
}

// A hanging queue does not answer to the first changes of visibility timeouts.
type hanging struct {
	pubsub.Receiver
	times int
}

func (q *hanging) ChangeVisibilityBatch(ctx context.Context, in []memsqs.VisibilityChange) error {
	if q.times--; q.times >= 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	return q.Receiver.ChangeVisibilityBatch(ctx, in)
}

// On a standard queue an old handle deletes the message under whoever has it now.
func TestLateResultDoesNotDeleteAnotherReceiversMessage(t *testing.T) {
	for _, result := range []error{nil, errors.New("late"), pubsub.Permanent(errors.New("late"))} {
		t.Run(fmt.Sprint(result), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				q, dead := standardQueue(t, memsqs.Config{}), standardQueue(t, memsqs.Config{})
				put(t, q, "a")
				j := newJournal()
				stop := consume(t, pubsub.Consumer{
					Queue:       &tap{Receiver: q, onChange: func([]memsqs.VisibilityChange) error { return errors.New("no route") }},
					Hooks:       j.hooks(),
					Handler:     func(context.Context, memsqs.Message) error { time.Sleep(time.Minute); return result }, // heeds nothing
					Concurrency: 1, DeadLetter: dead,
				})
				j.second(t, 31)
				other := takeAll(t, q, time.Hour)
				require.Len(t, other, 1)
				j.second(t, 90)
				require.NoError(t, stop())
				require.Equal(t, 1, q.Stats().InFlight, "the other receiver's")
				require.Empty(t, j.of("deleted", "released"))
				require.Len(t, j.of("lost"), 1)
				require.Zero(t, dead.Stats().Sent)
				require.NotContains(t, fmt.Sprint(j.of("failed")), "dead-letter queue", "it was not asked")
			})
		})
	}
}

// When the lease of a message is lost, those behind it in its group go back: it
// may be received again, and they must not be handled before.
func TestLostLeaseOfAGroupGivesBackTheRest(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b", "g:c")
		j := newJournal()
		overrun := true
		stop := consume(t, pubsub.Consumer{Queue: q, Hooks: j.hooks(), MaxVisibility: 40 * time.Second, Handler: func(ctx context.Context, m memsqs.Message) error {
			j.add("begins %s", m.Body)
			if overrun {
				overrun = false
				time.Sleep(50 * time.Second)
			}
			j.add("ends %s", m.Body)
			return nil
		}})
		j.second(t, 60)
		require.NoError(t, stop())
		require.Equal(t, []string{
			"0 begins g:a", "50 ends g:a", // alone, also in this process
			"50 begins g:a", "50 ends g:a", "50 begins g:b", "50 ends g:b", "50 begins g:c", "50 ends g:c",
		}, j.of("begins", "ends"))
		require.EqualValues(t, 3, q.Stats().Deleted)
	})
}

// While a call to delete is under way at the deadline, its answer decides.
func TestDeleteUnderWayAtTheDeadlineMaySucceed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue:         &tap{Receiver: q, onDelete: func([]string) error { time.Sleep(5 * time.Second); return nil }},
			MaxVisibility: 30 * time.Second, Concurrency: 1,
			Handler: sleeper(j, 27*time.Second), Hooks: j.hooks(),
		})
		j.second(t, 33)
		require.NoError(t, stop())
		require.Equal(t, []string{"32 deleted a"}, j.of("deleted", "lost"))
	})
}

// ... and if it fails, the lease is lost then.
func TestDeleteUnderWayAtTheDeadlineMayFail(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue:         &tap{Receiver: q, onDelete: func([]string) error { time.Sleep(5 * time.Second); return errors.New("no route") }},
			MaxVisibility: 30 * time.Second, Concurrency: 1,
			Handler: sleeper(j, 27*time.Second), Hooks: j.hooks(),
		})
		j.second(t, 33)
		require.Equal(t, []string{"32 lost a: pubsub: lease of the message is lost: it has been held for as long as it may be since it was received"}, j.of("deleted", "lost"))
		require.Zero(t, q.Stats().Deleted)
		stop()
	})
}

// The message is gone because it has been deleted here: that is no loss.
func TestRenewalThatIsRefusedDuringTheDeleteLosesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: &tap{Receiver: q, onDelete: func(handles []string) error {
				require.NoError(t, q.DeleteBatch(t.Context(), handles))
				time.Sleep(5 * time.Second) // while the answer is on its way
				return nil
			}, onChange: func([]memsqs.VisibilityChange) error { j.add("renews"); return nil }},
			Handler: sleeper(j, 9*time.Second), Hooks: j.hooks(),
		})
		j.second(t, 20)
		require.NoError(t, stop())
		require.Equal(t, []string{"10 renews", "14 deleted a"}, j.of("renews", "deleted", "lost"))
	})
}

// A release that finds a renewal in line, which has failed, takes its place.
func TestMessageIsOnceInACall(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: &tap{Receiver: q, onChange: func(in []memsqs.VisibilityChange) error {
				j.add("changes %d to %v", len(in), in[0].Timeout)
				if len(j.of("changes")) == 1 {
					return errors.New("throttled")
				}
				return nil
			}},
			Handler: func(context.Context, memsqs.Message) error { time.Sleep(10*time.Second + 1); return errors.New("no") },
			Backoff: pubsub.Constant(time.Minute),
		})
		j.second(t, 11)
		require.NoError(t, stop())
		changes := j.of("changes")
		require.Len(t, changes, 2)
		require.Contains(t, changes[1], "changes 1 to 1m0s")
	})
}

func TestLossIsToldOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: q, MaxVisibility: 30 * time.Second, Hooks: j.hooks(),
			Handler: func(context.Context, memsqs.Message) error { time.Sleep(time.Minute); return nil },
		})
		j.second(t, 31) // one is lost, and has been received again
		require.Len(t, j.of("lost"), 1)
		require.NoError(t, q.Close())
		require.ErrorIs(t, stop(), memsqs.ErrClosed)
		require.Len(t, j.of("lost"), 2)
	})
}

func TestHandlersContextEndsWithTheHandler(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		var of context.Context
		stop := consume(t, pubsub.Consumer{Queue: q, Handler: func(ctx context.Context, _ memsqs.Message) error { of = ctx; return nil }})
		time.Sleep(time.Second)
		require.NoError(t, stop())
		require.Equal(t, context.Canceled, context.Cause(of))
	})
}
