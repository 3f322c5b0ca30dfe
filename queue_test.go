package memsqs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// A message that is received and not deleted comes back once its visibility
// timeout has passed, and not a nanosecond before.
func TestMessageComesBackAtTheEndOfItsVisibilityTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		send(t, q, "hello")

		first := receiveOne(t, q)
		time.Sleep(30*time.Second - 1)
		receiveNone(t, q)
		time.Sleep(1 * time.Nanosecond)
		second := receiveOne(t, q)

		require.Equal(t, 2, second.ReceiveCount)
		require.NotEqual(t, first.ReceiptHandle, second.ReceiptHandle)
		require.NoError(t, q.Delete(t.Context(), second.ReceiptHandle))
		requireCounts(t, q, 0, 0, 0)
	})
}
