// Package pubsub has what a program needs on top of a queue: a [Publisher] that
// sends, a Consumer that receives and handles, a [Topic] that sends to many.
//
// All of it is written against small interfaces, [Sender] and [Receiver], which
// a *memsqs.Queue, a *memsqs.FIFOQueue and Amazon SQS by way of package awssqs
// satisfy as they are.
package pubsub
