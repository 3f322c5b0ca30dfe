package awssqs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/pubsub"
	"github.com/memsqs/memsqs/sqshttp"
)

// A consumer on a queue of SQS does the same, in the same seconds, as on one of the
// engine: it handles in order, renews, backs off, and gives up what it has lost.
func TestConsumerDoesTheSameOnAQueueOfSQS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, err := memsqs.NewFIFOQueue(memsqs.FIFOConfig{})
		require.NoError(t, err)
		want := consumed(t, here)

		client := awssqs.NewClient(sqshttp.NewServer(sqshttp.Options{}))
		there := awssqs.NewQueue(client, *create(t, client, "there.fifo", map[string]string{"FifoQueue": "true"}))
		require.Equal(t, want, consumed(t, there))
		require.Equal(t, []string{
			"100 lost a", "100 lost b", "130 failed a", "130 failed a", "130 released b", "130 released a",
			"140 deleted a", "220 deleted b",
		}, want)
	})
}

type consumable interface {
	pubsub.Sender
	pubsub.Receiver
}

// consumed returns what a consumer does with two messages of a group, the first of
// which outlives its lease and then fails.
func consumed(t *testing.T, q consumable) (lines []string) {
	t.Helper()
	for _, body := range []string{"a", "b"} {
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: body, GroupID: "g", DeduplicationID: body})
		require.NoError(t, err)
	}
	began := time.Now()
	note := func(what string, m memsqs.Message) {
		lines = append(lines, fmt.Sprint(int(time.Since(began).Seconds()), " ", what, " ", m.Body))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Second)
	defer cancel()
	require.NoError(t, pubsub.Consumer{
		MaxMessages: 10,
		Queue:       q, MaxVisibility: 100 * time.Second, Backoff: pubsub.Constant(10 * time.Second),
		Logger: slog.New(slog.DiscardHandler),
		Hooks: pubsub.Hooks{
			Failed:    func(m memsqs.Message, _ error, _ time.Duration) { note("failed", m) },
			Deleted:   func(m memsqs.Message, _ time.Duration) { note("deleted", m) },
			Released:  func(m memsqs.Message, _, _ time.Duration) { note("released", m) },
			LeaseLost: func(m memsqs.Message, _ error, _ time.Duration) { note("lost", m) },
		},
		Handler: func(_ context.Context, m memsqs.Message) error {
			switch {
			case m.Body == "a" && m.ReceiveCount == 1:
				time.Sleep(130 * time.Second)
				return errors.New("too late")
			case m.Body == "a" && m.ReceiveCount == 2:
				return errors.New("no")
			case m.Body == "b":
				time.Sleep(80 * time.Second)
			}
			return nil
		},
	}.Run(ctx))
	return lines
}
