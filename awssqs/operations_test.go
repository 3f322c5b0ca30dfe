package awssqs_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/internal/api"
	"github.com/memsqs/memsqs/sqshttp"
)

// Every operation does what it does in SQS, however the SDK calls it.
func TestEveryOperation(t *testing.T) {
	for _, c := range connections {
		t.Run(c.name, func(t *testing.T) {
			called := make(map[string]bool)
			server := sqshttp.NewServer(sqshttp.Options{Region: "eu-north-1", Account: "123456789012", Relaxed: true})
			client := c.open(t, server, recordCalls(called))
			callQueues(t, client)
			callAttributes(t, client)
			callMessages(t, client)
			callBatches(t, client)
			callMoves(t, client)
			operations(t, func(t *testing.T, op *api.Operation, _, _ reflect.Type) { require.True(t, called[op.Name]) })
		})
	}
}

// recordCalls is an option that notes the operations which are called.
func recordCalls(called map[string]bool) func(*sqs.Options) {
	note := middleware.InitializeMiddlewareFunc("note", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
		middleware.InitializeOutput, middleware.Metadata, error,
	) {
		called[middleware.GetOperationName(ctx)] = true
		return next.HandleInitialize(ctx, in)
	})
	return sqs.WithAPIOptions(func(stack *middleware.Stack) error {
		return stack.Initialize.Add(note, middleware.After)
	})
}

// callQueues calls the operations on queues.
func callQueues(t *testing.T, c everyMethod) {
	ctx := t.Context()
	created, err := c.CreateQueue(ctx, &sqs.CreateQueueInput{
		QueueName:  aws.String("orders"),
		Attributes: map[string]string{"VisibilityTimeout": "5"},
		Tags:       map[string]string{"team": "a", "cost": "b"},
	})
	require.NoError(t, err)
	id, ok := awsmiddleware.GetRequestIDMetadata(created.ResultMetadata)
	require.True(t, ok)
	require.NotEmpty(t, id)
	url := created.QueueUrl
	create(t, c, "other", nil)

	named, err := c.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("orders"), QueueOwnerAWSAccountId: aws.String("123456789012")})
	require.NoError(t, err)
	require.Equal(t, url, named.QueueUrl)

	page, err := c.ListQueues(ctx, &sqs.ListQueuesInput{MaxResults: aws.Int32(1)})
	require.NoError(t, err)
	require.Equal(t, []string{*url}, page.QueueUrls)
	page, err = c.ListQueues(ctx, &sqs.ListQueuesInput{MaxResults: aws.Int32(1), NextToken: page.NextToken})
	require.NoError(t, err)
	require.Len(t, page.QueueUrls, 1)
	require.Nil(t, page.NextToken)
	page, err = c.ListQueues(ctx, &sqs.ListQueuesInput{QueueNamePrefix: aws.String("none")})
	require.NoError(t, err)
	require.Nil(t, page.QueueUrls)

	tags, err := c.ListQueueTags(ctx, &sqs.ListQueueTagsInput{QueueUrl: url})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"team": "a", "cost": "b"}, tags.Tags)
	_, err = c.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: url})
	require.NoError(t, err)
}

// callAttributes calls the operations on what a queue has beside its messages.
func callAttributes(t *testing.T, c everyMethod) {
	ctx := t.Context()
	url := create(t, c, "attributes", map[string]string{"VisibilityTimeout": "5"})
	_, err := c.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: url, Attributes: map[string]string{"DelaySeconds": "0"}})
	require.NoError(t, err)
	_, err = c.AddPermission(ctx, &sqs.AddPermissionInput{
		QueueUrl: url, Label: aws.String("mine"), AWSAccountIds: []string{"210987654321"}, Actions: []string{"SendMessage"},
	})
	require.NoError(t, err)
	attributes, err := c.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: url, AttributeNames: []types.QueueAttributeName{"QueueArn", "VisibilityTimeout", "Policy"},
	})
	require.NoError(t, err)
	require.Equal(t, "arn:aws:sqs:eu-north-1:123456789012:attributes", attributes.Attributes["QueueArn"])
	require.Equal(t, "5", attributes.Attributes["VisibilityTimeout"])
	require.Contains(t, attributes.Attributes["Policy"], "210987654321")
	_, err = c.RemovePermission(ctx, &sqs.RemovePermissionInput{QueueUrl: url, Label: aws.String("mine")})
	require.NoError(t, err)

	_, err = c.TagQueue(ctx, &sqs.TagQueueInput{QueueUrl: url, Tags: map[string]string{"team": "a", "cost": "b"}})
	require.NoError(t, err)
	_, err = c.UntagQueue(ctx, &sqs.UntagQueueInput{QueueUrl: url, TagKeys: []string{"cost"}})
	require.NoError(t, err)
	tags, err := c.ListQueueTags(ctx, &sqs.ListQueueTagsInput{QueueUrl: url})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"team": "a"}, tags.Tags)
}

// callMessages calls the operations on one message.
func callMessages(t *testing.T, c everyMethod) {
	ctx := t.Context()
	url := create(t, c, "messages", nil)
	values := map[string]types.MessageAttributeValue{
		"text":  {DataType: aws.String("String"), StringValue: aws.String("é")},
		"bytes": {DataType: aws.String("Binary"), BinaryValue: []byte{0, 0xff}},
	}
	trace := map[string]types.MessageSystemAttributeValue{
		"AWSTraceHeader": {DataType: aws.String("String"), StringValue: aws.String("Root=1-5759e988-bd862e3fe1be46a994272793")},
	}
	sent, err := c.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: url, MessageBody: aws.String("hello"), MessageAttributes: values, MessageSystemAttributes: trace,
	})
	require.NoError(t, err)
	require.Equal(t, "5d41402abc4b2a76b9719d911017c592", *sent.MD5OfMessageBody)
	require.NotNil(t, sent.MD5OfMessageAttributes)
	require.NotNil(t, sent.MD5OfMessageSystemAttributes)
	require.Nil(t, sent.SequenceNumber)

	received, err := c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: url, MessageAttributeNames: []string{"All"}, MessageSystemAttributeNames: []types.MessageSystemAttributeName{"All"},
	})
	require.NoError(t, err)
	require.Len(t, received.Messages, 1)
	m := received.Messages[0]
	require.Equal(t, sent.MessageId, m.MessageId)
	require.Equal(t, "hello", *m.Body)
	require.Equal(t, values, m.MessageAttributes)
	require.Equal(t, sent.MD5OfMessageAttributes, m.MD5OfMessageAttributes)
	require.Equal(t, "1", m.Attributes["ApproximateReceiveCount"])
	require.Equal(t, *trace["AWSTraceHeader"].StringValue, m.Attributes["AWSTraceHeader"])
	callHandles(t, c, url, m.ReceiptHandle)
}

// callHandles calls the operations on the only message of a queue, and on what is
// left then.
func callHandles(t *testing.T, c everyMethod, url, handle *string) {
	ctx := t.Context()
	_, err := c.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{QueueUrl: url, ReceiptHandle: handle})
	require.NoError(t, err)
	received, err := c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: url})
	require.NoError(t, err)
	require.Len(t, received.Messages, 1, "a timeout of zero is sent where it is required")
	_, err = c.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: url, ReceiptHandle: received.Messages[0].ReceiptHandle})
	require.NoError(t, err)

	_, err = c.PurgeQueue(ctx, &sqs.PurgeQueueInput{QueueUrl: url})
	require.NoError(t, err)
	received, err = c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: url})
	require.NoError(t, err)
	require.Nil(t, received.Messages)
}

// callBatches calls the operations on batches, with an entry that fails in each.
func callBatches(t *testing.T, c everyMethod) {
	ctx := t.Context()
	url := create(t, c, "batches.fifo", map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "true"})
	entries := []types.SendMessageBatchRequestEntry{
		{Id: aws.String("0"), MessageBody: aws.String("a"), MessageGroupId: aws.String("g")},
		{Id: aws.String("1"), MessageBody: aws.String("b"), MessageGroupId: aws.String("g"), DelaySeconds: 1},
		{Id: aws.String("2"), MessageBody: aws.String("c"), MessageGroupId: aws.String("g")},
	}
	sent, err := c.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: url, Entries: entries})
	require.NoError(t, err)
	require.Len(t, sent.Successful, 2)
	require.Len(t, *sent.Successful[0].SequenceNumber, 20)
	requireFailed(t, sent.Failed, "1", "InvalidParameterValue")

	received, err := c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: url, MaxNumberOfMessages: 10, ReceiveRequestAttemptId: aws.String("a")})
	require.NoError(t, err)
	require.Len(t, received.Messages, 2)
	again, err := c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: url, MaxNumberOfMessages: 10, ReceiveRequestAttemptId: aws.String("a")})
	require.NoError(t, err)
	require.Equal(t, received.Messages, again.Messages)

	first := received.Messages[0].ReceiptHandle
	changed, err := c.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{
		QueueUrl: url,
		Entries: []types.ChangeMessageVisibilityBatchRequestEntry{
			{Id: aws.String("0"), ReceiptHandle: first, VisibilityTimeout: 60},
			{Id: aws.String("1"), ReceiptHandle: aws.String("garbage")},
		},
	})
	require.NoError(t, err)
	require.Equal(t, "0", *changed.Successful[0].Id)
	requireFailed(t, changed.Failed, "1", "ReceiptHandleIsInvalid")

	deleted, err := c.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{
		QueueUrl: url,
		Entries: []types.DeleteMessageBatchRequestEntry{
			{Id: aws.String("0"), ReceiptHandle: first},
			{Id: aws.String("1"), ReceiptHandle: aws.String("garbage")},
		},
	})
	require.NoError(t, err)
	require.Equal(t, "0", *deleted.Successful[0].Id)
	requireFailed(t, deleted.Failed, "1", "ReceiptHandleIsInvalid")
}

func requireFailed(t *testing.T, failed []types.BatchResultErrorEntry, id, code string) {
	t.Helper()
	require.Len(t, failed, 1)
	require.Equal(t, id, *failed[0].Id)
	require.Equal(t, code, *failed[0].Code)
	require.True(t, failed[0].SenderFault)
	require.NotEmpty(t, *failed[0].Message)
}

// callMoves calls the operations on message move tasks.
func callMoves(t *testing.T, c everyMethod) {
	ctx := t.Context()
	dead := create(t, c, "dead", nil)
	const arn = "arn:aws:sqs:eu-north-1:123456789012:dead"
	source := create(t, c, "source", map[string]string{"RedrivePolicy": `{"deadLetterTargetArn":"` + arn + `","maxReceiveCount":"1"}`})
	sources, err := c.ListDeadLetterSourceQueues(ctx, &sqs.ListDeadLetterSourceQueuesInput{QueueUrl: dead})
	require.NoError(t, err)
	require.Equal(t, []string{*source}, sources.QueueUrls)

	for range 100 {
		_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: dead, MessageBody: aws.String("hello")})
		require.NoError(t, err)
	}
	started, err := c.StartMessageMoveTask(ctx, &sqs.StartMessageMoveTaskInput{
		SourceArn: aws.String(arn), DestinationArn: aws.String("arn:aws:sqs:eu-north-1:123456789012:source"), MaxNumberOfMessagesPerSecond: aws.Int32(1),
	})
	require.NoError(t, err)
	require.NotEmpty(t, *started.TaskHandle)
	tasks, err := c.ListMessageMoveTasks(ctx, &sqs.ListMessageMoveTasksInput{SourceArn: aws.String(arn)})
	require.NoError(t, err)
	require.Len(t, tasks.Results, 1)
	require.Equal(t, "RUNNING", *tasks.Results[0].Status)
	require.EqualValues(t, 100, *tasks.Results[0].ApproximateNumberOfMessagesToMove)
	_, err = c.CancelMessageMoveTask(ctx, &sqs.CancelMessageMoveTaskInput{TaskHandle: started.TaskHandle})
	require.NoError(t, err)
}
