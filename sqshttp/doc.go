// Package sqshttp serves queues of package memsqs as Amazon SQS does, to its own
// clients.
package sqshttp
