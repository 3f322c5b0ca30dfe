// Command bench measures memsqs beside what a Go program would use instead, in
// one process and one run, and prints the tables of BENCHMARKS.md:
//
//	go run .            everything, in about twelve minutes
//	go run . -quick     smaller queues and shorter measurements, in less than one
//	go run . -markdown  for BENCHMARKS.md
//	go run . -run Depth one table, and the bars that it answers
//
// The same measurements are benchmarks, for benchstat: go test -bench .
//
// A table is made of trials: one peer in one situation. Trials make their own
// queue and do not last long; all of a table are run in turn, A B C A B C, so
// that whatever else the machine does meets all of them. What is shown is the
// median of the rounds.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"
)

// rows are the tables, in the order of BENCHMARKS.md.
var rows = []row{cycleRow, depthRow, concurrencyRow, timersRow, memoryRow, wireRow, limitRow, aloneRow}

// A row is a question: the trials that answer it, and the table that shows the
// answer.
type row struct {
	name   string // of its benchmark, too
	size   string // what the size of its keys is
	rounds int    // if fewer than the config's are enough
	trials func(config) []trial
	table  func(config, results) table
}

func main() {
	quick := flag.Bool("quick", false, "smaller queues and shorter measurements")
	markdown := flag.Bool("markdown", false, "print Markdown")
	run := flag.String("run", "", "run only the tables whose names match this `regexp`")
	flag.Parse()

	only, err := regexp.Compile(*run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: -run:", err)
		os.Exit(2)
	}
	cfg := full
	if *quick {
		cfg = short
	}
	p := printer{w: os.Stdout, markdown: *markdown}
	if err := report(p, os.Stderr, cfg, only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// report measures and prints the tables whose names match only, and the bars.
func report(p printer, progress io.Writer, cfg config, only *regexp.Regexp) error {
	p.heading(about())
	found := make(results)
	start := time.Now()
	for _, r := range rows {
		if !only.MatchString(r.name) {
			continue
		}
		fmt.Fprintf(progress, "%5.0fs %s\n", time.Since(start).Seconds(), r.name)
		rounds := cfg.rounds
		if r.rounds > 0 {
			rounds = min(rounds, r.rounds)
		}
		if err := found.measure(rounds, r.trials(cfg)); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		p.table(r.table(cfg, found))
	}
	p.table(barTable(cfg, found))
	p.line(fmt.Sprintf("Medians of up to %d rounds. Measured in %v.", cfg.rounds, time.Since(start).Round(time.Second)))
	return nil
}
