package pubsub

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/memsqs/memsqs"
)

// A track holds the messages of one group of a FIFO queue, in the order in which
// they are to be handled, or one message of a standard queue.
//
// Only the first of a track is being handled, or deleted, or released; the others
// wait for it to leave, or are being given back. A track that is empty is gone.
type track struct {
	key  trackKey
	jobs []*job
}

// A trackKey is the group of a FIFO message, or the serial number of the job
// of a message that has no others to wait for.
type trackKey struct {
	group  string
	serial uint64
}

// A job is a message that the desk has received: one receive of it.
type job struct {
	memsqs.Message
	track    *track
	serial   uint64 // in order of receipt
	received time.Time
	lease

	fate  fate
	end   context.CancelCauseFunc // of the handler's context, while the handler runs
	after time.Duration           // of a job to be released: how long it is hidden then

	inCall  bool          // a call to delete it is under way
	inLine  bool          // on the line of changes
	ending  bool          // the latest change is to end the lease
	asked   time.Duration // the visibility timeout of the latest change
	askedAt time.Time
}

// A fate is what is to become of a job.
type fate int

const (
	waiting   fate = iota // for those before it in its track
	handling              // its handler runs; its lease may be lost already
	deleting              // the handler is done
	releasing             // to others, or to be received again
	settled               // it has left its track
)

// isFIFO reports whether m is from a FIFO queue, which numbers its messages.
func (m *job) isFIFO() bool { return m.SequenceNumber != "" }

// isOver reports whether nothing is to be asked of the queue for m any more.
func (m *job) isOver() bool { return m.lost || m.fate == settled }

// newJob returns a job of a message that was received at the given time,
// with the track that it belongs to.
func (d *desk) newJob(m memsqs.Message, received time.Time) *job {
	d.serial++
	j := &job{Message: m, serial: d.serial, received: received}
	key := trackKey{serial: d.serial}
	if j.isFIFO() {
		key = trackKey{group: m.GroupID}
	}
	j.track = d.tracks[key]
	if j.track == nil {
		j.track = &track{key: key}
		d.tracks[key] = j.track
	}
	return j
}

// admit puts m at the end of its track.
func (d *desk) admit(m *job) {
	d.hold(m)
	m.track.jobs = append(m.track.jobs, m)
	d.proceed(m.track)
}

// leave takes m, of which nothing is to become any more, out of its track.
func (d *desk) leave(m *job) {
	d.leases.remove(m)
	m.fate = settled
	t := m.track
	t.jobs = slices.DeleteFunc(t.jobs, func(o *job) bool { return o == m })
	if len(t.jobs) == 0 {
		delete(d.tracks, t.key)
		return
	}
	d.proceed(t)
}

// proceed starts the first of a track, if that waits to be started.
func (d *desk) proceed(t *track) {
	if m := t.jobs[0]; m.fate == waiting && !d.stopping {
		d.start(m)
	}
}

// behind returns the jobs behind m in its track, last first.
func (m *job) behind() []*job {
	jobs := m.track.jobs
	rest := slices.Clone(jobs[slices.Index(jobs, m)+1:])
	slices.Reverse(rest)
	return rest
}

// waiting returns the jobs that have not been started, last first.
func (d *desk) waiting() []*job {
	return slices.DeleteFunc(d.all(), func(m *job) bool { return m.fate != waiting })
}

// all returns all jobs, last first.
func (d *desk) all() []*job {
	var all []*job
	for _, t := range d.tracks {
		all = append(all, t.jobs...)
	}
	slices.SortFunc(all, func(a, b *job) int { return cmp.Compare(b.serial, a.serial) })
	return all
}
