package api

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A redrivePolicy is the form in which the RedrivePolicy is shown (A19.1).
type redrivePolicy struct {
	DeadLetterTargetArn string `json:"deadLetterTargetArn"`
	MaxReceiveCount     int    `json:"maxReceiveCount"`
}

// deadLetterTarget returns the ARN of the queue that dead letters of a queue with
// the given ARN and settings go to, and false if they go nowhere. It is one of the
// same region and account (A19.9), also when it has been deleted.
func deadLetterTarget(source arn, s *settings) (target arn, maxReceiveCount int, ok bool) {
	name, maxReceiveCount := s.deadLetters()
	return arn{source.place, name}, maxReceiveCount, maxReceiveCount > 0 && name != ""
}

// deadLetterTarget returns where dead letters of the queue go to, as the function does.
func (q *queue) deadLetterTarget() (target arn, ok bool) {
	s := q.configuration()
	target, _, ok = deadLetterTarget(q.arn, &s)
	return target, ok
}

func showRedrivePolicy(v *view) string {
	target, n, ok := deadLetterTarget(v.arn, &v.settings)
	if !ok {
		return ""
	}
	return marshal(redrivePolicy{target.String(), n})
}

// parseRedrivePolicy parses a RedrivePolicy. Only the empty string clears it (A19.11).
func parseRedrivePolicy(p *parser, value string) (edit, *Error) {
	if value == "" {
		return func(s *settings) { s.DeadLetter, s.standardDeadLetter = nil, nil }, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(value), &members); err != nil || members == nil {
		return nil, p.invalid("Redrive policy is not a valid JSON map.") // A19.12
	}
	for _, name := range []string{"maxReceiveCount", "deadLetterTargetArn"} {
		if members[name] == nil {
			return nil, p.unfit(value, "Redrive policy does not contain mandatory attribute: "+name+".")
		}
	}
	count, err := p.parseReceiveCount(value, members["maxReceiveCount"])
	if err != nil {
		return nil, err
	}
	target, err := p.findTarget(value, members["deadLetterTargetArn"])
	if err != nil {
		return nil, err
	}
	return func(s *settings) { s.setDeadLetters(target, count) }, nil
}

// unfit refuses a value for what it means, not for its form (D3).
func (p *parser) unfit(value, reason string) *Error {
	return invalid(p.name, value, reason)
}

// parseReceiveCount accepts a number, and a string that is one.
func (p *parser) parseReceiveCount(value string, raw json.RawMessage) (int, *Error) {
	text := string(raw)
	if s, ok := unquote(raw); ok {
		text = s
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1000 {
		return 0, p.unfit(value, "Invalid value for maxReceiveCount: "+text+", valid values are from 1 to 1000 both inclusive.")
	}
	return n, nil
}

// findTarget returns the queue that the policy of p's queue names, if that queue can
// send it its dead letters.
func (p *parser) findTarget(value string, raw json.RawMessage) (*queue, *Error) {
	text, _ := unquote(raw)
	a, ok := parseARN(text)
	if !ok {
		return nil, p.unfit(value, "Invalid value for deadLetterTargetArn.")
	}
	if a.account != p.arn.account {
		return nil, p.unfit(value, "Dead-letter target owner should be same as the source.")
	}
	target := p.service.lookUp(a)
	switch {
	case target == nil || a.region != p.arn.region:
		return nil, p.unfit(value, "Dead letter target does not exist.") // A19.10
	case p.fifo != (target.fifo != nil):
		return nil, p.unfit(value, "Dead-letter queue must be same type of queue as the source..") // A19.9
	case !target.settings().redriveAllow.allows(p.arn):
		return nil, p.unfit(value, "The redrive allow policy of the dead-letter queue does not allow this source queue.")
	}
	target.named = true
	return target, nil
}

// A redriveAllowPolicy says for which queues a queue is a dead-letter queue (A19.14),
// in the form in which it is shown. Nil is for all.
type redriveAllowPolicy struct {
	RedrivePermission string   `json:"redrivePermission"`
	SourceQueueArns   []string `json:"sourceQueueArns,omitempty"`
}

const (
	allowAll = "allowAll"
	denyAll  = "denyAll"
	byQueue  = "byQueue"
)

func (r *redriveAllowPolicy) allows(source arn) bool {
	return r == nil || r.RedrivePermission == allowAll || slices.Contains(r.SourceQueueArns, source.String())
}

func showRedriveAllowPolicy(v *view) string {
	if v.redriveAllow == nil {
		return ""
	}
	return marshal(v.redriveAllow)
}

func parseRedriveAllowPolicy(p *parser, value string) (edit, *Error) {
	if value == "" {
		return func(s *settings) { s.redriveAllow = nil }, nil
	}
	if !isObject(value) {
		return nil, p.invalid("Redrive allow policy is not a valid JSON map.")
	}
	r := new(redriveAllowPolicy)
	if err := json.Unmarshal([]byte(value), r); err != nil {
		return nil, p.unfit(value, "redrivePermission must be a string and sourceQueueArns a list of strings.")
	}
	if reason := r.fault(); reason != "" {
		return nil, p.unfit(value, reason)
	}
	return func(s *settings) { s.redriveAllow = r }, nil
}

// maxSourceQueues is the most queues that a redriveAllowPolicy can name.
const maxSourceQueues = 10

// fault says what is wrong with the policy, if anything.
func (r *redriveAllowPolicy) fault() string {
	n := len(r.SourceQueueArns)
	switch r.RedrivePermission {
	case allowAll, denyAll:
		if n > 0 {
			return "sourceQueueArns can only be given when redrivePermission is byQueue."
		}
	case byQueue:
		if n < 1 || n > maxSourceQueues {
			return "sourceQueueArns must have 1 to 10 queues when redrivePermission is byQueue."
		}
	default:
		return "redrivePermission must be allowAll, denyAll or byQueue."
	}
	for _, text := range r.SourceQueueArns {
		if _, ok := parseARN(text); !ok {
			return "sourceQueueArns has " + text + ", which is not the ARN of a queue."
		}
	}
	return ""
}

// unquote returns the text that a JSON string is, or false if raw is not one.
func unquote(raw json.RawMessage) (string, bool) {
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil || s == nil {
		return "", false
	}
	return *s, true
}

func isObject(text string) bool {
	return json.Valid([]byte(text)) && strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{")
}

// marshal returns v, which can be marshaled, as JSON without spaces.
func marshal(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
