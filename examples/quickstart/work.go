// Those who work on the queues: one puts files there, some hash them, one takes
// the dead letters.

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/memsqs/memsqs"
)

// What will happen to a message is in an attribute that putFiles gives it.
const (
	accident = "accident"
	crash    = "crash"  // its first receiver dies
	poison   = "poison" // no attempt succeeds
)

var errPoison = errors.New("it is poison")

// putFiles puts every regular file on the queue, and then says how many they
// were.
func (p *pipeline) putFiles(ctx context.Context) error {
	n := 0
	err := fs.WalkDir(p.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && name == ".":
			return err
		case err != nil:
			p.screen.note("%s: skipped: %v", show(name), reason(err))
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		n++
		return p.putFile(ctx, name, n)
	})
	if err != nil {
		return err
	}
	return p.send(ctx, "", result{Outcome: end, Files: n})
}

// putFile puts the nth file on the queue.
func (p *pipeline) putFile(ctx context.Context, name string, n int) error {
	in := memsqs.SendInput{Body: name}
	switch n {
	case 1:
		in.Attributes = map[string]memsqs.Attribute{accident: {DataType: "String", StringValue: crash}}
	case 2:
		in.Attributes = map[string]memsqs.Attribute{accident: {DataType: "String", StringValue: poison}}
	}
	_, err := p.files.Send(ctx, in)
	if errors.Is(err, memsqs.ErrInvalidMessageContents) {
		return p.skip(ctx, name, err) // a name of characters that no message can have
	}
	return err
}

// work hashes files until ctx is done, or it dies. A file that it has received
// it deals with in any case.
func (p *pipeline) work(ctx context.Context) error {
	for {
		msgs, err := p.files.Receive(ctx, memsqs.ReceiveInput{})
		if err != nil {
			return err
		}
		for _, m := range msgs {
			if m.ReceiveCount > 1 {
				p.redelivered.Add(1)
			}
			if m.Attributes[accident].StringValue == crash && m.ReceiveCount == 1 {
				p.screen.note("%s: the worker died; the file comes back in %v", show(m.Body), visibility)
				return nil
			}
			if err := p.handle(context.WithoutCancel(ctx), m); err != nil {
				return err
			}
		}
	}
}

// handle hashes a file. It sends the result before it deletes the message: if
// it were to die in between, that would be sent twice, and be dropped the second
// time.
func (p *pipeline) handle(ctx context.Context, m memsqs.Message) error {
	release := p.hold(ctx, m)
	r, err := p.hash(m)
	release()

	switch {
	case errors.Is(err, errPoison):
		pause := time.Duration(m.ReceiveCount) * 100 * time.Millisecond
		p.screen.note("%s: attempt %d of %d failed: %v", show(m.Body), m.ReceiveCount, attempts, err)
		return p.files.ChangeVisibility(ctx, m.ReceiptHandle, pause)
	case err != nil:
		err = p.skip(ctx, m.Body, err)
	default:
		err = p.send(ctx, m.Body, r)
	}
	if err != nil {
		return err
	}
	return p.files.Delete(ctx, m.ReceiptHandle)
}

// hold keeps m from being received by others, however long it takes, until
// release is called.
func (p *pipeline) hold(ctx context.Context, m memsqs.Message) (release func()) {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		beat := time.NewTicker(visibility / 3)
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
				if p.files.ChangeVisibility(ctx, m.ReceiptHandle, visibility) != nil {
					return // then others may have it
				}
			}
		}
	}()
	return func() {
		stop()
		<-done
	}
}

func (p *pipeline) hash(m memsqs.Message) (result, error) {
	if m.Attributes[accident].StringValue == poison {
		return result{}, errPoison
	}
	f, err := p.root.Open(m.Body)
	if err != nil {
		return result{}, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return result{}, err
	}
	return result{Outcome: hashed, Bytes: n, Sum: h.Sum(nil)}, nil
}

// skip reports a file that cannot be read, now or later.
func (p *pipeline) skip(ctx context.Context, name string, err error) error {
	p.screen.note("%s: skipped: %v", show(name), reason(err))
	return p.send(ctx, name, result{Outcome: skipped})
}

// takeFailed takes the dead letters until ctx is done.
func (p *pipeline) takeFailed(ctx context.Context) error {
	for {
		msgs, err := p.failed.Receive(ctx, memsqs.ReceiveInput{})
		if err != nil {
			return err
		}
		for _, m := range msgs {
			p.screen.note("%s: in the dead-letter queue, by way of %s", show(m.Body), m.DeadLetterSource)
			ctx := context.WithoutCancel(ctx)
			if err := p.send(ctx, m.Body, result{Outcome: dead}); err != nil {
				return err
			}
			if err := p.failed.Delete(ctx, m.ReceiptHandle); err != nil {
				return err
			}
		}
	}
}

// reason returns what is wrong with a file, without its name.
func reason(err error) error {
	if err, ok := errors.AsType[*fs.PathError](err); ok {
		return err.Err
	}
	return err
}
