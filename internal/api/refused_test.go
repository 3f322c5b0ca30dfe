// What is refused of queues, with which code and text, and that it changes nothing.

package api_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/internal/api"
)

const (
	badName     = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"
	badFIFOName = "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length"
	noQueue     = "The specified queue does not exist."
	noName      = "Value for parameter QueueName is invalid. Reason: Must specify a queue name."
	badMaximum  = "Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and 1000."
	badToken    = "Invalid or expired next token."
	badTagKey   = "Tag keys must be between 1 and 128 characters in length."
)

// A refused is an input, and how it is refused.
type refused struct {
	input any
	kind  *api.Kind
	text  string
}

// requireAllRefused requires that inputs are refused and change nothing that can be
// seen, in a service that prepare has made the queues of.
func requireAllRefused(t *testing.T, prepare func(*testing.T, *api.Caller), refusals map[string]refused) {
	for what, r := range refusals {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCaller()
				prepare(t, c)
				before := snapshot(t, c)
				time.Sleep(2 * time.Second)
				requireRefused(t, c, r.input, r.kind, r.text)
				require.Equal(t, before, snapshot(t, c))
			})
		})
	}
}

// tagged makes a queue of each type; the standard one has tags and a permission.
func tagged(t *testing.T, c *api.Caller) {
	must[api.CreateQueueOutput](t, c, &api.CreateQueueInput{QueueName: new("orders"), Tags: manyTags(48)})
	must[api.AddPermissionOutput](t, c, permission("label", "ReceiveMessage"))
	create(t, c, "jobs.fifo", attrs{"FifoQueue": "true", "DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"})
}

func manyTags(n int) map[string]string {
	tags := make(map[string]string)
	for i := range n {
		tags["key "+strconv.Itoa(i)] = ""
	}
	return tags
}

// permission is an input that adds a statement to the queue orders.
func permission(label string, actions ...string) *api.AddPermissionInput {
	return &api.AddPermissionInput{QueueUrl: new("orders"), Label: &label, AWSAccountIds: []string{account}, Actions: actions}
}

// Names and what is missing (A12.7, A12.8, A16.1, A16.7, A16.8, C3.3).
func TestRefusedQueues(t *testing.T) {
	named := func(name string, attributes attrs) *api.CreateQueueInput {
		return &api.CreateQueueInput{QueueName: &name, Attributes: attributes}
	}
	requireAllRefused(t, tagged, map[string]refused{
		"no name to create":        {&api.CreateQueueInput{}, api.InvalidParameterValue, noName},
		"no name to find":          {&api.GetQueueUrlInput{}, api.InvalidParameterValue, noName},
		"an empty name to find":    {&api.GetQueueUrlInput{QueueName: new("")}, api.InvalidParameterValue, noName},
		"an empty name":            {named("", nil), api.InvalidParameterValue, badName},
		"a slash":                  {named("a/b", nil), api.InvalidParameterValue, badName},
		"a letter of no ASCII":     {named("bücher", nil), api.InvalidParameterValue, badName},
		"81 characters":            {named(strings.Repeat("n", 81), nil), api.InvalidParameterValue, badName},
		"a suffix only":            {named(".fifo", attrs{"FifoQueue": "true"}), api.InvalidParameterValue, badFIFOName},
		"81 with the suffix":       {named(strings.Repeat("n", 76)+".fifo", attrs{"FifoQueue": "true"}), api.InvalidParameterValue, badFIFOName},
		"FIFO without the suffix":  {named("jobs", attrs{"FifoQueue": "true"}), api.InvalidParameterValue, badFIFOName},
		"the suffix without FIFO":  {named("more.fifo", nil), api.InvalidParameterValue, badName},
		"the suffix and not FIFO":  {named("more.fifo", attrs{"FifoQueue": "false"}), api.InvalidParameterValue, badName},
		"an unknown name":          {&api.GetQueueUrlInput{QueueName: new("Orders")}, api.QueueDoesNotExist, noQueue},
		"another account's":        {&api.GetQueueUrlInput{QueueName: new("orders"), QueueOwnerAWSAccountId: new("111111111111")}, api.QueueDoesNotExist, noQueue},
		"no queue to delete":       {&api.DeleteQueueInput{}, api.QueueDoesNotExist, noQueue},
		"an unknown one to delete": {&api.DeleteQueueInput{QueueUrl: new("http://localhost/123456789012/unknown")}, api.QueueDoesNotExist, noQueue},
		"nonsense for a URL":       {&api.ListQueueTagsInput{QueueUrl: new("http://whatever-incorrect-queue-address")}, api.QueueDoesNotExist, noQueue},
		"an unknown one to get":    {&api.GetQueueAttributesInput{QueueUrl: new("unknown")}, api.QueueDoesNotExist, noQueue},
		"an unknown one to set":    {&api.SetQueueAttributesInput{QueueUrl: new("unknown")}, api.QueueDoesNotExist, noQueue},
		"no sources of unknown":    {&api.ListDeadLetterSourceQueuesInput{QueueUrl: new("unknown")}, api.QueueDoesNotExist, noQueue},
		"an unknown one to permit": {&api.AddPermissionInput{QueueUrl: new("unknown")}, api.QueueDoesNotExist, noQueue},
		"an unknown one to forbid": {&api.RemovePermissionInput{QueueUrl: new("unknown")}, api.QueueDoesNotExist, noQueue},
		"an unknown one to tag":    {&api.TagQueueInput{QueueUrl: new("unknown")}, api.QueueDoesNotExist, noQueue},
		"an unknown one to untag":  {&api.UntagQueueInput{QueueUrl: new("unknown")}, api.QueueDoesNotExist, noQueue},
	})
}

// Tags that a queue cannot have or lose (A17.3).
func TestRefusedTags(t *testing.T) {
	requireAllRefused(t, tagged, map[string]refused{
		"a tag that is reserved":    {&api.CreateQueueInput{QueueName: new("new"), Tags: map[string]string{"AWS:x": ""}}, api.InvalidParameterValue, "Tag keys that begin with aws: are reserved for system use."},
		"51 tags":                   {&api.CreateQueueInput{QueueName: new("new"), Tags: manyTags(51)}, api.InvalidParameterValue, "Too many tags added for queue new."},
		"no tags":                   {&api.TagQueueInput{QueueUrl: new("orders")}, api.MissingParameter, "The request must contain the parameter Tags."},
		"too many tags together":    {&api.TagQueueInput{QueueUrl: new("orders"), Tags: map[string]string{"a": "", "b": "", "c": "", "key 0": "new"}}, api.InvalidParameterValue, "Too many tags added for queue orders."},
		"an empty key":              {&api.TagQueueInput{QueueUrl: new("orders"), Tags: map[string]string{"": "v"}}, api.InvalidParameterValue, badTagKey},
		"a key of 129":              {&api.TagQueueInput{QueueUrl: new("orders"), Tags: map[string]string{strings.Repeat("ü", 129): "v"}}, api.InvalidParameterValue, badTagKey},
		"a value of 257":            {&api.TagQueueInput{QueueUrl: new("orders"), Tags: map[string]string{"key 0": strings.Repeat("ü", 257)}}, api.InvalidParameterValue, "Tag values must be between 0 and 256 characters in length."},
		"a key not of UTF-8":        {&api.TagQueueInput{QueueUrl: new("orders"), Tags: map[string]string{"k\xc3": "\xbc"}}, api.InvalidParameterValue, "Invalid binary character '#xC3' was found in the tag \"k\\xc3\", " + allowedText},
		"a value of no text":        {&api.CreateQueueInput{QueueName: new("new"), Tags: map[string]string{"k": "\x00"}}, api.InvalidParameterValue, "Invalid binary character '#x0' was found in the tag \"k\", " + allowedText},
		"no keys":                   {&api.UntagQueueInput{QueueUrl: new("orders")}, api.InvalidParameterValue, badTagKey},
		"one empty key among keys":  {&api.UntagQueueInput{QueueUrl: new("orders"), TagKeys: []string{"key 0", ""}}, api.InvalidParameterValue, badTagKey},
		"one long key among others": {&api.UntagQueueInput{QueueUrl: new("orders"), TagKeys: []string{"key 0", strings.Repeat("k", 129)}}, api.InvalidParameterValue, badTagKey},
	})
}

// Pages that cannot be listed (A16.9).
func TestRefusedPages(t *testing.T) {
	requireAllRefused(t, tagged, map[string]refused{
		"no result":            {&api.ListQueuesInput{MaxResults: new(0)}, api.InvalidParameterValue, badMaximum},
		"1001 results":         {&api.ListQueuesInput{MaxResults: new(1001)}, api.InvalidParameterValue, badMaximum},
		"no source":            {&api.ListDeadLetterSourceQueuesInput{QueueUrl: new("orders"), MaxResults: new(-1)}, api.InvalidParameterValue, badMaximum},
		"a token that is none": {&api.ListQueuesInput{NextToken: new("nonsense")}, api.InvalidParameterValue, badToken},
		"an empty token":       {&api.ListQueuesInput{NextToken: new("")}, api.InvalidParameterValue, badToken},
		"a source token":       {&api.ListDeadLetterSourceQueuesInput{QueueUrl: new("orders"), NextToken: new("?")}, api.InvalidParameterValue, badToken},
	})
}

// The text of a queue that is not there is another one in the Query protocol (C2.8).
func TestUnknownQueueInTheQueryProtocol(t *testing.T) {
	c := newCaller()
	c.Query = true
	const text = "The specified queue does not exist for this wsdl version."
	requireRefused(t, c, &api.GetQueueUrlInput{QueueName: new("unknown")}, api.QueueDoesNotExist, text)
	requireRefused(t, c, &api.DeleteQueueInput{QueueUrl: new("unknown")}, api.QueueDoesNotExist, text)
}

// A badAttribute is an attribute that cannot be set, and how it is refused.
type badAttribute struct {
	name, value string
	kind        *api.Kind
	text        string
}

func unknown(name string) badAttribute {
	return badAttribute{name, "1", api.InvalidAttributeName, "Unknown Attribute " + name + "."}
}

func outOfRange(name, value string) badAttribute {
	return badAttribute{name, value, api.InvalidAttributeValue, "Invalid value for the parameter " + name + "."}
}

func fifoOnly(name, value string) badAttribute {
	return badAttribute{name, value, api.InvalidAttributeName, "You can specify the " + name + " only when FifoQueue is set to true."}
}

// The attributes that cannot be set of either type of queue, and of each.
var (
	badOnBoth = []badAttribute{
		unknown("Foobar"), unknown("All"), unknown(""), unknown("visibilityTimeout"), unknown("QueueArn"), unknown("CreatedTimestamp"),
		unknown("LastModifiedTimestamp"), unknown("ApproximateNumberOfMessages"),
		outOfRange("VisibilityTimeout", "-1"), outOfRange("VisibilityTimeout", "43201"), outOfRange("VisibilityTimeout", ""),
		outOfRange("VisibilityTimeout", "1.5"), outOfRange("VisibilityTimeout", "99999999999999999999"), outOfRange("VisibilityTimeout", "x"),
		outOfRange("DelaySeconds", "-1"), outOfRange("DelaySeconds", "901"),
		outOfRange("MessageRetentionPeriod", "59"), outOfRange("MessageRetentionPeriod", "1209601"),
		outOfRange("ReceiveMessageWaitTimeSeconds", "-1"), outOfRange("ReceiveMessageWaitTimeSeconds", "21"),
		outOfRange("MaximumMessageSize", "1023"), outOfRange("MaximumMessageSize", "1048577"),
		outOfRange("KmsDataKeyReusePeriodSeconds", "59"), outOfRange("KmsDataKeyReusePeriodSeconds", "86401"),
		outOfRange("KmsMasterKeyId", strings.Repeat("k", 2049)), outOfRange("KmsMasterKeyId", "\xff"), outOfRange("KmsMasterKeyId", "\x00"),
		outOfRange("SqsManagedSseEnabled", "yes"), outOfRange("SqsManagedSseEnabled", ""),
		outOfRange("Policy", "x"), outOfRange("Policy", `"{}"`), outOfRange("Policy", "null"), outOfRange("Policy", `{"Statement":"x"}`), outOfRange("Policy", `{"Statement":[1]}`),
		outOfRange("Policy", "{\"Id\":\"\xff\"}"),
	}
	badOnStandard = []badAttribute{
		unknown("ContentBasedDeduplication"),
		badAttribute{"FifoQueue", "false", api.InvalidAttributeName, "Unknown Attribute FifoQueue."},
		fifoOnly("DeduplicationScope", "queue"), fifoOnly("FifoThroughputLimit", "perQueue"),
	}
	badOnFIFO = []badAttribute{
		outOfRange("FifoQueue", "maybe"),
		outOfRange("ContentBasedDeduplication", "1"), outOfRange("DeduplicationScope", "Queue"), outOfRange("FifoThroughputLimit", "none"),
	}
)

// Attributes that cannot be set are refused by SetQueueAttributes and CreateQueue
// alike, whatever is in order beside them (A12.5 to A12.9, B4.1, D3).
func TestRefusedAttributes(t *testing.T) {
	throughput := badAttribute{"DeduplicationScope", "queue", api.InvalidAttributeValue, "Invalid value for the parameter FifoThroughputLimit. Reason: To set FifoThroughputLimit to perMessageGroupId, the DeduplicationScope must be messageGroup."}

	refusals := make(map[string]refused)
	add := func(what string, r badAttribute, input any) {
		refusals[what+" "+r.name+" "+r.value[:min(len(r.value), 30)]] = refused{input, r.kind, r.text}
	}
	for _, r := range slices.Concat(badOnBoth, badOnStandard) {
		values := attrs{"DelaySeconds": "1", "VisibilityTimeout": "1", r.name: r.value}
		add("set", r, &api.SetQueueAttributesInput{QueueUrl: new("orders"), Attributes: values})
		add("create", r, &api.CreateQueueInput{QueueName: new("new"), Attributes: values})
	}
	for _, r := range slices.Concat(badOnBoth, badOnFIFO, []badAttribute{throughput, {"FifoQueue", "False", api.InvalidAttributeValue, "Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported."}}) {
		values := attrs{"DelaySeconds": "1", "VisibilityTimeout": "1", r.name: r.value}
		add("set FIFO", r, &api.SetQueueAttributesInput{QueueUrl: new("jobs.fifo"), Attributes: values})
	}
	add("create FIFO", throughput, &api.CreateQueueInput{QueueName: new("new.fifo"), Attributes: attrs{"FifoQueue": "true", "FifoThroughputLimit": "perMessageGroupId"}})
	refusals["nothing"] = refused{&api.SetQueueAttributesInput{QueueUrl: new("orders")}, api.MissingParameter, "The request must contain the parameter Attributes."}
	requireAllRefused(t, tagged, refusals)
}

// Permissions that cannot be given or taken (A18.2, A18.3).
func TestRefusedPermissions(t *testing.T) {
	of := func(id string) *api.AddPermissionInput {
		in := permission("new", "*")
		in.AWSAccountIds = []string{account, id}
		return in
	}
	remove := func(label string) *api.RemovePermissionInput {
		return &api.RemovePermissionInput{QueueUrl: new("orders"), Label: &label}
	}
	without := func(edit func(*api.AddPermissionInput)) *api.AddPermissionInput {
		in := permission("new", "SendMessage")
		edit(in)
		return in
	}
	eight := []string{"SendMessage", "ReceiveMessage", "DeleteMessage", "ChangeMessageVisibility", "GetQueueAttributes", "GetQueueUrl", "PurgeQueue", "*"}
	const badLabel = " for parameter Label is invalid. Reason: Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length."
	requireAllRefused(t, tagged, map[string]refused{
		"a label that is there":     {permission("label", "SendMessage"), api.InvalidParameterValue, "Value label for parameter Label is invalid. Reason: Already exists."},
		"a label that is not there": {remove("unknown"), api.InvalidParameterValue, "Value unknown for parameter Label is invalid. Reason: can't find label."},
		"none on a queue without":   {&api.RemovePermissionInput{QueueUrl: new("jobs.fifo"), Label: new("label")}, api.InvalidParameterValue, "Value label for parameter Label is invalid. Reason: can't find label."},
		"no label":                  {&api.AddPermissionInput{QueueUrl: new("orders")}, api.MissingParameter, "The request must contain the parameter Label."},
		"no label to remove":        {&api.RemovePermissionInput{QueueUrl: new("orders")}, api.MissingParameter, "The request must contain the parameter Label."},
		"an empty label":            {permission("", "SendMessage"), api.InvalidParameterValue, "Value " + badLabel},
		"a label with a blank":      {permission("a b", "SendMessage"), api.InvalidParameterValue, "Value a b" + badLabel},
		"a label of 81":             {permission(strings.Repeat("l", 81), "SendMessage"), api.InvalidParameterValue, "Value " + strings.Repeat("l", 81) + badLabel},
		"no account":                {without(func(in *api.AddPermissionInput) { in.AWSAccountIds = nil }), api.MissingParameter, "The request must contain the parameter AWSAccountIds."},
		"no action":                 {permission("new"), api.MissingParameter, "The request must contain the parameter Actions."},
		"an account of 11 digits":   {of("12345678901"), api.InvalidParameterValue, "Value 12345678901 for parameter PrincipalId is invalid. Reason: Unable to verify."},
		"an account of letters":     {of("12345678901x"), api.InvalidParameterValue, "Value 12345678901x for parameter PrincipalId is invalid. Reason: Unable to verify."},
		"eight actions":             {permission("new", eight...), api.OverLimit, "8 Actions were found, maximum allowed is 7."},
		"an unknown action":         {permission("new", "SendMessage", "Fly"), api.InvalidParameterValue, "Value SQS:Fly for parameter ActionName is invalid. Reason: Please refer to the appropriate WSDL for a list of valid actions."},
		"an action of the owner":    {permission("new", "DeleteQueue"), api.InvalidParameterValue, "Value SQS:DeleteQueue for parameter ActionName is invalid. Reason: Only the queue owner is allowed to invoke this action."},
	})
}
