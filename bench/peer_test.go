package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What is compared does its work: every message that is sent to a peer is
// received once, with its body, and when all are deleted the queue can be used
// again.
func TestPeersDeliverWhatTheyAreSent(t *testing.T) {
	const n = 20
	ctx := context.Background()
	for _, p := range peers {
		t.Run(p.name, func(t *testing.T) {
			q := open(t, p, n)
			useGroups(q, names("group", n))
			for range 2 {
				var want, got []int
				for i := range n {
					want = append(want, i)
					require.NoError(t, q.send(ctx, newBody(bodySizes[0], i)))
				}
				for range n {
					d, err := q.receive(ctx)
					require.NoError(t, err)
					i, err := d.number()
					require.NoError(t, err)
					got = append(got, i)
					require.NoError(t, q.delete(ctx, d))
				}
				slices.Sort(got)
				require.Equal(t, want, got)
			}
		})
	}
}

// What the wire row compares does its work, on both ways and with other messages.
func TestWirePeersDeliverWhatTheyAreSent(t *testing.T) {
	ctx := context.Background()
	for _, p := range wirePeers[1:] {
		for _, way := range []string{inProcess, loopback} {
			t.Run(p.name+", "+way, func(t *testing.T) {
				q, err := p.open(way)
				require.NoError(t, err)
				require.NoError(t, q.fill(ctx, newBody(bodySizes[0], 1), 20))
				require.NoError(t, q.send(ctx, newBody(bodySizes[0], 2)))
				sum := 0
				for range 21 {
					d, err := q.receive(ctx)
					require.NoError(t, err)
					i, err := d.number()
					require.NoError(t, err)
					sum += i
					require.NoError(t, q.delete(ctx, d))
				}
				require.Equal(t, 22, sum)
				require.NoError(t, q.close())
			})
		}
	}
}

// A peer has the methods for what it says that it can do, and what is delayed
// does not come before what is not.
func TestPeersCanDoWhatTheySay(t *testing.T) {
	ctx := context.Background()
	for _, p := range peers {
		t.Run(p.name, func(t *testing.T) {
			q := open(t, p, 2)
			d, delays := q.(delayer)
			_, groups := q.(grouped)
			require.Equal(t, p.delays, delays)
			require.Equal(t, p.groups, groups)
			if delays {
				require.NoError(t, d.sendDelayed(ctx, newBody(bodySizes[0], 1), 15*time.Minute))
				require.NoError(t, q.send(ctx, newBody(bodySizes[0], 2)))
				got, err := q.receive(ctx)
				require.NoError(t, err)
				i, err := got.number()
				require.NoError(t, err)
				require.Equal(t, 2, i)
			}
		})
	}
}

// A receive that waits ends when its context is done and the queue is closed,
// as the consumers of a measurement have to.
func TestPeersStop(t *testing.T) {
	for _, p := range peers {
		t.Run(p.name, func(t *testing.T) {
			q, err := p.open(1)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(context.Background())
			stopped := make(chan error)
			go func() {
				_, err := q.receive(ctx)
				stopped <- err
			}()
			cancel()
			require.NoError(t, q.close())
			require.Error(t, <-stopped)
		})
	}
}

func open(t *testing.T, p peer, messages int) queue {
	t.Helper()
	q, err := p.open(messages)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, q.close()) })
	return q
}
