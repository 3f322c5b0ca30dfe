package awssqs_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/awssqs"
	"github.com/memsqs/memsqs/sqshttp"
)

// A client sends to a server in the process; the test looks into the queue itself.
func ExampleNewClient() {
	ctx := context.Background()
	server := sqshttp.NewServer(sqshttp.Options{Region: "eu-north-1", Account: "123456789012"})
	client := awssqs.NewClient(server)

	queue, err := client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("orders")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*queue.QueueUrl)
	_, err = client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: queue.QueueUrl, MessageBody: aws.String("hello")})
	if err != nil {
		log.Fatal(err)
	}

	for _, m := range server.Queue("orders").Peek(10) {
		fmt.Println(m.State, m.Body)
	}
	// Output:
	// https://sqs.eu-north-1.amazonaws.com/123456789012/orders
	// Visible hello
}

// A Fake has the typed errors of the SDK.
func ExampleNewFake() {
	fake := awssqs.NewFake(sqshttp.NewServer(sqshttp.Options{}))

	_, err := fake.GetQueueUrl(context.Background(), &sqs.GetQueueUrlInput{QueueName: aws.String("orders")})
	var missing *types.QueueDoesNotExist
	fmt.Println(errors.As(err, &missing))
	// Output:
	// true
}

// A program that is written for the methods of a queue runs on the engine, and on
// Amazon SQS when it has outgrown one machine: one line changes.
func ExampleNewQueue() {
	ctx := context.Background()
	engine, err := memsqs.NewQueue(memsqs.Config{Name: "orders"})
	if err != nil {
		log.Fatal(err)
	}

	greet(ctx, engine)
	greet(ctx, awssqs.NewQueue(sqsClient(engine), "https://sqs.us-east-1.amazonaws.com/000000000000/orders"))
	// Output:
	// hello
	// hello
}

// greet is the program.
func greet(ctx context.Context, q interface {
	Send(context.Context, memsqs.SendInput) (memsqs.SendResult, error)
	Receive(context.Context, memsqs.ReceiveInput) ([]memsqs.Message, error)
	Delete(ctx context.Context, receiptHandle string) error
}) {
	if _, err := q.Send(ctx, memsqs.SendInput{Body: "hello"}); err != nil {
		log.Fatal(err)
	}
	msgs, err := q.Receive(ctx, memsqs.ReceiveInput{WaitTime: new(20 * time.Second)})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range msgs {
		fmt.Println(m.Body)
		if err := q.Delete(ctx, m.ReceiptHandle); err != nil {
			log.Fatal(err)
		}
	}
}

// sqsClient stands for sqs.NewFromConfig.
func sqsClient(engine *memsqs.Queue) *sqs.Client {
	server := sqshttp.NewServer(sqshttp.Options{})
	if err := server.Add(engine); err != nil {
		log.Fatal(err)
	}
	return awssqs.NewClient(server)
}
