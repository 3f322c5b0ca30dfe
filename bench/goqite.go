package main

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"time"

	_ "github.com/mattn/go-sqlite3"
	"maragu.dev/goqite"
)

// goqiteSchema is what goqite needs in its database. It lacks the trigger of the
// module's own schema, which would cost goqite an update more for each receive.
//
//go:embed goqite.sql
var goqiteSchema string

// goqitePoll is how often a receive looks for a message. That of the module's
// own runner is 100 times as long.
const goqitePoll = time.Millisecond

type goqiteQueue struct {
	q   *goqite.Queue
	db  *sql.DB
	dir string // of its file, if it has one
}

func openGoqiteMemory(int) (queue, error) { return openGoqite(":memory:", "") }

func openGoqiteFile(int) (queue, error) {
	dir, err := os.MkdirTemp("", "goqite")
	if err != nil {
		return nil, err
	}
	return openGoqite(filepath.Join(dir, "queue.db"), dir)
}

// openGoqite opens a database with the settings of goqite's documentation.
func openGoqite(name, dir string) (queue, error) {
	db, err := sql.Open("sqlite3", name+"?_journal=WAL&_timeout=5000&_fk=true")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	_, err = db.Exec(goqiteSchema)
	return goqiteQueue{goqite.New(goqite.NewOpts{DB: db, Name: "bench", Timeout: 12 * time.Hour}), db, dir}, err
}

func (q goqiteQueue) send(ctx context.Context, b body) error {
	return q.q.Send(ctx, goqite.Message{Body: b.bytes})
}

func (q goqiteQueue) sendDelayed(ctx context.Context, b body, delay time.Duration) error {
	return q.q.Send(ctx, goqite.Message{Body: b.bytes, Delay: delay})
}

// fill sends all messages in one transaction.
func (q goqiteQueue) fill(ctx context.Context, b body, n int, delay time.Duration) error {
	background := context.Background()
	tx, err := q.db.BeginTx(background, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	err = repeat(ctx, n, func() error {
		return q.q.SendTx(background, tx, goqite.Message{Body: b.bytes, Delay: delay})
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}

func (q goqiteQueue) receive(ctx context.Context) (delivery, error) {
	m, err := q.q.ReceiveAndWait(ctx, goqitePoll)
	if err != nil {
		return delivery{}, err
	}
	return delivery{body: body{bytes: m.Body}, handle: string(m.ID)}, nil
}

func (q goqiteQueue) delete(ctx context.Context, d delivery) error {
	return q.q.Delete(ctx, goqite.ID(d.handle))
}

// size returns the bytes of the database, which are not on Go's heap.
func (q goqiteQueue) size() (bytes int64, err error) {
	var pages, each int64
	err = errors.Join(
		q.db.QueryRow("pragma page_count").Scan(&pages),
		q.db.QueryRow("pragma page_size").Scan(&each),
	)
	return pages * each, err
}

func (q goqiteQueue) close() error {
	err := q.db.Close()
	if q.dir != "" {
		err = errors.Join(err, os.RemoveAll(q.dir))
	}
	return err
}
