// Tests of changing a configuration, and of what that does to a queue in use.

package memsqs_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// A refused change changes nothing, also of what was in range (A12.12).
func TestConfigureIsAllOrNothing(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "q"})
	before := q.Config()
	requireRefused(t, q, q.Configure(func(cfg *memsqs.Config) {
		cfg.Delay, cfg.WaitTime, cfg.MaxInFlight = time.Second, time.Second, 1
		*cfg.VisibilityTimeout = time.Hour
		cfg.Retention = time.Second
	}), memsqs.ErrInvalidAttributeValue)
	require.Equal(t, before, q.Config())
}

// A change begins with what is in force, so what it leaves alone stays (A12.12).
func TestConfigureKeepsWhatIsNotChanged(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "q", Delay: time.Second, VisibilityTimeout: seconds(0), MaxInFlight: 7})
	want := q.Config()
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) { require.Equal(t, want, *cfg) }))
	require.Equal(t, want, q.Config())
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.WaitTime = time.Second }))
	want.WaitTime = time.Second
	require.Equal(t, want, q.Config())
}

// A queue keeps its name.
func TestNameCannotBeChanged(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "old"})
	err := q.Configure(func(cfg *memsqs.Config) { cfg.Name, cfg.Delay = "new", time.Second })
	requireRefused(t, q, err, memsqs.ErrInvalidAttributeValue)
	requireDetail(t, err, memsqs.ErrInvalidAttributeValue, `Name is "new"`, `"old"`)
	require.Equal(t, "old", q.Config().Name)
	require.Zero(t, q.Config().Delay)

	fifo := newFIFOQueue(t, memsqs.FIFOConfig{Name: "old"})
	err = fifo.Configure(func(cfg *memsqs.FIFOConfig) { cfg.Name = "new" })
	requireRefused(t, fifo, err, memsqs.ErrInvalidAttributeValue)
}

// A funcClock is a clock of a type that cannot be compared.
type funcClock struct{ now func() time.Time }

func (c funcClock) Now() time.Time                                   { return c.now() }
func (c funcClock) AfterFunc(d time.Duration, f func()) memsqs.Timer { return time.AfterFunc(d, f) }

// A queue keeps its clock. One of a type that cannot be compared can be left
// as it is.
func TestClockCannotBeChanged(t *testing.T) {
	start := time.Unix(1e9, 0)
	function := funcClock{func() time.Time { return start }}
	clocks := []memsqs.Clock{nil, memsqs.NewManualClock(start), memsqs.NewManualClock(start), function}
	for i, clock := range clocks {
		q := newQueue(t, memsqs.Config{Name: "q", Clock: clock})
		for j, changed := range clocks {
			err := q.Configure(func(cfg *memsqs.Config) { cfg.Clock = changed })
			if i == j {
				require.NoError(t, err)
			} else {
				requireRefused(t, q, err, memsqs.ErrInvalidAttributeValue)
				requireDetail(t, err, memsqs.ErrInvalidAttributeValue, "Clock", "cannot be changed")
			}
		}
		require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.Delay = time.Second }))
		require.Equal(t, time.Second, q.Config().Delay)
	}
}

// The error about a clock does not show what is inside of it, which others may
// be changing.
func TestRefusedClockIsNotLookedInto(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	clock := memsqs.NewManualClock(time.Unix(0, 0))
	var wg sync.WaitGroup
	wg.Go(func() { clock.Advance(time.Second) })
	err := q.Configure(func(cfg *memsqs.Config) { cfg.Clock = clock })
	wg.Wait()
	requireRefused(t, q, err, memsqs.ErrInvalidAttributeValue)
	require.NotContains(t, err.Error(), "{")
}

// The change can call the queue's methods, Configure included. If that changes
// something the outer change begins anew with what is in force then.
func TestConfigureCanCallTheQueue(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	var found []time.Duration
	require.NoError(t, q.Configure(func(outer *memsqs.Config) {
		found = append(found, outer.Delay)
		send(t, q, "hello")
		require.NoError(t, q.Configure(func(inner *memsqs.Config) { inner.Delay = time.Second }))
		require.Equal(t, time.Second, q.Config().Delay)
		outer.WaitTime = 2 * time.Second
	}))
	require.Equal(t, []time.Duration{0, time.Second}, found)
	require.Equal(t, time.Second, q.Config().Delay)
	require.Equal(t, 2*time.Second, q.Config().WaitTime)
	require.Len(t, q.Peek(10), 2)
}

// A change that panics changes nothing, and the queue goes on.
func TestConfigureThatPanicsChangesNothing(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	before := q.Config()
	require.Panics(t, func() {
		q.Configure(func(cfg *memsqs.Config) {
			cfg.Delay = time.Second
			panic("change")
		})
	})
	require.Equal(t, before, q.Config())
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.Delay = time.Second }))
}

// Of changes at the same time none is lost.
func TestConcurrentConfiguresAreAllInForce(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	fifo := newFIFOQueue(t, memsqs.FIFOConfig{})
	const goroutines, changes = 4, 25
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range changes {
				_ = q.Configure(func(cfg *memsqs.Config) { cfg.Delay += time.Second })
				_ = fifo.Configure(func(cfg *memsqs.FIFOConfig) { cfg.Delay += time.Second })
			}
		})
	}
	wg.Wait()
	require.Equal(t, goroutines*changes*time.Second, q.Config().Delay)
	require.Equal(t, goroutines*changes*time.Second, fifo.Config().Delay)
}

// A queue that is closed in the course of a change refuses it.
func TestConfigureThatCloseOvertakesIsRefused(t *testing.T) {
	q := newQueue(t, memsqs.Config{Name: "q"})
	requireRefused(t, q, q.Configure(func(cfg *memsqs.Config) {
		cfg.Delay = time.Second
		require.NoError(t, q.Close())
	}), memsqs.ErrClosed)
	require.Zero(t, q.Config().Delay)
}

// A change of the delay is for later sends; a message that is delayed in a
// standard queue keeps its own. In a FIFO queue it gets the new one, counted
// from when it was sent (A2.3, A12.13).
func TestNewDelayIsForLaterSends(t *testing.T) {
	for _, delay := range []time.Duration{0, 5 * time.Second, 15 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, memsqs.Config{Delay: 10 * time.Second})
			fifo := newFIFOQueue(t, memsqs.FIFOConfig{Delay: 10 * time.Second})
			start := time.Now()
			send(t, q, "before")
			sendGroup(t, fifo, "group", "before")
			time.Sleep(time.Second)
			require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.Delay = delay }))
			require.NoError(t, fifo.Configure(func(cfg *memsqs.FIFOConfig) { cfg.Delay = delay }))
			send(t, q, "after")

			states := q.Peek(2)
			require.Equal(t, start.Add(10*time.Second), states[0].DueAt)
			if delay == 0 {
				requireCounts(t, q, 1, 0, 1)
				requireCounts(t, fifo, 1, 0, 0)
				return
			}
			require.Equal(t, start.Add(time.Second+delay), states[1].DueAt)
			require.Equal(t, start.Add(delay), fifo.Peek(1)[0].DueAt)
		})
	}
}

// A change of the visibility timeout is for later receives (A12.13).
func TestNewVisibilityTimeoutIsForLaterReceives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "hello")
		receiveOne(t, q)
		require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.VisibilityTimeout = seconds(5) }))
		requireBackAfter(t, q, 30*time.Second)
		requireBackAfter(t, q, 5*time.Second)
	})
}

// A lower limit of size is for later sends, those of a batch included: a larger
// message that is there is received as before (A12.13).
func TestNewMaxMessageSizeIsForLaterSends(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	in := memsqs.SendInput{Body: strings.Repeat("x", 1025)}
	_, err := q.Send(t.Context(), in)
	require.NoError(t, err)
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.MaxMessageSize = 1024 }))

	err = sendError(t, q, in)
	requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
	_, err = q.SendBatch(t.Context(), []memsqs.SendInput{in})
	requireRefused(t, q, failedEntries(t, err)[0], memsqs.ErrInvalidParameterValue)
	require.Equal(t, in.Body, receiveOne(t, q).Body)
}

// A change of the wait time is for later receives: one that waits goes on as
// it began.
func TestNewWaitTimeIsForLaterReceives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{WaitTime: 10 * time.Second})
		start := time.Now()
		answers := park(t.Context(), q, memsqs.ReceiveInput{})
		synctest.Wait()
		require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.WaitTime = time.Second }))
		require.Empty(t, receive(t, q, memsqs.ReceiveInput{}))
		require.Equal(t, time.Second, time.Since(start))
		a := <-answers
		require.NoError(t, a.err)
		require.WithinDuration(t, start.Add(10*time.Second), a.at, 0)
	})
}

// Dead letters can be given a place, and have it taken away, while there are
// messages; what counts is what is in force when one is received.
func TestNewDeadLetterIsForMessagesThatAreThere(t *testing.T) {
	graveyard := newQueue(t, memsqs.Config{})
	q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(0)})
	send(t, q, "hello")
	for range 3 {
		receiveOne(t, q)
	}
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) {
		cfg.DeadLetter = &memsqs.DeadLetter{Queue: graveyard, MaxReceiveCount: 3}
	}))
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.DeadLetter = nil }))
	require.Equal(t, 4, receiveOne(t, q).ReceiveCount)
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) {
		cfg.DeadLetter = &memsqs.DeadLetter{Queue: graveyard, MaxReceiveCount: 4}
	}))
	receiveNone(t, q)
	requireCounts(t, q, 0, 0, 0)
	requireCounts(t, graveyard, 1, 0, 0)
}
