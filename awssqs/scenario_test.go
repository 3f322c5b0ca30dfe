package awssqs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// A scenario is a number of calls to the first of some queues.
type scenario struct {
	rule string
	make func(t *testing.T, clock memsqs.Clock) []sqshttp.Queue
	play func(s *script)
}

// A queue answers the same when it is called itself, by a Fake, by a client in the
// process, and by a client over a socket.
func TestOneAnswerHoweverAQueueIsCalled(t *testing.T) {
	for _, scenario := range append(standardScenarios, fifoScenarios...) {
		t.Run(scenario.rule, func(t *testing.T) {
			want := scenario.run(t, func(_ *sqshttp.Server, q sqshttp.Queue) queue { return q.(queue) })
			require.NotEmpty(t, want)
			for _, c := range connections {
				got := scenario.run(t, func(server *sqshttp.Server, q sqshttp.Queue) queue {
					return awssqs.NewQueue(c.open(t, server), q.Stats().Name)
				})
				require.Equal(t, want, got, c.name)
			}
		})
	}
}

// run returns the answers to the calls, made by way of connect.
func (c scenario) run(t *testing.T, connect func(*sqshttp.Server, sqshttp.Queue) queue) []string {
	clock := memsqs.NewManualClock(start)
	server := sqshttp.NewServer(sqshttp.Options{Clock: clock})
	queues := c.make(t, clock)
	for _, q := range queues {
		require.NoError(t, server.Add(q))
	}
	s := &script{T: t, queue: connect(server, queues[0]), clock: clock, numbers: make(map[string]int)}
	c.play(s)
	return s.answers
}

// standard makes a standard queue.
func standard(cfg memsqs.Config) func(*testing.T, memsqs.Clock) []sqshttp.Queue {
	return func(t *testing.T, clock memsqs.Clock) []sqshttp.Queue {
		cfg.Name, cfg.Clock = "orders", clock
		q, err := memsqs.NewQueue(cfg)
		require.NoError(t, err)
		return []sqshttp.Queue{q}
	}
}

// fifo makes a FIFO queue.
func fifo(cfg memsqs.FIFOConfig) func(*testing.T, memsqs.Clock) []sqshttp.Queue {
	return func(t *testing.T, clock memsqs.Clock) []sqshttp.Queue {
		cfg.Name, cfg.Clock = "orders.fifo", clock
		q, err := memsqs.NewFIFOQueue(cfg)
		require.NoError(t, err)
		return []sqshttp.Queue{q}
	}
}

// deadLettersFirst makes a dead-letter queue, and a source whose message has been
// received too often.
func deadLettersFirst(t *testing.T, clock memsqs.Clock) []sqshttp.Queue {
	dead, err := memsqs.NewQueue(memsqs.Config{Name: "dead", Clock: clock})
	require.NoError(t, err)
	source, err := memsqs.NewQueue(memsqs.Config{
		Name:              "orders",
		VisibilityTimeout: new(time.Duration(0)),
		DeadLetter:        &memsqs.DeadLetter{Queue: dead, MaxReceiveCount: 1},
		Clock:             clock,
	})
	require.NoError(t, err)
	_, err = source.Send(t.Context(), memsqs.SendInput{Body: "hello"})
	require.NoError(t, err)
	for range 2 {
		_, err = source.Receive(t.Context(), memsqs.ReceiveInput{})
		require.NoError(t, err)
	}
	return []sqshttp.Queue{dead, source}
}

// all is a receive of all that there is.
var all = memsqs.ReceiveInput{MaxMessages: 10}
