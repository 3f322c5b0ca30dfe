package api

// The inputs and outputs of the operations (C6). Their names and those of their
// fields are the API's own, as the protocols spell them: a field is called in
// JSON as in Go, but for those with a json tag, and in the Query protocol as in
// JSON, but for lists and maps. Those have there, flattened, the name in the query
// tag, and a map the names of its keys and values. Of several names with | between
// them clients use one or the other; where that of the values ends in ?, a key can be
// without a value, and has an empty one.
//
// A field of an input that can be absent is a pointer, a slice or a map, and nil
// if it is. A field of an output that is zero is left out.

type AddPermissionInput struct {
	QueueUrl      *string
	Label         *string
	AWSAccountIds []string `query:"AWSAccountId"`
	Actions       []string `query:"ActionName"`
}

type AddPermissionOutput struct{}

type CancelMessageMoveTaskInput struct {
	TaskHandle *string
}

type CancelMessageMoveTaskOutput struct {
	ApproximateNumberOfMessagesMoved int64
}

type ChangeMessageVisibilityInput struct {
	QueueUrl          *string
	ReceiptHandle     *string
	VisibilityTimeout *int
}

type ChangeMessageVisibilityOutput struct{}

type ChangeMessageVisibilityBatchInput struct {
	QueueUrl *string
	Entries  []ChangeMessageVisibilityBatchRequestEntry `query:"ChangeMessageVisibilityBatchRequestEntry"`
}

type ChangeMessageVisibilityBatchRequestEntry struct {
	Id                *string
	ReceiptHandle     *string
	VisibilityTimeout *int
}

type ChangeMessageVisibilityBatchOutput struct {
	Successful []BatchResultEntry      `json:",omitempty" query:"ChangeMessageVisibilityBatchResultEntry"`
	Failed     []BatchResultErrorEntry `json:",omitempty" query:"BatchResultErrorEntry"`
}

// A BatchResultEntry is what succeeded in a batch whose entries have no results.
type BatchResultEntry struct {
	Id string
}

// A BatchResultErrorEntry is an entry of a batch that failed.
type BatchResultErrorEntry struct {
	Id          string
	SenderFault bool
	Code        string // as in Error
	Message     string `json:",omitempty"`
}

type CreateQueueInput struct {
	QueueName  *string
	Attributes map[string]string `query:"Attribute,Name,Value"`
	Tags       map[string]string `json:"tags" query:"Tag,Key,Value?"`
}

type CreateQueueOutput struct {
	QueueUrl string
}

type DeleteMessageInput struct {
	QueueUrl      *string
	ReceiptHandle *string
}

type DeleteMessageOutput struct{}

type DeleteMessageBatchInput struct {
	QueueUrl *string
	Entries  []DeleteMessageBatchRequestEntry `query:"DeleteMessageBatchRequestEntry"`
}

type DeleteMessageBatchRequestEntry struct {
	Id            *string
	ReceiptHandle *string
}

type DeleteMessageBatchOutput struct {
	Successful []BatchResultEntry      `json:",omitempty" query:"DeleteMessageBatchResultEntry"`
	Failed     []BatchResultErrorEntry `json:",omitempty" query:"BatchResultErrorEntry"`
}

type DeleteQueueInput struct {
	QueueUrl *string
}

type DeleteQueueOutput struct{}

type GetQueueAttributesInput struct {
	QueueUrl       *string
	AttributeNames []string `query:"AttributeName"`
}

type GetQueueAttributesOutput struct {
	Attributes map[string]string `json:",omitempty" query:"Attribute,Name,Value"`
}

type GetQueueUrlInput struct {
	QueueName              *string
	QueueOwnerAWSAccountId *string
}

type GetQueueUrlOutput struct {
	QueueUrl string
}

type ListDeadLetterSourceQueuesInput struct {
	QueueUrl   *string
	MaxResults *int
	NextToken  *string
}

type ListDeadLetterSourceQueuesOutput struct {
	QueueUrls []string `json:"queueUrls,omitempty" query:"QueueUrl"` // A16.10
	NextToken string   `json:",omitempty"`
}

type ListMessageMoveTasksInput struct {
	SourceArn  *string
	MaxResults *int
}

type ListMessageMoveTasksOutput struct {
	Results []ListMessageMoveTasksResultEntry `json:",omitempty" query:"ListMessageMoveTasksResultEntry"`
}

type ListMessageMoveTasksResultEntry struct {
	ApproximateNumberOfMessagesMoved  int64
	ApproximateNumberOfMessagesToMove *int64 `json:",omitempty"`
	DestinationArn                    string `json:",omitempty"`
	FailureReason                     string `json:",omitempty"`
	MaxNumberOfMessagesPerSecond      *int   `json:",omitempty"`
	SourceArn                         string
	StartedTimestamp                  int64 // milliseconds
	Status                            string
	TaskHandle                        string `json:",omitempty"`
}

type ListQueueTagsInput struct {
	QueueUrl *string
}

type ListQueueTagsOutput struct {
	Tags map[string]string `json:",omitempty" query:"Tag,Key,Value"`
}

type ListQueuesInput struct {
	QueueNamePrefix *string
	MaxResults      *int
	NextToken       *string
}

type ListQueuesOutput struct {
	QueueUrls []string `json:",omitempty" query:"QueueUrl"`
	NextToken string   `json:",omitempty"`
}

type PurgeQueueInput struct {
	QueueUrl *string
}

type PurgeQueueOutput struct{}

type ReceiveMessageInput struct {
	QueueUrl                    *string
	AttributeNames              []string `query:"AttributeName"` // A10.5
	MessageSystemAttributeNames []string `query:"MessageSystemAttributeName"`
	MessageAttributeNames       []string `query:"MessageAttributeName"`
	MaxNumberOfMessages         *int
	VisibilityTimeout           *int
	WaitTimeSeconds             *int
	ReceiveRequestAttemptId     *string
}

type ReceiveMessageOutput struct {
	Messages []Message `json:",omitempty" query:"Message"`
}

// A Message is a message as it was received.
type Message struct {
	MessageId              string
	ReceiptHandle          string
	MD5OfBody              string
	Body                   string
	Attributes             map[string]string                `json:",omitempty" query:"Attribute,Name,Value"`
	MD5OfMessageAttributes string                           `json:",omitempty"`
	MessageAttributes      map[string]MessageAttributeValue `json:",omitempty" query:"MessageAttribute,Name,Value"`
}

// A MessageAttributeValue is the value of a message attribute, or of a message
// system attribute.
type MessageAttributeValue struct {
	DataType         *string
	StringValue      *string  `json:",omitempty"`
	BinaryValue      []byte   `json:",omitempty"` // not nil if it is given
	StringListValues []string `json:",omitempty" query:"StringListValue"`
	BinaryListValues [][]byte `json:",omitempty" query:"BinaryListValue"`
}

type RemovePermissionInput struct {
	QueueUrl *string
	Label    *string
}

type RemovePermissionOutput struct{}

type SendMessageInput struct {
	QueueUrl                *string
	MessageBody             *string
	DelaySeconds            *int
	MessageAttributes       map[string]MessageAttributeValue `query:"MessageAttribute,Name,Value"`
	MessageSystemAttributes map[string]MessageAttributeValue `query:"MessageSystemAttribute,Name,Value"`
	MessageDeduplicationId  *string
	MessageGroupId          *string
}

type SendMessageOutput struct {
	MD5OfMessageAttributes       string `json:",omitempty"`
	MD5OfMessageBody             string
	MD5OfMessageSystemAttributes string `json:",omitempty"`
	MessageId                    string
	SequenceNumber               string `json:",omitempty"`
}

type SendMessageBatchInput struct {
	QueueUrl *string
	Entries  []SendMessageBatchRequestEntry `query:"SendMessageBatchRequestEntry"`
}

type SendMessageBatchRequestEntry struct {
	Id                      *string
	MessageBody             *string
	DelaySeconds            *int
	MessageAttributes       map[string]MessageAttributeValue `query:"MessageAttribute,Name,Value"`
	MessageSystemAttributes map[string]MessageAttributeValue `query:"MessageSystemAttribute,Name,Value"`
	MessageDeduplicationId  *string
	MessageGroupId          *string
}

type SendMessageBatchOutput struct {
	Successful []SendMessageBatchResultEntry `json:",omitempty" query:"SendMessageBatchResultEntry"`
	Failed     []BatchResultErrorEntry       `json:",omitempty" query:"BatchResultErrorEntry"`
}

type SendMessageBatchResultEntry struct {
	Id                           string
	MessageId                    string
	MD5OfMessageBody             string
	MD5OfMessageAttributes       string `json:",omitempty"`
	MD5OfMessageSystemAttributes string `json:",omitempty"`
	SequenceNumber               string `json:",omitempty"`
}

type SetQueueAttributesInput struct {
	QueueUrl   *string
	Attributes map[string]string `query:"Attribute,Name,Value"`
}

type SetQueueAttributesOutput struct{}

type StartMessageMoveTaskInput struct {
	SourceArn                    *string
	DestinationArn               *string
	MaxNumberOfMessagesPerSecond *int
}

type StartMessageMoveTaskOutput struct {
	TaskHandle string
}

type TagQueueInput struct {
	QueueUrl *string
	Tags     map[string]string `query:"Tag|Tags,Key,Value?"` // Tags is what SDKs for Java send
}

type TagQueueOutput struct{}

type UntagQueueInput struct {
	QueueUrl *string
	TagKeys  []string `query:"TagKey"`
}

type UntagQueueOutput struct{}
