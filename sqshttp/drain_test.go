package sqshttp_test

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// Drain answers every receive that waits, and with no messages.
func TestDrainEndsLongPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, q := newServer(t)
		start := time.Now()
		var polls sync.WaitGroup
		for range 3 {
			polls.Go(func() {
				a := callJSON(t, s, "ReceiveMessage", longPoll)
				require.Equal(t, http.StatusOK, a.status)
				require.Equal(t, "{}", a.body)
			})
		}
		time.Sleep(5 * time.Second)
		s.Drain()
		polls.Wait()
		require.Equal(t, 5*time.Second, time.Since(start))
		require.Zero(t, q.Stats().Waiting)
	})
}

// A server that drains hands out no messages, and does all else.
func TestDrainedServerHandsOutNoMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, q := newServer(t)
		put(t, q, "a")
		msgs, err := q.Receive(t.Context(), memsqs.ReceiveInput{})
		require.NoError(t, err)
		put(t, q, "b")
		s.Drain()
		s.Drain()

		start := time.Now()
		require.Equal(t, "{}", callJSON(t, s, "ReceiveMessage", longPoll).body)
		require.Zero(t, time.Since(start))

		require.Equal(t, http.StatusOK, callJSON(t, s, "SendMessage", `{"QueueUrl":"q","MessageBody":"c"}`).status)
		require.Equal(t, http.StatusOK, callJSON(t, s, "DeleteMessage", `{"QueueUrl":"q","ReceiptHandle":"`+msgs[0].ReceiptHandle+`"}`).status)
		stats := q.Stats()
		require.Equal(t, [2]int{2, 0}, [2]int{stats.Visible, stats.InFlight})
	})
}

// A server can be used in one bubble after the other.
func TestServerInSeveralBubbles(t *testing.T) {
	s := sqshttp.NewServer(sqshttp.Options{})
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			defer s.Reset()
			callJSON(t, s, "CreateQueue", `{"QueueName":"new"}`)
			require.Equal(t, "{}", callJSON(t, s, "ReceiveMessage", `{"QueueUrl":"new","WaitTimeSeconds":20}`).body)
		})
	}
	s.Drain()
}
