package awssqs

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/memsqs/memsqs/sqshttp"
)

// NewClient returns a client whose requests are answered by server inside the
// process, in the goroutine that makes the call: there is no socket and no
// goroutine, so it can be used in a [testing/synctest] bubble.
//
// The client has the server's region and made-up credentials, and calls the
// endpoint that is Amazon's in that region, so that the URLs of queues look as they
// do there. It makes one attempt at each call: what the server answers does not
// change when it is asked again. The optFns are applied to these options; one that
// tests how a program retries sets Retryer, and one that injects faults puts its
// own HTTPClient around the one that it finds. Only the HTTPClient keeps the
// requests in the process: an option that replaces it sends them elsewhere.
//
// A server that verifies signatures wants an option that sets Credentials.
func NewClient(server *sqshttp.Server, optFns ...func(*sqs.Options)) *sqs.Client {
	return sqs.New(sqs.Options{
		Region:      server.API().Region,
		Credentials: aws.CredentialsProviderFunc(madeUp),
		HTTPClient:  server,
		Retryer:     aws.NopRetryer{},
	}, optFns...)
}

// madeUp returns credentials that name no account.
func madeUp(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "memsqs", SecretAccessKey: "memsqs"}, nil
}
