// What the user sees: notes and progress while the program runs, and a report
// in the end.

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/memsqs/memsqs"
)

// A screen shows notes and, in its last line, progress: on a terminal it is
// rewritten, elsewhere it is a new line now and then.
type screen struct {
	out      *os.File
	terminal bool

	mu    sync.Mutex // guards out and dirty
	dirty bool       // the last line is one of progress
}

func newScreen(out *os.File) *screen {
	info, err := out.Stat()
	return &screen{out: out, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

func (s *screen) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	fmt.Fprintf(s.out, format+"\n", args...)
}

func (s *screen) progress(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	if s.terminal {
		fmt.Fprint(s.out, line)
		s.dirty = true
		return
	}
	fmt.Fprintln(s.out, line)
}

// clear removes the line of progress.
func (s *screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
}

// wipe is clear with s.mu held.
func (s *screen) wipe() {
	if s.dirty {
		fmt.Fprint(s.out, "\r\x1b[K")
		s.dirty = false
	}
}

// showProgress shows the numbers of the queues until ctx is done.
func (p *pipeline) showProgress(ctx context.Context) error {
	every := time.Second
	if p.screen.terminal {
		every /= 20
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			s := p.files.Stats()
			p.screen.progress(fmt.Sprintf("%4.1fs  %d files waiting, %d in flight, %d done",
				time.Since(p.started).Seconds(), s.Visible, s.InFlight, s.Deleted))
		}
	}
}

// report prints what was done.
func (p *pipeline) report(out io.Writer) {
	t, took := &p.tally, time.Since(p.started)
	w := newTable(out)
	fmt.Fprintf(w, "files hashed\t%d\n", t.outcomes[hashed])
	fmt.Fprintf(w, "copies of others\t%d\n", t.copies)
	fmt.Fprintf(w, "skipped\t%d\n", t.outcomes[skipped])
	fmt.Fprintf(w, "redeliveries\t%d\n", p.redelivered.Load())
	fmt.Fprintf(w, "dead letters\t%d\n", t.outcomes[dead])
	fmt.Fprintf(w, "bytes\t%s\n", size(float64(t.bytes)))
	fmt.Fprintf(w, "time\t%v\n", took.Round(time.Millisecond))
	fmt.Fprintf(w, "throughput\t%.0f files/s, %s/s\n", float64(t.outcomes[hashed])/took.Seconds(), size(float64(t.bytes)/took.Seconds()))
	w.Flush()
	reportFolders(out, slices.Collect(maps.Values(t.folders)))
	reportQueues(out, p.files.Stats(), p.failed.Stats(), p.results.Stats())
}

func newTable(out io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
}

// reportFolders prints the largest folders.
func reportFolders(out io.Writer, folders []*folder) {
	const most = 5
	if len(folders) == 0 {
		return
	}
	slices.SortFunc(folders, func(a, b *folder) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.name, b.name))
	})
	w := newTable(out)
	fmt.Fprintln(w, "\nFOLDER\tFILES\tBYTES")
	for _, f := range folders[:min(most, len(folders))] {
		fmt.Fprintf(w, "%s\t%d\t%s\n", f.name, f.files, size(float64(f.bytes)))
	}
	if more := len(folders) - most; more > 0 {
		fmt.Fprintf(w, "and %d more\n", more)
	}
	w.Flush()
}

func reportQueues(out io.Writer, queues ...memsqs.Stats) {
	w := newTable(out)
	fmt.Fprintln(w, "\nQUEUE\tSENT\tRECEIVED\tRETURNED\tDEAD-LETTERED\tDELETED\tVISIBLE\tIN FLIGHT")
	for _, s := range queues {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n",
			s.Name, s.Sent, s.Received, s.Returned, s.DeadLettered, s.Deleted, s.Visible, s.InFlight)
	}
	w.Flush()
}

// show returns a file's name as it can be printed in a line.
func show(name string) string {
	if quoted := strconv.Quote(name); quoted != `"`+name+`"` {
		return quoted
	}
	return name
}

// size returns a number of bytes in a unit that suits it.
func size(bytes float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	i := 0
	for bytes >= 1000 && i < len(units)-1 {
		bytes, i = bytes/1000, i+1
	}
	return fmt.Sprintf("%.4g %s", bytes, units[i])
}
