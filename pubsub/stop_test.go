package pubsub_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/pubsub"
)

// The order matters: the poll ends first, or it would receive what is given back
// and take it along. (F49)
func TestStopGivesBackWhatHasNotBeenStartedInReverseOrder(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b", "g:c", "g:d")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{MaxMessages: 10, Queue: q, Handler: sleeper(j, 5*time.Second), Hooks: j.hooks()})
		j.second(t, 2)
		require.Equal(t, 1, q.Stats().Waiting, "there is room for other groups")
		require.NoError(t, stop())
		require.Equal(t, []string{
			"2 released g:d for 0s", "2 released g:c for 0s", "2 released g:b for 0s", "5 deleted g:a",
		}, j.of("released", "deleted"))
		require.Equal(t, []string{"g:b", "g:c", "g:d"}, bodiesOf(takeAll(t, q, time.Minute)), "in order, at once")
	})
}

// More of them than one call takes still go back in reverse order.
func TestStopGivesBackOneCallAfterTheOther(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		for _, g := range []string{"g:", "h:"} {
			for i := range 10 {
				put(t, q, g+string(rune('a'+i)))
			}
		}
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			MaxMessages: 10,
			Queue:       &tap{Receiver: q, onChange: func([]memsqs.VisibilityChange) error { time.Sleep(time.Second); return nil }},
			Handler:     sleeper(j, 5*time.Second), Hooks: j.hooks(), Concurrency: 20,
		})
		j.second(t, 2)
		require.NoError(t, stop())
		var want []string
		for _, g := range []string{"h:", "g:"} {
			for i := 9; i > 0; i-- {
				when := "3"
				if len(want) >= 10 {
					when = "4"
				}
				want = append(want, when+" released "+g+string(rune('a'+i))+" for 0s")
			}
		}
		require.Equal(t, want, j.of("released"))
	})
}

// A poll that has its messages when the stop comes brings them all the same.
func TestMessagesThatArriveWithTheStopAreGivenBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a", "b")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{Queue: &slow{q, 3 * time.Second}, Handler: sleeper(j, 0), Hooks: j.hooks()})
		j.second(t, 2)
		require.NoError(t, stop())
		require.Equal(t, []string{"3 received a", "3 received b", "3 released b for 0s", "3 released a for 0s"}, j.lines)
		require.Len(t, takeAll(t, q, time.Minute), 2)
	})
}

// When the context is done no handler begins, also if the end and the messages are
// seen at the same time, as after a hook that took long.
func TestNoHandlerBeginsWhenTheContextIsDone(t *testing.T) {
	for range 50 { // either could be seen first
		inBubble(t, func(t *testing.T) {
			q := standardQueue(t, memsqs.Config{})
			put(t, q, "a")
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, func() {
				put(t, q, "b")
				synctest.Wait() // the poll has it
				cancel()
			})
			j := newJournal()
			require.NoError(t, pubsub.Consumer{
				Queue: q, Handler: sleeper(j, 0), Logger: silent,
				Hooks: pubsub.Hooks{Deleted: func(memsqs.Message, time.Duration) { time.Sleep(2 * time.Second) }},
			}.Run(ctx))
			require.Equal(t, []string{"0 begins a"}, j.lines)
			require.Equal(t, 1, q.Stats().Visible, "b is given back")
		})
	}
}

// A poll that does not end at once would receive what is given back. (F49)
func TestStopGivesNothingBackBeforeThePollHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{MaxMessages: 10, Queue: deaf{q}, Handler: sleeper(j, 5*time.Second), Hooks: j.hooks()})
		j.second(t, 2)
		require.NoError(t, stop())
		require.Equal(t, []string{
			"0 received g:a", "0 received g:b", "5 deleted g:a", "20 released g:b for 0s",
		}, j.of("received", "deleted", "released"))
	})
}

// A deaf queue waits for as long as a receive may, whatever becomes of its context.
type deaf struct{ pubsub.Receiver }

func (q deaf) Receive(ctx context.Context, in memsqs.ReceiveInput) ([]memsqs.Message, error) {
	return q.Receiver.Receive(context.WithoutCancel(ctx), in)
}

// A slow queue answers receives late, whatever becomes of the context.
type slow struct {
	pubsub.Receiver
	delay time.Duration
}

func (q *slow) Receive(ctx context.Context, in memsqs.ReceiveInput) ([]memsqs.Message, error) {
	msgs, err := q.Receiver.Receive(ctx, in)
	time.Sleep(q.delay)
	return msgs, err
}

// What is given back wakes the poll of another consumer. (F45)
func TestAnotherConsumerTakesOverAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := fifoQueue(t, memsqs.FIFOConfig{})
		put(t, q, "g:a", "g:b", "g:c")
		j, other := newJournal(), newJournal()
		stop := consume(t, pubsub.Consumer{MaxMessages: 10, Queue: q, Handler: sleeper(j, 5*time.Second)})
		j.second(t, 1)
		stopOther := consume(t, pubsub.Consumer{MaxMessages: 10, Queue: q, Handler: sleeper(other, time.Second)})
		j.second(t, 2)
		require.NoError(t, stop())
		j.second(t, 8)
		require.NoError(t, stopOther())
		require.Equal(t, []string{"0 begins g:a"}, j.lines)
		require.Equal(t, []string{"5 begins g:b", "6 begins g:c"}, other.lines)
	})
}

// A consumer that stops neither deletes nor releases what has moved to the
// dead-letter queue meanwhile. (F41)
func TestLateResultLeavesTheDeadLetterAlone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		dead := standardQueue(t, memsqs.Config{})
		q := standardQueue(t, memsqs.Config{DeadLetter: &memsqs.DeadLetter{Queue: dead, MaxReceiveCount: 1}})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{Queue: q, Handler: sleeper(j, time.Minute), Hooks: j.hooks(), MaxVisibility: 30 * time.Second})
		j.second(t, 31)
		require.NoError(t, stop())
		require.Equal(t, 1, dead.Stats().Visible)
		require.Empty(t, j.of("deleted", "released", "queueError"))
	})
}

// In process an abandoned poll swallows nothing. (F53)
func TestStopWhilePollingTakesNoMessage(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		stop := consume(t, pubsub.Consumer{Queue: q, Handler: func(context.Context, memsqs.Message) error { return nil }})
		time.Sleep(2 * time.Second)
		began := time.Now()
		require.NoError(t, stop())
		require.Zero(t, time.Since(began))
		put(t, q, "a")
		require.Equal(t, 1, takeAll(t, q, time.Minute)[0].ReceiveCount)
	})
}

func TestRunningHandlersHaveAGracePeriod(t *testing.T) {
	for name, tt := range map[string]struct {
		grace time.Duration
		takes time.Duration
		want  []string
	}{
		"in time":  {0, 20 * time.Second, []string{"20 handled a", "20 deleted a"}},
		"too long": {0, time.Hour, []string{"21 interrupted a: pubsub: consumer stops", "21 failed a: interrupted", "21 released a for 0s"}},
		"none":     {-1, time.Hour, []string{"1 interrupted a: pubsub: consumer stops", "1 failed a: interrupted", "1 released a for 0s"}},
		"longer":   {time.Minute, 40 * time.Second, []string{"40 handled a", "40 deleted a"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				q := standardQueue(t, memsqs.Config{})
				put(t, q, "a")
				j := newJournal()
				stop := consume(t, pubsub.Consumer{Queue: q, Hooks: j.hooks(), Grace: tt.grace, Handler: func(ctx context.Context, m memsqs.Message) error {
					select {
					case <-time.After(tt.takes):
						return nil
					case <-ctx.Done():
						j.add("interrupted %s: %v", m.Body, context.Cause(ctx))
						return errors.New("interrupted")
					}
				}})
				j.second(t, 1)
				require.NoError(t, stop())
				require.Equal(t, tt.want, j.lines[1:])
			})
		})
	}
}

// A handler that heeds nothing holds Run up; its message stays its own.
func TestRunWaitsForHandlersAndKeepsTheirLeases(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{Queue: q, Handler: sleeper(j, 10*time.Minute), Hooks: j.hooks()})
		j.second(t, 1)
		require.NoError(t, stop())
		require.Equal(t, []string{"600 deleted a"}, j.of("deleted"))
		require.EqualValues(t, 1, q.Stats().Received)
	})
}

// The context of a handler outlives that of Run, and has its values.
func TestHandlersContextHasTheValuesOfRuns(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		type key struct{}
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
		c := pubsub.Consumer{Queue: q, Logger: silent, Handler: func(ctx context.Context, _ memsqs.Message) error {
			require.Equal(t, "value", ctx.Value(key{}))
			cancel()
			synctest.Wait()
			return ctx.Err()
		}}
		require.NoError(t, c.Run(ctx))
		require.EqualValues(t, 1, q.Stats().Deleted)
	})
}

// A queue that lets nothing be deleted does not hold up the end of Run for longer
// than the visibility timeout.
func TestStopEndsAlthoughDeletesFail(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		j := newJournal()
		stop := consume(t, pubsub.Consumer{
			Queue:   &tap{Receiver: q, onDelete: func([]string) error { return errors.New("no permission") }},
			Handler: sleeper(j, 0), Hooks: j.hooks(),
		})
		j.second(t, 9)
		require.NoError(t, stop())
		require.LessOrEqual(t, time.Since(j.start), 45*time.Second)
		require.Len(t, j.of("lost"), 1)
	})
}

func TestRunOfAContextThatIsDoneTakesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		q := standardQueue(t, memsqs.Config{})
		put(t, q, "a")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, pubsub.Consumer{Queue: q, Handler: sleeper(newJournal(), 0)}.Run(ctx))
		require.Zero(t, q.Stats().Received)
	})
}
