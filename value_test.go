// Tests that queues and their callers share nothing: what is done to a value
// after it was passed in, or after it was returned, has no effect elsewhere.

package memsqs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// attributes returns the attributes that the messages of these tests have.
func attributes() map[string]memsqs.Attribute {
	return map[string]memsqs.Attribute{
		"text":  {DataType: "String", StringValue: "a"},
		"bytes": {DataType: "Binary", BinaryValue: []byte{1, 2, 3}},
	}
}

// spoil changes attributes in every way in which that can be done.
func spoil(attrs map[string]memsqs.Attribute) {
	clear(attrs["bytes"].BinaryValue)
	delete(attrs, "text")
	attrs["new"] = memsqs.Attribute{DataType: "String", StringValue: "b"}
}

// What the sender does to its input after a send does not change the message.
func TestSentMessageSharesNothingWithTheSender(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		in := memsqs.SendInput{Body: "a", GroupID: "g", Attributes: attributes(), Delay: seconds(0)}
		_, err := q.Send(t.Context(), in)
		require.NoError(t, err)
		spoil(in.Attributes)
		*in.Delay = time.Minute
		require.Equal(t, attributes(), receiveOne(t, q).Attributes)
	})
}

// The same is so for a batch, also if its messages share their attributes.
func TestSentBatchSharesNothingWithTheSender(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		shared := attributes()
		in := []memsqs.SendInput{
			{Body: "a", GroupID: "g", Attributes: shared},
			{Body: "b", GroupID: "g", Attributes: shared},
		}
		_, err := q.SendBatch(t.Context(), in)
		require.NoError(t, err)
		spoil(shared)
		clear(in)

		msgs := receive(t, q, memsqs.ReceiveInput{MaxMessages: 10})
		require.Equal(t, []string{"a", "b"}, bodies(msgs))
		require.Equal(t, attributes(), msgs[0].Attributes)
		spoil(msgs[0].Attributes)
		require.Equal(t, attributes(), msgs[1].Attributes)
	})
}

// What a receiver does to its message is seen neither by later receivers nor
// by Peek, and what is done to what Peek returned is not seen either.
func TestReceivedMessageIsTheReceiversOwn(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: "a", GroupID: "g", Attributes: attributes()})
		require.NoError(t, err)
		for range 2 {
			msgs := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})
			require.Equal(t, attributes(), msgs[0].Attributes)
			spoil(msgs[0].Attributes)
			clear(msgs)

			peeked := q.Peek(1)
			require.Equal(t, attributes(), peeked[0].Attributes)
			spoil(peeked[0].Attributes)
			clear(peeked)
		}
	})
}

// A receive that waits is handed a message of its own by the send, as is the
// next one.
func TestMessageThatIsHandedOverIsTheReceiversOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{})
		in := memsqs.ReceiveInput{VisibilityTimeout: seconds(0), WaitTime: seconds(20)}
		first := park(t.Context(), q, in)
		synctest.Wait()
		second := park(t.Context(), q, in)
		synctest.Wait()
		sent := attributes()
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: "a", Attributes: sent})
		require.NoError(t, err)
		spoil(sent)
		for _, answers := range []<-chan answer{first, second} {
			a := <-answers
			require.Equal(t, attributes(), a.msgs[0].Attributes)
			spoil(a.msgs[0].Attributes)
		}
	})
}

// A dead letter shares nothing with what the receivers in the source got, and
// nor does a message that was redriven with what was got of the dead letter.
func TestMovedMessageSharesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := newQueue(t, memsqs.Config{})
		q := newQueue(t, memsqs.Config{DeadLetter: &memsqs.DeadLetter{Queue: dead, MaxReceiveCount: 1}})
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: "a", Attributes: attributes()})
		require.NoError(t, err)
		spoil(receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})[0].Attributes)
		receiveNone(t, q)
		letter := receive(t, dead, memsqs.ReceiveInput{VisibilityTimeout: seconds(0)})[0]
		require.Equal(t, attributes(), letter.Attributes)
		spoil(letter.Attributes)
		_, err = dead.Redrive(t.Context(), q, 0)
		require.NoError(t, err)
		require.Equal(t, attributes(), receiveOne(t, q).Attributes)
	})
}

// A receive that waits goes by the times that it was called with.
func TestReceiveThatWaitsSharesNothingWithItsCaller(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		in := memsqs.ReceiveInput{VisibilityTimeout: seconds(10), WaitTime: seconds(5)}
		start := time.Now()
		first := park(t.Context(), q, in)
		synctest.Wait()
		second := park(t.Context(), q, in)
		synctest.Wait()
		*in.VisibilityTimeout, *in.WaitTime = 0, time.Hour

		sendEach(t, q, "a")
		a := <-first
		require.Equal(t, 10*time.Second, a.msgs[0].InvisibleUntil.Sub(start))
		requireCounts(t, q, 0, 1, 0)
		requireAnswered(t, <-second, start.Add(5*time.Second))
	})
}

// A queue goes by the configuration that it was made with and that Configure
// has put in force, whatever becomes of the values that these were given as.
func TestConfigurationSharesNothing(t *testing.T) {
	dead, other := newQueue(t, memsqs.Config{}), newQueue(t, memsqs.Config{})
	cfg := memsqs.Config{VisibilityTimeout: seconds(10), DeadLetter: &memsqs.DeadLetter{Queue: dead, MaxReceiveCount: 7}}
	change := func(cfg memsqs.Config) {
		*cfg.VisibilityTimeout = 0
		*cfg.DeadLetter = memsqs.DeadLetter{Queue: other, MaxReceiveCount: 1}
	}
	q := newQueue(t, cfg)
	requireAsMade := func(timeout time.Duration) {
		t.Helper()
		got := q.Config()
		require.Equal(t, timeout, *got.VisibilityTimeout)
		require.Same(t, dead, got.DeadLetter.Queue)
		require.Equal(t, 7, got.DeadLetter.MaxReceiveCount)
	}
	change(cfg)
	requireAsMade(10 * time.Second)
	change(q.Config())
	requireAsMade(10 * time.Second)

	var kept memsqs.Config
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) {
		*cfg.VisibilityTimeout = 20 * time.Second
		kept = *cfg
	}))
	change(kept)
	requireAsMade(20 * time.Second)
	require.ErrorIs(t, q.Configure(func(cfg *memsqs.Config) {
		change(*cfg)
		cfg.Delay = -1
	}), memsqs.ErrInvalidAttributeValue)
	requireAsMade(20 * time.Second)
}

// A FIFO queue does so too.
func TestFIFOConfigurationSharesNothing(t *testing.T) {
	dead, other := newFIFOQueue(t, memsqs.FIFOConfig{}), newFIFOQueue(t, memsqs.FIFOConfig{})
	cfg := memsqs.FIFOConfig{VisibilityTimeout: seconds(10), DeadLetter: &memsqs.FIFODeadLetter{Queue: dead, MaxReceiveCount: 7}}
	q := newFIFOQueue(t, cfg)
	for _, cfg := range []memsqs.FIFOConfig{cfg, q.Config()} {
		*cfg.VisibilityTimeout = 0
		*cfg.DeadLetter = memsqs.FIFODeadLetter{Queue: other, MaxReceiveCount: 1}
		got := q.Config()
		require.Equal(t, 10*time.Second, *got.VisibilityTimeout)
		require.Same(t, dead, got.DeadLetter.Queue)
		require.Equal(t, 7, got.DeadLetter.MaxReceiveCount)
	}
}

// What is done to a batch while and after it is worked off has no effect on
// what was done, and the error of one call is not that of another.
func TestBatchErrorsAreTheCallersOwn(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	handles := []string{"garbage", ""}
	var first, second *memsqs.BatchError
	require.ErrorAs(t, q.DeleteBatch(t.Context(), handles), &first)
	require.ErrorAs(t, q.DeleteBatch(t.Context(), handles), &second)
	clear(handles)
	clear(first.Failed)
	require.ErrorIs(t, second.Failed[0], memsqs.ErrReceiptHandleIsInvalid)
	require.ErrorIs(t, second.Failed[1], memsqs.ErrMissingParameter)
	require.Contains(t, second.Error(), "garbage")
}
