// Receive request attempt ids: how a receive is repeated, and until when (B10).

package memsqs_test

import (
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// attempt asks for up to ten messages under a receive request attempt id.
func attempt(id string) memsqs.ReceiveInput {
	return memsqs.ReceiveInput{MaxMessages: 10, AttemptID: id}
}

// requireRepeat requires that second is first again, with a visibility timeout
// that ends when the given time from now has passed.
func requireRepeat(t testing.TB, first, second []memsqs.Message, left time.Duration) {
	t.Helper()
	require.NotEmpty(t, first)
	require.Len(t, second, len(first))
	want := slices.Clone(first)
	for i := range want {
		require.Equal(t, left, time.Until(second[i].InvisibleUntil))
		want[i].InvisibleUntil = second[i].InvisibleUntil
	}
	require.Equal(t, want, second)
}

// A receive that is repeated with its attempt id returns the same messages with
// the same handles, and their visibility timeout starts anew (B10.2). It does
// not count as another receive.
func TestReceiveIsRepeatedWithItsAttemptID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		sendNamed(t, q, 0, "g1-m1", "g2-m1", "g1-m2")
		first := receive(t, q, attempt("A"))
		require.Equal(t, []string{"g1-m1", "g1-m2", "g2-m1"}, bodies(first))
		sendNamed(t, q, 0, "g3-m1")
		for range 3 {
			time.Sleep(20 * time.Second)
			requireRepeat(t, first, receive(t, q, attempt("A")), 30*time.Second)
			require.EqualValues(t, 3, q.Stats().Received)
			require.Zero(t, q.Stats().Returned)
			requireCounts(t, q, 1, 3, 0)
		}
		time.Sleep(30*time.Second - 1)
		deleteAll(t, q, first[0])
		time.Sleep(1 * time.Nanosecond)
		msgs := receiveNamed(t, q, 10, "g3-m1", "g1-m2", "g2-m1")
		require.Equal(t, 2, msgs[1].ReceiveCount)
	})
}

// While an attempt can be repeated, receives with another id, or with none, do
// not get its messages (B10.4).
func TestOtherReceivesDoNotGetTheMessagesOfAnAttempt(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	sendNamed(t, q, 0, "g-m1", "g-m2")
	require.Len(t, receive(t, q, memsqs.ReceiveInput{AttemptID: "A"}), 1)
	require.Empty(t, receive(t, q, attempt("B")))
	receiveNone(t, q)
}

// A repeat is known by its id alone: it returns all messages of the attempt,
// whatever it asks for (B10.6). Its visibility timeout is its own.
func TestRepeatIsKnownByItsIDAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		sendNamed(t, q, 0, "g-m1", "g-m2", "g-m3")
		first := receive(t, q, memsqs.ReceiveInput{MaxMessages: 2, AttemptID: "A"})
		for _, in := range []memsqs.ReceiveInput{
			{MaxMessages: 1, AttemptID: "A", VisibilityTimeout: seconds(60)},
			{MaxMessages: 10, AttemptID: "A", VisibilityTimeout: seconds(45)},
		} {
			requireRepeat(t, first, receive(t, q, in), *in.VisibilityTimeout)
		}
		time.Sleep(45*time.Second - 1)
		receiveNone(t, q)
		time.Sleep(1 * time.Nanosecond)
		receiveNamed(t, q, 10, "g-m1", "g-m2", "g-m3")
	})
}

// An attempt is refused once one of its messages has been changed or is gone
// (B10.3). The refusal changes nothing.
func TestAttemptIsRefusedOnceAMessageWasChanged(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message){
		"deleted":     func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message) { deleteAll(t, q, m) },
		"extended":    func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message) { changeVisibility(t, q, m, time.Hour) },
		"shortened":   func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message) { changeVisibility(t, q, m, time.Second) },
		"same":        func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message) { changeVisibility(t, q, m, 30*time.Second) },
		"handed back": func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message) { changeVisibility(t, q, m, 0) },
		"received by another": func(t *testing.T, q *memsqs.FIFOQueue, m memsqs.Message) {
			changeVisibility(t, q, m, 0)
			require.Len(t, receive(t, q, upTo(1)), 1)
		},
		"expired": func(t *testing.T, q *memsqs.FIFOQueue, _ memsqs.Message) {
			require.NoError(t, q.Configure(func(c *memsqs.FIFOConfig) { c.Retention = 60 * time.Second }))
		},
	} {
		for i, place := range []string{"first", "second"} {
			runInBubble(t, name+"/"+place, func(t *testing.T) {
				q := newFIFOQueue(t, memsqs.FIFOConfig{})
				sendNamed(t, q, time.Minute, "g1-m1")
				sendNamed(t, q, 0, "g2-m1")
				first := receive(t, q, attempt("A"))
				change(t, q, first[i])
				before := q.Peek(10)
				for range 2 {
					_, err := q.Receive(t.Context(), attempt("A"))
					requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
				}
				require.Equal(t, before, q.Peek(10))
			})
		}
	}
}

// An attempt is forgotten at the instant at which the visibility timeout of its
// messages has passed; then the same id begins another (B10.2).
func TestAttemptIsForgottenWhenItsVisibilityTimeoutHasPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		in := memsqs.ReceiveInput{AttemptID: "A", VisibilityTimeout: seconds(5)} // not the queue's
		sendNamed(t, q, 0, "g-m1")
		first := receive(t, q, in)
		time.Sleep(5*time.Second - 1)
		requireRepeat(t, first, receive(t, q, in), 5*time.Second)
		time.Sleep(5 * time.Second)
		second := receive(t, q, in)
		require.Len(t, second, 1)
		require.Equal(t, 2, second[0].ReceiveCount)
		require.NotEqual(t, first[0].ReceiptHandle, second[0].ReceiptHandle)
		requireRepeat(t, second, receive(t, q, in), 5*time.Second)

		time.Sleep(5 * time.Second)
		third := receive(t, q, in)
		require.Len(t, third, 1)
		require.Equal(t, 3, third[0].ReceiveCount)
		time.Sleep(5 * time.Second)
		receiveOne(t, q)
		require.Empty(t, receive(t, q, in), "it belongs to another now")
	})
}

// An attempt with a visibility timeout of zero cannot be repeated: the next
// receive with its id is another.
func TestAttemptWithATimeoutOfZeroIsNotRepeated(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(0)})
	sendNamed(t, q, 0, "g-m1")
	for count := range 3 {
		msgs := receive(t, q, attempt("A"))
		require.Len(t, msgs, 1)
		require.Equal(t, count+1, msgs[0].ReceiveCount)
	}
}

// An attempt is forgotten after 5 minutes, from the receive and not from its
// repeats, also while its messages are in flight (B10.2).
func TestAttemptIsForgottenAfterFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(600)})
		sendNamed(t, q, 0, "g1-m1")
		first := receive(t, q, attempt("A"))
		for _, wait := range []time.Duration{2 * time.Minute, 3*time.Minute - 1} {
			time.Sleep(wait)
			requireRepeat(t, first, receive(t, q, attempt("A")), 600*time.Second)
		}
		time.Sleep(1 * time.Nanosecond)
		require.Empty(t, receive(t, q, attempt("A")))
		requireCounts(t, q, 0, 1, 0)
		sendNamed(t, q, 0, "g2-m1")
		require.Equal(t, []string{"g2-m1"}, bodies(receive(t, q, attempt("A"))))
	})
}

// A purge forgets attempts: the next receive with the id is another.
func TestPurgeForgetsAttempts(t *testing.T) {
	q := newFIFOQueue(t, memsqs.FIFOConfig{})
	sendNamed(t, q, 0, "g-m1")
	require.Len(t, receive(t, q, attempt("A")), 1)
	require.NoError(t, q.Purge(t.Context()))
	require.Empty(t, receive(t, q, attempt("A")))
	sendNamed(t, q, 0, "g-m2")
	require.Equal(t, []string{"g-m2"}, bodies(receive(t, q, attempt("A"))))
}

// An empty answer is not remembered under an attempt id (B10.6), and what a
// parked receive is handed is remembered as any other answer.
func TestOnlyAnAnswerWithMessagesIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		require.Empty(t, receive(t, q, attempt("A")))
		start := time.Now()
		in := memsqs.ReceiveInput{MaxMessages: 10, AttemptID: "A", WaitTime: seconds(20)}
		require.Empty(t, receive(t, q, in))
		require.Equal(t, 20*time.Second, time.Since(start))

		answers := park(t.Context(), q, in)
		time.Sleep(3 * time.Second)
		sendNamed(t, q, 0, "g-m1")
		got := <-answers
		requireAnswered(t, got, start.Add(23*time.Second), "g-m1")
		time.Sleep(20 * time.Second)
		requireRepeat(t, got.msgs, receive(t, q, in), 30*time.Second)
	})
}

// Two receives that are parked with the same attempt id are one attempt.
func TestParkedReceivesWithOneAttemptIDGetTheSameMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		in := memsqs.ReceiveInput{AttemptID: "A", WaitTime: seconds(20)}
		first, second := park(t.Context(), q, in), park(t.Context(), q, in)
		synctest.Wait()
		sendNamed(t, q, 0, "g-m1", "g-m2")
		requireRepeat(t, (<-first).msgs, (<-second).msgs, 30*time.Second)
		require.EqualValues(t, 1, q.Stats().Received)
	})
}

// A repeat does not take a message beyond the 12 hours that a receive may have
// in all (A6.9).
func TestRepeatKeepsToTwelveHoursInAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const all = 12 * time.Hour
		q := newFIFOQueue(t, memsqs.FIFOConfig{VisibilityTimeout: new(all)})
		sendNamed(t, q, 0, "g-m1")
		first := receive(t, q, attempt("A"))
		require.Len(t, first, 1)
		for range 2 {
			time.Sleep(time.Minute)
			left := time.Until(first[0].InvisibleUntil)
			requireRepeat(t, first, receive(t, q, attempt("A")), left)
		}
		time.Sleep(all - 2*time.Minute - 1)
		receiveNone(t, q)
		time.Sleep(1 * time.Nanosecond)
		require.Equal(t, 2, receiveOne(t, q).ReceiveCount)
	})
}

// A repeat does not bring a message nearer to the dead-letter queue.
func TestRepeatDoesNotCountTowardDeadLettering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		letters := newFIFOQueue(t, memsqs.FIFOConfig{})
		q := newFIFOQueue(t, memsqs.FIFOConfig{DeadLetter: &memsqs.FIFODeadLetter{Queue: letters, MaxReceiveCount: 2}})
		sendNamed(t, q, 0, "g-m1")
		first := receive(t, q, attempt("A"))
		for range 5 {
			requireRepeat(t, first, receive(t, q, attempt("A")), 30*time.Second)
		}
		time.Sleep(30 * time.Second)
		require.Equal(t, 2, receiveOne(t, q).ReceiveCount)
		time.Sleep(30 * time.Second)
		receiveNone(t, q)
		requireCounts(t, letters, 1, 0, 0)
	})
}

// An attempt id is 1 to 128 ASCII letters, digits and punctuation (B10.1), and
// a standard queue takes none (B10.5).
func TestAttemptIDHasAForm(t *testing.T) {
	for _, test := range idForms {
		t.Run(test.name, func(t *testing.T) {
			q := newFIFOQueue(t, memsqs.FIFOConfig{})
			_, err := q.Receive(t.Context(), attempt(test.id))
			if test.ok {
				require.NoError(t, err)
			} else {
				requireRefused(t, q, err, memsqs.ErrInvalidParameterValue)
			}
			standard := newQueue(t, memsqs.Config{Name: "standard"})
			_, err = standard.Receive(t.Context(), attempt(test.id))
			requireRefused(t, standard, err, memsqs.ErrNotFIFO)
			require.ErrorIs(t, err, memsqs.ErrInvalidParameterValue)
		})
	}
}

// A queue remembers the attempts of 5 minutes and no more.
func TestAttemptMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{VisibilityTimeout: seconds(0)})
		sendNamed(t, q, 0, "g-m1")
		before := heapInUse()
		for i := range 20_000 {
			receive(t, q, attempt(strconv.Itoa(i)))
		}
		full := heapInUse()
		time.Sleep(5 * time.Minute)
		q.Stats() // brings the queue to the present
		require.Less(t, heapInUse(), (before+full)/2)
	})
}

// A receive that waits with the attempt id of one that is answered gets the same
// answer, also when others have waited for longer.
func TestRepeatDoesNotWaitForItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFIFOQueue(t, memsqs.FIFOConfig{})
		attempt := memsqs.ReceiveInput{AttemptID: "x", WaitTime: seconds(20)}
		first := park(t.Context(), q, attempt)
		synctest.Wait()
		other := park(t.Context(), q, memsqs.ReceiveInput{WaitTime: seconds(20)})
		synctest.Wait()
		again := park(t.Context(), q, attempt)
		synctest.Wait()

		sendGroup(t, q, "g", "a")
		a, b := <-first, <-again
		require.NoError(t, b.err)
		require.Len(t, b.msgs, 1)
		require.Equal(t, a.msgs, b.msgs)
		require.Equal(t, a.at, b.at)
		require.Empty(t, (<-other).msgs)
	})
}
