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

// On a standard queue an old handle deletes the message under whoever has it now.
// (F03, F07)
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
		stop := consume(t, pubsub.Consumer{MaxMessages: 10, Queue: q, Hooks: j.hooks(), MaxVisibility: 40 * time.Second, Handler: func(ctx context.Context, m memsqs.Message) error {
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

// A release whose answer was lost may have been made. On a standard queue it is
// not tried again when it may have ended: that would end another receiver's lease.
func TestReleaseInDoubtIsNotRepeatedWhenAnotherMayHaveTheMessage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: &tap{Receiver: q, onChange: func(in []memsqs.VisibilityChange) error {
				j.add("changes to %v", in[0].Timeout)
				require.NoError(t, q.ChangeVisibilityBatch(t.Context(), in))
				return errors.New("answer lost")
			}},
			Handler: failing(j, 1, errors.New("no")), Hooks: j.hooks(),
			Backoff: pubsub.Constant(2 * time.Second),
		})
		j.second(t, 1.9)
		require.Greater(t, len(j.of("changes")), 1, "until then it is")
		first := len(j.of("changes"))
		j.second(t, 29)
		require.NoError(t, stop())
		require.LessOrEqual(t, len(j.of("changes")), first+1)
		require.Len(t, j.of("lost"), 1)
		require.EqualValues(t, 1, q.Stats().Deleted)
	})
}

// A FIFO queue would refuse it, and so nothing is risked: the group need not wait.
func TestReleaseInDoubtIsRepeatedOnAFIFOQueue(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b")
		j := newJournal()
		throttled := 2
		stop := consume(t, pubsub.Consumer{
			MaxMessages: 10,
			Queue: &tap{Receiver: q, onChange: func([]memsqs.VisibilityChange) error {
				if throttled--; throttled >= 0 {
					return errors.New("throttled")
				}
				return nil
			}},
			Handler: sleeper(j, 5*time.Second), Hooks: j.hooks(),
		})
		j.second(t, 1)
		require.NoError(t, stop())
		require.Len(t, j.of("released"), 1)
		require.Empty(t, j.of("lost"))
	})
}
