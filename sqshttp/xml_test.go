package sqshttp_test

import (
	"encoding/xml"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/internal/api"
	"github.com/memsqs/memsqs/sqshttp"
)

var received = api.Message{
	MessageId: "m", ReceiptHandle: "h", MD5OfBody: "d", Body: "b",
	Attributes:             map[string]string{"SentTimestamp": "2", "SenderId": "1"},
	MD5OfMessageAttributes: "a",
	MessageAttributes: map[string]api.MessageAttributeValue{
		"t": *text("v"), "b": {DataType: new("Binary"), BinaryValue: []byte{1, 2, 3}},
	},
}

var failedEntries = []api.BatchResultErrorEntry{{Id: "2", SenderFault: true, Code: "C", Message: "why"}, {Id: "3", Code: "D"}}

// replies are outputs, and the replies that have them, but for what all have.
var replies = []struct {
	operation string
	out       any
	xml, json string // without the metadata
}{
	{"DeleteMessage", &api.DeleteMessageOutput{}, ``, ``},
	{"CreateQueue", &api.CreateQueueOutput{QueueUrl: "http://h/1/q?a&b"},
		`<CreateQueueResult><QueueUrl>http://h/1/q?a&amp;b</QueueUrl></CreateQueueResult>`,
		`"CreateQueueResult":{"QueueUrl":"http://h/1/q?a&b"},`},
	{"ReceiveMessage", &api.ReceiveMessageOutput{}, `<ReceiveMessageResult/>`, // A3.6
		`"ReceiveMessageResult":{"messages":null},`},
	{"ReceiveMessage", &api.ReceiveMessageOutput{Messages: []api.Message{received, {MessageId: "n", Body: "c"}}},
		`<ReceiveMessageResult><Message><MessageId>m</MessageId><ReceiptHandle>h</ReceiptHandle><MD5OfBody>d</MD5OfBody><Body>b</Body>` +
			`<Attribute><Name>SenderId</Name><Value>1</Value></Attribute><Attribute><Name>SentTimestamp</Name><Value>2</Value></Attribute>` +
			`<MD5OfMessageAttributes>a</MD5OfMessageAttributes>` +
			`<MessageAttribute><Name>b</Name><Value><DataType>Binary</DataType><BinaryValue>AQID</BinaryValue></Value></MessageAttribute>` +
			`<MessageAttribute><Name>t</Name><Value><DataType>String</DataType><StringValue>v</StringValue></Value></MessageAttribute></Message>` +
			`<Message><MessageId>n</MessageId><ReceiptHandle></ReceiptHandle><MD5OfBody></MD5OfBody><Body>c</Body></Message></ReceiveMessageResult>`,
		`"ReceiveMessageResult":{"messages":[` +
			`{"Attributes":[{"Name":"SenderId","Value":"1"},{"Name":"SentTimestamp","Value":"2"}],"Body":"b","MD5OfBody":"d",` +
			`"MD5OfMessageAttributes":"a","MessageAttributes":[` +
			`{"Name":"b","Value":{"BinaryListValues":null,"BinaryValue":"AQID","DataType":"Binary","StringListValues":null,"StringValue":null}},` +
			`{"Name":"t","Value":{"BinaryListValues":null,"BinaryValue":null,"DataType":"String","StringListValues":null,"StringValue":"v"}}],` +
			`"MessageId":"m","ReceiptHandle":"h"},` +
			`{"Attributes":null,"Body":"c","MD5OfBody":"","MD5OfMessageAttributes":null,"MessageAttributes":null,"MessageId":"n","ReceiptHandle":""}]},`},
	{"SendMessage", &api.SendMessageOutput{MD5OfMessageBody: "d", MessageId: "m"},
		`<SendMessageResult><MD5OfMessageBody>d</MD5OfMessageBody><MessageId>m</MessageId></SendMessageResult>`,
		`"SendMessageResult":{"MD5OfMessageAttributes":null,"MD5OfMessageBody":"d","MD5OfMessageSystemAttributes":null,"MessageId":"m","SequenceNumber":null},`},
	{"DeleteMessageBatch", &api.DeleteMessageBatchOutput{Successful: []api.BatchResultEntry{{Id: "1"}}, Failed: failedEntries},
		`<DeleteMessageBatchResult><DeleteMessageBatchResultEntry><Id>1</Id></DeleteMessageBatchResultEntry>` +
			`<BatchResultErrorEntry><Id>2</Id><SenderFault>true</SenderFault><Code>C</Code><Message>why</Message></BatchResultErrorEntry>` +
			`<BatchResultErrorEntry><Id>3</Id><SenderFault>false</SenderFault><Code>D</Code></BatchResultErrorEntry></DeleteMessageBatchResult>`,
		`"DeleteMessageBatchResult":{"Failed":[{"Code":"C","Id":"2","Message":"why","SenderFault":true},` +
			`{"Code":"D","Id":"3","Message":null,"SenderFault":false}],"Successful":[{"Id":"1"}]},`},
	{"ListQueues", &api.ListQueuesOutput{QueueUrls: []string{"a", "b"}, NextToken: "n"},
		`<ListQueuesResult><QueueUrl>a</QueueUrl><QueueUrl>b</QueueUrl><NextToken>n</NextToken></ListQueuesResult>`,
		`"ListQueuesResult":{"NextToken":"n","queueUrls":["a","b"]},`},
	{"ListQueueTags", &api.ListQueueTagsOutput{Tags: map[string]string{"k": ""}},
		`<ListQueueTagsResult><Tag><Key>k</Key><Value></Value></Tag></ListQueueTagsResult>`,
		`"ListQueueTagsResult":{"Tags":[{"Key":"k","Value":""}]},`},
	{"ListMessageMoveTasks", &api.ListMessageMoveTasksOutput{Results: []api.ListMessageMoveTasksResultEntry{
		{ApproximateNumberOfMessagesToMove: new(int64(0)), SourceArn: "s", StartedTimestamp: 1700000000000, Status: "RUNNING"}}},
		`<ListMessageMoveTasksResult><ListMessageMoveTasksResultEntry><ApproximateNumberOfMessagesMoved>0</ApproximateNumberOfMessagesMoved>` +
			`<ApproximateNumberOfMessagesToMove>0</ApproximateNumberOfMessagesToMove><SourceArn>s</SourceArn>` +
			`<StartedTimestamp>1700000000000</StartedTimestamp><Status>RUNNING</Status></ListMessageMoveTasksResultEntry></ListMessageMoveTasksResult>`,
		`"ListMessageMoveTasksResult":{"Results":[{"ApproximateNumberOfMessagesMoved":0,"ApproximateNumberOfMessagesToMove":0,` +
			`"DestinationArn":null,"FailureReason":null,"MaxNumberOfMessagesPerSecond":null,"SourceArn":"s",` +
			`"StartedTimestamp":1700000000000,"Status":"RUNNING","TaskHandle":null}]},`},
}

// A reply has the elements of C2.9 in the order of the API's types, and nothing for
// what is absent. The same reply rendered as JSON has null for it (C2.4).
func TestReplies(t *testing.T) {
	for _, c := range replies {
		t.Run(c.operation, func(t *testing.T) {
			op := api.FindOperation(c.operation)
			require.Equal(t, `<?xml version="1.0"?><`+c.operation+`Response xmlns="http://queue.amazonaws.com/doc/2012-11-05/">`+c.xml+
				`<ResponseMetadata><RequestId>id</RequestId></ResponseMetadata></`+c.operation+`Response>`,
				string(sqshttp.ResponseXML(op, c.out, "id")))

			require.JSONEq(t, `{"`+c.operation+`Response":{`+c.json+`"ResponseMetadata":{"RequestId":"id"}}}`,
				string(sqshttp.ResponseJSON(op, c.out, "id")))
		})
	}
}

// An error says whose fault it is, and has an empty Detail (C2.2).
func TestErrorReplies(t *testing.T) {
	sender := &api.Error{Kind: api.ReceiptHandleIsInvalid, Message: `The input receipt handle "<x>" is not a valid receipt handle.`}
	require.Equal(t, `<?xml version="1.0"?><ErrorResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><Error><Type>Sender</Type>`+
		`<Code>ReceiptHandleIsInvalid</Code><Message>The input receipt handle &quot;&lt;x&gt;&quot; is not a valid receipt handle.</Message>`+
		`<Detail/></Error><RequestId>id</RequestId></ErrorResponse>`, string(sqshttp.ErrorXML(sender, "id")))
	receiver := &api.Error{Kind: api.InternalFailure, Message: "m"}
	require.Contains(t, string(sqshttp.ErrorXML(receiver, "id")), "<Type>Receiver</Type><Code>InternalError</Code>")
	require.JSONEq(t, `{"Error":{"Code":"InternalError","Message":"m","Type":"Receiver"},"RequestId":"id"}`, string(sqshttp.ErrorJSON(receiver, "id")))
}

// Texts are escaped as SQS does (C2.3), and what XML cannot carry is replaced.
func TestTextInXML(t *testing.T) {
	for text, want := range map[string]string{
		`"a" & 'b' <c> ]]>`:              `&quot;a&quot; &amp; 'b' &lt;c&gt; ]]&gt;`,
		"a\r\nb\tc ":                     "a&#xD;\nb\tc ",
		"ø\u2028\u0085\u007f\U0001F600":  "ø\u2028\u0085\u007f\U0001F600",
		"\x00\x0b\x1b\x1f":               "\ufffd\ufffd\ufffd\ufffd",
		"\ufffd\ufffe\uffff":             "\ufffd\ufffd\ufffd",
		"a\xffb\xed\xa0\x80\xf0\x9f\x98": "a\ufffdb" + strings.Repeat("\ufffd", 6),
		"&amp;":                          "&amp;amp;",
		"":                               "",
	} {
		reply := string(sqshttp.ErrorXML(&api.Error{Kind: api.Serialization, Message: text}, "id"))
		require.Contains(t, reply, "<Message>"+want+"</Message>", "%q", text)
	}
}

// Any text comes back from a reader of XML as it was, if XML can carry it, and the
// reply is well-formed if not.
func FuzzTextInXML(f *testing.F) {
	for _, seed := range []string{"a", "\r\n", "<&>\"'", "\x00\xff", "\ufffe", "]]>", "<!--", "\u0085"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got struct{ Error struct{ Message string } }
		reply := sqshttp.ErrorXML(&api.Error{Kind: api.Serialization, Message: text}, "id")
		require.NoError(t, xml.Unmarshal(reply, &got))
		if isText(text) {
			require.Equal(t, text, got.Error.Message)
		}
		require.True(t, utf8.Valid(reply))
	})
}

// isText reports whether XML can carry a text, which is what SQS takes (A1.5).
func isText(s string) bool {
	for _, r := range s {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return false
		}
	}
	return utf8.ValidString(s)
}
