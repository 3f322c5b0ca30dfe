// Package sqshttp serves queues of package memsqs over the protocols of Amazon SQS,
// so that the clients of SQS can use them: in the process, or over HTTP.
//
// A [Server] is an [http.Handler], which any SDK in any language can call, and has a
// method [Server.Do], with which the client of the AWS SDK for Go calls it without a
// socket:
//
//	server := sqshttp.NewServer(sqshttp.Options{})
//	client := sqs.New(sqs.Options{
//		Region:      "us-east-1",
//		Credentials: credentials.NewStaticCredentialsProvider("any", "any", ""),
//		HTTPClient:  server,
//	})
//	created, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("orders")})
//	_, err = client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: created.QueueUrl, MessageBody: aws.String("hello")})
//	// server.Queue("orders").Stats().Visible is 1
//
// Package awssqs has such a client ready made. What it calls runs in its own
// goroutine, so a program that uses it can be tested in a [testing/synctest]
// bubble, where its long polls and visibility timeouts take no time.
//
// # Protocols
//
// All operations of SQS are served in both of its protocols. A request with an
// X-Amz-Target header, or with content of type application/x-amz-json-1.0, is in AWS
// JSON 1.0, which SDKs speak since the end of 2023; any other is in the Query
// protocol, in which a request is a form and a reply XML. A request on the path of
// a queue is for that queue, unless it names one itself.
//
// # Queues
//
// Queues are made by the operation CreateQueue, or by Go code and [Server.Add]. Go
// code can look into both, or use them beside the clients. As in SQS, queues of
// different regions and accounts are apart. The region of a request is that in the
// scope of its signature, and its account the access key, if that has twelve digits;
// for what a request does not name the server's own are taken. The host in the URL
// of a queue is the one that the client called, and any other is as good.
//
// # Errors
//
// A request that is refused has changed nothing. It is answered with the error that
// SQS has for it: its shape, its code, its status and, where it is known, its text.
// Besides those of the operations there are:
//
//	400 SerializationException         the body breaks off or is not JSON, or a value is not of its type
//	400 UnknownOperationException      there is no such operation; InvalidAction in the Query protocol, and 404 if
//	                                   none is named; 405 if the method is not GET or POST
//	403 AccessDeniedException,         the signature, if it is checked:
//	    UnrecognizedClientException,   see Verify in Options
//	    InvalidSignatureException
//	400 IncompleteSignatureException
//	413 SerializationException         the body is longer than 8 MiB
//	500 InternalFailure                a panic, of which the log says more
//	503 ServiceUnavailableException    the request was cancelled by other than its client
//
// A client that goes away, or cancels its request, ends its long poll. It has then
// taken no message, unless it gave a receive request attempt id, with which it can ask
// for it again.
//
// # Control
//
// If Control is set in Options, a test in any language can control the server itself.
// Replies are in JSON, and a refusal has a Message.
//
//	POST /_memsqs/advance?seconds=90      moves the server's manual clock, and answers
//	POST /_memsqs/advance?duration=1h30m  when all that fell due is done
//	POST /_memsqs/reset                   does what Reset does
//	GET  /_memsqs/peek?queue=NAME&max=10  the first messages with their states: 100, or as many as max says, to 10,000
//	GET  /_memsqs/stats?queue=NAME        the numbers of a queue, with OldestAge in seconds
//	GET  /_memsqs/health                  the time on the server's clock
//
// A queue of another region or account than the server's is named with the parameters
// region and account besides. These requests need no signature.
//
// # Differences from Amazon SQS
//
// The differences of package memsqs are those of this one: numbers are exact, and what
// is changed has its effect at once. Besides, permissions and policies are stored and
// shown, but not enforced; nothing is encrypted; no request is throttled; and
// requests need no signature unless Verify is set. The limits on the form of a request,
// its depth and the lengths of its lists, are the server's own.
package sqshttp
