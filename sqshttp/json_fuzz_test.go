package sqshttp_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
)

// FuzzJSON sends any body to any target. The answer is JSON in UTF-8, or nothing, and
// never a fault of the server. A refused request has changed nothing. What package
// encoding/json cannot read is refused.
func FuzzJSON(f *testing.F) {
	for _, seed := range [][2]string{
		{"SendMessage", `{"QueueUrl":"q","MessageBody":"\u00e9\ud83d\ude00 é","DelaySeconds":1,"MessageAttributes":{"a":{"DataType":"Binary","BinaryValue":"AA=="}}}`},
		{"SendMessage", `{"QueueUrl":"q","MessageBody":"\ud83d","X":[{"a":[1,-0.5e+7,true,false,null,{}]},[]]}`},
		{"SendMessageBatch", `{"QueueUrl":"q","Entries":[{"Id":"1","MessageBody":"a"},{"Id":"2","MessageBody":"b","MessageSystemAttributes":{"AWSTraceHeader":{"DataType":"String","StringValue":"Root=1"}}}]}`},
		{"ReceiveMessage", `{"QueueUrl":"http://h/000000000000/q","MaxNumberOfMessages":10,"WaitTimeSeconds":20,"AttributeNames":["All"],"MessageAttributeNames":[".*"]}`},
		{"ChangeMessageVisibility", `{"QueueUrl":"q","ReceiptHandle":"h","VisibilityTimeout":2147483648}`},
		{"DeleteMessageBatch", `{"QueueUrl":"q","Entries":[{"Id":"1","ReceiptHandle":"h"}]}`},
		{"CreateQueue", `{"QueueName":"new","Attributes":{"RedrivePolicy":"{}"},"tags":{"a":"b"}}`},
		{"SetQueueAttributes", `{"QueueUrl":"q","Attributes":{"VisibilityTimeout":"60"}}`},
		{"GetQueueAttributes", `{"QueueUrl":"q","AttributeNames":["All"]}`},
		{"AddPermission", `{"QueueUrl":"q","Label":"l","AWSAccountIds":["000000000000"],"Actions":["*"]}`},
		{"StartMessageMoveTask", `{"SourceArn":"arn:aws:sqs:us-east-1:000000000000:q","MaxNumberOfMessagesPerSecond":1}`},
		{"ListQueues", ``},
		{"Nothing", `{"a":"b"}x`},
	} {
		f.Add(seed[0], []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, operation string, body []byte) {
		synctest.Test(t, func(t *testing.T) { fuzzJSON(t, operation, body) })
	})
}

func fuzzJSON(t *testing.T, operation string, body []byte) {
	s, q := newServer(t)
	put(t, q, "waiting", "in flight", "left")
	_, err := q.Receive(t.Context(), memsqs.ReceiveInput{VisibilityTimeout: new(time.Hour)})
	require.NoError(t, err)
	before := stateOf(t, s, q)

	a := callJSON(t, s, operation, string(body))

	require.Less(t, a.status, http.StatusInternalServerError, a.body)
	if a.status != http.StatusOK {
		require.True(t, json.Valid([]byte(a.body)), a.body)
		require.Equal(t, before, stateOf(t, s, q))
		return
	}
	require.True(t, a.body == "" || json.Valid([]byte(a.body)), a.body)
	require.True(t, utf8.ValidString(a.body))
	require.True(t, len(body) == 0 || json.Valid(body))
}
