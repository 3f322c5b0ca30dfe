// Package pubsub has what a program needs on top of a queue: a [Publisher] that
// sends, a [Consumer] that receives and handles, a [Topic] that sends to many.
//
// All of it is written against small interfaces, [Sender] and [Receiver], which
// a *memsqs.Queue, a *memsqs.FIFOQueue and Amazon SQS by way of package awssqs
// satisfy as they are. So a program moves from one to the other by changing the
// line that makes the queue.
//
// # Sending
//
// The Send of a queue in the process needs no help. A Publisher is for what it
// leaves to the caller:
//
//   - on a FIFO queue, each message needs a group and a deduplication id;
//   - more than ten messages need more than one call;
//   - a queue outside of the process fails at times, and a message must then be
//     sent again, neither twice nor out of order.
//
// # Sending to many
//
// A Topic sends each message to all queues that want it, which a [Filter] says by
// the message's attributes. A [FIFOTopic] does so for FIFO queues, and keeps the
// groups, their order, and the deduplication. Both deliver in Publish itself: when
// that returns without an error, each subscription has the message. Neither
// stores anything, so what has to outlive the process belongs into a queue that
// does.
//
// # Receiving
//
// There are three ways to receive, from the least help to the most:
//
//   - the Receive of a queue, for a program that has its own idea of all the rest;
//   - a loop over [Messages], for one message at a time, each dealt with within the
//     queue's visibility timeout: a tool, a test, a worker whose work is short;
//   - a [Consumer], for everything else. It runs many handlers, keeps their messages
//     from others for as long as they run, has what fails come back later and later,
//     keeps the order of groups, and stops without losing anything.
//
// None of them handles a message exactly once, for no queue can promise that: a
// handler may end just when the process dies. What it does should do no harm when
// it is done again.
//
// # On Amazon SQS
//
//   - A queue is FIFO if its name ends in ".fifo", which is known at run time. So
//     the compiler does not refuse a standard one for a FIFOTopic; Publish does.
//   - The SDK tries a call three times itself. Attempts and Backoff come on top.
//   - An answer can be lost. On a standard queue the message then comes twice.
//   - A call has a price and takes milliseconds. PublishAll makes them one after
//     the other. To a FIFO queue each has as many messages as there are groups, up
//     to ten, for SQS can fail one message of a call and accept those behind it; a
//     Publisher that need not be certain of the order sets FillCalls. For more at
//     a time, call it from several goroutines, with other groups in each.
//   - A Consumer makes one call of a kind at a time, too: ten messages per round trip.
//     To go beyond, run several on one queue.
//   - Durations are rounded up to whole seconds, also a backoff.
//   - A standard queue may hand out a message twice within its visibility timeout, and
//     a poll that is given up when a Consumer stops may take messages along, which
//     come back when that timeout has passed. Both happen there only.
package pubsub
