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

// sleeper returns a handler that writes down when it begins, and takes a time.
func sleeper(j *journal, d time.Duration) func(context.Context, memsqs.Message) error {
	return func(_ context.Context, m memsqs.Message) error {
		j.add("begins %s", m.Body)
		time.Sleep(d)
		return nil
	}
}

func TestMessagesAreHandledAndDeleted(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a", "b")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{Queue: q, Handler: sleeper(j, time.Second), Hooks: j.hooks(), Concurrency: 1})
		j.second(t, 10)
		put(t, q, "c") // wakes the long poll
		j.second(t, 20)
		require.NoError(t, stop())
		require.Equal(t, []string{
			"0 received a", "0 begins a", "1 handled a", "1 deleted a",
			"1 received b", "1 begins b", "2 handled b", "2 deleted b",
			"10 received c", "10 begins c", "11 handled c", "11 deleted c",
		}, j.lines)
		require.Equal(t, memsqs.Stats{Sent: 3, Received: 3, Deleted: 3}, q.Stats())
	})
}

func TestNoMoreHandlersRunThanConcurrencyAndNoMoreMessagesAreInHand(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		for i := range 40 {
			put(t, q, fmt.Sprint(i))
		}
		running, most, mostInHand := 0, 0, 0
		j := newJournal()
		stop := consume(t, pubsub.Consumer{Queue: q, Concurrency: 12, Handler: func(context.Context, memsqs.Message) error {
			j.mu.Lock()
			running++
			most = max(most, running)
			mostInHand = max(mostInHand, q.Stats().InFlight)
			j.mu.Unlock()
			time.Sleep(time.Second)
			j.mu.Lock()
			running--
			j.mu.Unlock()
			return nil
		}})
		j.second(t, 3.5)
		require.Equal(t, 4, q.Stats().InFlight, "40 messages, 12 a second")
		j.second(t, 4)
		require.NoError(t, stop())
		require.Equal(t, 12, most)
		require.Equal(t, 12, mostInHand)
		require.EqualValues(t, 40, q.Stats().Deleted)
	})
}

func TestPollsOnlyWhileThereIsRoomAndOneAtATime(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: &tap{Receiver: q, onReceive: func(in memsqs.ReceiveInput) error {
				j.add("poll for %d, %v", in.MaxMessages, *in.WaitTime)
				return nil
			}},
			Concurrency: 1, Handler: sleeper(j, 7*time.Second),
		})
		j.second(t, 1)
		require.Zero(t, q.Stats().Waiting)
		j.second(t, 30)
		require.Equal(t, 1, q.Stats().Waiting)
		require.NoError(t, stop())
		require.Equal(t, []string{"0 poll for 1, 20s", "7 poll for 1, 20s", "27 poll for 1, 20s"}, j.of("poll"))
	})
}

func TestFIFOGroupsAreHandledInOrderSideBySide(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b", "h:x", "g:c", "h:y")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{MaxMessages: 10, Queue: q, Handler: sleeper(j, time.Second)})
		j.second(t, 5)
		require.NoError(t, stop())
		require.Equal(t, []string{"0 begins g:a", "1 begins g:b", "2 begins g:c"}, linesOf(j.lines, "g:"))
		require.Equal(t, []string{"0 begins h:x", "1 begins h:y"}, linesOf(j.lines, "h:"))
		require.EqualValues(t, 5, q.Stats().Received, "in one batch")
	})
}

func TestGroupOfAStandardQueueHasNoEffect(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		for _, body := range []string{"a", "b"} {
			_, err := q.Send(t.Context(), memsqs.SendInput{Body: body, GroupID: "tenant"})
			require.NoError(t, err)
		}
		j := newJournal()
		stop := consume(t, pubsub.Consumer{Queue: q, Handler: sleeper(j, time.Second)})
		j.second(t, 2)
		require.NoError(t, stop())
		require.ElementsMatch(t, []string{"0 begins a", "0 begins b"}, j.of("begins"))
	})
}

// No message of a group is handled before the one ahead of it has been deleted:
// if it could not be deleted it would be handled again, after the later one.
func TestNextOfAGroupStartsWhenTheOneBeforeHasBeenDeleted(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			MaxMessages: 10,
			Queue:       &tap{Receiver: q, onDelete: func([]string) error { time.Sleep(3 * time.Second); return nil }},
			Handler:     sleeper(j, time.Second), Hooks: j.hooks(),
		})
		j.second(t, 9)
		require.NoError(t, stop())
		require.Equal(t, []string{"0 begins g:a", "4 deleted g:a", "4 begins g:b", "8 deleted g:b"}, j.of("begins", "deleted"))
	})
}

// While a call to delete is under way, those that are done gather for the next.
func TestDeletesShareACallAndWaitForNothingElse(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		for i := range 10 {
			put(t, q, fmt.Sprint(i))
		}
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue: &tap{Receiver: q, onDelete: func(handles []string) error {
				j.add("deletes %d", len(handles))
				time.Sleep(5 * time.Second)
				return nil
			}},
			Handler: func(_ context.Context, m memsqs.Message) error {
				if m.Body != "0" {
					time.Sleep(2 * time.Second)
				}
				return nil
			},
		})
		j.second(t, 30)
		require.NoError(t, stop())
		require.Equal(t, []string{"0 deletes 1", "5 deletes 9"}, j.lines)
		require.EqualValues(t, 10, q.Stats().Deleted)
	})
}

func TestClosedQueueEndsRunWithItsError(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{Name: "orders.fifo"})
		put(t, q, "g:a", "g:b")
		j := newJournal()
		ended := make(chan error, 1)
		c := pubsub.Consumer{MaxMessages: 10, Queue: q, Hooks: j.hooks(), Logger: silent, Handler: func(ctx context.Context, m memsqs.Message) error {
			<-ctx.Done()
			j.add("cause %v %v", errors.Is(context.Cause(ctx), pubsub.ErrLeaseLost), errors.Is(context.Cause(ctx), memsqs.ErrClosed))
			time.Sleep(time.Second)
			return nil
		}}
		go func() { ended <- c.Run(t.Context()) }()
		j.second(t, 5)
		require.NoError(t, q.Close())
		require.ErrorIs(t, <-ended, memsqs.ErrClosed)
		require.Equal(t, []string{"5 queueError memsqs: queue orders.fifo: queue is closed: it takes no more calls"}, j.of("queueError"))
		require.Equal(t, []string{"5 cause true true"}, j.of("cause"))
		require.Len(t, j.of("lost"), 2)
		require.Equal(t, []string{"6 handled g:a"}, j.of("handled"))
	})
}

// Whichever call finds out that the queue is gone, the poll does not go on.
func TestQueueThatIsGoneEndsThePoll(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		gone := &memsqs.Error{Code: memsqs.ErrClosed, Detail: "of a test"}
		err := pubsub.Consumer{
			Queue:   &tap{Receiver: q, onDelete: func([]string) error { return gone }},
			Handler: sleeper(j, time.Second), Hooks: j.hooks(), Logger: silent,
		}.Run(t.Context())
		require.ErrorIs(t, err, gone)
		require.Equal(t, time.Second, time.Since(j.start))
		require.Equal(t, []string{"1 lost a: pubsub: lease of the message is lost: memsqs: queue is closed: of a test"}, j.of("lost"))
	})
}

// What a poll brings after another call has found the queue gone is lost at once.
func TestMessagesThatArriveWhenTheQueueIsGoneAreLost(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		time.AfterFunc(500*time.Millisecond, func() { put(t, q, "b") })
		j := newJournal()
		gone := &memsqs.Error{Code: memsqs.ErrClosed, Detail: "of a test"}
		err := pubsub.Consumer{
			Queue: &tap{
				Receiver: &slow{q, 2 * time.Second},
				onDelete: func([]string) error { return gone },
				onChange: func([]memsqs.VisibilityChange) error { return gone },
			},
			Handler: sleeper(j, 100*time.Millisecond), Hooks: j.hooks(), Logger: silent,
		}.Run(t.Context())
		require.ErrorIs(t, err, gone)
		require.Equal(t, 4*time.Second, time.Since(j.start))
		require.Equal(t, []string{"4 lost b: pubsub: lease of the message is lost: memsqs: queue is closed: of a test"}, linesOf(j.of("lost"), "lost b"))
		require.Len(t, j.of("queueError"), 1)
	})
}

func TestFieldsOutOfRangeAreRefused(t *testing.T) {
	q := standardQueue(t, memsqs.Config{})
	h := func(context.Context, memsqs.Message) error { return nil }
	for _, tt := range []struct {
		name string
		c    pubsub.Consumer
		code error
		says string
	}{
		{"no queue", pubsub.Consumer{Handler: h}, memsqs.ErrMissingParameter, "no queue"},
		{"no handler", pubsub.Consumer{Queue: q}, memsqs.ErrMissingParameter, "no Handler"},
		{"messages of a receive", pubsub.Consumer{Queue: q, Handler: h, MaxMessages: 11}, memsqs.ErrInvalidParameterValue, "is 11; it must be 1 to 10"},
		{"concurrency", pubsub.Consumer{Queue: q, Handler: h, Concurrency: -1}, memsqs.ErrInvalidParameterValue, "is -1; it must be 1 or more"},
		{"visibility below", pubsub.Consumer{Queue: q, Handler: h, VisibilityTimeout: -1}, memsqs.ErrInvalidParameterValue, "is -1ns; it must be"},
		{"visibility above", pubsub.Consumer{Queue: q, Handler: h, VisibilityTimeout: 13 * time.Hour}, memsqs.ErrInvalidParameterValue, "13h0m0s"},
		{"limit below", pubsub.Consumer{Queue: q, Handler: h, MaxVisibility: -1}, memsqs.ErrInvalidParameterValue, "MaxVisibility is -1ns"},
		{"limit below timeout", pubsub.Consumer{Queue: q, Handler: h, VisibilityTimeout: 2, MaxVisibility: 1}, memsqs.ErrInvalidParameterValue, "from the VisibilityTimeout, 2ns"},
		{"limit above", pubsub.Consumer{Queue: q, Handler: h, MaxVisibility: 13 * time.Hour}, memsqs.ErrInvalidParameterValue, "to 12h0m0s"},
		{"wait below", pubsub.Consumer{Queue: q, Handler: h, WaitTime: -1}, memsqs.ErrInvalidParameterValue, "WaitTime is -1ns"},
		{"wait above", pubsub.Consumer{Queue: q, Handler: h, WaitTime: 21 * time.Second}, memsqs.ErrInvalidParameterValue, "up to 20s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.c.Run(t.Context())
			require.ErrorIs(t, err, tt.code)
			require.ErrorContains(t, err, tt.says)
		})
	}
	//lint:ignore SA1012 a nil context is what is refused
	require.ErrorIs(t, pubsub.Consumer{Queue: q, Handler: h}.Run(nil), memsqs.ErrInvalidParameterValue)
}
