// The two protocols side by side: the same calls in either, with the same answers.

package sqshttp_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/sqshttp"
)

// A caller makes calls, whose input it takes as JSON, in one of the protocols. In
// an input, $1, $2 and so on are the receipt handles of the last receive, and $task
// is the handle of the last move task. It is used in a bubble.
type caller struct {
	*sqshttp.Server
	query bool // or JSON

	handles []string
}

// An answer is what came back. Its leaves are the scalars of the output, sorted, each
// with its path in the Query protocol, and what is random in them masked.
type answer struct {
	Status        int
	Code, Message string // of an error
	Leaves        []string
}

func (c *caller) call(t *testing.T, operation, input string) answer {
	t.Helper()
	input = strings.NewReplacer(c.handles...).Replace(input)
	if c.query {
		return c.callQuery(t, operation, input)
	}
	return c.callJSON(t, operation, input)
}

func (c *caller) callJSON(t *testing.T, operation, input string) answer {
	t.Helper()
	status, header, body := do(t, c.Server, jsonRequest(t, operation, input))
	output := object{}
	if len(body) > 0 {
		output = parseJSON(t, body)
	}
	a := answer{Status: status}
	if status != http.StatusOK {
		a.Code, _, _ = strings.Cut(header.Get("X-Amzn-Query-Error"), ";")
		a.Message = output["message"].(string)
		return a
	}
	a.Leaves = c.mask(jsonLeaves(operation, operation+"Result", output))
	return a
}

func (c *caller) callQuery(t *testing.T, operation, input string) answer {
	t.Helper()
	form := url.Values{"Action": {operation}, "Version": {"2012-11-05"}}
	addForm(form, operation, "", parseJSON(t, []byte(input)))
	r := newRequest(t, http.MethodPost, "/", form.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	status, header, body := do(t, c.Server, r)
	require.Equal(t, "text/xml", header.Get("Content-Type"))
	a := answer{Status: status}
	leaves := xmlLeaves(t, body)
	if status != http.StatusOK {
		values := map[string]string{}
		for _, leaf := range leaves {
			name, value, _ := strings.Cut(leaf, "=")
			values[name] = value
		}
		require.Equal(t, header.Get("X-Amzn-Requestid"), values["ErrorResponse.RequestId"])
		require.Equal(t, "Sender", values["ErrorResponse.Error.Type"])
		a.Code, a.Message = values["ErrorResponse.Error.Code"], values["ErrorResponse.Error.Message"]
		return a
	}
	metadata := operation + "Response.ResponseMetadata.RequestId=" + header.Get("X-Amzn-Requestid")
	require.Contains(t, leaves, metadata)
	for _, leaf := range leaves {
		if leaf != metadata {
			a.Leaves = append(a.Leaves, strings.TrimPrefix(leaf, operation+"Response."))
		}
	}
	a.Leaves = c.mask(a.Leaves)
	return a
}

// mask hides the random values among leaves, and remembers the handles.
func (c *caller) mask(leaves []string) []string {
	n := 0
	for i, leaf := range leaves {
		path, value, _ := strings.Cut(leaf, "=")
		switch name := path[strings.LastIndex(path, ".")+1:]; name {
		case "ReceiptHandle":
			n++
			c.handles = append([]string{fmt.Sprintf("$%d", n), value}, c.handles...)
			leaves[i] = path
		case "TaskHandle":
			c.handles = append([]string{"$task", value}, c.handles...)
			leaves[i] = path
		case "MessageId":
			leaves[i] = path
		}
	}
	slices.Sort(leaves)
	return leaves
}

// calls are calls of every operation, in an order in which all are done.
var calls = []struct{ operation, input string }{
	{"CreateQueue", `{"QueueName": "dead"}`},
	{"CreateQueue", `{"QueueName": "orders", "Attributes": {"DelaySeconds": "0", "VisibilityTimeout": "60"}, "tags": {"team": "a & b", "x": ""}}`},
	{"CreateQueue", `{"QueueName": "jobs.fifo", "Attributes": {"FifoQueue": "true"}}`},
	{"GetQueueUrl", `{"QueueName": "orders"}`},
	{"ListQueues", `{}`},
	{"ListQueues", `{"MaxResults": 1, "QueueNamePrefix": "o"}`},
	{"SetQueueAttributes", `{"QueueUrl": "orders", "Attributes": {"RedrivePolicy": "{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:dead\",\"maxReceiveCount\":1}"}}`},
	{"GetQueueAttributes", `{"QueueUrl": "orders", "AttributeNames": ["All"]}`},
	{"GetQueueAttributes", `{"QueueUrl": "orders"}`},
	{"ListDeadLetterSourceQueues", `{"QueueUrl": "dead"}`},
	{"TagQueue", `{"QueueUrl": "orders", "Tags": {"y": "1", "z": "<2>"}}`},
	{"UntagQueue", `{"QueueUrl": "orders", "TagKeys": ["x", "z"]}`},
	{"ListQueueTags", `{"QueueUrl": "orders"}`},
	{"ListQueueTags", `{"QueueUrl": "dead"}`},
	{"AddPermission", `{"QueueUrl": "orders", "Label": "l", "AWSAccountIds": ["111111111111"], "Actions": ["SendMessage", "ReceiveMessage"]}`},
	{"GetQueueAttributes", `{"QueueUrl": "orders", "AttributeNames": ["Policy"]}`},
	{"RemovePermission", `{"QueueUrl": "orders", "Label": "l"}`},
	{"SendMessage", `{"QueueUrl": "orders", "MessageBody": "a\r\n\t<\"&'>\u00f8\ud83d\ude00", "MessageAttributes": {
		"s": {"DataType": "String", "StringValue": "\"<v>\"\r"}, "b": {"DataType": "Binary.png", "BinaryValue": "AP8B"}},
		"MessageSystemAttributes": {"AWSTraceHeader": {"DataType": "String", "StringValue": "Root=1"}}}`},
	{"SendMessageBatch", `{"QueueUrl": "orders", "Entries": [{"Id": "1", "MessageBody": "one"}, {"Id": "2", "MessageBody": "\u0001"},
		{"Id": "3", "MessageBody": "three", "DelaySeconds": 900, "MessageAttributes": {"n": {"DataType": "Number", "StringValue": "7"}}}]}`},
	{"ReceiveMessage", `{"QueueUrl": "orders", "MaxNumberOfMessages": 10, "MessageSystemAttributeNames": ["All"], "MessageAttributeNames": ["All"], "WaitTimeSeconds": 1}`},
	{"ReceiveMessage", `{"QueueUrl": "dead"}`},
	{"ChangeMessageVisibility", `{"QueueUrl": "orders", "ReceiptHandle": "$1", "VisibilityTimeout": 10}`},
	{"ChangeMessageVisibilityBatch", `{"QueueUrl": "orders", "Entries": [{"Id": "a", "ReceiptHandle": "$2", "VisibilityTimeout": 0}, {"Id": "b", "ReceiptHandle": "bad", "VisibilityTimeout": 1}]}`},
	{"ReceiveMessage", `{"QueueUrl": "orders", "WaitTimeSeconds": 20}`}, // both become dead letters meanwhile
	{"StartMessageMoveTask", `{"SourceArn": "arn:aws:sqs:us-east-1:000000000000:dead", "MaxNumberOfMessagesPerSecond": 1}`},
	{"CancelMessageMoveTask", `{"TaskHandle": "$task"}`},
	{"ListMessageMoveTasks", `{"SourceArn": "arn:aws:sqs:us-east-1:000000000000:dead"}`},
	{"SendMessage", `{"QueueUrl": "jobs.fifo", "MessageBody": "b", "MessageGroupId": "g", "MessageDeduplicationId": "d"}`},
	{"ReceiveMessage", `{"QueueUrl": "jobs.fifo", "AttributeNames": ["All"], "ReceiveRequestAttemptId": "r"}`},
	{"DeleteMessage", `{"QueueUrl": "jobs.fifo", "ReceiptHandle": "$1"}`},
	{"DeleteMessageBatch", `{"QueueUrl": "orders", "Entries": [{"Id": "1", "ReceiptHandle": "bad"}]}`},
	{"PurgeQueue", `{"QueueUrl": "orders"}`},
	{"DeleteQueue", `{"QueueUrl": "orders"}`},
}

// Every operation answers the same in both protocols.
func TestProtocolsAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		viaJSON := &caller{Server: sqshttp.NewServer(sqshttp.Options{})}
		viaQuery := &caller{Server: sqshttp.NewServer(sqshttp.Options{}), query: true}
		seen := map[string]bool{}
		for _, c := range calls {
			seen[c.operation] = true
			want := viaJSON.call(t, c.operation, c.input)
			require.Equal(t, http.StatusOK, want.Status, "%s %s: %s", c.operation, c.input, want.Message)
			require.Equal(t, want, viaQuery.call(t, c.operation, c.input), "%s %s", c.operation, c.input)
		}
		require.Len(t, seen, 23)
	})
}

// refusals are calls that are refused, and the codes of their errors.
var refusals = []struct{ operation, input, code string }{
	{"SendMessage", `{"QueueUrl": "none", "MessageBody": "b"}`, "AWS.SimpleQueueService.NonExistentQueue"},
	{"SendMessage", `{"MessageBody": "b"}`, "AWS.SimpleQueueService.NonExistentQueue"},
	{"GetQueueUrl", `{"QueueName": "none"}`, "AWS.SimpleQueueService.NonExistentQueue"},
	{"SendMessage", `{"QueueUrl": "q"}`, "MissingParameter"},
	{"SendMessage", `{"QueueUrl": "q", "MessageBody": ""}`, "MissingParameter"},
	{"SendMessage", `{"QueueUrl": "q", "MessageBody": "\u0000"}`, "InvalidMessageContents"},
	{"SendMessage", `{"QueueUrl": "q", "MessageBody": "b", "DelaySeconds": 901}`, "InvalidParameterValue"},
	{"SendMessage", `{"QueueUrl": "q", "MessageBody": "b", "MessageAttributes": {"": {"DataType": "String", "StringValue": "v"}}}`, "InvalidParameterValue"},
	{"SendMessage", `{"QueueUrl": "q", "MessageBody": "b", "MessageAttributes": {"n": {"DataType": "String", "StringValue": ""}}}`, "InvalidParameterValue"},
	{"SendMessage", `{"QueueUrl": "q", "MessageBody": "b", "MessageAttributes": {"n": {"DataType": "String", "StringListValues": ["a"]}}}`,
		"AWS.SimpleQueueService.UnsupportedOperation"},
	{"SendMessageBatch", `{"QueueUrl": "q"}`, "AWS.SimpleQueueService.EmptyBatchRequest"},
	{"SendMessageBatch", `{"QueueUrl": "q", "Entries": [{"Id": "a", "MessageBody": "b"}, {"Id": "a", "MessageBody": "c"}]}`, "AWS.SimpleQueueService.BatchEntryIdsNotDistinct"},
	{"SendMessageBatch", `{"QueueUrl": "q", "Entries": [{"Id": "", "MessageBody": "b"}]}`, "AWS.SimpleQueueService.InvalidBatchEntryId"},
	{"SendMessageBatch", `{"QueueUrl": "q", "Entries": [` + strings.Repeat(`{"Id": "a"}, `, 10) + `{"Id": "b"}]}`, "AWS.SimpleQueueService.TooManyEntriesInBatchRequest"},
	{"SendMessageBatch", `{"QueueUrl": "q", "Entries": [{"Id": "a", "MessageBody": "` + strings.Repeat("a", 1<<20+1) + `"}]}`, "AWS.SimpleQueueService.BatchRequestTooLong"},
	{"SendMessageBatch", `{"QueueUrl": "q", "Entries": [{"Id": "a", "MessageBody": "b"}, {"Id": "b", "MessageBody": "b",
		"MessageAttributes": {"n": {"DataType": "String", "StringValue": "v", "StringListValues": []}}}]}`, "AWS.SimpleQueueService.UnsupportedOperation"},
	{"ReceiveMessage", `{"QueueUrl": "q", "MaxNumberOfMessages": 11}`, "InvalidParameterValue"},
	{"DeleteMessage", `{"QueueUrl": "q", "ReceiptHandle": "\"<bad>\""}`, "ReceiptHandleIsInvalid"},
	{"DeleteMessage", `{"QueueUrl": "q"}`, "MissingParameter"},
	{"CreateQueue", `{"QueueName": "q", "Attributes": {"DelaySeconds": "1"}}`, "QueueAlreadyExists"},
	{"CreateQueue", `{"QueueName": "a b"}`, "InvalidParameterValue"},
	{"CreateQueue", `{"QueueName": "gone"}`, "AWS.SimpleQueueService.QueueDeletedRecently"},
	{"AddPermission", `{"QueueUrl": "q", "Label": "l", "AWSAccountIds": ["111111111111"], "Actions": ["*", "*", "*", "*", "*", "*", "*", "*"]}`, "OverLimit"},
	{"SetQueueAttributes", `{"QueueUrl": "q", "Attributes": {"Foobar": "1"}}`, "InvalidAttributeName"},
	{"SetQueueAttributes", `{"QueueUrl": "q", "Attributes": {"VisibilityTimeout": "-1"}}`, "InvalidAttributeValue"},
	{"GetQueueAttributes", `{"QueueUrl": "q", "AttributeNames": ["Foobar"]}`, "InvalidAttributeName"},
	{"PurgeQueue", `{"QueueUrl": "q"}`, "AWS.SimpleQueueService.PurgeQueueInProgress"},
	{"StartMessageMoveTask", `{"SourceArn": "arn:aws:sqs:us-east-1:000000000000:none"}`, "ResourceNotFoundException"},
}

// Every refusal has the same code, status and text in both protocols, but for one
// text (C2.8).
func TestProtocolsRefuseAlike(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		viaJSON := &caller{Server: sqshttp.NewServer(sqshttp.Options{})}
		viaQuery := &caller{Server: sqshttp.NewServer(sqshttp.Options{}), query: true}
		for _, c := range []*caller{viaJSON, viaQuery} {
			c.call(t, "CreateQueue", `{"QueueName": "q"}`)
			c.call(t, "PurgeQueue", `{"QueueUrl": "q"}`)
			c.call(t, "CreateQueue", `{"QueueName": "gone"}`)
			c.call(t, "DeleteQueue", `{"QueueUrl": "gone"}`)
		}
		for _, c := range refusals {
			want := viaJSON.call(t, c.operation, c.input)
			require.Equal(t, c.code, want.Code, "%s %s: %s", c.operation, c.input, want.Message)
			if want.Message == "The specified queue does not exist." {
				want.Message = "The specified queue does not exist for this wsdl version."
			}
			require.Equal(t, want, viaQuery.call(t, c.operation, c.input), "%s %s", c.operation, c.input)
		}
	})
}
