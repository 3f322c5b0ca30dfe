// Permissions, the policy that they are in, and tags.

package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memsqs/memsqs/internal/api"
)

// Each permission is a statement of a policy, in the recorded form; with the last the
// policy goes (A18.1, A18.2).
func TestPermissions(t *testing.T) {
	c := newCaller()
	url := create(t, c, "orders", nil)
	must[api.AddPermissionOutput](t, c, permission("one", "ReceiveMessage"))
	const head = `{"Version":"2008-10-17","Id":"arn:aws:sqs:eu-north-1:123456789012:orders/SQSDefaultPolicy","Statement":[`
	const one = `{"Sid":"one","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"},"Action":"SQS:ReceiveMessage","Resource":"arn:aws:sqs:eu-north-1:123456789012:orders"}`
	const two = `{"Sid":"two","Effect":"Allow","Principal":{"AWS":["arn:aws:iam::123456789012:root","arn:aws:iam::111111111111:root"]},"Action":["SQS:SendMessage","SQS:*"],"Resource":"arn:aws:sqs:eu-north-1:123456789012:orders"}`
	require.Equal(t, head+one+`]}`, get(t, c, url, "Policy")["Policy"])

	second := permission("two", "SendMessage", "*")
	second.AWSAccountIds = append(second.AWSAccountIds, "111111111111")
	must[api.AddPermissionOutput](t, c, second)
	require.Equal(t, head+one+`,`+two+`]}`, get(t, c, url, "Policy")["Policy"])

	must[api.RemovePermissionOutput](t, c, &api.RemovePermissionInput{QueueUrl: &url, Label: new("one")})
	require.Equal(t, head+two+`]}`, get(t, c, url, "Policy")["Policy"])
	must[api.RemovePermissionOutput](t, c, &api.RemovePermissionInput{QueueUrl: &url, Label: new("two")})
	require.Empty(t, get(t, c, url, "Policy"))
}

// A policy is shown without spaces, and as it was given else. The empty string clears
// it (A12.3).
func TestPolicyAttribute(t *testing.T) {
	c := newCaller()
	url := create(t, c, "orders", attrs{"Policy": "{ \"Statement\" : { \"Sid\" : \"<a> & b\" } }\n"})
	require.Equal(t, `{"Statement":{"Sid":"<a> & b"}}`, get(t, c, url, "All")["Policy"])
	set(t, c, url, attrs{"Policy": ""})
	require.NotContains(t, get(t, c, url, "All"), "Policy")
}

// AddPermission and RemovePermission leave the other statements of a policy as they
// were written, and its head.
func TestPermissionsInAPolicyThatWasSet(t *testing.T) {
	c := newCaller()
	const statement = `{"Sid":"mine","Effect":"Deny","Principal":"*","Condition":{"Bool":{"aws:SecureTransport":"false"}},"x":"<>"}`
	url := create(t, c, "orders", attrs{"Policy": `{"Version":"2012-10-17","Statement":` + statement + `}`})
	must[api.AddPermissionOutput](t, c, permission("read", "ReceiveMessage"))
	require.Contains(t, get(t, c, url, "Policy")["Policy"], `{"Version":"2012-10-17","Statement":[`+statement+`,{"Sid":"read",`)
	must[api.RemovePermissionOutput](t, c, &api.RemovePermissionInput{QueueUrl: &url, Label: new("read")})
	require.Equal(t, `{"Version":"2012-10-17","Statement":[`+statement+`]}`, get(t, c, url, "Policy")["Policy"])
}

// A policy has at most 8,192 bytes, 20 statements, 50 principals and 10 conditions
// (A18.3).
func TestPolicyLimits(t *testing.T) {
	c := newCaller()
	url := create(t, c, "orders", nil)
	list := func(format string, n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(format, i))
		}
		return strings.Join(all, ",")
	}
	for _, limit := range []struct {
		what   string
		most   int
		policy func(n int) string
	}{
		{"Statements", 20, func(n int) string { return `{"Statement":[` + list(`{"Sid":"%d"}`, n) + `]}` }},
		{"Principals", 50, func(n int) string {
			return `{"Statement":[{"Principal":{"AWS":[` + list(`"%d"`, n-1) + `]}},{"Principal":"*"}]}`
		}},
		{"Conditions", 10, func(n int) string {
			return `{"Statement":[{"Condition":{"A":{` + list(`"%d":1`, n-1) + `},"B":{"x":1}}}]}`
		}},
		{"bytes", 8192, func(n int) string { return `{"Id":"` + strings.Repeat("x", n-len(`{"Id":""}`)) + `"}` }},
		{"bytes", 8192, func(n int) string { return `{"Unknown":"` + strings.Repeat("x", n-len(`{"Unknown":""}`)) + `"}` }},
	} {
		set(t, c, url, attrs{"Policy": limit.policy(limit.most)})
		requireRefused(t, c, &api.SetQueueAttributesInput{QueueUrl: &url, Attributes: attrs{"Policy": limit.policy(limit.most + 1)}}, api.InvalidAttributeValue,
			fmt.Sprintf("Invalid value for the parameter Policy. Reason: %d %s were found, maximum allowed is %d.", limit.most+1, limit.what, limit.most))
	}

	set(t, c, url, attrs{"Policy": ""})
	for i := range 20 {
		must[api.AddPermissionOutput](t, c, permission(fmt.Sprint(i), "SendMessage"))
	}
	requireRefused(t, c, permission("more", "SendMessage"), api.OverLimit, "21 Statements were found, maximum allowed is 20.")
}

// Tags are added and overwritten, keys that are not there are ignored, and case and
// empty values count (A17.1, A17.2).
func TestTags(t *testing.T) {
	c := newCaller()
	must[api.CreateQueueOutput](t, c, &api.CreateQueueInput{QueueName: new("orders"), Tags: map[string]string{"Team": "a", "empty": "", "gone": "x"}})
	list := func() map[string]string {
		return must[api.ListQueueTagsOutput](t, c, &api.ListQueueTagsInput{QueueUrl: new("orders")}).Tags
	}
	must[api.TagQueueOutput](t, c, &api.TagQueueInput{QueueUrl: new("orders"), Tags: map[string]string{"Team": "b", "team": "c"}})
	must[api.UntagQueueOutput](t, c, &api.UntagQueueInput{QueueUrl: new("orders"), TagKeys: []string{"gone", "never there", "TEAM"}})
	require.Equal(t, map[string]string{"Team": "b", "team": "c", "empty": ""}, list())
	must[api.UntagQueueOutput](t, c, &api.UntagQueueInput{QueueUrl: new("orders"), TagKeys: []string{"Team", "team", "empty"}})
	require.Empty(t, list())
	create(t, c, "bare", nil)
	must[api.TagQueueOutput](t, c, &api.TagQueueInput{QueueUrl: new("bare"), Tags: manyTags(50)})
}
