package main

import (
	"cmp"
	"context"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/memsqs/memsqs/awssqs"
)

// open creates the FIFO queue with the given name if there is none, and opens it.
// On Amazon SQS the options of the client would come from the SDK's package config.
func open(ctx context.Context, name string) (*awssqs.Queue, error) {
	client := sqs.New(sqs.Options{
		BaseEndpoint: aws.String(cmp.Or(os.Getenv("SQS_ENDPOINT"), "http://127.0.0.1:9324")),
		Region:       "us-east-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	})
	created, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{
		QueueName:  &name,
		Attributes: map[string]string{"FifoQueue": "true"},
	})
	if err != nil {
		return nil, err
	}
	return awssqs.NewQueue(client, *created.QueueUrl), nil
}
