package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// A table is what is printed of a row.
type table struct {
	title  string
	header []string
	lines  [][]string
	note   string
}

// A printer prints tables, as text or as Markdown.
type printer struct {
	w        io.Writer
	markdown bool
}

func (p printer) heading(about string) {
	if p.markdown {
		p.line("# Benchmarks")
		p.line("Printed by `cd bench && go run . -markdown`, with bench/README.md on how to read it.")
	}
	p.line(about)
}

func (p printer) line(text string) { fmt.Fprintf(p.w, "%s\n\n", text) }

func (p printer) table(t table) {
	if p.markdown {
		fmt.Fprintf(p.w, "## %s\n\n", t.title)
		p.markdownLine(t.header)
		fmt.Fprintf(p.w, "|%s\n", strings.Repeat(" --- |", len(t.header)))
		for _, line := range t.lines {
			p.markdownLine(line)
		}
	} else {
		fmt.Fprintf(p.w, "%s\n", t.title)
		tabs := tabwriter.NewWriter(p.w, 0, 0, 3, ' ', 0)
		for _, line := range append([][]string{t.header}, t.lines...) {
			fmt.Fprintf(tabs, "  %s\n", strings.Join(line, "\t"))
		}
		tabs.Flush()
	}
	if t.note != "" {
		fmt.Fprintf(p.w, "\n%s\n", t.note)
	}
	fmt.Fprintln(p.w)
}

func (p printer) markdownLine(cells []string) {
	fmt.Fprintf(p.w, "| %s |\n", strings.Join(cells, " | "))
}

// about says what is measured and where: the versions of the peers and of Go,
// the machine, and the day.
func about() string {
	versions := make(map[string]string)
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			versions[m.Path] = m.Version
		}
	}
	var parts []string
	add := func(module string) {
		if part := module + " " + versions[module]; module != "" && module != memsqsModule && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	for _, p := range peers {
		add(p.module)
	}
	add("github.com/mattn/go-sqlite3")
	add("github.com/google/btree")
	add("github.com/aws/aws-sdk-go-v2/service/sqs")
	add("github.com/Admiral-Piett/goaws")
	parts = append(parts,
		fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH),
		cpuName(),
		fmt.Sprintf("GOMAXPROCS %d", runtime.GOMAXPROCS(0)),
		time.Now().Format(time.DateOnly))
	return strings.Join(parts, ", ")
}

// cpuName returns what Linux calls the processor.
func cpuName() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// none stands for what was not measured.
const none = "-"

// show returns a value that was found, in a format.
func (r results) show(k key, unit string, format func(float64) string) string {
	if over := r[k].over; over > 0 {
		return fmt.Sprintf("> %v", over)
	}
	if v, ok := r[k].values[unit]; ok {
		return format(v)
	}
	return none
}

// time returns a time that was found.
func (r results) time(k key, unit string) string { return r.show(k, unit, duration) }

// number returns a number that was found, without its fraction.
func (r results) number(k key, unit string) string {
	return r.show(k, unit, func(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) })
}

// timeAgainst returns the time of an operation that was found, and in brackets
// how many times as long as base's it is.
func (r results) timeAgainst(k, base key) string {
	return r.time(k, nsPerOp) + r.against(k, base, nsPerOp)
}

// rateAgainst returns the messages per second that were found, and in brackets
// how many times as many base has.
func (r results) rateAgainst(k, base key) string {
	rate := r.show(k, perSecond, func(x float64) string { return thousands(int(x)) })
	return rate + r.against(base, k, perSecond)
}

// against returns the ratio of two values in brackets, if both were found, or
// nothing.
func (r results) against(a, b key, unit string) string {
	x, ok1 := r[a].values[unit]
	y, ok2 := r[b].values[unit]
	if a == b || !ok1 || !ok2 {
		return ""
	}
	return times(x / y)
}

// times returns a ratio in brackets.
func times(ratio float64) string { return " (" + significant(ratio) + "x)" }

// duration returns a number of nanoseconds with three digits and a unit.
func duration(ns float64) string {
	for _, unit := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= unit.ns {
			return significant(ns/unit.ns) + " " + unit.name
		}
	}
	return significant(ns) + " ns"
}

// significant returns a number with up to three digits, or all of its integer
// part.
func significant(x float64) string {
	decimals := 2
	if x > 0 {
		decimals = min(max(2-int(math.Floor(math.Log10(x))), 0), 2)
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// thousands returns n with a comma before every three digits.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
