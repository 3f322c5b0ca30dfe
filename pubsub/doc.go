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
// # On Amazon SQS
//
//   - A queue is FIFO if its name ends in ".fifo", which is known at run time. So
//     the compiler does not refuse a standard one for a FIFOTopic; Publish does.
//   - The SDK tries a call three times itself. Attempts and Backoff come on top.
//   - An answer can be lost. On a standard queue the message then comes twice.
//   - A call has a price and takes milliseconds. PublishAll makes them one after
//     the other, with as many messages in each as there are groups, up to ten. For
//     more at a time, call it from several goroutines, with other groups in each.
package pubsub
