package pubsub_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

func TestPublishTriesAgainWhatMayPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := makeQueue(t)
		q := &flaky{Sender: inner, fault: inCalls(fault{err: errThrottled}, fault{err: errThrottled})}
		p := pubsub.Publisher{Queue: q, Backoff: func(failures int) time.Duration {
			return time.Duration(failures) * time.Second
		}}
		result, err := p.Publish(t.Context(), memsqs.SendInput{Body: "m"})
		require.NoError(t, err)
		require.Equal(t, inner.Peek(1)[0].ID, result.MessageID)
		require.Equal(t, []time.Duration{time.Second, 2 * time.Second}, q.pauses())
	})
}

func TestPublishGivesUpAfterItsAttempts(t *testing.T) {
	for attempts, want := range map[int]int{0: 5, 1: 1, 3: 3} {
		synctest.Test(t, func(t *testing.T) {
			q := &flaky{Sender: makeQueue(t), fault: always(fault{err: errThrottled})}
			p := pubsub.Publisher{Queue: q, Attempts: attempts}
			result, err := p.Publish(t.Context(), memsqs.SendInput{Body: "m"})
			require.ErrorIs(t, err, errThrottled)
			require.ErrorContains(t, err, fmt.Sprintf("after %d attempts", want))
			require.Zero(t, result)
			require.Len(t, q.calls, want)
		})
	}
}

func TestRefusalIsNotTriedAgain(t *testing.T) {
	q := &flaky{Sender: makeQueue(t)}
	p := pubsub.Publisher{Queue: q}
	_, err := p.Publish(t.Context(), memsqs.SendInput{})
	require.ErrorIs(t, err, memsqs.ErrMissingParameter)
	require.Len(t, q.calls, 1)
}

// verdict is an error that knows whether it passes.
type verdict struct {
	error
	passes bool
}

func (v verdict) Retryable() bool { return v.passes }
func (v verdict) Unwrap() error   { return v.error }

func TestErrorThatKnowsWhetherItPassesDecides(t *testing.T) {
	for _, c := range []struct {
		err   error
		calls int
	}{
		{verdict{errors.New("access denied"), false}, 1},
		{fmt.Errorf("send: %w", verdict{errors.New("access denied"), false}), 1},
		{verdict{&memsqs.Error{Code: memsqs.ErrOverLimit}, true}, 2},
	} {
		q := &flaky{Sender: makeQueue(t), fault: always(fault{err: c.err})}
		p := pubsub.Publisher{Queue: q, Attempts: 2, Backoff: pubsub.Constant(0)}
		_, err := p.Publish(t.Context(), memsqs.SendInput{Body: "m"})
		require.ErrorIs(t, err, c.err)
		require.Len(t, q.calls, c.calls)
	}
}

func TestRetryAfterALostAnswerMakesNoSecondMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := makeFIFOQueue(t)
		q := &flaky{Sender: inner, fault: inCalls(fault{err: errThrottled, lost: true}, fault{err: errThrottled, lost: true})}
		p := pubsub.Publisher{Queue: q}
		result, err := p.Publish(t.Context(), memsqs.SendInput{Body: "m"})
		require.NoError(t, err)
		require.Equal(t, []string{"m"}, contents(inner))
		require.Equal(t, inner.Peek(1)[0].SequenceNumber, result.SequenceNumber)

		q.fault = func(call int, _ []memsqs.SendInput) fault {
			if call%2 == 0 {
				return fault{err: errThrottled, lost: call%3 == 0}
			}
			return fault{}
		}
		_, err = p.PublishAll(t.Context(), append(inGroup("g", numbered(20)...), inGroup("h", numbered(30)...)...))
		require.NoError(t, err)
		require.Len(t, contents(inner), 51)
	})
}

// A standard queue cannot tell. This is here to say that we know.
func TestStandardQueueMayGetALostMessageTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := makeQueue(t)
		p := pubsub.Publisher{Queue: &flaky{Sender: inner, fault: inCalls(fault{err: errThrottled, lost: true})}}
		_, err := p.Publish(t.Context(), memsqs.SendInput{Body: "m"})
		require.NoError(t, err)
		require.Equal(t, []string{"m", "m"}, contents(inner))
	})
}

// SQS would take it for a new message.
func TestNoRetryWhenTheQueueMayHaveForgottenTheID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := makeFIFOQueue(t)
		q := &flaky{Sender: inner, fault: always(fault{err: errThrottled, lost: true})}
		p := pubsub.Publisher{Queue: q, Attempts: 1000, Backoff: pubsub.Constant(time.Minute)}
		start := time.Now()
		_, err := p.Publish(t.Context(), memsqs.SendInput{Body: "m"})
		require.ErrorIs(t, err, errThrottled)
		require.ErrorContains(t, err, "after 5 attempts") // at 0, 1, 2, 3 and 4 minutes
		require.Equal(t, []string{"m"}, contents(inner))
		require.Equal(t, 4*time.Minute, time.Since(start), "there is nothing to wait for then")
	})
}

// The pause is as long as the message that has the longest needs. If that is too long
// for another, it is not tried again either.
func TestNoRetryAfterAPauseThatWasTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := makeFIFOQueue(t)
		q := &flaky{Sender: inner, fault: inCalls(
			fault{failed: map[int]error{0: errThrottled}},                  // x, at 0:00
			fault{failed: map[int]error{0: errThrottled, 1: errThrottled}}, // x and z, at 3:59
		)}
		p := pubsub.Publisher{Queue: q, Backoff: func(failures int) time.Duration {
			if failures == 1 {
				return 3*time.Minute + 59*time.Second
			}
			return 0
		}}
		_, err := p.PublishAll(t.Context(), slices.Concat(inGroup("g", "x"), inGroup("h", "y", "z")))
		failed := failures(t, err)
		require.Len(t, failed, 1)
		require.ErrorContains(t, failed[0], "after 2 attempts")
		require.Equal(t, []string{"y", "z"}, contents(inner))
	})
}

func TestPublishAllTriesAgainOnlyTheEntriesThatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := makeQueue(t)
		q := &flaky{Sender: inner, fault: inCalls(fault{failed: map[int]error{1: errThrottled, 8: errThrottled}})}
		p := pubsub.Publisher{Queue: q}
		_, err := p.PublishAll(t.Context(), plain(numbered(12)...))
		require.NoError(t, err)
		require.Equal(t, []int{10, 4}, q.sizes())
		require.Equal(t, []string{"m0", "m2", "m3", "m4", "m5", "m6", "m7", "m9", "m1", "m8", "m10", "m11"}, contents(inner))
	})
}

func TestEntryThatFailsForEverIsReportedAndTheOthersGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := makeQueue(t)
		q := &flaky{Sender: inner, fault: ofBody("m1", errThrottled, 1000)}
		p := pubsub.Publisher{Queue: q}
		_, err := p.PublishAll(t.Context(), plain(numbered(60)...))
		failed := failures(t, err)
		require.Len(t, failed, 1)
		require.ErrorIs(t, failed[1], errThrottled)
		require.Len(t, contents(inner), 59)
	})
}

// A queue that is down for good is not asked for each message anew.
func TestCallThatKeepsFailingEndsPublishAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &flaky{Sender: makeQueue(t), fault: always(fault{err: errThrottled})}
		p := pubsub.Publisher{Queue: q}
		_, err := p.PublishAll(t.Context(), plain(numbered(1000)...))
		failed := failures(t, err)
		require.Len(t, failed, 1000)
		require.ErrorIs(t, failed[999], errThrottled)
		require.Equal(t, []int{10, 10, 10, 10, 10}, q.sizes())
	})
}

func TestPauseGrowsFromATenthOfASecondWithJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &flaky{Sender: makeQueue(t), fault: always(fault{err: errThrottled})}
		p := pubsub.Publisher{Queue: q, Attempts: 10}
		_, err := p.Publish(t.Context(), memsqs.SendInput{Body: "m"})
		require.Error(t, err)
		most := 100 * time.Millisecond
		for _, pause := range q.pauses() {
			require.GreaterOrEqual(t, pause, most/2-1)
			require.LessOrEqual(t, pause, most)
			most = min(2*most, 5*time.Second)
		}
	})
}

func TestContextThatEndsEndsThePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &flaky{Sender: makeFIFOQueue(t), fault: always(fault{err: errThrottled})}
		p := pubsub.Publisher{Queue: q, Backoff: pubsub.Constant(3 * time.Minute)}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		_, err := p.PublishAll(ctx, inGroup("g", "a", "b"))
		require.Equal(t, time.Minute, time.Since(start))
		failed := failures(t, err)
		require.Len(t, failed, 2)
		for _, err := range failed {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorIs(t, err, errThrottled, "it says what it was waiting for")
		}
	})
}

func TestContextThatIsDoneSendsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q := &flaky{Sender: makeQueue(t)}
	p := pubsub.Publisher{Queue: q}
	_, err := p.PublishAll(ctx, plain("a", "b"))
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, failures(t, err), 2)
	require.Empty(t, q.calls)
}

// What was accepted before counts.
func TestContextThatEndsDuringACallEndsPublishAll(t *testing.T) {
	inner := makeQueue(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := pubsub.Publisher{Queue: &flaky{Sender: inner, fault: func(call int, _ []memsqs.SendInput) fault {
		if call == 2 {
			cancel()
		}
		return fault{}
	}}}
	results, err := p.PublishAll(ctx, plain(numbered(30)...))
	failed := failures(t, err)
	require.Len(t, failed, 20)
	require.ErrorIs(t, failed[10], context.Canceled)
	require.Len(t, contents(inner), 10)
	require.NotZero(t, results[9])
}
