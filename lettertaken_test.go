package memsqs_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// A hookClock does something once, when it is next called.
type hookClock struct {
	*memsqs.ManualClock
	now, after atomic.Pointer[func()]
}

func (c *hookClock) Now() time.Time {
	if f := c.now.Swap(nil); f != nil {
		(*f)()
	}
	return c.ManualClock.Now()
}
func (c *hookClock) AfterFunc(d time.Duration, f func()) memsqs.Timer {
	if h := c.after.Swap(nil); h != nil {
		(*h)()
	}
	return c.ManualClock.AfterFunc(d, f)
}

// When Advance returns, the dead letters of what fell due have arrived, also those
// that another call took while the queue made a timer.
func TestAdvanceReturnsWhenLettersTakenByAnotherHaveArrived(t *testing.T) {
	sc := &hookClock{ManualClock: memsqs.NewManualClock(epoch)}
	dc := &hookClock{ManualClock: memsqs.NewManualClock(epoch)}
	d := newQueue(t, memsqs.Config{Clock: dc})
	s := newQueue(t, memsqs.Config{Clock: sc, VisibilityTimeout: seconds(10), DeadLetter: &memsqs.DeadLetter{Queue: d, MaxReceiveCount: 1}})
	send(t, s, "a")
	receiveOne(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	w := park(ctx, s, memsqs.ReceiveInput{WaitTime: seconds(20)})
	for s.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	posting, release := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	sc.after.Store(new(func() {
		dc.now.Store(new(func() { close(posting); <-release }))
		wg.Go(func() { s.Stats() })
		<-posting
	}))
	time.AfterFunc(100*time.Millisecond, func() { close(release) })
	sc.Advance(10 * time.Second)
	got := d.Stats().Visible
	wg.Wait()
	cancel()
	<-w
	require.Equal(t, 1, got, "dead letters that have arrived when Advance returns")
}
