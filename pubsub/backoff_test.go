package pubsub_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/pubsub"
)

func TestExponentialDoublesUpToItsMost(t *testing.T) {
	for _, c := range []struct {
		first, most time.Duration
		failures    int
		want        time.Duration // or down to half of it
	}{
		{time.Second, time.Minute, 1, time.Second},
		{time.Second, time.Minute, 2, 2 * time.Second},
		{time.Second, time.Minute, 6, 32 * time.Second},
		{time.Second, time.Minute, 7, time.Minute},
		{time.Second, time.Minute, math.MaxInt, time.Minute},
		{time.Second, math.MaxInt64, 1000, math.MaxInt64},
		{time.Minute, time.Second, 1, time.Second},
		{0, time.Minute, math.MaxInt, 0},
		{-1, time.Minute, 3, 0},
		{1, 1, 1, 1},
	} {
		backoff := pubsub.Exponential(c.first, c.most)
		for range 100 {
			d := backoff(c.failures)
			require.LessOrEqual(t, d, c.want, "%v", c)
			require.GreaterOrEqual(t, d, c.want/2, "%v", c)
		}
	}
}

func TestExponentialHasJitter(t *testing.T) {
	backoff := pubsub.Exponential(time.Hour, time.Hour)
	seen := make(map[time.Duration]bool)
	for range 10 {
		seen[backoff(1)] = true
	}
	require.Greater(t, len(seen), 1)
}

func TestConstantIsConstant(t *testing.T) {
	for failures := range 100 {
		require.Equal(t, time.Second, pubsub.Constant(time.Second)(failures))
	}
}
