package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// The most that AddPermission and a policy can have (A18.3).
const (
	maxActions    = 7
	maxPolicy     = 8192 // bytes
	maxStatements = 20
	maxPrincipals = 50
	maxConditions = 10
)

// AddPermission adds a statement to the policy of a queue, or makes one (A18.1).
func (c *Caller) AddPermission(ctx context.Context, in *AddPermissionInput) (*AddPermissionOutput, error) {
	err := c.editPolicy(in.QueueUrl, in.Label, func(q *queue, p *policy) error {
		if err := checkPermission(in); err != nil {
			return err
		}
		if p.find(*in.Label) >= 0 {
			return invalid("Label", *in.Label, "Already exists.")
		}
		if p.Id == "" && p.Statement == nil {
			p.Version, p.Id = "2008-10-17", q.arn.String()+"/SQSDefaultPolicy"
		}
		p.Statement = append(p.Statement, json.RawMessage(marshal(newStatement(in, q.arn))))
		if fault := p.fault(marshal(p)); fault != "" {
			return OverLimit.errorf("%s", fault)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &AddPermissionOutput{}, nil
}

// RemovePermission removes a statement from the policy of a queue, and with the last
// the policy (A18.2).
func (c *Caller) RemovePermission(ctx context.Context, in *RemovePermissionInput) (*RemovePermissionOutput, error) {
	err := c.editPolicy(in.QueueUrl, in.Label, func(q *queue, p *policy) error {
		i := p.find(*in.Label)
		if i < 0 {
			return invalid("Label", *in.Label, "can't find label.")
		}
		p.Statement = slices.Delete(p.Statement, i, i+1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &RemovePermissionOutput{}, nil
}

// editPolicy edits the policy of a queue, if edit does not refuse it.
func (c *Caller) editPolicy(queueURL, label *string, edit func(*queue, *policy) error) error {
	c.Service.setup.Lock()
	defer c.Service.setup.Unlock()
	q, err := c.find(queueURL)
	if err != nil {
		return err
	}
	if label == nil {
		return missing("Label")
	}
	var p policy
	if text := q.settings().policy; text != "" {
		p, _ = parsePolicy(text) // it was valid when it was set
	}
	if err := edit(q, &p); err != nil {
		return err
	}
	text := ""
	if len(p.Statement) > 0 {
		text = marshal(p)
	}
	return c.change(q, func(s *settings) { s.policy = text })
}

// permissions are the actions that others can be permitted, and those that are the
// owner's alone.
var (
	permissions = []string{
		"*", "ChangeMessageVisibility", "ChangeMessageVisibilityBatch", "DeleteMessage", "DeleteMessageBatch", "GetQueueAttributes",
		"GetQueueUrl", "ListDeadLetterSourceQueues", "PurgeQueue", "ReceiveMessage", "SendMessage", "SendMessageBatch",
	}
	ownerActions = []string{
		"AddPermission", "CancelMessageMoveTask", "CreateQueue", "DeleteQueue", "ListMessageMoveTasks", "ListQueueTags", "ListQueues",
		"RemovePermission", "SetQueueAttributes", "StartMessageMoveTask", "TagQueue", "UntagQueue",
	}
)

// checkPermission refuses what cannot be a statement of a policy.
func checkPermission(in *AddPermissionInput) *Error {
	switch n := len(in.Actions); {
	case !isWord(*in.Label) || len(*in.Label) > maxName:
		return invalid("Label", *in.Label, "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.")
	case len(in.AWSAccountIds) == 0:
		return missing("AWSAccountIds")
	case n == 0:
		return missing("Actions")
	case n > maxActions:
		return OverLimit.errorf("%d Actions were found, maximum allowed is %d.", n, maxActions)
	}
	for _, id := range in.AWSAccountIds {
		if !IsAccount(id) {
			return invalid("PrincipalId", id, "Unable to verify.")
		}
	}
	for _, action := range in.Actions {
		if slices.Contains(ownerActions, action) {
			return invalid("ActionName", "SQS:"+action, "Only the queue owner is allowed to invoke this action.")
		}
		if !slices.Contains(permissions, action) {
			return invalid("ActionName", "SQS:"+action, "Please refer to the appropriate WSDL for a list of valid actions.")
		}
	}
	return nil
}

// A policy is the document that the Policy attribute is. Its statements are kept as
// they were written.
type policy struct {
	Version   string            `json:",omitempty"`
	Id        string            `json:",omitempty"`
	Statement []json.RawMessage `json:",omitempty"`
}

// A statement is one as AddPermission makes it.
type statement struct {
	Sid       string
	Effect    string
	Principal struct{ AWS any }
	Action    any
	Resource  string
}

func newStatement(in *AddPermissionInput, resource arn) statement {
	s := statement{Sid: *in.Label, Effect: "Allow", Resource: resource.String()}
	var principals, actions []string
	for _, id := range in.AWSAccountIds {
		principals = append(principals, "arn:aws:iam::"+id+":root")
	}
	for _, action := range in.Actions {
		actions = append(actions, "SQS:"+action)
	}
	s.Principal.AWS, s.Action = oneOrMore(principals), oneOrMore(actions)
	return s
}

// oneOrMore returns what a policy has for a list: its one element, if it has no more.
func oneOrMore(list []string) any {
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// parsePolicy returns the policy that a JSON text is, or false if it is not one.
func parsePolicy(text string) (p policy, ok bool) {
	var doc struct {
		Version, Id string
		Statement   json.RawMessage
	}
	if !isObject(text) || json.Unmarshal([]byte(text), &doc) != nil {
		return p, false
	}
	p.Version, p.Id = doc.Version, doc.Id
	switch {
	case len(doc.Statement) == 0:
	case doc.Statement[0] == '{':
		p.Statement = []json.RawMessage{doc.Statement}
	default:
		if json.Unmarshal(doc.Statement, &p.Statement) != nil {
			return p, false
		}
	}
	for _, s := range p.Statement {
		if !isObject(string(s)) {
			return p, false
		}
	}
	return p, true
}

// find returns the index of the statement with a label, or -1.
func (p *policy) find(label string) int {
	return slices.IndexFunc(p.Statement, func(raw json.RawMessage) bool {
		var s struct{ Sid string }
		return json.Unmarshal(raw, &s) == nil && s.Sid == label
	})
}

// fault says which limit the policy, which is written as text, exceeds, if any.
func (p *policy) fault(text string) string {
	principals, conditions := 0, 0
	for _, raw := range p.Statement {
		var s struct {
			Principal any
			Condition map[string]map[string]any
		}
		if json.Unmarshal(raw, &s) != nil {
			return "Condition is not a map of maps."
		}
		principals += countLeaves(s.Principal)
		for _, keys := range s.Condition {
			conditions += len(keys)
		}
	}
	for _, limit := range []struct {
		what    string
		n, most int
	}{
		{"bytes", len(text), maxPolicy},
		{"Statements", len(p.Statement), maxStatements},
		{"Principals", principals, maxPrincipals},
		{"Conditions", conditions, maxConditions},
	} {
		if limit.n > limit.most {
			return fmt.Sprintf("%d %s were found, maximum allowed is %d.", limit.n, limit.what, limit.most)
		}
	}
	return ""
}

// countLeaves returns how many values there are in the lists and maps of a JSON value.
func countLeaves(v any) int {
	n := 0
	switch v := v.(type) {
	case nil:
	case map[string]any:
		for _, e := range v {
			n += countLeaves(e)
		}
	case []any:
		for _, e := range v {
			n += countLeaves(e)
		}
	default:
		n = 1
	}
	return n
}

// parsePolicyAttribute parses a Policy. The empty string clears it (A12.3).
func parsePolicyAttribute(p *parser, value string) (edit, *Error) {
	var compact bytes.Buffer
	if value != "" {
		doc, ok := parsePolicy(value)
		if !ok {
			return nil, p.invalid("")
		}
		json.Compact(&compact, []byte(value)) // it is valid
		if fault := doc.fault(compact.String()); fault != "" {
			return nil, p.invalid(fault)
		}
	}
	return func(s *settings) { s.policy = compact.String() }, nil
}
