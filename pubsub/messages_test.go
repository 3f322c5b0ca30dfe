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

func TestMessagesOfALoop(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a", "b")
		j := newJournal()
		time.AfterFunc(50*time.Second, func() { put(t, q, "c") })
		for m, err := range pubsub.Messages(t.Context(), q) {
			require.NoError(t, err)
			j.add("got %s", m.Body)
			require.NoError(t, q.Delete(t.Context(), m.ReceiptHandle))
			if m.Body == "c" {
				break
			}
		}
		require.Equal(t, []string{"0 got a", "0 got b", "50 got c"}, j.lines)
		require.EqualValues(t, 3, q.Stats().Deleted)
	})
}

func TestBreakingOutLeavesNothingInHand(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a", "b", "c")
		for m, err := range pubsub.Messages(t.Context(), q) {
			require.NoError(t, err)
			require.NoError(t, q.Delete(t.Context(), m.ReceiptHandle))
			break
		}
		rest := takeAll(t, q, time.Minute)
		require.Equal(t, []string{"b", "c"}, bodiesOf(rest))
		require.Equal(t, 1, rest[0].ReceiveCount, "as if never received")
	})
}

// The loop has not deleted the first of a group, so the second stays behind it.
func TestLoopIsGivenAGroupInOrder(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b")
		j := newJournal()
		for m, err := range pubsub.Messages(t.Context(), q) {
			require.NoError(t, err)
			j.add("got %s", m.Body)
			if m.ReceiveCount > 1 {
				break
			}
		}
		require.Equal(t, []string{"0 got g:a", "30 got g:a"}, j.lines)
	})
}

func TestLoopEndsWhenTheContextIsDone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
		defer cancel()
		began := time.Now()
		for m, err := range pubsub.Messages(ctx, q) {
			t.Errorf("%v, %v", m, err)
		}
		require.Equal(t, 45*time.Second, time.Since(began))
	})
}

func TestLoopIsGivenErrorsAndBacksOff(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		failing := &tap{Receiver: standardQueue(t, memsqs.Config{}), onReceive: func(memsqs.ReceiveInput) error { return errors.New("throttled") }}
		began, failures := time.Now(), 0
		for m, err := range pubsub.Messages(t.Context(), failing) {
			require.EqualError(t, err, "throttled")
			require.Zero(t, m)
			if failures++; failures == 11 {
				break
			}
		}
		require.GreaterOrEqual(t, time.Since(began), 30*time.Second)
	})
}

func TestErrorOfAClosedQueueIsTheLast(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		require.NoError(t, q.Close())
		var errs []error
		for _, err := range pubsub.Messages(t.Context(), q) {
			errs = append(errs, err)
		}
		require.Len(t, errs, 1)
		require.ErrorIs(t, errs[0], memsqs.ErrClosed)
	})
}

func TestLoopOverAQueueThatDoesNotWaitIsNotBusy(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		polls := 0
		impatient := &tap{Receiver: standardQueue(t, memsqs.Config{}), onReceive: func(in memsqs.ReceiveInput) error {
			polls++
			*in.WaitTime = 0
			return nil
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 9500*time.Millisecond)
		defer cancel()
		for range pubsub.Messages(ctx, impatient) {
			t.Error("no message was sent")
		}
		require.Equal(t, 10, polls)
	})
}

func TestLoopWithoutAQueueOrAContextIsRefused(t *testing.T) {
	for _, err := range pubsub.Messages(t.Context(), nil) {
		require.ErrorIs(t, err, memsqs.ErrMissingParameter)
	}
	//lint:ignore SA1012 a nil context is what is refused
	for _, err := range pubsub.Messages(nil, standardQueue(t, memsqs.Config{})) {
		require.ErrorIs(t, err, memsqs.ErrInvalidParameterValue)
	}
}
