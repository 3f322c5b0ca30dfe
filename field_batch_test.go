// Scenarios of batches, delays, retention, limits and configuration.

package memsqs_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// A batch can delete one message several times; in a FIFO queue an entry with
// a handle that has expired fails alone. (F55)
func TestBatchDeletesAMessageSeveralTimes(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		sendAny(t, q, "m")
		first := receive(t, q, memsqs.ReceiveInput{VisibilityTimeout: seconds(1)})[0]
		at(t, 2)
		second := receiveOne(t, q)
		err := q.DeleteBatch(t.Context(), handlesOf(first, second, second))
		if _, standard := q.(*memsqs.Queue); standard {
			require.NoError(t, err)
		} else {
			requireFailed(t, q, err, map[int]error{0: memsqs.ErrReceiptHandleExpired})
		}
		requireCounts(t, q, 0, 0, 0)
		require.Equal(t, uint64(1), q.Stats().Deleted)
	})
}

// Entries of a batch fail alone, and the others are applied. (F57)
func TestBatchAppliesWhatIsGood(t *testing.T) {
	onBothKinds(t, nil, func(t *testing.T, q queue) {
		sendAny(t, q, "a", "b", "c", "d")
		msgs := receiveExactly(t, q, "a", "b", "c", "d")
		err := q.DeleteBatch(t.Context(), []string{msgs[0].ReceiptHandle, "garbage", msgs[1].ReceiptHandle})
		requireFailed(t, q, err, map[int]error{1: memsqs.ErrReceiptHandleIsInvalid})
		requireCounts(t, q, 0, 2, 0)

		var changes []memsqs.VisibilityChange
		for _, m := range []memsqs.Message{msgs[2], msgs[0], msgs[3]} {
			changes = append(changes, memsqs.VisibilityChange{ReceiptHandle: m.ReceiptHandle})
		}
		err = q.ChangeVisibilityBatch(t.Context(), changes)
		requireFailed(t, q, err, map[int]error{1: memsqs.ErrMessageGone})
		receiveExactly(t, q, "c", "d")
	})
}

// A queue's MaxMessageSize holds for each message of a batch by itself: one that
// is too large fails alone, and together they can be larger. (F59)
func TestBatchEntryThatIsTooLargeFailsAlone(t *testing.T) {
	q := newQueue(t, memsqs.Config{MaxMessageSize: 1024})
	full, over := strings.Repeat("x", 1024), strings.Repeat("x", 1025)
	results, err := q.SendBatch(t.Context(), []memsqs.SendInput{{Body: full}, {Body: over}})
	requireFailed(t, q, err, map[int]error{1: memsqs.ErrInvalidParameterValue})
	require.NotEmpty(t, results[0].MessageID)
	require.Zero(t, results[1])
	requireCounts(t, q, 1, 0, 0)

	require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.MaxMessageSize = 2048 }))
	_, err = q.SendBatch(t.Context(), []memsqs.SendInput{{Body: full + full}, {Body: "x"}})
	require.NoError(t, err)
	requireCounts(t, q, 3, 0, 0)
}

// A batch of more than 1 MiB is refused as a whole. Names, types and values of
// attributes count. (F59)
func TestBatchThatIsTooLargeIsRefused(t *testing.T) {
	q := newQueue(t, memsqs.Config{})
	attributes := map[string]memsqs.Attribute{"name": {DataType: "String", StringValue: "value"}}
	const attributesSize = len("name" + "String" + "value")
	half := strings.Repeat("x", 1<<19)
	batch := []memsqs.SendInput{{Body: half}, {Body: half[attributesSize:] + "x", Attributes: attributes}}

	results, err := q.SendBatch(t.Context(), batch)
	requireRefused(t, q, err, memsqs.ErrBatchTooLong)
	require.Nil(t, results)
	requireCounts(t, q, 0, 0, 0)

	batch[1].Body = half[attributesSize:]
	_, err = q.SendBatch(t.Context(), batch)
	require.NoError(t, err)
	requireCounts(t, q, 2, 0, 0)
}

// A change of a standard queue's delay has effect on later messages only. (F61)
func TestChangedDelayOfAStandardQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, memsqs.Config{Delay: 100 * time.Second})
		send(t, q, "a")
		at(t, 10)
		require.NoError(t, q.Configure(func(cfg *memsqs.Config) { cfg.Delay = 5 * time.Second }))
		at(t, 20)
		receiveNone(t, q)
		at(t, 101)
		receiveExactly(t, q, "a")
		at(t, 102)
		send(t, q, "b")
		at(t, 106)
		receiveNone(t, q)
		at(t, 107)
		receiveExactly(t, q, "b")
	})
}

// A change of a FIFO queue's delay has effect on the messages that are there:
// they are due the new delay after they were sent. (F61)
func TestChangedDelayOfAFIFOQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shorter := newFIFOQueue(t, memsqs.FIFOConfig{Delay: 100 * time.Second})
		longer := newFIFOQueue(t, memsqs.FIFOConfig{Delay: 100 * time.Second})
		sendGroup(t, shorter, "g", "a")
		sendGroup(t, longer, "g", "a")
		at(t, 10)
		receiveNone(t, shorter)
		require.NoError(t, shorter.Configure(func(cfg *memsqs.FIFOConfig) { cfg.Delay = 5 * time.Second }))
		require.NoError(t, longer.Configure(func(cfg *memsqs.FIFOConfig) { cfg.Delay = 200 * time.Second }))
		at(t, 11)
		receiveExactly(t, shorter, "a")
		at(t, 101)
		receiveNone(t, longer)
		at(t, 201)
		receiveExactly(t, longer, "a")
	})
}

// A parked receive wakes when the delay of its FIFO queue is lowered, at once
// or when the message is due. (F61)
func TestLoweredDelayWakesAPoll(t *testing.T) {
	for delay, second := range map[time.Duration]float64{5 * time.Second: 10, 12 * time.Second: 12} {
		synctest.Test(t, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{Delay: 100 * time.Second})
			sendGroup(t, q, "g", "a")
			poll := park(t.Context(), q, longPoll)
			at(t, 10)
			require.NoError(t, q.Configure(func(cfg *memsqs.FIFOConfig) { cfg.Delay = delay }))
			requireAnsweredAt(t, poll, second, "a")
		})
	}
}

// A FIFO queue refuses a message with a delay of its own; a delay of zero means
// the queue's. In a batch that holds for each entry. (F63)
func TestFIFOMessagesHaveTheQueuesDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{Delay: time.Minute, ContentBasedDeduplication: true})
		_, err := q.Send(t.Context(), memsqs.SendInput{Body: "late", GroupID: "g", Delay: seconds(5)})
		requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
		requireCounts(t, q, 0, 0, 0)

		_, err = q.Send(t.Context(), memsqs.SendInput{Body: "a", GroupID: "g", Delay: seconds(0)})
		require.NoError(t, err)
		sendAny(t, q, "b")
		_, err = q.SendBatch(t.Context(), []memsqs.SendInput{
			{Body: "c", GroupID: "g", Delay: seconds(0)},
			{Body: "late", GroupID: "g", Delay: seconds(5)},
			{Body: "d", GroupID: "g"},
		})
		requireFailed(t, q, err, map[int]error{1: memsqs.ErrInvalidParameterValue})
		at(t, 59)
		receiveNone(t, q)
		requireCounts(t, q, 0, 0, 4)
		at(t, 61)
		receiveExactly(t, q, "a", "b", "c", "d")
	})
}

// The retention of a dead-letter queue counts from when the message was sent in
// a standard queue, and from when it was moved in a FIFO queue. (F65)
func TestRetentionOverADeadLetterMove(t *testing.T) {
	exhaust := func(t *testing.T, source queue) {
		sendAny(t, source, "m")
		at(t, 498)
		receiveOne(t, source)
		at(t, 500)
		receiveNone(t, source)
		at(t, 501)
	}
	common := memsqs.Config{VisibilityTimeout: seconds(1), Retention: 1000 * time.Second}
	t.Run("standard", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			dead := newQueue(t, memsqs.Config{Retention: 400 * time.Second})
			cfg := common
			cfg.DeadLetter = &memsqs.DeadLetter{Queue: dead, MaxReceiveCount: 1}
			exhaust(t, newQueue(t, cfg))
			receiveNone(t, dead)
			require.Equal(t, uint64(1), dead.Stats().Expired)
		})
	})
	t.Run("FIFO", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			dead := newFIFOQueue(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(0), Retention: 400 * time.Second})
			exhaust(t, newFIFOQueue(t, memsqs.FIFOConfig{
				VisibilityTimeout:         common.VisibilityTimeout,
				Retention:                 common.Retention,
				DeadLetter:                &memsqs.FIFODeadLetter{Queue: dead, MaxReceiveCount: 1},
				ContentBasedDeduplication: true,
			}))
			receiveExactly(t, dead, "m")
			at(t, 899)
			receiveExactly(t, dead, "m")
			at(t, 901)
			receiveNone(t, dead)
		})
	})
}

// The retention of a message ends also while it is in flight, whatever has been
// done to it; it is not a dead letter then, and deleting it is no error. (F69)
func TestRetentionEndsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := newQueue(t, memsqs.Config{})
		q := newQueue(t, memsqs.Config{
			Retention:         time.Minute,
			VisibilityTimeout: seconds(60),
			DeadLetter:        &memsqs.DeadLetter{Queue: dead, MaxReceiveCount: 1},
		})
		send(t, q, "a", "b")
		at(t, 5)
		a := receive(t, q, memsqs.ReceiveInput{})[0]
		at(t, 30)
		changeVisibility(t, q, a, *seconds(31))
		at(t, 59)
		requireCounts(t, q, 1, 1, 0)
		for _, second := range []float64{62, 70} {
			at(t, second)
			receiveNone(t, q)
			requireCounts(t, q, 0, 0, 0)
		}
		at(t, 71)
		deleteAll(t, q, a)
		requireCounts(t, dead, 0, 0, 0)
	})
}

// Configuring a queue again, be it with the same values, refused, or by many at
// once, loses neither messages nor changes. What else there is to making a
// queue twice is a matter of names, and those belong to a registry. (F73)
func TestConfiguringIsNeverDestructive(t *testing.T) {
	q := newQueue(t, memsqs.Config{VisibilityTimeout: seconds(30), MaxInFlight: 1})
	send(t, q, "m")
	before := q.Config()
	require.NoError(t, q.Configure(func(*memsqs.Config) {}))
	err := q.Configure(func(cfg *memsqs.Config) { cfg.VisibilityTimeout, cfg.Name = seconds(31), "other" })
	requireRefused(t, q, err, memsqs.ErrInvalidAttributeValue)
	require.Equal(t, before, q.Config())
	requireCounts(t, q, 1, 0, 0)

	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			q.Configure(func(cfg *memsqs.Config) { cfg.MaxInFlight++ })
			q.Send(t.Context(), memsqs.SendInput{Body: fmt.Sprint(i)})
		})
	}
	wg.Wait()
	require.Equal(t, 101, q.Config().MaxInFlight)
	requireCounts(t, q, 101, 0, 0)
}

// When as many messages of a FIFO queue are in flight as it allows, receives
// find none, without an error, until one of them is deleted or lapses. (F77)
func TestFullFIFOQueueIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{MaxInFlight: 5})
		for _, group := range []string{"1", "2", "3", "4", "5", "6", "7"} {
			sendGroup(t, q, group, group)
		}
		msgs := receiveExactly(t, q, "1", "2", "3", "4", "5")
		receiveNone(t, q)
		require.Empty(t, receive(t, q, memsqs.ReceiveInput{WaitTime: seconds(1)}))
		poll := park(t.Context(), q, longPoll)
		at(t, 3)
		deleteAll(t, q, msgs[0])
		requireAnsweredAt(t, poll, 3, "6")
		poll = park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
		at(t, 20)
		changeVisibility(t, q, msgs[1], *seconds(2))
		requireAnsweredAt(t, poll, 22, "7")
	})
}

// A message that breaks a limit is refused and leaves no trace; one that just
// keeps it is taken. (F81)
func TestLimitsOfAMessage(t *testing.T) {
	const largest = 1 << 20
	const attributesSize = len("name" + "String" + "value")
	attributes := map[string]memsqs.Attribute{"name": {DataType: "String", StringValue: "value"}}
	id128 := strings.Repeat("x", 128)
	for name, c := range map[string]struct {
		size       int // of the body
		attributes map[string]memsqs.Attribute
		group, id  string
		want       error // nil if it is taken
	}{
		"empty":                   {0, nil, "g", "D", memsqs.ErrMissingParameter},
		"largest":                 {largest, nil, "g", "D", nil},
		"too large":               {largest + 1, nil, "g", "D", memsqs.ErrInvalidParameterValue},
		"largest, attributes":     {largest - attributesSize, attributes, "g", "D", nil},
		"too large by attributes": {largest - attributesSize + 1, attributes, "g", "D", memsqs.ErrInvalidParameterValue},
		"longest ids":             {1, nil, id128, id128, nil},
		"long group":              {1, nil, id128 + "x", "D", memsqs.ErrInvalidParameterValue},
		"long id":                 {1, nil, "g", id128 + "x", memsqs.ErrInvalidParameterValue},
		"space in group":          {1, nil, "a b", "D", memsqs.ErrInvalidParameterValue},
		"space in id":             {1, nil, "g", "a b", memsqs.ErrInvalidParameterValue},
		"no group":                {1, nil, "", "D", memsqs.ErrMissingParameter},
		"no id":                   {1, nil, "g", "", memsqs.ErrInvalidParameterValue},
	} {
		t.Run(name, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{})
			in := memsqs.SendInput{Body: strings.Repeat("x", c.size), Attributes: c.attributes, GroupID: c.group, DeduplicationID: c.id}
			_, err := q.Send(t.Context(), in)
			if c.want == nil {
				m := receiveOne(t, q)
				require.Equal(t, in, memsqs.SendInput{Body: m.Body, Attributes: m.Attributes, GroupID: m.GroupID, DeduplicationID: m.DeduplicationID})
				return
			}
			requireRefused(t, q, err, c.want)
			require.Equal(t, memsqs.Stats{}, q.Stats())
		})
	}
}
