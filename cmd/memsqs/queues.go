package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/memsqs/memsqs/internal/api"
)

// queues are the attributes of the queues to be created, by name.
type queues map[string]map[string]string

// readQueues returns the queues of a configuration: those of its file, and those
// that are named on the command line.
func readQueues(c *config) (queues, error) {
	var file map[string]map[string]attribute
	if c.configFile != "" {
		if err := readJSON(c.configFile, &file); err != nil {
			return nil, err
		}
	}
	qs := make(queues)
	for name, attributes := range file {
		qs.add(name)
		for a, value := range attributes {
			qs[name][a] = string(value)
		}
	}
	for _, name := range c.queues {
		if qs[name] == nil {
			qs.add(name)
		}
	}
	return qs, nil
}

// add adds a queue with the attributes that its name implies.
func (qs queues) add(name string) {
	qs[name] = make(map[string]string)
	if strings.HasSuffix(name, ".fifo") {
		qs[name]["FifoQueue"] = "true"
	}
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

// names returns the names of the queues in the order of the alphabet.
func (qs queues) names() []string { return slices.Sorted(maps.Keys(qs)) }

// create creates the queues. A dead-letter queue may stand behind the queues
// whose dead letters it gets: their policies are set when all queues are there.
func (qs queues) create(ctx context.Context, c *api.Caller) error {
	for _, name := range qs.names() {
		attributes := maps.Clone(qs[name])
		delete(attributes, redrivePolicy)
		if _, err := c.CreateQueue(ctx, &api.CreateQueueInput{QueueName: &name, Attributes: attributes}); err != nil {
			return qs.explain(name, err)
		}
	}
	for _, name := range qs.names() {
		policy, ok := qs[name][redrivePolicy]
		if !ok {
			continue
		}
		in := &api.SetQueueAttributesInput{QueueUrl: &name, Attributes: map[string]string{redrivePolicy: policy}}
		if _, err := c.SetQueueAttributes(ctx, in); err != nil {
			return qs.explain(name, err)
		}
	}
	return nil
}

const redrivePolicy = "RedrivePolicy"

// accepted is what attributes can be, in the words of the manual.
var accepted = map[string]string{
	"ContentBasedDeduplication":     "true or false, and only that of a FIFO queue",
	"DeduplicationScope":            "queue or messageGroup, and only that of a FIFO queue",
	"DelaySeconds":                  "0 to 900",
	"FifoQueue":                     "true, and only that of a queue whose name ends in .fifo",
	"FifoThroughputLimit":           "perQueue or perMessageGroupId, and only that of a FIFO queue",
	"KmsDataKeyReusePeriodSeconds":  "60 to 86400",
	"KmsMasterKeyId":                "the id of a key; nothing is encrypted",
	"MaximumMessageSize":            "1024 to 1048576",
	"MessageRetentionPeriod":        "60 to 1209600",
	"Policy":                        "a JSON document; it is kept and not enforced",
	"ReceiveMessageWaitTimeSeconds": "0 to 20",
	"RedriveAllowPolicy":            `an object as {"redrivePermission": "denyAll"}`,
	redrivePolicy:                   `an object as {"deadLetterTargetArn": "arn:aws:sqs:REGION:ACCOUNT:QUEUE", "maxReceiveCount": 3}`,
	"SqsManagedSseEnabled":          "true or false",
	"VisibilityTimeout":             "0 to 43200",
}

// explain adds to the error with which a queue was refused what would have been
// accepted of the attribute that the error names.
func (qs queues) explain(name string, err error) error {
	err = fmt.Errorf("queue %q: %w", name, err)
	for _, a := range slices.Sorted(maps.Keys(qs[name])) {
		if !strings.Contains(err.Error(), a) {
			continue
		}
		if can, ok := accepted[a]; ok {
			return fmt.Errorf("%w %s is %q; it can be %s", err, a, qs[name][a], can)
		}
		return fmt.Errorf("%w The attributes are %s", err, strings.Join(slices.Sorted(maps.Keys(accepted)), ", "))
	}
	return err
}

// readJSON reads a file whose JSON is a value of v's type.
func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, v)
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%d: %w", path, line(text, syntax.Offset), err)
	case errors.As(err, &mismatch):
		return fmt.Errorf("%s:%d: %s where there must be %s", path, line(text, mismatch.Offset), mismatch.Value, shape(mismatch))
	}
	return err
}

// line returns the number of the line at an offset into text.
func line(text []byte, offset int64) int {
	return bytes.Count(text[:min(offset, int64(len(text)))], []byte("\n")) + 1
}

// shape returns what there must be where there is a value of another type.
func shape(err *json.UnmarshalTypeError) string {
	if err.Type.Kind() == reflect.String {
		return "a string"
	}
	return "an object"
}
