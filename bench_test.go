package memsqs_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/memsqs/memsqs"
)

// These benchmarks are the rows of the table of speed in the README, which says
// how they are run. Each states the size of what the queue holds, and collects
// the garbage of filling it before the time is taken. In the loops errors are
// checked by hand: require walks the stack in each call, which took 9 % of the
// time of a batch.

const benchBody = "0123456789abcdef"

// BenchmarkCycle measures the life of one message, sent, received and deleted,
// in a standard queue that holds n others.
func BenchmarkCycle(b *testing.B) {
	for _, n := range []int{0, 1_000, 1_000_000} {
		b.Run(fmt.Sprintf("waiting=%d", n), func(b *testing.B) {
			q := newQueue(b, memsqs.Config{})
			fill(b, q, n)
			benchCycle(b, q, func(int) memsqs.SendInput { return memsqs.SendInput{Body: benchBody} })
		})
	}
	for _, n := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprintf("inflight=%d", n), func(b *testing.B) {
			q := newQueue(b, memsqs.Config{MaxInFlight: n + 1, VisibilityTimeout: new(12 * time.Hour)})
			fill(b, q, n)
			hide(b, q, n)
			benchCycle(b, q, func(int) memsqs.SendInput { return memsqs.SendInput{Body: benchBody} })
		})
	}
}

// BenchmarkFIFOCycle is BenchmarkCycle for a FIFO queue: with n groups of one
// message each that wait, and behind one locked group of n messages.
func BenchmarkFIFOCycle(b *testing.B) {
	for _, n := range []int{0, 1_000, 1_000_000} {
		b.Run(fmt.Sprintf("groups=%d", n), func(b *testing.B) {
			q := newFIFOQueue(b, memsqs.FIFOConfig{})
			groups := names("group", n+1)
			fillFIFO(b, q, groups[:n], n)
			benchCycle(b, q, func(i int) memsqs.SendInput {
				return memsqs.SendInput{Body: benchBody, GroupID: groups[(n+i)%(n+1)], DeduplicationID: strconv.Itoa(i)}
			})
		})
	}
	for _, n := range []int{1_000, 1_000_000} {
		b.Run(fmt.Sprintf("locked=%d", n), func(b *testing.B) {
			q := newFIFOQueue(b, memsqs.FIFOConfig{VisibilityTimeout: new(12 * time.Hour)})
			fillFIFO(b, q, []string{"locked"}, n)
			hide(b, q, 1)
			benchCycle(b, q, func(i int) memsqs.SendInput {
				return memsqs.SendInput{Body: benchBody, GroupID: "free", DeduplicationID: strconv.Itoa(i)}
			})
		})
	}
}

// BenchmarkTen measures the life of ten messages that are sent, then received,
// then deleted: in batches, and one at a time.
func BenchmarkTen(b *testing.B) {
	const n = 10
	b.Run("batches", func(b *testing.B) {
		q := newQueue(b, memsqs.Config{})
		in := make([]memsqs.SendInput, n)
		for i := range in {
			in[i].Body = benchBody
		}
		benchTen(b, q, func(ctx context.Context, handles []string) []string {
			if _, err := q.SendBatch(ctx, in); err != nil {
				b.Fatal(err)
			}
			msgs, err := q.Receive(ctx, memsqs.ReceiveInput{MaxMessages: n})
			if err != nil {
				b.Fatal(err)
			}
			for i := range msgs {
				handles = append(handles, msgs[i].ReceiptHandle)
			}
			if err := q.DeleteBatch(ctx, handles); err != nil {
				b.Fatal(err)
			}
			return handles
		})
	})
	b.Run("singly", func(b *testing.B) {
		q := newQueue(b, memsqs.Config{})
		benchTen(b, q, func(ctx context.Context, handles []string) []string {
			fill(b, q, n)
			for range n {
				msgs, err := q.Receive(ctx, memsqs.ReceiveInput{})
				if err != nil || len(msgs) != 1 {
					b.Fatalf("Receive = %d messages, %v; want one", len(msgs), err)
				}
				handles = append(handles, msgs[0].ReceiptHandle)
			}
			for _, h := range handles {
				if err := q.Delete(ctx, h); err != nil {
					b.Fatal(err)
				}
			}
			return handles
		})
	})
}

// benchTen measures a life of ten messages, whose receipt handles life appends
// to a slice.
func benchTen(b *testing.B, q *memsqs.Queue, life func(ctx context.Context, handles []string) []string) {
	ctx := b.Context()
	var handles []string
	b.ReportAllocs()
	for b.Loop() {
		if handles = life(ctx, handles[:0]); len(handles) != 10 {
			b.Fatalf("received %d messages; want 10", len(handles))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*10), "ns/message")
}

// BenchmarkMemory measures what a message that waits takes beyond its body, in
// a FIFO queue with the record of its deduplication id, but without the texts
// of the ids, which are the sender's.
func BenchmarkMemory(b *testing.B) {
	const n = 1_000_000
	ids := names("id", n)
	for _, bm := range []struct {
		name string
		fill func(b *testing.B) any
	}{
		{"standard", func(b *testing.B) any {
			q := newQueue(b, memsqs.Config{})
			fill(b, q, n)
			return q
		}},
		{"fifo/groups=1000", func(b *testing.B) any {
			q := newFIFOQueue(b, memsqs.FIFOConfig{})
			fillFIFOIDs(b, q, ids[:1_000], ids)
			return q
		}},
		{"fifo/groups=1000000", func(b *testing.B) any {
			q := newFIFOQueue(b, memsqs.FIFOConfig{})
			fillFIFOIDs(b, q, ids, ids)
			return q
		}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			before := heapInUse()
			q := bm.fill(b)
			size := heapInUse() - before
			for b.Loop() { // there is nothing to be timed
			}
			b.ReportMetric(float64(size)/n, "B/message")
			runtime.KeepAlive(q)
		})
	}
}

// BenchmarkSendToParked measures a send that is handed to one of n receives
// that wait, until that has returned and waits again.
func BenchmarkSendToParked(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("parked=%d", n), func(b *testing.B) {
			q := newQueue(b, memsqs.Config{WaitTime: 20 * time.Second})
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			received := make(chan string)
			for range n {
				go consume(ctx, q, received)
			}
			for q.Stats().Waiting < n {
				runtime.Gosched()
			}
			runtime.GC()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := q.Send(ctx, memsqs.SendInput{Body: benchBody}); err != nil {
					b.Fatal(err)
				}
				if err := q.Delete(ctx, <-received); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// consume receives until ctx is done, and tells the receipt handles.
func consume(ctx context.Context, q *memsqs.Queue, received chan<- string) {
	for ctx.Err() == nil {
		msgs, _ := q.Receive(ctx, memsqs.ReceiveInput{})
		for _, m := range msgs {
			received <- m.ReceiptHandle
		}
	}
}

// BenchmarkLapse measures the first receive after the visibility timeouts of
// as many messages as can be in flight have ended at one instant.
func BenchmarkLapse(b *testing.B) {
	const n = 120_000
	clock := memsqs.NewManualClock(time.Now())
	q := newQueue(b, memsqs.Config{Clock: clock})
	fill(b, q, n)
	for b.Loop() {
		b.StopTimer()
		hide(b, q, n)
		clock.Advance(time.Minute)
		runtime.GC()
		b.StartTimer()
		msgs, err := q.Receive(b.Context(), memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})
		if err != nil || len(msgs) != 1 {
			b.Fatalf("Receive = %d messages, %v; want one", len(msgs), err)
		}
	}
}

// benchCycle measures sends of the i-th input, receives and deletes.
func benchCycle(b *testing.B, q queue, input func(i int) memsqs.SendInput) {
	ctx := b.Context()
	i := 0
	runtime.GC()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := q.Send(ctx, input(i)); err != nil {
			b.Fatal(err)
		}
		msgs, err := q.Receive(ctx, memsqs.ReceiveInput{})
		if err != nil || len(msgs) != 1 {
			b.Fatalf("Receive = %d messages, %v; want one", len(msgs), err)
		}
		if err := q.Delete(ctx, msgs[0].ReceiptHandle); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

// fill sends n messages to a standard queue.
func fill(b *testing.B, q *memsqs.Queue, n int) {
	for range n {
		if _, err := q.Send(b.Context(), memsqs.SendInput{Body: benchBody}); err != nil {
			b.Fatal(err)
		}
	}
}

// fillFIFO sends n messages to the groups in turn.
func fillFIFO(b *testing.B, q *memsqs.FIFOQueue, groups []string, n int) {
	fillFIFOIDs(b, q, groups, names("fill", n))
}

// fillFIFOIDs sends messages with the given deduplication ids to the groups in
// turn.
func fillFIFOIDs(b *testing.B, q *memsqs.FIFOQueue, groups, ids []string) {
	for i, id := range ids {
		_, err := q.Send(b.Context(), memsqs.SendInput{Body: benchBody, GroupID: groups[i%len(groups)], DeduplicationID: id})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// hide receives n messages.
func hide(b *testing.B, q queue, n int) {
	for n > 0 {
		msgs, err := q.Receive(b.Context(), memsqs.ReceiveInput{MaxMessages: min(n, 10)})
		if err != nil || len(msgs) == 0 {
			b.Fatalf("Receive = %d messages, %v", len(msgs), err)
		}
		n -= len(msgs)
	}
}

// names returns n different names.
func names(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = prefix + strconv.Itoa(i)
	}
	return all
}
