// Tests of a consumer, whose messages are hidden for up to twelve hours.

package synctest_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memsqs/memsqs"
)

// consume is what is tested: it handles messages until ctx is done. What has
// been handled it deletes; what fails comes back at the end of its visibility
// timeout.
func consume(ctx context.Context, q *memsqs.Queue, handle func(context.Context, memsqs.Message) error) error {
	for {
		msgs, err := q.Receive(ctx, memsqs.ReceiveInput{WaitTime: new(20 * time.Second)})
		if err != nil {
			return err
		}
		for _, m := range msgs {
			if handleOne(ctx, q, m, handle) != nil {
				continue
			}
			if err := q.Delete(context.WithoutCancel(ctx), m.ReceiptHandle); err != nil {
				return err
			}
		}
	}
}

// handleOne keeps a message from other consumers while it is handled. When it
// can do so no longer it cancels the handler's context.
func handleOne(ctx context.Context, q *memsqs.Queue, m memsqs.Message, handle func(context.Context, memsqs.Message) error) error {
	timeout := *q.Config().VisibilityTimeout
	ctx, cancel := context.WithCancel(ctx)
	var heartbeat sync.WaitGroup
	heartbeat.Go(func() {
		defer cancel()
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(timeout / 2):
				if q.ChangeVisibility(ctx, m.ReceiptHandle, timeout) != nil {
					return
				}
			}
		}
	})
	defer heartbeat.Wait()
	defer cancel()
	return handle(ctx, m)
}

// A message whose handler fails is handled again when its visibility timeout
// of twelve hours has passed, and then deleted.
func TestFailedMessageComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{VisibilityTimeout: new(12 * time.Hour)})
		seen := newAttempts()
		start(t, q, func(_ context.Context, m memsqs.Message) error {
			seen.begin()
			if m.ReceiveCount == 1 {
				return errors.New("not this time")
			}
			return nil
		})
		send(t, q)

		time.Sleep(24 * time.Hour)
		synctest.Wait()
		seen.requireBegun(t, 0, 12*time.Hour)
		if s := q.Stats(); s.Deleted != 1 || s.Visible+s.InFlight != 0 {
			t.Errorf("Stats() = %+v, want one message deleted and none left", s)
		}
	})
}

// A message that takes five hours is not given to another consumer meanwhile,
// although its visibility timeout is one.
func TestMessageIsKeptWhileItIsHandled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{VisibilityTimeout: new(time.Hour)})
		seen := newAttempts()
		for range 2 {
			start(t, q, func(context.Context, memsqs.Message) error {
				seen.begin()
				time.Sleep(5 * time.Hour)
				return nil
			})
		}
		send(t, q)

		time.Sleep(24 * time.Hour)
		synctest.Wait()
		seen.requireBegun(t, 0)
	})
}

// A message can be kept for twelve hours and no longer. The handler is
// cancelled when the visibility timeout can be extended no more: before the
// message comes back, not after.
func TestHandlerIsCancelledBeforeItsMessageComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{VisibilityTimeout: new(time.Hour)})
		seen := newAttempts()
		start(t, q, func(ctx context.Context, _ memsqs.Message) error {
			seen.begin()
			<-ctx.Done()
			seen.end()
			return ctx.Err()
		})
		send(t, q)

		time.Sleep(13 * time.Hour)
		synctest.Wait()
		seen.requireBegun(t, 0, 12*time.Hour)
		if want := []time.Duration{11*time.Hour + 30*time.Minute}; !slices.Equal(seen.ended, want) {
			t.Errorf("handlers ended after %v, want %v", seen.ended, want)
		}
	})
}

// A message that fails three times is in the dead-letter queue a day and a half
// later.
func TestPoisonGoesToTheDeadLetterQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := newQueue(t, memsqs.Config{})
		q := newQueue(t, memsqs.Config{
			VisibilityTimeout: new(12 * time.Hour),
			DeadLetter:        &memsqs.DeadLetter{Queue: failed, MaxReceiveCount: 3},
		})
		seen := newAttempts()
		start(t, q, func(context.Context, memsqs.Message) error {
			seen.begin()
			return errors.New("poison")
		})
		send(t, q)

		time.Sleep(36*time.Hour - 1)
		synctest.Wait()
		seen.requireBegun(t, 0, 12*time.Hour, 24*time.Hour)
		if n := failed.Stats().Visible; n != 0 {
			t.Errorf("dead letters before the third timeout = %d, want 0", n)
		}
		time.Sleep(1 * time.Nanosecond)
		synctest.Wait()
		if n := failed.Stats().Visible; n != 1 {
			t.Errorf("dead letters after the third timeout = %d, want 1", n)
		}
	})
}

// start starts a consumer that works until the end of the test.
func start(t *testing.T, q *memsqs.Queue, handle func(context.Context, memsqs.Message) error) {
	go func() {
		if err := consume(t.Context(), q, handle); !errors.Is(err, context.Canceled) {
			t.Errorf("consume: %v", err)
		}
	}()
}

// attempts records when handlers began and ended, from when it was made.
type attempts struct {
	start time.Time

	mu           sync.Mutex // guards the fields below
	begun, ended []time.Duration
}

func newAttempts() *attempts { return &attempts{start: time.Now()} }

func (a *attempts) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begun = append(a.begun, time.Since(a.start))
}

func (a *attempts) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = append(a.ended, time.Since(a.start))
}

func (a *attempts) requireBegun(t *testing.T, want ...time.Duration) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Equal(a.begun, want) {
		t.Fatalf("handlers began after %v, want %v", a.begun, want)
	}
}

func newQueue(t *testing.T, cfg memsqs.Config) *memsqs.Queue {
	t.Helper()
	q, err := memsqs.NewQueue(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func send(t *testing.T, q *memsqs.Queue) {
	t.Helper()
	if _, err := q.Send(t.Context(), memsqs.SendInput{Body: "hello"}); err != nil {
		t.Fatal(err)
	}
}
