// Package memsqs provides message queues with the semantics of Amazon SQS, in
// process and in memory.
//
// A [Queue] is a standard queue and a [FIFOQueue] a FIFO queue:
//
//	q, err := memsqs.NewQueue(memsqs.Config{})
//	_, err = q.Send(ctx, memsqs.SendInput{Body: "hello"})
//	msgs, err := q.Receive(ctx, memsqs.ReceiveInput{WaitTime: new(20 * time.Second)})
//	// use msgs
//	err = q.Delete(ctx, msgs[0].ReceiptHandle)
//
// # The life of a message
//
// A message that has been sent is delayed until its delay has passed, and then
// visible. Receiving it puts it in flight: it is hidden from other receives
// until the visibility timeout has passed, and then visible again. It leaves
// the queue when it is deleted with the receipt handle of a receive, when its
// retention has passed, whatever its state, or when it has been received too
// often and there is a dead-letter queue to move it to.
//
// A receiver that does not delete a message in time will see it again, so
// every consumer must be prepared to handle a message twice.
//
// # Groups
//
// In a FIFOQueue the messages of a message group are received in the order in
// which they were sent. While a message is delayed or in flight, those behind
// it in its group are held back; other groups are not affected. A message that
// is sent again, with the same deduplication id within five minutes, is
// accepted and dropped.
//
// # Waiting
//
// A receive with a wait time is a long poll: it returns as soon as there is a
// message, be it sent, come back, or freed by the deletion of one before it.
// Nothing is polled, and receives that wait are served in the order in which
// they came. Cancelling the context of one is safe at any time: it has either
// returned its messages or not touched them.
//
// # Time
//
// Queues read the clock of package time. They start no goroutines, and have no
// timer but while a receive waits or a redrive is under way. So they can be
// tested in a [testing/synctest] bubble, where a visibility timeout of twelve
// hours passes at once; where that is not possible, a [ManualClock] puts time
// into the hands of the test. A queue on package time belongs to the bubble in
// which it was made.
//
// Messages whose time has come change their state when the next method is
// called, as of the instant at which it came. The memory of expired messages is
// freed by then too: a queue on which nothing is called keeps what it has.
//
// # Cost
//
// Every operation on a message takes O(log n) time in a queue of n messages,
// in every state of the queue, and as much again for each message that it finds
// has fallen due, expired, or become a dead letter since the operation before.
// A queue that is dropped is garbage, whatever it holds, and need not be closed.
//
// # Errors
//
// A refused call returns an [*Error], which matches one of the package's Err
// values with [errors.Is] and says what was wrong; it has changed nothing.
// Methods on batches return a [*BatchError] when some of the entries were
// refused. A call whose context is done before it takes effect returns the
// context's error, and has changed nothing either.
//
// # Differences from Amazon SQS
//
// Numbers are exact. A standard queue delivers messages in the order in which
// they became visible, and never twice within a visibility timeout. Attributes
// of a queue take effect at once, and Purge can be called at any time.
// Programs that are also to run on Amazon SQS must not rely on any of this.
//
// Where the documentation of SQS is silent, or leaves room, the methods say
// what happens here. Fairness among the tenants of a standard queue is not
// implemented: a GroupID in a standard queue has no effect on order.
package memsqs
