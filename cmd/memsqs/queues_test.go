package main

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/internal/api"
)

// attributesOf returns the attributes of a queue that the command line asks for.
func attributesOf(t *testing.T, queue string, args ...string) map[string]string {
	t.Helper()
	c, err := parse(args)
	require.NoError(t, err)
	s, err := newService(t.Context(), c, io.Discard)
	require.NoError(t, err)
	out, err := s.server.API().Caller("", "", "").GetQueueAttributes(t.Context(),
		&api.GetQueueAttributesInput{QueueUrl: &queue, AttributeNames: []string{"All"}})
	require.NoError(t, err)
	return out.Attributes
}

func TestQueueFromAName(t *testing.T) {
	require.Equal(t, "30", attributesOf(t, "q", "-queue", "q")["VisibilityTimeout"])
	require.Equal(t, "true", attributesOf(t, "q.fifo", "-queue", "q.fifo")["FifoQueue"])
}

// A dead-letter queue can be named before it is described, also by -queue.
func TestQueuesInAnyOrder(t *testing.T) {
	path := file(t, "queues.json", `{
		"a": {"RedrivePolicy": {"deadLetterTargetArn": "arn:aws:sqs:us-east-1:000000000000:z", "maxReceiveCount": 3}},
		"b": {"RedrivePolicy": {"deadLetterTargetArn": "arn:aws:sqs:us-east-1:000000000000:a", "maxReceiveCount": "4"}}
	}`)
	for queue, want := range map[string]string{
		"a": `{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:z","maxReceiveCount":3}`,
		"b": `{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:a","maxReceiveCount":4}`,
	} {
		require.Equal(t, want, attributesOf(t, queue, "-config", path, "-queue", "z")["RedrivePolicy"])
	}
}

// A value is a string, as in the API, or the JSON that the string stands for.
func TestValuesOfAttributes(t *testing.T) {
	for _, value := range []string{`60`, `"60"`} {
		path := file(t, "queues.json", `{"q": {"VisibilityTimeout": `+value+`}}`)
		require.Equal(t, "60", attributesOf(t, "q", "-config", path)["VisibilityTimeout"])
	}
	for _, value := range []string{`true`, `"true"`} {
		path := file(t, "queues.json", `{"q.fifo": {"ContentBasedDeduplication": `+value+`}}`)
		require.Equal(t, "true", attributesOf(t, "q.fifo", "-config", path)["ContentBasedDeduplication"])
	}
	const policy = `{"redrivePermission":"denyAll"}`
	quoted, err := json.Marshal(policy)
	require.NoError(t, err)
	for _, value := range []string{policy, string(quoted)} {
		path := file(t, "queues.json", `{"q": {"RedriveAllowPolicy": `+value+`}}`)
		require.Equal(t, policy, attributesOf(t, "q", "-config", path)["RedriveAllowPolicy"])
	}
}

// A queue in the file keeps its attributes when -queue names it as well.
func TestQueueInTheFileAndOnTheCommandLine(t *testing.T) {
	path := file(t, "queues.json", `{"q": {"DelaySeconds": 5}}`)
	require.Equal(t, "5", attributesOf(t, "q", "-config", path, "-queue", "q", "-queue", "q")["DelaySeconds"])
}

// An error of a file names the file, what is wrong in it, and what is accepted.
func TestBadFiles(t *testing.T) {
	for _, tt := range []struct{ flag, text, want string }{
		{"-config", "{\n\"a\": {},\n}", `FILE:3: invalid character '}' looking for beginning of object key string`},
		{"-config", "{\"a\": {}\n", `FILE:1: unexpected end of JSON input`},
		{"-config", "[]", `FILE:1: array where there must be an object`},
		{"-config", "{\n\"a\": 1}", `FILE:2: number where there must be an object`},
		{"-config", `{"a b": {}}`,
			`FILE: queue "a b": InvalidParameterValue: Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length`},
		{"-config", `{"a": {"VisibilityTimeout": 43201}}`,
			`FILE: queue "a": InvalidAttributeValue: Invalid value for the parameter VisibilityTimeout. It is "43201"; it can be 0 to 43200`},
		{"-config", `{"a": {"RedrivePolicy": "dead"}}`,
			`FILE: queue "a": InvalidAttributeValue: Invalid value for the parameter RedrivePolicy. ` +
				`Reason: Redrive policy is not a valid JSON map. It is "dead"; it can be an object as ` +
				`{"deadLetterTargetArn": "arn:aws:sqs:REGION:ACCOUNT:QUEUE", "maxReceiveCount": 3}`},
		{"-config", `{"a": {"Visibility": 1}}`,
			`FILE: queue "a": InvalidAttributeName: Unknown Attribute Visibility. The attributes are DelaySeconds, ` +
				`KmsDataKeyReusePeriodSeconds, KmsMasterKeyId, MaximumMessageSize, MessageRetentionPeriod, Policy, ` +
				`ReceiveMessageWaitTimeSeconds, RedriveAllowPolicy, RedrivePolicy, SqsManagedSseEnabled, VisibilityTimeout`},
		{"-config", `{"a.fifo": {"Visibility": 1}}`,
			`FILE: queue "a.fifo": InvalidAttributeName: Unknown Attribute Visibility. The attributes are ContentBasedDeduplication, ` +
				`DeduplicationScope, DelaySeconds, FifoQueue, FifoThroughputLimit, KmsDataKeyReusePeriodSeconds, KmsMasterKeyId, ` +
				`MaximumMessageSize, MessageRetentionPeriod, Policy, ReceiveMessageWaitTimeSeconds, RedriveAllowPolicy, ` +
				`RedrivePolicy, SqsManagedSseEnabled, VisibilityTimeout`},
		{"-config", `{"a": null}`, `FILE: queue "a" is null; it must be an object of attributes, as {}`},
		{"-verify", `{"AKIDEXAMPLE": 1}`, `FILE:1: number where there must be a string`},
		{"-verify", `{}`, `FILE: there are no access keys; it must be an object as {"KEY ID": "SECRET"}`},
		{"-verify", `null`, `FILE: there are no access keys; it must be an object as {"KEY ID": "SECRET"}`},
	} {
		path := file(t, "file.json", tt.text)
		status, stdout, stderr := outcome(t, tt.flag, path)
		require.Equal(t, 2, status)
		require.Empty(t, stdout)
		require.Equal(t, "memsqs: "+path+tt.want[len("FILE"):]+"\n", stderr)
	}
}

func TestMissingFile(t *testing.T) {
	for _, flag := range []string{"-config", "-verify"} {
		status, _, stderr := outcome(t, flag, "/does/not/exist.json")
		require.Equal(t, 2, status)
		require.Contains(t, stderr, "/does/not/exist.json")
	}
}

func TestBadQueueName(t *testing.T) {
	status, _, stderr := outcome(t, "-queue", "a/b")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, `memsqs: -queue: queue "a/b": InvalidParameterValue: `)
}

// The API knows every attribute that errors say is accepted.
func TestAcceptedAttributes(t *testing.T) {
	for name := range accepted {
		path := file(t, "queues.json", `{"q.fifo": {"`+name+`": "bad"}}`)
		_, _, stderr := outcome(t, "-config", path, "-addr", "127.0.0.1:999999")
		require.NotContains(t, stderr, "Unknown Attribute")
	}
}
