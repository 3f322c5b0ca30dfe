package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memsqs/memsqs/internal/api"
)

// A queue is a queue to be created.
type queue struct {
	name       string
	attributes map[string]string
	source     string // what asks for it, in errors: a file, or "-queue"
}

// readQueues returns the queues of a configuration, by name: those of its file,
// and those that the command line names besides.
func readQueues(c *config) ([]*queue, error) {
	var file map[string]map[string]attribute
	if c.configFile != "" {
		if err := readJSON(c.configFile, &file); err != nil {
			return nil, err
		}
	}
	byName := make(map[string]*queue)
	for name, attributes := range file {
		if attributes == nil {
			return nil, fmt.Errorf("%s: queue %q is null; it must be an object of attributes, as {}", c.configFile, name)
		}
		q := newQueue(name, c.configFile)
		for a, value := range attributes {
			q.attributes[a] = string(value)
		}
		byName[name] = q
	}
	for _, name := range c.queues {
		if byName[name] == nil {
			byName[name] = newQueue(name, "-queue")
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(p, q *queue) int {
		return strings.Compare(p.name, q.name)
	}), nil
}

// newQueue returns a queue with the attributes that its name implies.
func newQueue(name, source string) *queue {
	q := &queue{name, make(map[string]string), source}
	if strings.HasSuffix(name, ".fifo") {
		q.attributes["FifoQueue"] = "true"
	}
	return q
}

// An attribute is the value of an attribute in a file. In the API it is always a
// string. In a file, what is not a string stands for its JSON text, so that a number
// needs no quotes and a policy no backslashes.
type attribute string

func (a *attribute) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, (*string)(a))
	}
	*a = attribute(text)
	return nil
}

const redrivePolicy = "RedrivePolicy"

// createQueues creates queues. Their redrive policies are set when all are there,
// so a dead-letter queue may come after the queues whose dead letters it gets.
func createQueues(ctx context.Context, c *api.Caller, queues []*queue) error {
	for _, q := range queues {
		attributes := maps.Clone(q.attributes)
		delete(attributes, redrivePolicy)
		if _, err := c.CreateQueue(ctx, &api.CreateQueueInput{QueueName: &q.name, Attributes: attributes}); err != nil {
			return q.explain(err)
		}
	}
	for _, q := range queues {
		policy, ok := q.attributes[redrivePolicy]
		if !ok {
			continue
		}
		attributes := map[string]string{redrivePolicy: policy}
		if _, err := c.SetQueueAttributes(ctx, &api.SetQueueAttributesInput{QueueUrl: &q.name, Attributes: attributes}); err != nil {
			return q.explain(err)
		}
	}
	return nil
}

// ofFIFO ends what is accepted for an attribute of FIFO queues alone.
const ofFIFO = ", of a FIFO queue"

// accepted is what attributes can be, where they are not refused in words that say
// it.
var accepted = map[string]string{
	"ContentBasedDeduplication":     "true or false" + ofFIFO,
	"DeduplicationScope":            "queue or messageGroup" + ofFIFO,
	"DelaySeconds":                  "0 to 900",
	"FifoQueue":                     "true" + ofFIFO,
	"FifoThroughputLimit":           "perQueue or perMessageGroupId" + ofFIFO,
	"KmsDataKeyReusePeriodSeconds":  "60 to 86400",
	"KmsMasterKeyId":                "the id of a key",
	"MaximumMessageSize":            "1024 to 1048576",
	"MessageRetentionPeriod":        "60 to 1209600",
	"Policy":                        "a JSON object",
	"ReceiveMessageWaitTimeSeconds": "0 to 20",
	"RedriveAllowPolicy":            `an object as {"redrivePermission": "denyAll"}`,
	redrivePolicy:                   `an object as {"deadLetterTargetArn": "arn:aws:sqs:REGION:ACCOUNT:QUEUE", "maxReceiveCount": 3}`,
	"SqsManagedSseEnabled":          "true or false",
	"VisibilityTimeout":             "0 to 43200",
}

// names returns the attributes that the queue can have.
func (q *queue) names() []string {
	names := slices.Sorted(maps.Keys(accepted))
	if strings.HasSuffix(q.name, ".fifo") {
		return names
	}
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(accepted[name], ofFIFO) })
}

// explain returns the error with which the API refused the queue, with where the
// queue is asked for, and what would have been accepted.
func (q *queue) explain(err error) error {
	wrapped := fmt.Errorf("%s: queue %q: %w", q.source, q.name, err)
	var refused *api.Error
	if !errors.As(err, &refused) {
		return wrapped
	}
	switch refused.Kind {
	case api.InvalidAttributeName:
		return fmt.Errorf("%w The attributes are %s", wrapped, strings.Join(q.names(), ", "))
	case api.InvalidAttributeValue:
		for a, value := range q.attributes {
			if strings.HasPrefix(refused.Message, "Invalid value for the parameter "+a+".") {
				return fmt.Errorf("%w It is %q; it can be %s", wrapped, value, accepted[a])
			}
		}
	}
	return wrapped
}
