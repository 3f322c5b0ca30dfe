// Redrives that nobody waits for.

package memsqs_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// startRedrive starts to move messages between queues of one kind.
func startRedrive(ctx context.Context, from, to queue, maxPerSecond int) (*memsqs.Redrive, error) {
	if from, ok := from.(*memsqs.Queue); ok {
		to, _ := to.(*memsqs.Queue)
		return from.StartRedrive(ctx, to, maxPerSecond)
	}
	fifo, _ := to.(*memsqs.FIFOQueue)
	return from.(*memsqs.FIFOQueue).StartRedrive(ctx, fifo, maxPerSecond)
}

// eachRedrive runs a test on each kind of queue, with five messages on from.
func eachRedrive(t *testing.T, test func(t *testing.T, from, to queue)) {
	eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
		from, to := makeQueue(memsqs.Config{Name: "from"}), makeQueue(memsqs.Config{Name: "to"})
		sendEach(t, from, "a", "b", "c", "d", "e")
		test(t, from, to)
	})
}

// requireEnded requires how a redrive has ended, or that it has not.
func requireEnded(t *testing.T, r *memsqs.Redrive, ended bool, moved int, want error) {
	t.Helper()
	select {
	case <-r.Done():
		require.True(t, ended, "the redrive has ended")
	default:
		require.False(t, ended, "the redrive has not ended")
	}
	require.Equal(t, moved, r.Moved())
	require.ErrorIs(t, r.Err(), want)
}

// A redrive without a limit of its rate has ended when it has started.
func TestStartRedriveWithoutALimit(t *testing.T) {
	eachRedrive(t, func(t *testing.T, from, to queue) {
		r, err := startRedrive(t.Context(), from, to, 0)
		require.NoError(t, err)
		requireEnded(t, r, true, 5, nil)
		require.Equal(t, []string{"a", "b", "c", "d", "e"}, held(to))
	})
}

// A redrive with a limit of its rate goes on by itself.
func TestStartRedriveWithALimit(t *testing.T) {
	eachRedrive(t, func(t *testing.T, from, to queue) {
		r, err := startRedrive(t.Context(), from, to, 1)
		require.NoError(t, err)
		for moved := 1; moved < 5; moved++ {
			requireEnded(t, r, false, moved, nil)
			time.Sleep(time.Second)
			synctest.Wait()
		}
		requireEnded(t, r, true, 5, nil)
	})
}

// A redrive that nobody follows has no goroutine that would keep a bubble from ending.
func TestStartRedriveLeavesNoGoroutine(t *testing.T) {
	eachRedrive(t, func(t *testing.T, from, to queue) {
		_, err := startRedrive(context.Background(), from, to, 1)
		require.NoError(t, err)
	})
}

// A redrive ends as soon as its context is done, and has then no timer.
func TestStartRedriveIsCancelled(t *testing.T) {
	eachKind(t, func(t *testing.T, makeQueue func(memsqs.Config) queue) {
		clock := newSpyClock()
		from, to := makeQueue(memsqs.Config{Clock: clock}), makeQueue(memsqs.Config{Clock: clock})
		sendEach(t, from, "a", "b", "c")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, err := startRedrive(ctx, from, to, 1)
		require.NoError(t, err)
		clock.Advance(time.Second)
		requireEnded(t, r, false, 2, nil)
		require.EqualValues(t, 1, clock.pending.Load())

		cancel()
		<-r.Done()

		requireEnded(t, r, true, 2, context.Canceled)
		require.Zero(t, clock.pending.Load())
		clock.Advance(time.Hour)
		require.Equal(t, []string{"c"}, held(from))
	})
}

// An ownContext is a context that package context does not know: a goroutine waits for
// the end of it as long as it is watched.
type ownContext struct {
	context.Context
	done chan struct{}
}

func (c ownContext) Done() <-chan struct{} { return c.done }

// A redrive that has ended no longer watches its context, which may live on.
func TestStartRedriveLetsGoOfItsContext(t *testing.T) {
	eachRedrive(t, func(t *testing.T, from, to queue) {
		ctx := ownContext{t.Context(), make(chan struct{})}
		r, err := startRedrive(ctx, from, to, 1)
		require.NoError(t, err)
		<-r.Done()
		requireEnded(t, r, true, 5, nil)
	})
}

// A redrive that cannot begin is refused; one whose destination closes ends.
func TestStartRedriveIsRefused(t *testing.T) {
	eachRedrive(t, func(t *testing.T, from, to queue) {
		for _, bad := range []struct {
			to   queue
			rate int
		}{{from, 0}, {to, -1}} {
			r, err := startRedrive(t.Context(), from, bad.to, bad.rate)
			requireRefused(t, from, err, memsqs.ErrInvalidParameterValue)
			require.Nil(t, r)
		}
		r, err := startRedrive(t.Context(), from, to, 1)
		require.NoError(t, err)
		to.Close()
		time.Sleep(time.Second)
		synctest.Wait()
		requireEnded(t, r, true, 1, memsqs.ErrClosed)

		_, err = startRedrive(t.Context(), from, to, 1)
		requireRefused(t, to, err, memsqs.ErrClosed)
		require.Len(t, held(from), 4)
	})
}
