package pubsub_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// failing returns a handler that fails the first times that it is called for "a"
// or "g:a".
func failing(j *journal, times int, err error) func(context.Context, memsqs.Message) error {
	return func(_ context.Context, m memsqs.Message) error {
		j.add("begins %s", m.Body)
		if strings.HasSuffix(m.Body, "a") && m.ReceiveCount <= times {
			return err
		}
		return nil
	}
}

func TestMessageThatFailedComesBackAfterABackoffThatGrowsWithItsReceives(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: q, Handler: failing(j, 3, errors.New("no")), Hooks: j.hooks(),
			Backoff: func(receives int) time.Duration { return time.Duration(receives) * time.Minute },
		})
		j.second(t, 500)
		require.NoError(t, stop())
		require.Equal(t, []string{"0 begins a", "60 begins a", "180 begins a", "360 begins a"}, j.of("begins"))
		require.Equal(t, []string{"0 released a for 1m0s", "60 released a for 2m0s", "180 released a for 3m0s"}, j.of("released"))
		require.Equal(t, []string{"360 deleted a"}, j.of("deleted"))
	})
}

// The zero Consumer's backoff doubles from a second on, less up to half.
func TestDefaultBackoff(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		hooks := j.hooks()
		var waits []time.Duration
		hooks.Released = func(_ memsqs.Message, after, _ time.Duration) { waits = append(waits, after) }
		stop := consume(t, pubsub.Consumer{Queue: q, Handler: failing(j, 12, errors.New("no")), Hooks: hooks})
		j.second(t, 3600)
		require.NoError(t, stop())
		require.Len(t, waits, 12)
		for i, wait := range waits {
			most := min(time.Second<<i, 5*time.Minute)
			require.LessOrEqual(t, wait, most)
			require.GreaterOrEqual(t, wait, most/2)
		}
	})
}

// A backoff can hide a message for no longer than SQS does, and for no less than
// no time.
func TestBackoffIsKeptWithinBounds(t *testing.T) {
	for name, tt := range map[string]struct {
		backoff time.Duration
		want    string
	}{
		"too long": {100 * time.Hour, "5 released a for 11h59m45s"},
		"negative": {-time.Second, "5 released a for 0s"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				q := standardQueue(t, memsqs.Config{})
				put(t, q, "a")
				j := newJournal()
				stop := consume(t, pubsub.Consumer{Queue: q, Hooks: j.hooks(), Backoff: pubsub.Constant(tt.backoff), Handler: func(context.Context, memsqs.Message) error {
					time.Sleep(5 * time.Second)
					return errors.New("no")
				}})
				j.second(t, 8)
				require.NoError(t, stop())
				require.Equal(t, tt.want, j.of("released")[0])
			})
		})
	}
}

// What follows a message that failed in its group must not be handled before it.
func TestFailureInAGroupGivesBackTheRestInReverseOrder(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b", "g:c", "h:x")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{MaxMessages: 10, Queue: q, Handler: failing(j, 1, errors.New("no")), Hooks: j.hooks(), Backoff: pubsub.Constant(time.Minute)})
		j.second(t, 90)
		require.NoError(t, stop())
		require.Equal(t, []string{
			"0 begins g:a", "60 begins g:a", "60 begins g:b", "60 begins g:c",
		}, linesOf(j.of("begins"), "g:"))
		require.Equal(t, []string{"0 released g:c for 0s", "0 released g:b for 0s", "0 released g:a for 1m0s"}, j.of("released"))
		require.Equal(t, []string{"0 deleted h:x"}, linesOf(j.of("deleted"), "h:"))
	})
}

// Nothing of a FIFO queue is received that may have to be given back: so messages
// behind one that keeps failing, or in hand of a consumer that is stopped, do not
// come to the dead-letter queue without having been handled.
func TestMessagesOfAGroupAreNotDeadLetteredUnhandled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		dead := fifoQueue(t, memsqs.FIFOConfig{})
		q := fifoQueue(t, memsqs.FIFOConfig{DeadLetter: &memsqs.FIFODeadLetter{Queue: dead, MaxReceiveCount: 2}})
		put(t, q, "g:a", "g:b", "g:c", "g:d")
		j := newJournal()
		c := pubsub.Consumer{Queue: q, Hooks: j.hooks(), Backoff: pubsub.Constant(time.Second), Handler: failing(j, 2, errors.New("no"))}
		for range 3 {
			stop := consume(t, c)
			synctest.Wait()
			require.NoError(t, stop())
			time.Sleep(time.Second)
		}
		require.Equal(t, []string{"g:a"}, bodiesOf(takeAll(t, dead, time.Minute)))
		require.Equal(t, []string{"2 deleted g:b", "2 deleted g:c", "2 deleted g:d"}, j.of("deleted"))
	})
}

// A release must not be overtaken by a renewal that was made before: that would
// hide the message for longer than the backoff.
func TestReleaseWaitsForTheAnswerToARenewal(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: &tap{Receiver: q, onChange: func(in []memsqs.VisibilityChange) error {
				j.add("changes to %v", in[0].Timeout)
				time.Sleep(3 * time.Second)
				return nil
			}},
			Backoff: pubsub.Constant(5 * time.Second), Hooks: j.hooks(),
			Handler: func(context.Context, memsqs.Message) error { time.Sleep(11 * time.Second); return errors.New("no") },
		})
		j.second(t, 20)
		require.NoError(t, stop())
		require.Equal(t, []string{"10 changes to 30s", "13 changes to 5s"}, j.of("changes")[:2])
	})
}

func TestDeleteThatFailsIsTriedAgainWhileTheLeaseIsRenewed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b")
		j := newJournal()
		hooks := j.hooks()
		tell := hooks.QueueError
		hooks.QueueError = func(err error, pause time.Duration) {
			require.ErrorIs(t, err, memsqs.ErrInvalidParameterValue)
			tell(err, pause)
		}
		stop := consume(t, pubsub.Consumer{
			MaxMessages: 10,
			Queue: &tap{Receiver: q, onDelete: func([]string) error {
				if time.Since(j.start) < 5*time.Minute {
					return &memsqs.Error{Code: memsqs.ErrInvalidParameterValue, Detail: "no permission to delete"}
				}
				return nil
			}},
			Handler: failing(j, 0, nil), Hooks: hooks,
		})
		j.second(t, 330)
		require.NoError(t, stop())
		require.Len(t, j.of("begins"), 2, "none is handled twice")
		require.Empty(t, j.of("lost"))
		require.Len(t, j.of("deleted"), 2)
		require.Greater(t, len(j.of("queueError")), 10)
	})
}

func TestDeleteThatIsRefusedLosesTheLease(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b")
		j := newJournal()
		refusals := 1
		stop := consume(t, pubsub.Consumer{
			MaxMessages: 10,
			Queue: &tap{Receiver: q, onDelete: func([]string) error {
				if refusals--; refusals < 0 {
					return nil
				}
				return &memsqs.BatchError{Failed: map[int]error{0: &memsqs.Error{Code: memsqs.ErrReceiptHandleExpired, Detail: "of a test"}}}
			}},
			Handler: failing(j, 0, nil), Hooks: j.hooks(),
		})
		j.second(t, 40)
		require.NoError(t, stop())
		require.Len(t, j.of("lost"), 1)
		require.Equal(t, []string{"0 released g:b for 0s"}, j.of("released"), "it must not overtake")
		require.Equal(t, []string{"0 begins g:a", "30 begins g:a", "30 begins g:b"}, j.of("begins"))
		require.Len(t, j.of("deleted"), 2)
	})
}

func TestPanicCountsAsAnErrorAndIsLoggedWithItsStack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		var logged bytes.Buffer
		hooks := j.hooks()
		cause := errors.New("nil map")
		hooks.Failed = func(m memsqs.Message, err error, _ time.Duration) {
			var p *pubsub.PanicError
			require.ErrorAs(t, err, &p)
			require.ErrorIs(t, err, cause)
			require.Contains(t, string(p.Stack), "panicOnce")
			j.add("failed %s: %v", m.Body, err)
		}
		once := true
		stop := consume(t, pubsub.Consumer{
			Queue: q, Hooks: hooks, Backoff: pubsub.Constant(time.Minute),
			Logger:  slog.New(slog.NewTextHandler(&logged, nil)),
			Handler: func(context.Context, memsqs.Message) error { panicOnce(&once, cause); return nil },
		})
		j.second(t, 61)
		require.NoError(t, stop())
		require.Equal(t, []string{"0 failed a: pubsub: handler panicked: nil map"}, j.of("failed"))
		require.Equal(t, []string{"0 released a for 1m0s"}, j.of("released"))
		require.Equal(t, []string{"60 deleted a"}, j.of("deleted"))
		require.Contains(t, logged.String(), "level=ERROR")
		require.Contains(t, logged.String(), "panicOnce")
	})
}

func panicOnce(once *bool, v any) {
	if *once {
		*once = false
		panic(v)
	}
}

// As when a handler calls the FailNow of a test.
func TestHandlerThatEndsItsGoroutineHasFailed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: q, Hooks: j.hooks(), Backoff: pubsub.Constant(time.Minute),
			Handler: func(context.Context, memsqs.Message) error { runtime.Goexit(); return nil },
		})
		j.second(t, 1)
		require.NoError(t, stop())
		require.Equal(t, []string{"0 failed a: pubsub: handler ended its goroutine"}, j.of("failed"))
		require.Equal(t, []string{"0 released a for 1m0s"}, j.of("released"))
	})
}
