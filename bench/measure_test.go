package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fixed returns a trial that notes that it was run, and finds what f returns.
func fixed(k key, ran *[]string, f func() (values, error)) trial {
	return trial{k, time.Hour, func(context.Context) (values, error) {
		*ran = append(*ran, fmt.Sprint(k.peer, k.size))
		return f()
	}}
}

// Trials take turns, and what counts is the median of the rounds.
func TestTrialsAreInterleaved(t *testing.T) {
	var ran []string
	times := map[string][]float64{"a": {5, 1, 9}, "b": {2, 2, 3}}
	var trials []trial
	for _, peer := range []string{"a", "b"} {
		trials = append(trials, fixed(key{peer: peer}, &ran, func() (values, error) {
			x := times[peer][0]
			times[peer] = times[peer][1:]
			return values{nsPerOp: x}, nil
		}))
	}
	found := make(results)
	require.NoError(t, found.measure(3, trials))
	require.Equal(t, []string{"a0", "b0", "a0", "b0", "a0", "b0"}, ran)
	require.Equal(t, results{{peer: "a"}: {values: values{nsPerOp: 5}}, {peer: "b"}: {values: values{nsPerOp: 2}}}, found)
}

// A trial that takes too long is not run again, nor are larger sizes; other
// peers are not affected.
func TestTrialsThatTakeTooLongStop(t *testing.T) {
	var ran []string
	quick := func() (values, error) { return values{nsPerOp: 1}, nil }
	slow := func() (values, error) { return nil, errTooLong }
	found := make(results)
	require.NoError(t, found.measure(2, []trial{
		fixed(key{peer: "a", size: 1}, &ran, quick),
		fixed(key{peer: "a", size: 2}, &ran, slow),
		fixed(key{peer: "a", size: 3}, &ran, quick),
		fixed(key{peer: "b", size: 3}, &ran, quick),
	}))
	require.Equal(t, []string{"a1", "a2", "b3", "a1", "b3"}, ran)
	require.Equal(t, results{
		{peer: "a", size: 1}: {values: values{nsPerOp: 1}},
		{peer: "a", size: 2}: {over: time.Hour},
		{peer: "a", size: 3}: {over: time.Hour},
		{peer: "b", size: 3}: {values: values{nsPerOp: 1}},
	}, found)
}

// A slow trial is not repeated when it has taken as long as it may in all.
func TestSlowTrialsAreRepeatedLess(t *testing.T) {
	runs := 0
	found := make(results)
	require.NoError(t, found.measure(5, []trial{{limit: 10 * time.Millisecond, run: func(context.Context) (values, error) {
		runs++
		time.Sleep(6 * time.Millisecond)
		return values{nsPerOp: 1}, nil
	}}}))
	require.Less(t, runs, 3)
}

// A trial is over when its limit has passed, whatever it found; an error that
// has another reason is one.
func TestTrialsHaveALimit(t *testing.T) {
	expired := trial{limit: 1, run: func(ctx context.Context) (values, error) {
		<-ctx.Done()
		return values{}, nil
	}}
	_, err := expired.once()
	require.ErrorIs(t, err, errTooLong)

	broken := trial{limit: 1, run: func(ctx context.Context) (values, error) {
		<-ctx.Done()
		return nil, errClosed
	}}
	_, err = broken.once()
	require.ErrorIs(t, err, errClosed)
}

func TestMedians(t *testing.T) {
	require.Equal(t, values{"x": 3}, medians([]values{{"x": 9}, {"x": 1}, {"x": 3}}))
	require.Equal(t, values{"x": 2}, medians([]values{{"x": 3}, {"x": 1}}))
}

func TestQuantile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i)
	}
	require.Equal(t, []float64{50, 99, 99, 99}, []float64{quantile(hundred, 0.5), quantile(hundred, 0.99), quantile(hundred, 0.999), quantile(hundred, 1)})
}

func TestNumbersAsTheyAreShown(t *testing.T) {
	for want, ns := range map[string]float64{"0.00 ns": 0, "4.20 ns": 4.2, "999 ns": 999, "1.00 µs": 1000, "12.3 µs": 12_345, "1.50 ms": 1.5e6, "61.0 s": 61e9, "1000 s": 1e12} {
		require.Equal(t, want, duration(ns))
	}
	for want, n := range map[string]int{"0": 0, "999": 999, "1,000": 1000, "1,000,000": 1_000_000} {
		require.Equal(t, want, thousands(n))
	}
}

// The whole program runs, every table is printed with as many cells in every
// line, and no bar lacks its measurement but those at depths that are not
// measured here.
func TestReport(t *testing.T) {
	tiny := config{
		rounds:  1,
		each:    time.Millisecond,
		limit:   10 * time.Second,
		depths:  []int{10, 20},
		workers: []int{1, 2},
		stored:  100,
		timers:  100,
		lead:    50 * time.Millisecond,
		spread:  10 * time.Millisecond,
	}
	var out bytes.Buffer
	require.NoError(t, report(printer{w: &out, markdown: true}, io.Discard, tiny, regexp.MustCompile("")))
	for _, r := range rows {
		require.Contains(t, out.String(), "## "+r.name+":")
	}

	found := make(results)
	var without []string
	for _, r := range rows {
		for _, trial := range r.trials(tiny) {
			found[trial.key] = result{values: values{nsPerOp: 1, allocsPerOp: 1, storedBytes: 1, perSecond: 1}}
		}
		shown := r.table(tiny, found)
		for _, line := range shown.lines {
			require.Len(t, line, len(shown.header), shown.title)
		}
	}
	for _, b := range barsOf(tiny) {
		if _, ok := b.measured(found); !ok {
			without = append(without, b.text)
		}
	}
	require.Equal(t, 6, len(without), without) // of three peers with 10,000 messages
	require.True(t, slices.ContainsFunc(barTable(tiny, found).lines, func(line []string) bool { return line[3] == "yes" }))
}
