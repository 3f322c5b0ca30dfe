package memsqs_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// The operations of the driver. Each makes its choices by the script, is
// applied to a queue and to its reference, and compares the answers.

// operations are what the driver can do, with weights that add up to 256.
var operations = []struct {
	weight int
	do     func(*driver, *pair)
}{
	{46, (*driver).send},
	{14, (*driver).sendBatch},
	{76, (*driver).receive},
	{20, (*driver).delete},
	{8, (*driver).deleteBatch},
	{22, (*driver).changeVisibility},
	{10, (*driver).changeVisibilityBatch},
	{40, (*driver).wait},
	{10, (*driver).configure},
	{7, (*driver).redrive},
	{1, (*driver).purge},
	{1, (*driver).close},
	{1, (*driver).callTooLate},
}

// step does the next operation of the script.
func (d *driver) step() {
	p := d.pairs[max(0, d.next(len(d.pairs)+2)-2)] // mostly the first
	if p.ref.closed {
		p = pick(&d.script, d.pairs...)
	}
	n := d.next(256)
	for _, op := range operations {
		if n -= op.weight; n < 0 {
			op.do(d, p)
			return
		}
	}
}

func (d *driver) send(p *pair) {
	in := d.sendInput(p)
	got, err := p.Send(d.t.Context(), in)
	d.logf("%s.Send(%s) = %s, %s", p, in, got.MessageID, err)
	m, want := p.ref.send(in)
	d.requireError(want, err)
	d.requireSent(p, m, got)
}

func (d *driver) sendBatch(p *pair) {
	in := make([]memsqs.SendInput, pick(&d.script, 2, 3, 4, 2, 3, 5, 10, 0, 11))
	for i := range in {
		in[i] = d.sendInput(p)
	}
	if len(in) == 2 && d.oneIn(16) {
		in[0].Body, in[1].Body = tooLong, tooLong
	}
	got, err := p.SendBatch(d.t.Context(), in)
	ids := make([]string, len(got))
	for i := range got {
		ids[i] = got[i].MessageID
	}
	d.logf("%s.SendBatch(%s) = %s, %s", p, in, ids, err)
	sent, want := p.ref.sendBatch(in)
	d.requireError(want, err)
	require.Len(d.t, got, len(sent))
	for i, m := range sent {
		d.requireSent(p, m, got[i])
	}
}

// tooLong is a body that a batch can hold once, and not twice.
var tooLong = strings.Repeat("x", 1<<19+1)

// sendInput makes a message, one of sixteen with a mistake.
func (d *driver) sendInput(p *pair) memsqs.SendInput {
	d.bodies++
	in := memsqs.SendInput{Body: fmt.Sprint("body ", d.bodies), GroupID: pick(&d.script, "a", "b", "c")}
	if d.oneIn(8) {
		in.Attributes = map[string]memsqs.Attribute{"name": {DataType: "String", StringValue: "value"}}
		in.TraceHeader = "Root=1"
	}
	if p.fifo == nil {
		in.GroupID = pick(&d.script, "", in.GroupID)
		in.Delay = pick(&d.script, nil, nil, nil, nil, seconds(0), seconds(0), new(time.Duration(1)), seconds(5), seconds(10), seconds(60), seconds(900))
	} else {
		in.Delay = pick(&d.script, nil, nil, seconds(0))
		in.DeduplicationID = fmt.Sprint(d.bodies)
		switch choice := d.next(4); {
		case choice == 0:
			in.DeduplicationID = pick(&d.script, "x", "y", sha256Hex("one"))
		case choice == 1 && p.ref.rules.byContent:
			in.DeduplicationID = ""
			in.Body = pick(&d.script, "one", "two")
		}
	}
	if d.oneIn(16) {
		d.spoil(&in)
	}
	return in
}

// spoil makes one mistake in a message, or sees that what looks like one is
// none.
func (d *driver) spoil(in *memsqs.SendInput) {
	switch d.next(7) {
	case 0:
		in.Body = ""
	case 1:
		in.Body = "\uFFFE"
	case 2:
		in.Body = strings.Repeat("x", 1024+d.next(2)) // none if the limit is higher
	case 3:
		in.Delay = pick(&d.script, new(time.Duration(-1)), new(15*time.Minute+1))
	case 4:
		in.GroupID = "with space"
	case 5:
		in.GroupID = "" // none in a standard queue
	case 6:
		in.DeduplicationID = pick(&d.script, "", "x") // each in one kind of queue
	}
}

func (d *driver) receive(p *pair) {
	in := memsqs.ReceiveInput{
		MaxMessages:       pick(&d.script, 1, 2, 3, 10, 0, 4, 5, 10, 7, 2, 1, 10, 3),
		VisibilityTimeout: d.timeout(),
		WaitTime:          pick(&d.script, nil, seconds(0)),
	}
	if d.oneIn(32) {
		in.MaxMessages = pick(&d.script, -1, 11)
	}
	if p.fifo != nil || d.oneIn(32) {
		in.AttemptID = pick(&d.script, "", "try", "try", "again")
	}
	got, err := p.Receive(d.t.Context(), in)
	handles := make([]string, len(got))
	for i := range got {
		handles[i] = got[i].ReceiptHandle
	}
	d.logf("%s.Receive(max %s, timeout %s, attempt %s) = %s, %s", p, in.MaxMessages, in.VisibilityTimeout, in.AttemptID, handles, err)
	want, wantErr := p.ref.receive(in)
	d.requireError(wantErr, err)
	require.Len(d.t, got, len(want))
	for i, m := range want {
		d.learnHandle(p, m, handles[i])
		require.Equal(d.t, m.Message, got[i])
	}
}

// timeout makes a visibility timeout or nil; one of sixteen is out of range.
func (d *driver) timeout() *time.Duration {
	if d.oneIn(16) {
		return pick(&d.script, new(time.Duration(-1)), new(12*time.Hour+1))
	}
	return pick(&d.script, nil, nil, nil, nil, seconds(0), seconds(0), new(time.Duration(1)),
		seconds(5), seconds(5), seconds(10), seconds(10), seconds(30), seconds(60), seconds(600), new(12*time.Hour))
}

// handle makes a receipt handle, mostly the latest one of a message that is
// there.
func (d *driver) handle(p *pair) string {
	all := p.ref.receipts
	latest := slices.DeleteFunc(slices.Clone(all), func(r refReceipt) bool {
		return r.handle != r.message.ReceiptHandle || !slices.Contains(p.ref.messages, r.message)
	})
	switch choice := d.next(16); {
	case choice == 0:
		return pick(&d.script, "", "garbage", strings.Repeat("A", 38))
	case choice == 1:
		all = pick(&d.script, d.pairs...).ref.receipts
	case choice > 3 && len(latest) > 0:
		all = latest
	}
	if len(all) == 0 {
		return "garbage"
	}
	return pick(&d.script, all[max(0, len(all)-256):]...).handle
}

// handles makes receipt handles, some of them twice.
func (d *driver) handles(p *pair) []string {
	handles := make([]string, pick(&d.script, 2, 3, 4, 2, 3, 5, 10, 0, 11))
	for i := range handles {
		if handles[i] = d.handle(p); i > 0 && d.oneIn(4) {
			handles[i] = handles[i-1]
		}
	}
	return handles
}

func (d *driver) delete(p *pair) {
	handle := d.handle(p)
	err := p.Delete(d.t.Context(), handle)
	d.logf("%s.Delete(%s) = %s", p, handle, err)
	d.requireError(p.ref.delete(handle), err)
}

func (d *driver) deleteBatch(p *pair) {
	handles := d.handles(p)
	err := p.DeleteBatch(d.t.Context(), handles)
	d.logf("%s.DeleteBatch(%s) = %s", p, handles, err)
	d.requireError(p.ref.deleteBatch(handles), err)
}

func (d *driver) changeVisibility(p *pair) {
	c := d.change(p, d.handle(p))
	err := p.ChangeVisibility(d.t.Context(), c.ReceiptHandle, c.Timeout)
	d.logf("%s.ChangeVisibility(%s) = %s", p, c, err)
	d.requireError(p.ref.changeVisibility(c), err)
}

func (d *driver) changeVisibilityBatch(p *pair) {
	var changes []memsqs.VisibilityChange
	for _, handle := range d.handles(p) {
		changes = append(changes, d.change(p, handle))
	}
	err := p.ChangeVisibilityBatch(d.t.Context(), changes)
	d.logf("%s.ChangeVisibilityBatch(%s) = %s", p, changes, err)
	d.requireError(p.ref.changeVisibilityBatch(changes), err)
}

// change makes a change of visibility with the given handle: one of four ends
// when the receive can last no longer, or a nanosecond before or after.
func (d *driver) change(p *pair, handle string) memsqs.VisibilityChange {
	c := memsqs.VisibilityChange{ReceiptHandle: handle}
	if t := d.timeout(); t != nil {
		c.Timeout = *t
	} else if m, _ := p.ref.find(handle); m != nil {
		left := max(0, time.Until(m.receivedAt.Add(12*time.Hour)))
		c.Timeout = pick(&d.script, left, left+1, max(0, left-1))
	}
	return c
}

// wait lets time pass, mostly until just when something happens or a
// nanosecond before.
func (d *driver) wait(*pair) {
	var deadlines []time.Time
	for _, p := range d.pairs {
		deadlines = append(deadlines, p.ref.deadlines()...)
	}
	slices.SortFunc(deadlines, time.Time.Compare)
	deadlines = slices.CompactFunc(deadlines, time.Time.Equal)
	var pause time.Duration
	switch choice := d.next(8); {
	case choice == 0:
		pause = pick(&d.script, 1, time.Second, 5*time.Second, 10*time.Second, 30*time.Second, 5*time.Minute, time.Hour, 12*time.Hour)
	case len(deadlines) > 0:
		within := pick(&d.script, 1, 3, 1, 3, 1, 10)
		pause = time.Until(deadlines[d.next(min(len(deadlines), within))])
	}
	if pause -= pick[time.Duration](&d.script, 0, 0, 1); pause > 0 {
		time.Sleep(pause)
		d.logf("Sleep(%s)", pause)
	}
}

// configure changes one thing in the configuration of a queue.
func (d *driver) configure(p *pair) {
	r, dead := p.ref.rules, p.dead
	switch d.next(11) {
	case 0:
		r.delay = pick(&d.script, 0, 5*time.Second, 10*time.Second, time.Minute, 15*time.Minute+1)
	case 1:
		r.delay = pick(&d.script, append(p.ref.tyingDelays(), r.delay)...)
	case 2:
		r.visibility = pick(&d.script, 0, 10*time.Second, 30*time.Second, 12*time.Hour, 12*time.Hour+1)
	case 3:
		r.retention = pick(&d.script, time.Minute, 2*time.Minute, 96*time.Hour, time.Minute-1)
	case 4:
		r.maxInFlight = pick(&d.script, 1, 3, 1000, -1)
	case 5, 6:
		dead, r.maxReceives = d.anyPair(), d.next(4)
	case 7:
		r.maxSize = pick(&d.script, 1024, 2048)
	case 8:
		r.byContent = !r.byContent
	case 9:
		r.scope = memsqs.DeduplicateGroup - r.scope
	case 10:
		r.window = pick(&d.script, time.Second, time.Minute, 5*time.Minute)
	}
	d.putInForce(p, r, dead)
}

func (d *driver) redrive(*pair) {
	p, to, rate := pick(&d.script, d.pairs...), (*pair)(nil), 0
	if d.oneIn(2) {
		to = d.anyPair()
	}
	if d.oneIn(16) {
		rate = -1
	}
	moved, err := p.redrive(d.t.Context(), to, rate)
	d.logf("%s.Redrive(%s, %s) = %s, %s", p, to, rate, moved, err)
	want, wantErr := p.ref.redrive(to.reference(), rate)
	d.requireError(wantErr, err)
	require.Equal(d.t, want, moved)
}

func (d *driver) purge(p *pair) {
	err := p.Purge(d.t.Context())
	d.logf("%s.Purge() = %s", p, err)
	d.requireError(p.ref.purge(), err)
}

// close closes a queue, but for the last that is open.
func (d *driver) close(p *pair) {
	if slices.ContainsFunc(d.pairs, func(o *pair) bool { return o != p && !o.ref.closed }) {
		d.logf("%s.Close()", p)
		require.NoError(d.t, p.Close())
		p.ref.closed = true
	}
}

// callTooLate makes calls whose context is done, which change nothing.
func (d *driver) callTooLate(p *pair) {
	d.logf("calls to %s with a context that is done", p)
	ctx, cancel := context.WithCancel(d.t.Context())
	cancel()
	_, sendErr := p.Send(ctx, memsqs.SendInput{Body: "late", GroupID: "a", DeduplicationID: "late"})
	_, receiveErr := p.Receive(ctx, memsqs.ReceiveInput{})
	for _, err := range []error{sendErr, receiveErr, p.Delete(ctx, d.handle(p)), p.Purge(ctx)} {
		require.ErrorIs(d.t, err, context.Canceled)
	}
}
