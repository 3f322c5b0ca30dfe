// Package awssqs joins queues of package memsqs and the AWS SDK for Go. It is a
// module of its own, so that nobody else needs the SDK.
//
// There are three ways to use it.
//
// # A client on a server in the process
//
// [NewClient] returns a [*sqs.Client], the SDK's own, whose requests are answered by
// a [sqshttp.Server] without a socket:
//
//	server := sqshttp.NewServer(sqshttp.Options{})
//	client := awssqs.NewClient(server)
//
// It is what a test of a program wants that uses a *sqs.Client. All of the client
// runs as in production: it signs, serializes and checks. And since no call leaves
// its goroutine, the test can be in a [testing/synctest] bubble, where a visibility
// timeout of twelve hours passes at once. The test can look at a queue, or fill it,
// past the client: [sqshttp.Server.Queue] returns it.
//
// # A fake
//
// [NewFake] returns a [Fake], which has every method of a client and calls the same
// queues without requests. It is what a test of a program wants that has defined an
// interface of its own for what it needs of a client, and that had a mock until now.
// A Fake answers as a client does, typed errors included, and in less time.
//
// # Amazon SQS as a queue
//
// [NewQueue] is the other direction: a [Queue] is one of Amazon SQS, with the
// methods of [memsqs.Queue] and [memsqs.FIFOQueue]. It is what a program wants that
// was written for the engine, when one process is not enough:
//
//	q, err := memsqs.NewQueue(memsqs.Config{Name: "orders"})
//
// becomes
//
//	q := awssqs.NewQueue(sqs.NewFromConfig(cfg), "https://sqs.eu-north-1.amazonaws.com/123456789012/orders")
//
// What stands on a queue, such as package pubsub, works with both.
package awssqs
