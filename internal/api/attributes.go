package api

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/memsqs/memsqs"
)

// GetQueueAttributes returns the attributes that are asked for, and none if none is
// (A12.4).
func (c *Caller) GetQueueAttributes(ctx context.Context, in *GetQueueAttributesInput) (*GetQueueAttributesOutput, error) {
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	for _, name := range in.AttributeNames {
		if name != "All" && attributes[name] == nil {
			return nil, unknownAttribute(name)
		}
	}
	v := q.view()
	shown := make(map[string]string)
	for name, a := range attributes {
		if a.fifo && q.fifo == nil || !slices.Contains(in.AttributeNames, "All") && !slices.Contains(in.AttributeNames, name) {
			continue
		}
		if value := a.show(v); value != "" {
			shown[name] = value
		}
	}
	return &GetQueueAttributesOutput{Attributes: shown}, nil
}

// SetQueueAttributes sets the attributes that are given, all of them or none
// (A12.12).
func (c *Caller) SetQueueAttributes(ctx context.Context, in *SetQueueAttributesInput) (*SetQueueAttributesOutput, error) {
	s := c.Service
	s.setup.Lock()
	defer s.setup.Unlock()
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	if len(in.Attributes) == 0 {
		return nil, missing("Attributes")
	}
	p := &parser{service: s, arn: q.arn, fifo: q.fifo != nil}
	edits, refusal := p.parse(in.Attributes, q.settings())
	if refusal != nil {
		return nil, refusal
	}
	if err := c.change(q, together(edits)); err != nil {
		return nil, err
	}
	return &SetQueueAttributesOutput{}, nil
}

// change makes an edit to the settings of a queue, at the present time.
// c.Service.setup must be held.
func (c *Caller) change(q *queue, e edit) error {
	now := c.Service.Now()
	err := q.change(func(s *settings) {
		e(s)
		s.modifiedAt = now
	})
	if err != nil {
		return c.fault(err, wholeCall)
	}
	return nil
}

// A view is what the attributes of a queue show at one instant.
type view struct {
	settings
	arn       arn
	createdAt time.Time
	stats     memsqs.Stats
}

func (q *queue) view() *view {
	return &view{q.settings(), q.arn, q.createdAt, q.Stats()}
}

// An attribute is an attribute of a queue.
type attribute struct {
	fifo  bool                                         // standard queues do not have it
	show  func(*view) string                           // its value, or "" if there is none
	parse func(p *parser, value string) (edit, *Error) // nil if it cannot be set
}

// attributes are all attributes by name. It is not changed.
var attributes = map[string]*attribute{
	"ApproximateNumberOfMessages":           {show: func(v *view) string { return strconv.Itoa(v.stats.Visible) }},
	"ApproximateNumberOfMessagesDelayed":    {show: func(v *view) string { return strconv.Itoa(v.stats.Delayed) }},
	"ApproximateNumberOfMessagesNotVisible": {show: func(v *view) string { return strconv.Itoa(v.stats.InFlight) }},
	"CreatedTimestamp":                      {show: func(v *view) string { return showTime(v.createdAt) }},
	"LastModifiedTimestamp":                 {show: func(v *view) string { return showTime(v.modifiedAt) }},
	"QueueArn":                              {show: func(v *view) string { return v.arn.String() }},

	"DelaySeconds": seconds(0, 900,
		func(s *settings) time.Duration { return s.Delay },
		func(s *settings, d time.Duration) { s.Delay = d }),
	"MessageRetentionPeriod": seconds(60, 1_209_600,
		func(s *settings) time.Duration { return s.Retention },
		func(s *settings, d time.Duration) { s.Retention = d }),
	"ReceiveMessageWaitTimeSeconds": seconds(0, 20,
		func(s *settings) time.Duration { return s.WaitTime },
		func(s *settings, d time.Duration) { s.WaitTime = d }),
	"VisibilityTimeout": seconds(0, 43_200,
		func(s *settings) time.Duration { return *s.VisibilityTimeout },
		func(s *settings, d time.Duration) { s.VisibilityTimeout = &d }),
	"MaximumMessageSize": integer(1024, 1_048_576,
		func(s *settings) int { return s.MaxMessageSize },
		func(s *settings, n int) { s.MaxMessageSize = n }),

	"Policy":             {show: func(v *view) string { return v.policy }, parse: parsePolicyAttribute},
	"RedrivePolicy":      {show: showRedrivePolicy, parse: parseRedrivePolicy},
	"RedriveAllowPolicy": {show: showRedriveAllowPolicy, parse: parseRedriveAllowPolicy},

	"KmsMasterKeyId":               {show: func(v *view) string { return v.kmsKey }, parse: parseKMSKey},
	"KmsDataKeyReusePeriodSeconds": {show: showKMSReuse, parse: parseKMSReuse},
	"SqsManagedSseEnabled":         boolean(func(s *settings) bool { return s.managedSSE }, setManagedSSE),

	"FifoQueue": {fifo: true, show: func(*view) string { return "true" }, parse: parseFifoQueue},
	"ContentBasedDeduplication": fifoOnly(boolean(
		func(s *settings) bool { return s.ContentBasedDeduplication },
		func(s *settings, on bool) { s.ContentBasedDeduplication = on })),
	"DeduplicationScope": fifoOnly(choice("queue", "messageGroup",
		func(s *settings) bool { return s.DeduplicationScope == memsqs.DeduplicateGroup },
		setDeduplicationScope)),
	"FifoThroughputLimit": fifoOnly(choice("perQueue", "perMessageGroupId",
		func(s *settings) bool { return s.perGroupThroughput && s.DeduplicationScope == memsqs.DeduplicateGroup },
		func(s *settings, perGroup bool) { s.perGroupThroughput = perGroup })),
}

func showTime(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// parseFifoQueue accepts that a FIFO queue is one (A12.9).
func parseFifoQueue(p *parser, value string) (edit, *Error) {
	fifo, err := p.boolean(value)
	switch {
	case err != nil:
		return nil, err
	case !fifo:
		return nil, p.invalid("Modifying queue type is not supported.")
	}
	return func(*settings) {}, nil
}

func setDeduplicationScope(s *settings, group bool) {
	s.DeduplicationScope = memsqs.DeduplicateQueue
	if group {
		s.DeduplicationScope = memsqs.DeduplicateGroup
	}
}

// A queue has at most one kind of encryption: choosing one ends the other (A12.11).

func setManagedSSE(s *settings, on bool) {
	s.managedSSE = on
	if on {
		s.kmsKey, s.kmsReuse = "", 0
	}
}

func parseKMSKey(p *parser, value string) (edit, *Error) {
	if len(value) > maxKMSKey {
		return nil, p.invalid("")
	}
	return func(s *settings) {
		s.kmsKey = value
		s.managedSSE = s.managedSSE && value == ""
	}, nil
}

const (
	maxKMSKey       = 2048
	defaultKMSReuse = 300 // seconds
)

func parseKMSReuse(p *parser, value string) (edit, *Error) {
	n, err := p.integer(value, 60, 86_400)
	if err != nil {
		return nil, err
	}
	return func(s *settings) { s.kmsReuse = n }, nil
}

// showKMSReuse shows the period if it was set, but no longer when it was set back
// and there is no key (A12.11).
func showKMSReuse(v *view) string {
	if v.kmsReuse == 0 || v.kmsReuse == defaultKMSReuse && v.kmsKey == "" {
		return ""
	}
	return strconv.Itoa(v.kmsReuse)
}
