// Sending to a FIFO queue: the ids that a message needs (B1), the delay that
// only the queue can set (B2, A2), sequence numbers (B3) and batches (B9).

package memsqs_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// A FIFO message needs a group (B1.1), and a deduplication id unless the queue
// makes one of the body (B1.3). A message without is not stored.
func TestFIFOMessageNeedsItsIDs(t *testing.T) {
	for _, test := range []struct {
		name         string
		contentBased bool
		in           memsqs.SendInput
		want         error
	}{
		{"no group", false, memsqs.SendInput{Body: "a", DeduplicationID: "d"}, memsqs.ErrMissingParameter},
		{"no group, content based", true, memsqs.SendInput{Body: "a"}, memsqs.ErrMissingParameter},
		{"neither id", false, memsqs.SendInput{Body: "a"}, memsqs.ErrMissingParameter},
		{"no deduplication id", false, memsqs.SendInput{Body: "a", GroupID: "g"}, memsqs.ErrInvalidParameterValue},
		{"no deduplication id, content based", true, memsqs.SendInput{Body: "a", GroupID: "g"}, nil},
		{"both ids", false, memsqs.SendInput{Body: "a", GroupID: "g", DeduplicationID: "d"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{Name: "q", ContentBasedDeduplication: test.contentBased})
			result, err := q.Send(t.Context(), test.in)
			if test.want == nil {
				require.NoError(t, err)
				requireCounts(t, q, 1, 0, 0)
				return
			}
			requireRefused(t, q, err, test.want)
			require.Zero(t, result)
			require.Equal(t, memsqs.Stats{Name: "q"}, q.Stats())
		})
	}
}

// idForms are texts that are, or are not, of the form of a group,
// deduplication or attempt id (B1.4, B10.1).
var idForms = []struct {
	name, id string
	ok       bool
}{
	{"one character", "a", true},
	{"128 characters", strings.Repeat("a", 128), true},
	{"129 characters", strings.Repeat("a", 129), false},
	{"letters and digits", "AZaz09", true},
	{"punctuation", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", true},
	{"a space", "a b", false},
	{"a tab", "a\tb", false},
	{"a control character", "a\x7f", false},
	{"a letter beyond ASCII", "ä", false},
	{"invalid UTF-8", "a\xff", false},
}

// Group and deduplication ids are 1 to 128 ASCII letters, digits and
// punctuation (B1.4).
func TestFIFOMessageIDsHaveAForm(t *testing.T) {
	for _, test := range idForms {
		for field, in := range map[string]memsqs.SendInput{
			"group":         {Body: "a", GroupID: test.id, DeduplicationID: "d"},
			"deduplication": {Body: "a", GroupID: "g", DeduplicationID: test.id},
		} {
			t.Run(field+"/"+test.name, func(t *testing.T) {
				q := newFIFOQueue(t, memsqs.FIFOConfig{})
				_, err := q.Send(t.Context(), in)
				if !test.ok {
					requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
					requireCounts(t, q, 0, 0, 0)
					return
				}
				require.NoError(t, err)
				m := receiveOne(t, q)
				require.Equal(t, in.GroupID, m.GroupID)
				require.Equal(t, in.DeduplicationID, m.DeduplicationID)
			})
		}
	}
}

// A FIFO message cannot have a delay of its own, whether or not the queue has
// one (B2.1).
func TestFIFOMessageWithADelayIsRefused(t *testing.T) {
	for _, queueDelay := range []time.Duration{0, 60 * time.Second} {
		for _, delay := range []time.Duration{-1, 1, 2 * time.Second, 15 * time.Minute, 15*time.Minute + 1} {
			q := newFIFOQueue(t, memsqs.FIFOConfig{Delay: queueDelay})
			_, err := q.Send(t.Context(), memsqs.SendInput{Body: "a", GroupID: "g", DeduplicationID: "d", Delay: &delay})
			requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
			requireCounts(t, q, 0, 0, 0)
		}
	}
}

// A FIFO message is delayed by what the queue says, also if it asks for a
// delay of zero (B2.2). The order of its group is kept (B2.3), and while it is
// delayed it is not in flight (A2.4).
func TestFIFOMessageIsDelayedByItsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{Delay: 60 * time.Second, ContentBasedDeduplication: true})
		for _, in := range []memsqs.SendInput{
			{Body: "a", GroupID: "g", Delay: seconds(0)},
			{Body: "b", GroupID: "g"},
			{Body: "c", GroupID: "g", Delay: seconds(0)},
		} {
			_, err := q.Send(t.Context(), in)
			require.NoError(t, err)
		}
		time.Sleep(60*time.Second - 1)
		requireCounts(t, q, 0, 0, 3)
		receiveNone(t, q)
		time.Sleep(1 * time.Nanosecond)
		requireCounts(t, q, 3, 0, 0)
		receiveNamed(t, q, 10, "a", "b", "c")
	})
}

// A change of a FIFO queue's delay counts for the messages that are there, from
// when they were sent (A2.3, B2.3).
func TestChangeOfFIFODelayCountsForMessagesThatAreThere(t *testing.T) {
	const changed = 10 * time.Second // after the send
	for _, test := range []struct {
		name               string
		before, after, due time.Duration
	}{
		{"raised", 15 * time.Second, 20 * time.Second, 20 * time.Second},
		{"lowered", 15 * time.Second, 12 * time.Second, 12 * time.Second},
		{"lowered to what has passed", 15 * time.Second, 5 * time.Second, changed},
		{"lowered to what has just passed", 15 * time.Second, changed, changed},
		{"taken away", 15 * time.Second, 0, changed},
		{"set when there was none", 0, 15 * time.Second, 15 * time.Second},
		{"set to what has passed", 0, 5 * time.Second, changed},
	} {
		runInBubble(t, test.name, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{Delay: test.before})
			sendGroup(t, q, "g", "a", "b")
			time.Sleep(changed)
			require.NoError(t, q.Configure(func(c *memsqs.FIFOConfig) { c.Delay = test.after }))
			if test.due > changed {
				time.Sleep(test.due - changed - 1)
				receiveNone(t, q)
				requireCounts(t, q, 0, 0, 2)
				time.Sleep(1 * time.Nanosecond)
			}
			requireCounts(t, q, 2, 0, 0)
			receiveNamed(t, q, 10, "a", "b")
		})
	}
}

// A change of the delay does not hide a message again that has been received:
// delay comes before the first receive (A2.4).
func TestChangeOfFIFODelayLeavesReceivedMessagesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		sendGroup(t, q, "g", "a", "b")
		m := receiveNamed(t, q, 1, "a")[0]
		require.NoError(t, q.Configure(func(c *memsqs.FIFOConfig) { c.Delay = 5 * time.Minute }))
		requireCounts(t, q, 0, 1, 1)
		require.NoError(t, q.ChangeVisibility(t.Context(), m.ReceiptHandle, 0))
		receiveNamed(t, q, 10, "a")
		require.Equal(t, 30*time.Second, time.Until(q.Peek(1)[0].DueAt))
	})
}

// A parked receive returns the moment a delayed message falls due (A2.5), also
// when the delay is lowered under it.
func TestParkedReceiveReturnsWhenFIFODelayEnds(t *testing.T) {
	for _, test := range []struct {
		name       string
		after, due time.Duration // the change is after 5 s
		want       []string
	}{
		{"unchanged", 10 * time.Second, 10 * time.Second, []string{"a"}},
		{"raised", 15 * time.Second, 15 * time.Second, []string{"a"}},
		{"lowered", 7 * time.Second, 7 * time.Second, []string{"a"}},
		{"lowered to what has passed", 3 * time.Second, 5 * time.Second, []string{"a"}},
		{"raised beyond the wait", 60 * time.Second, 20 * time.Second, nil},
	} {
		runInBubble(t, test.name, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{Delay: 10 * time.Second})
			start := time.Now()
			sendGroup(t, q, "g", "a")
			answers := park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
			time.Sleep(5 * time.Second)
			require.NoError(t, q.Configure(func(c *memsqs.FIFOConfig) { c.Delay = test.after }))
			requireAnswered(t, <-answers, start.Add(test.due), test.want...)
		})
	}
}

// Sequence numbers have 20 digits and increase from send to send (B3). A
// message keeps its number from receive to receive.
func TestSequenceNumbersIncrease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{ContentBasedDeduplication: true})
		sent := make(map[string]string) // by body
		last := ""
		note := func(body string, r memsqs.SendResult) {
			require.Regexp(t, `^[0-9]{20}$`, r.SequenceNumber)
			require.Greater(t, r.SequenceNumber, last)
			sent[body], last = r.SequenceNumber, r.SequenceNumber
		}
		for _, in := range []memsqs.SendInput{{Body: "a", GroupID: "g"}, {Body: "b", GroupID: "h"}, {Body: "c", GroupID: "g"}} {
			r, err := q.Send(t.Context(), in)
			require.NoError(t, err)
			note(in.Body, r)
		}
		results, err := q.SendBatch(t.Context(), []memsqs.SendInput{{Body: "d", GroupID: "h"}, {Body: "e", GroupID: "g"}})
		require.NoError(t, err)
		note("d", results[0])
		note("e", results[1])

		for range 2 {
			msgs := receive(t, q, upTo(10))
			require.Len(t, msgs, 5)
			for _, m := range msgs {
				require.Equal(t, sent[m.Body], m.SequenceNumber)
			}
			time.Sleep(30 * time.Second)
		}
	})
}

// A batch in which a message has no group id, or no deduplication id where it
// needs one, is refused whole, and nothing of it is stored (B1.2, B1.3, B9.1).
func TestFIFOBatchWithAMissingIDIsRefusedWhole(t *testing.T) {
	good := memsqs.SendInput{Body: "a", GroupID: "g", DeduplicationID: "d"}
	for name, bad := range map[string]memsqs.SendInput{
		"no group":            {Body: "b", DeduplicationID: "e"},
		"no deduplication id": {Body: "b", GroupID: "g"},
		"neither":             {Body: "b"},
	} {
		for place, in := range map[string][]memsqs.SendInput{
			"first": {bad, good},
			"last":  {good, bad},
		} {
			t.Run(name+"/"+place, func(t *testing.T) {
				q := newFIFOQueue(t, memsqs.FIFOConfig{})
				results, err := q.SendBatch(t.Context(), in)
				requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
				require.Nil(t, results)
				require.Zero(t, q.Stats())
			})
		}
	}
}

// An entry of a FIFO batch that is wrong in another way fails alone. Those
// after it in its group are not held back (B9.4).
func TestFIFOBatchEntryFailsAlone(t *testing.T) {
	for _, test := range []struct {
		name string
		bad  memsqs.SendInput
		want error
	}{
		{"empty", memsqs.SendInput{}, memsqs.ErrMissingParameter},
		{"too big", memsqs.SendInput{Body: strings.Repeat("b", 1025)}, memsqs.ErrInvalidParameterValue},
		{"characters", memsqs.SendInput{Body: "\x00"}, memsqs.ErrInvalidMessageContents},
		{"delay", memsqs.SendInput{Body: "b", Delay: seconds(1)}, memsqs.ErrInvalidParameterValue},
		{"attribute", memsqs.SendInput{Body: "b", Attributes: map[string]memsqs.Attribute{"x": {}}}, memsqs.ErrInvalidParameterValue},
		{"group id", memsqs.SendInput{Body: "b", GroupID: "g g"}, memsqs.ErrInvalidParameterValue},
		{"deduplication id", memsqs.SendInput{Body: "b", DeduplicationID: "d d"}, memsqs.ErrInvalidParameterValue},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{MaxMessageSize: 1024, ContentBasedDeduplication: true})
			if test.bad.GroupID == "" {
				test.bad.GroupID = "g"
			}
			results, err := q.SendBatch(t.Context(), []memsqs.SendInput{
				{Body: "a", GroupID: "g"}, test.bad, {Body: "c", GroupID: "g"},
			})
			var failed *memsqs.BatchError
			require.ErrorAs(t, err, &failed)
			require.Len(t, failed.Failed, 1)
			requireRefused(t, q, failed.Failed[1], test.want)
			require.Len(t, results, 3)
			require.Zero(t, results[1])

			msgs := receiveNamed(t, q, 10, "a", "c")
			require.Equal(t, results[0].MessageID, msgs[0].ID)
			require.Equal(t, results[2].MessageID, msgs[1].ID)
		})
	}
}

// The messages of a batch come on the queue in the order of the batch (B9.3).
func TestFIFOBatchKeepsItsOrder(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{ContentBasedDeduplication: true})
	var in []memsqs.SendInput
	for _, body := range []string{"g1", "h1", "g2", "h2", "g3", "h3", "h4", "g4", "h5", "g5"} {
		in = append(in, memsqs.SendInput{Body: body, GroupID: body[:1]})
	}
	_, err := q.SendBatch(t.Context(), in)
	require.NoError(t, err)
	receiveNamed(t, q, 10, "g1", "g2", "g3", "g4", "g5", "h1", "h2", "h3", "h4", "h5")
}
