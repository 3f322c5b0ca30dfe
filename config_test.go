// Tests of what configurations a queue can have.

package memsqs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// The zero configuration is that of Amazon SQS (0.3, A12.1).
func TestConfigDefaults(t *testing.T) {
	require.Equal(t, memsqs.Config{
		VisibilityTimeout: seconds(30),
		Retention:         4 * 24 * time.Hour,
		MaxMessageSize:    1 << 20,
		MaxInFlight:       120_000,
	}, newQueue(t, memsqs.Config{}).Config())

	require.Equal(t, memsqs.FIFOConfig{
		VisibilityTimeout:   seconds(30),
		Retention:           4 * 24 * time.Hour,
		MaxMessageSize:      1 << 20,
		MaxInFlight:         20_000,
		DeduplicationWindow: 5 * time.Minute,
	}, newFIFOQueue(t, memsqs.FIFOConfig{}).Config())
}

// Config returns what the queue was made with.
func TestConfigIsWhatWasGiven(t *testing.T) {
	clock := memsqs.NewManualClock(time.Unix(0, 0))
	cfg := memsqs.Config{
		Name:              "q",
		VisibilityTimeout: seconds(0),
		Delay:             time.Second,
		WaitTime:          2 * time.Second,
		Retention:         3 * time.Minute,
		MaxMessageSize:    4096,
		MaxInFlight:       5,
		DeadLetter:        &memsqs.DeadLetter{Queue: newQueue(t, memsqs.Config{}), MaxReceiveCount: 6},
		Clock:             clock,
	}
	got := newQueue(t, cfg).Config()
	require.Equal(t, cfg, got)
	require.Same(t, cfg.DeadLetter.Queue, got.DeadLetter.Queue)

	fifoCfg := memsqs.FIFOConfig{
		Name:                      "fifo",
		VisibilityTimeout:         seconds(0),
		Delay:                     time.Second,
		WaitTime:                  2 * time.Second,
		Retention:                 3 * time.Minute,
		MaxMessageSize:            4096,
		MaxInFlight:               5,
		DeadLetter:                &memsqs.FIFODeadLetter{Queue: newFIFOQueue(t, memsqs.FIFOConfig{}), MaxReceiveCount: 6},
		Clock:                     clock,
		ContentBasedDeduplication: true,
		DeduplicationScope:        memsqs.DeduplicateGroup,
		DeduplicationWindow:       7 * time.Second,
	}
	gotFIFO := newFIFOQueue(t, fifoCfg).Config()
	require.Equal(t, fifoCfg, gotFIFO)
	require.Same(t, fifoCfg.DeadLetter.Queue, gotFIFO.DeadLetter.Queue)
}

// A setting is a change of a configuration and what it makes of it: a queue can
// have it, or cannot and says so with the given parts.
type setting[C any] struct {
	set     func(*C)
	refused []string // nil if it is accepted
}

// testSettings requires the same answer to a setting from whoever makes a queue
// and from who configures one, which leaves the queue as it was (A12.6, A12.12).
func testSettings[Q kindOfQueue[Q, C], C any](t *testing.T, newQ func(C) (Q, error), cfg C, settings []setting[C]) {
	for _, s := range settings {
		q, err := newQ(cfg)
		require.NoError(t, err)
		changed := cfg
		s.set(&changed)
		made, makeErr := newQ(changed)
		before := q.Config()
		configureErr := q.Configure(s.set)
		if s.refused == nil {
			require.NoError(t, makeErr)
			require.NoError(t, configureErr)
			require.Equal(t, made.Config(), q.Config())
			continue
		}
		require.Nil(t, made)
		for _, err := range []error{makeErr, configureErr} {
			requireRefused(t, q, err, memsqs.ErrInvalidAttributeValue)
			requireDetail(t, err, memsqs.ErrInvalidAttributeValue, s.refused...)
		}
		require.Equal(t, before, q.Config())
	}
}

// Every duration has its range, and both its ends are in it (0.3, A12.6).
func TestConfigDurationsHaveTheirRanges(t *testing.T) {
	for _, field := range []struct {
		name        string
		of          func(*memsqs.Config) *time.Duration
		least, most time.Duration
	}{
		{"VisibilityTimeout", func(c *memsqs.Config) *time.Duration { c.VisibilityTimeout = seconds(0); return c.VisibilityTimeout }, 0, 12 * time.Hour},
		{"Delay", func(c *memsqs.Config) *time.Duration { return &c.Delay }, 0, 15 * time.Minute},
		{"WaitTime", func(c *memsqs.Config) *time.Duration { return &c.WaitTime }, 0, 20 * time.Second},
		{"Retention", func(c *memsqs.Config) *time.Duration { return &c.Retention }, time.Minute, 14 * 24 * time.Hour},
	} {
		var settings []setting[memsqs.Config]
		for _, d := range []time.Duration{-1 << 63, -1, field.least - 1, field.least, field.most, field.most + 1, 1<<63 - 1} {
			s := setting[memsqs.Config]{set: func(c *memsqs.Config) { *field.of(c) = d }}
			if d < field.least || d > field.most {
				s.refused = []string{fmt.Sprintf("%s is %v;", field.name, d), fmt.Sprintf("%v to %v", field.least, field.most)}
			}
			settings = append(settings, s)
		}
		testSettings(t, memsqs.NewQueue, memsqs.Config{Name: "q"}, settings)
	}
}

// Every number has its range, and its ends are in it (0.3, A12.6).
func TestConfigNumbersHaveTheirRanges(t *testing.T) {
	other := newQueue(t, memsqs.Config{})
	size := func(n int) func(*memsqs.Config) { return func(c *memsqs.Config) { c.MaxMessageSize = n } }
	inFlight := func(n int) func(*memsqs.Config) { return func(c *memsqs.Config) { c.MaxInFlight = n } }
	deadLetter := func(q *memsqs.Queue, n int) func(*memsqs.Config) {
		return func(c *memsqs.Config) { c.DeadLetter = &memsqs.DeadLetter{Queue: q, MaxReceiveCount: n} }
	}
	testSettings(t, memsqs.NewQueue, memsqs.Config{Name: "q"}, []setting[memsqs.Config]{
		{size(-1), []string{"MaxMessageSize is -1;", "1024 to 1048576"}},
		{size(1023), []string{"MaxMessageSize is 1023;", "1024 to 1048576"}},
		{size(1024), nil},
		{size(1 << 20), nil},
		{size(1<<20 + 1), []string{"MaxMessageSize is 1048577;", "1024 to 1048576"}},
		{inFlight(-1), []string{"MaxInFlight is -1;", "positive, or 0"}},
		{inFlight(1), nil},
		{inFlight(1 << 40), nil},
		{deadLetter(nil, 1), []string{"Queue of DeadLetter is nil", "must be a queue"}},
		{deadLetter(other, -1), []string{"MaxReceiveCount is -1;", "1 to 1000"}},
		{deadLetter(other, 0), []string{"MaxReceiveCount is 0;", "1 to 1000"}},
		{deadLetter(other, 1), nil},
		{deadLetter(other, 1000), nil},
		{deadLetter(other, 1001), []string{"MaxReceiveCount is 1001;", "1 to 1000"}},
	})
}

// What is set to zero, or in the case of VisibilityTimeout to nil, has its
// default again.
func TestConfigureToZeroIsTheDefault(t *testing.T) {
	q := newQueue(t, memsqs.Config{
		VisibilityTimeout: seconds(1), Retention: time.Hour, MaxMessageSize: 2048, MaxInFlight: 3,
		DeadLetter: &memsqs.DeadLetter{Queue: newQueue(t, memsqs.Config{}), MaxReceiveCount: 4},
	})
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) { *cfg = memsqs.Config{} }))
	require.Equal(t, newQueue(t, memsqs.Config{}).Config(), q.Config())
}

// A FIFO queue's own settings have their ranges too, and so have those that it
// shares with a standard queue.
func TestFIFOConfigBounds(t *testing.T) {
	other := newFIFOQueue(t, memsqs.FIFOConfig{})
	scope := func(s memsqs.DeduplicationScope) func(*memsqs.FIFOConfig) {
		return func(c *memsqs.FIFOConfig) { c.DeduplicationScope = s }
	}
	window := func(d time.Duration) func(*memsqs.FIFOConfig) {
		return func(c *memsqs.FIFOConfig) { c.DeduplicationWindow = d }
	}
	deadLetter := func(q *memsqs.FIFOQueue, n int) func(*memsqs.FIFOConfig) {
		return func(c *memsqs.FIFOConfig) { c.DeadLetter = &memsqs.FIFODeadLetter{Queue: q, MaxReceiveCount: n} }
	}
	testSettings(t, memsqs.NewFIFOQueue, memsqs.FIFOConfig{Name: "fifo", Delay: time.Second}, []setting[memsqs.FIFOConfig]{
		{scope(-1), []string{"DeduplicationScope is -1", "DeduplicateQueue or DeduplicateGroup"}},
		{scope(memsqs.DeduplicateQueue), nil},
		{scope(memsqs.DeduplicateGroup), nil},
		{scope(2), []string{"DeduplicationScope is 2", "DeduplicateQueue or DeduplicateGroup"}},
		{window(-1), []string{"DeduplicationWindow is -1ns", "positive, or 0"}},
		{window(0), nil},
		{window(1), nil},
		{window(1<<63 - 1), nil},
		{deadLetter(nil, 1), []string{"Queue of DeadLetter is nil", "must be a queue"}},
		{deadLetter(other, 0), []string{"MaxReceiveCount is 0", "1 to 1000"}},
		{deadLetter(other, 1), nil},
		{deadLetter(other, 1001), []string{"MaxReceiveCount is 1001", "1 to 1000"}},
		{func(c *memsqs.FIFOConfig) { c.VisibilityTimeout = seconds(-1) }, []string{"VisibilityTimeout is -1s"}},
		{func(c *memsqs.FIFOConfig) { c.Delay = -1 }, []string{"Delay is -1ns"}},
		{func(c *memsqs.FIFOConfig) { c.WaitTime = -1 }, []string{"WaitTime is -1ns"}},
		{func(c *memsqs.FIFOConfig) { c.Retention = 1 }, []string{"Retention is 1ns"}},
		{func(c *memsqs.FIFOConfig) { c.MaxMessageSize = 1 }, []string{"MaxMessageSize is 1;"}},
		{func(c *memsqs.FIFOConfig) { c.MaxInFlight = -1 }, []string{"MaxInFlight is -1"}},
	})
}
