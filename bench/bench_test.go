package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// The benchmarks are the trials of the tables, in the form that benchstat
// reads. Each iteration is one trial; what is reported is the median of them.
// With -short the queues are smaller.

func BenchmarkCycle(b *testing.B)       { benchmark(b, cycleRow) }
func BenchmarkDepth(b *testing.B)       { benchmark(b, depthRow) }
func BenchmarkConcurrency(b *testing.B) { benchmark(b, concurrencyRow) }
func BenchmarkTimers(b *testing.B)      { benchmark(b, timersRow) }
func BenchmarkMemory(b *testing.B)      { benchmark(b, memoryRow) }
func BenchmarkWire(b *testing.B)        { benchmark(b, wireRow) }
func BenchmarkLimit(b *testing.B)       { benchmark(b, limitRow) }
func BenchmarkAlone(b *testing.B)       { benchmark(b, aloneRow) }

func benchmark(b *testing.B, r row) {
	cfg := full
	if testing.Short() {
		cfg = short
	}
	beyond := make(map[key]bool) // series that have taken too long
	for _, t := range r.trials(cfg) {
		b.Run(benchmarkName(r, t.key), func(b *testing.B) {
			if beyond[t.series()] {
				b.Skip("a smaller size took too long")
			}
			var rounds []values
			for b.Loop() {
				v, err := t.once()
				if errors.Is(err, errTooLong) {
					beyond[t.series()] = true
					b.Skip(err)
				}
				if err != nil {
					b.Fatal(err)
				}
				rounds = append(rounds, v)
			}
			b.ReportMetric(0, nsPerOp) // not that of a trial
			for unit, x := range medians(rounds) {
				b.ReportMetric(x, unit)
				if unit == allocsPerOp {
					b.ReportAllocs() // which shows the metric
				}
			}
		})
	}
}

// benchmarkName returns what k is, as sub-benchmarks of the form key=value.
func benchmarkName(r row, k key) string {
	name := fmt.Sprintf("peer=%s/%s=%d", strings.ReplaceAll(k.peer, ",", ""), r.size, k.size)
	if k.situation != "" {
		name = fmt.Sprintf("situation=%s/%s", k.situation, name)
	}
	return name
}
