// The RedrivePolicy of queues, and the RedriveAllowPolicy of their dead-letter queues.

package api_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs"
	"github.com/memsqs/memsqs/internal/api"
)

// withDeadLetters makes queues to be each other's dead-letter queues.
func withDeadLetters(t *testing.T, c *api.Caller) {
	create(t, c, "dead", nil)
	create(t, c, "dead.fifo", attrs{"FifoQueue": "true"})
	create(t, c, "closed", attrs{"RedriveAllowPolicy": `{"redrivePermission":"denyAll"}`})
	create(t, c, "choosy", attrs{"RedriveAllowPolicy": `{"redrivePermission":"byQueue","sourceQueueArns":["` + arn("friend") + `"]}`})
	create(t, c, "orders", attrs{"RedrivePolicy": redrivePolicy("dead", "5"), "RedriveAllowPolicy": `{"redrivePermission":"allowAll"}`})
	create(t, c.Service.Caller("us-west-2", "", ""), "dead", nil)
	create(t, c.Service.Caller("", "111111111111", ""), "dead", nil)
}

// The policy reads back with a number and without spaces (A19.1), is that of the
// engine, and is cleared by the empty string alone (A12.3).
func TestRedrivePolicy(t *testing.T) {
	c := newCaller()
	withDeadLetters(t, c)
	q := c.Service.Queue("orders")
	for given, want := range map[string]string{
		redrivePolicy("dead", "5"):   redrivePolicy("dead", "5"),
		redrivePolicy("dead", `"7"`): redrivePolicy("dead", "7"),
		` { "maxReceiveCount" : 1000, "deadLetterTargetArn" : "` + arn("dead") + `", "other": [] } `: redrivePolicy("dead", "1000"),
		redrivePolicy("orders", "1"): redrivePolicy("orders", "1"), // A19.13
	} {
		set(t, c, "orders", attrs{"RedrivePolicy": given})
		require.Equal(t, want, get(t, c, "orders", "RedrivePolicy")["RedrivePolicy"])
	}
	set(t, c, "orders", attrs{"RedrivePolicy": redrivePolicy("dead", "3")})
	require.Equal(t, &memsqs.DeadLetter{Queue: c.Service.Queue("dead"), MaxReceiveCount: 3}, q.Config().DeadLetter)
	set(t, c, "orders", attrs{"RedrivePolicy": ""})
	require.Nil(t, q.Config().DeadLetter)
	require.Empty(t, get(t, c, "orders", "RedrivePolicy"))

	require.NoError(t, q.Configure(func(cfg *memsqs.Config) {
		cfg.DeadLetter = &memsqs.DeadLetter{Queue: c.Service.Queue("choosy"), MaxReceiveCount: 9}
	}))
	require.Equal(t, redrivePolicy("choosy", "9"), get(t, c, "orders", "All")["RedrivePolicy"])
	require.NoError(t, q.Configure(func(cfg *memsqs.Config) {
		cfg.DeadLetter = &memsqs.DeadLetter{Queue: newQueue(t, ""), MaxReceiveCount: 9}
	}))
	require.NotContains(t, get(t, c, "orders", "All"), "RedrivePolicy")

	create(t, c, "jobs.fifo", attrs{"FifoQueue": "true", "RedrivePolicy": redrivePolicy("dead.fifo", "2")})
	require.Same(t, c.Service.FIFOQueue("dead.fifo"), c.Service.FIFOQueue("jobs.fifo").Config().DeadLetter.Queue)
	require.Equal(t, redrivePolicy("dead.fifo", "2"), get(t, c, "jobs.fifo", "All")["RedrivePolicy"])
	set(t, c, "jobs.fifo", attrs{"RedrivePolicy": ""})
	require.NotContains(t, get(t, c, "jobs.fifo", "All"), "RedrivePolicy")
}

// A policy with a fault is refused, by SetQueueAttributes and CreateQueue alike
// (A19.9 to A19.12, A19.14).
func TestRefusedRedrivePolicies(t *testing.T) {
	target := func(arn string) string { return `{"deadLetterTargetArn":"` + arn + `","maxReceiveCount":1}` }
	refusals := make(map[string]refused)
	add := func(what, queue, value string, kind *api.Kind, text string) {
		values := attrs{"RedrivePolicy": value, "DelaySeconds": "1"}
		refusals["set "+what] = refused{&api.SetQueueAttributesInput{QueueUrl: &queue, Attributes: values}, kind, text}
		name := "new"
		if strings.HasSuffix(queue, ".fifo") {
			name, values = "new.fifo", attrs{"RedrivePolicy": value, "FifoQueue": "true"}
		}
		refusals["create "+what] = refused{&api.CreateQueueInput{QueueName: &name, Attributes: values}, kind, text}
	}
	for what, value := range map[string]string{
		"bad JSON": `{"deadLetterTargetArn"`, "JSON twice": `"{}"`, "a list": `[]`, "null": `null`, "more than JSON": `{} {}`,
	} {
		add(what, "orders", value, api.InvalidAttributeValue, "Invalid value for the parameter RedrivePolicy. Reason: Redrive policy is not a valid JSON map.")
	}
	for what, r := range map[string]struct{ value, reason string }{
		"no count":        {`{"deadLetterTargetArn":"` + arn("dead") + `"}`, "Redrive policy does not contain mandatory attribute: maxReceiveCount."},
		"no target":       {`{"maxReceiveCount":1}`, "Redrive policy does not contain mandatory attribute: deadLetterTargetArn."},
		"nothing":         {`{}`, "Redrive policy does not contain mandatory attribute: maxReceiveCount."},
		"another case":    {`{"MaxReceiveCount":1,"deadLetterTargetArn":"` + arn("dead") + `"}`, "Redrive policy does not contain mandatory attribute: maxReceiveCount."},
		"a count of 0":    {redrivePolicy("dead", "0"), "Invalid value for maxReceiveCount: 0, valid values are from 1 to 1000 both inclusive."},
		"a count of 1001": {redrivePolicy("dead", "1001"), "Invalid value for maxReceiveCount: 1001, valid values are from 1 to 1000 both inclusive."},
		"a text":          {redrivePolicy("dead", `"many"`), "Invalid value for maxReceiveCount: many, valid values are from 1 to 1000 both inclusive."},
		"a fraction":      {redrivePolicy("dead", `1.5`), "Invalid value for maxReceiveCount: 1.5, valid values are from 1 to 1000 both inclusive."},
		"a null count":    {redrivePolicy("dead", `null`), "Invalid value for maxReceiveCount: null, valid values are from 1 to 1000 both inclusive."},
		"no ARN":          {target("dead"), "Invalid value for deadLetterTargetArn."},
		"a number":        {`{"deadLetterTargetArn":1,"maxReceiveCount":1}`, "Invalid value for deadLetterTargetArn."},
		"unknown":         {redrivePolicy("unknown", "1"), "Dead letter target does not exist."},
		"another region":  {target("arn:aws:sqs:us-west-2:123456789012:dead"), "Dead letter target does not exist."},
		"another account": {target("arn:aws:sqs:eu-north-1:111111111111:dead"), "Dead-letter target owner should be same as the source."},
		"another type":    {redrivePolicy("dead.fifo", "1"), "Dead-letter queue must be same type of queue as the source.."},
		"denied":          {redrivePolicy("closed", "1"), "The redrive allow policy of the dead-letter queue does not allow this source queue."},
		"not named":       {redrivePolicy("choosy", "1"), "The redrive allow policy of the dead-letter queue does not allow this source queue."},
	} {
		add(what, "orders", r.value, api.InvalidParameterValue, "Value "+r.value+" for parameter RedrivePolicy is invalid. Reason: "+r.reason)
	}
	value := redrivePolicy("dead", "1")
	add("FIFO to standard", "dead.fifo", value, api.InvalidParameterValue, "Value "+value+" for parameter RedrivePolicy is invalid. Reason: Dead-letter queue must be same type of queue as the source..")
	requireAllRefused(t, withDeadLetters, refusals)
}

// A RedriveAllowPolicy with a fault is refused (A19.14).
func TestRefusedRedriveAllowPolicies(t *testing.T) {
	refusals := make(map[string]refused)
	add := func(what, value string, kind *api.Kind, text string) {
		values := attrs{"RedriveAllowPolicy": value, "DelaySeconds": "1"}
		refusals["set "+what] = refused{&api.SetQueueAttributesInput{QueueUrl: new("orders"), Attributes: values}, kind, text}
		refusals["create "+what] = refused{&api.CreateQueueInput{QueueName: new("new"), Attributes: values}, kind, text}
	}
	for what, value := range map[string]string{"bad JSON": `{`, "JSON twice": `"{}"`, "null": `null`} {
		add(what, value, api.InvalidAttributeValue, "Invalid value for the parameter RedriveAllowPolicy. Reason: Redrive allow policy is not a valid JSON map.")
	}
	byQueue := func(n int) string {
		list := strings.Repeat(`,"`+arn("friend")+`"`, n)
		return `{"redrivePermission":"byQueue","sourceQueueArns":[` + strings.TrimPrefix(list, ",") + `]}`
	}
	const permission = "redrivePermission must be allowAll, denyAll or byQueue."
	const noSources = "sourceQueueArns can only be given when redrivePermission is byQueue."
	const sources = "sourceQueueArns must have 1 to 10 queues when redrivePermission is byQueue."
	for what, r := range map[string]struct{ value, reason string }{
		"nothing":           {`{}`, permission},
		"unknown":           {`{"redrivePermission":"some"}`, permission},
		"a number":          {`{"redrivePermission":1}`, "redrivePermission must be a string and sourceQueueArns a list of strings."},
		"all and sources":   {`{"redrivePermission":"allowAll","sourceQueueArns":["` + arn("friend") + `"]}`, noSources},
		"none and sources":  {`{"redrivePermission":"denyAll","sourceQueueArns":["` + arn("friend") + `"]}`, noSources},
		"no sources at all": {`{"redrivePermission":"byQueue"}`, sources},
		"no sources":        {byQueue(0), sources},
		"11 sources":        {byQueue(11), sources},
		"a name":            {`{"redrivePermission":"byQueue","sourceQueueArns":["friend"]}`, "sourceQueueArns has friend, which is not the ARN of a queue."},
	} {
		add(what, r.value, api.InvalidParameterValue, "Value "+r.value+" for parameter RedriveAllowPolicy is invalid. Reason: "+r.reason)
	}
	requireAllRefused(t, withDeadLetters, refusals)
}

// The policy says which queues can name the queue, when they set theirs, and reads back
// without spaces (A19.14).
func TestRedriveAllowPolicy(t *testing.T) {
	c := newCaller()
	withDeadLetters(t, c)
	create(t, c, "friend", attrs{"RedrivePolicy": redrivePolicy("choosy", "1")})
	for _, value := range []string{
		`{ "redrivePermission" : "denyAll" }`,
		`{"sourceQueueArns": ["` + arn("other") + `", "` + arn("more") + `"], "redrivePermission": "byQueue"}`,
	} {
		set(t, c, "choosy", attrs{"RedriveAllowPolicy": value})
		require.Equal(t, redrivePolicy("choosy", "1"), get(t, c, "friend", "All")["RedrivePolicy"])
		_, err := c.SetQueueAttributes(t.Context(), &api.SetQueueAttributesInput{QueueUrl: new("friend"), Attributes: attrs{"RedrivePolicy": redrivePolicy("choosy", "2")}})
		require.ErrorContains(t, err, "does not allow")
	}
	require.Equal(t, `{"redrivePermission":"byQueue","sourceQueueArns":["`+arn("other")+`","`+arn("more")+`"]}`, get(t, c, "choosy", "RedriveAllowPolicy")["RedriveAllowPolicy"])
	ten := `{"redrivePermission":"byQueue","sourceQueueArns":["` + strings.Repeat(arn("other")+`","`, 9) + arn("other") + `"]}`
	set(t, c, "choosy", attrs{"RedriveAllowPolicy": ten})
	require.Equal(t, ten, get(t, c, "choosy", "RedriveAllowPolicy")["RedriveAllowPolicy"])
	for _, value := range []string{`{"redrivePermission":"allowAll"}`, ""} {
		set(t, c, "closed", attrs{"RedriveAllowPolicy": value})
		set(t, c, "friend", attrs{"RedrivePolicy": redrivePolicy("closed", "2")})
	}
	require.NotContains(t, get(t, c, "closed", "All"), "RedriveAllowPolicy")
}

// A RedrivePolicy goes on to name a dead-letter queue that was deleted. Messages stay
// in the source, until there is a queue of the name and the type again.
func TestDeadLetterQueueIsDeletedAndMadeAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, suffix := range []string{"", ".fifo"} {
			c := newCaller()
			given := attrs{"VisibilityTimeout": "0"}
			send := &api.SendMessageInput{QueueUrl: new("orders" + suffix), MessageBody: new("poison")}
			if suffix != "" {
				given["FifoQueue"] = "true"
				send.MessageGroupId, send.MessageDeduplicationId = new("g"), new("d")
			}
			dead := create(t, c, "dead"+suffix, given)
			url := create(t, c, "orders"+suffix, given)
			policy := redrivePolicy("dead"+suffix, "1")
			set(t, c, url, attrs{"RedrivePolicy": policy})
			modified := get(t, c, url, "LastModifiedTimestamp")
			must[api.SendMessageOutput](t, c, send)
			receive := &api.ReceiveMessageInput{QueueUrl: &url}
			require.Len(t, must[api.ReceiveMessageOutput](t, c, receive).Messages, 1)

			deleteQueue(t, c, dead)
			time.Sleep(time.Minute)
			require.Equal(t, policy, get(t, c, url, "All")["RedrivePolicy"])
			require.Len(t, must[api.ReceiveMessageOutput](t, c, receive).Messages, 1)

			create(t, c, "dead"+suffix, given)
			require.Equal(t, policy, get(t, c, url, "All")["RedrivePolicy"])
			require.Equal(t, modified, get(t, c, url, "LastModifiedTimestamp"))
			require.Empty(t, must[api.ReceiveMessageOutput](t, c, receive).Messages)
			require.Equal(t, "1", get(t, c, dead, "All")["ApproximateNumberOfMessages"])
		}
	})
}
