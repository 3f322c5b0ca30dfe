// What became of the files: how it is sent, collected and added up.

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"time"

	"github.com/memsqs/memsqs"
)

// A result is the body of a message on the results queue.
type result struct {
	Outcome outcome
	Folder  string
	Bytes   int64  `json:",omitempty"`
	Sum     []byte `json:",omitempty"` // SHA-256
	Files   int    `json:",omitempty"` // at the end: how many files there are
}

type outcome string

const (
	hashed  outcome = "hashed"
	skipped outcome = "skipped"
	dead    outcome = "dead"
	end     outcome = "end" // of all files, and no file's
)

// send sends what became of a file. The name of the file is the deduplication
// id, so that there is one result for each.
func (p *pipeline) send(ctx context.Context, name string, r result) error {
	r.Folder = show(path.Dir(name))
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = p.results.Send(ctx, memsqs.SendInput{
		Body:            string(body),
		GroupID:         id(r.Folder),
		DeduplicationID: id(name),
	})
	return err
}

// id makes of any text what can be a message group or deduplication id.
func id(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// collect collects results until it has those of all files, or ctx is done.
func (p *pipeline) collect(ctx context.Context) error {
	for !p.tally.complete() {
		if _, err := p.collectSome(ctx, memsqs.ReceiveInput{MaxMessages: 10}); err != nil {
			return err
		}
	}
	return nil
}

// collectRest collects the results that are there.
func (p *pipeline) collectRest() error {
	for {
		n, err := p.collectSome(context.Background(), memsqs.ReceiveInput{MaxMessages: 10, WaitTime: new(time.Duration(0))})
		if n == 0 || err != nil {
			return err
		}
	}
}

// collectSome receives results, counts them and deletes them.
func (p *pipeline) collectSome(ctx context.Context, in memsqs.ReceiveInput) (n int, err error) {
	msgs, err := p.results.Receive(ctx, in)
	if err != nil || len(msgs) == 0 {
		return 0, err
	}
	var handles []string
	for _, m := range msgs {
		var r result
		if err := json.Unmarshal([]byte(m.Body), &r); err != nil {
			return 0, err
		}
		p.tally.add(r)
		handles = append(handles, m.ReceiptHandle)
	}
	return len(msgs), p.results.DeleteBatch(context.WithoutCancel(ctx), handles)
}

// A tally is the sum of results.
type tally struct {
	expected int  // files
	ended    bool // expected is known

	outcomes map[outcome]int
	bytes    int64
	copies   int
	sums     map[string]bool
	folders  map[string]*folder
}

type folder struct {
	name  string
	files int
	bytes int64
}

func (t *tally) complete() bool {
	return t.ended && t.outcomes[hashed]+t.outcomes[skipped]+t.outcomes[dead] == t.expected
}

func (t *tally) add(r result) {
	if t.outcomes == nil {
		t.outcomes = make(map[outcome]int)
		t.sums = make(map[string]bool)
		t.folders = make(map[string]*folder)
	}
	t.outcomes[r.Outcome]++
	switch r.Outcome {
	case end:
		t.expected, t.ended = r.Files, true
	case hashed:
		if t.sums[string(r.Sum)] {
			t.copies++
		}
		t.sums[string(r.Sum)] = true
		f := t.folders[r.Folder]
		if f == nil {
			f = &folder{name: r.Folder}
			t.folders[r.Folder] = f
		}
		f.files++
		f.bytes += r.Bytes
		t.bytes += r.Bytes
	}
}
