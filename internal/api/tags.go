package api

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of tags (A17.3), in characters.
const (
	maxTags     = 50
	maxTagKey   = 128
	maxTagValue = 256
)

// ListQueueTags returns the tags of a queue.
func (c *Caller) ListQueueTags(ctx context.Context, in *ListQueueTagsInput) (*ListQueueTagsOutput, error) {
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return &ListQueueTagsOutput{Tags: maps.Clone(q.tags)}, nil
}

// TagQueue adds tags to a queue, and gives those that it has their new values.
func (c *Caller) TagQueue(ctx context.Context, in *TagQueueInput) (*TagQueueOutput, error) {
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	if len(in.Tags) == 0 {
		return nil, missing("Tags")
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	tags := make(map[string]string, len(q.tags)+len(in.Tags))
	maps.Copy(tags, q.tags)
	maps.Copy(tags, in.Tags)
	if err := checkTags(in.Tags, len(tags), q.arn.name); err != nil {
		return nil, err
	}
	q.tags = tags
	return &TagQueueOutput{}, nil
}

// UntagQueue removes tags from a queue; keys that it does not have are ignored.
func (c *Caller) UntagQueue(ctx context.Context, in *UntagQueueInput) (*UntagQueueOutput, error) {
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	if len(in.TagKeys) == 0 {
		return nil, badTagKey()
	}
	for _, key := range in.TagKeys {
		if n := utf8.RuneCountInString(key); n < 1 || n > maxTagKey {
			return nil, badTagKey()
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, key := range in.TagKeys {
		delete(q.tags, key)
	}
	return &UntagQueueOutput{}, nil
}

// checkTags refuses tags that a queue with the given name cannot have, or cannot
// have in that number.
func checkTags(tags map[string]string, n int, name string) *Error {
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		switch keyLen := utf8.RuneCountInString(key); {
		case keyLen < 1 || keyLen > maxTagKey:
			return badTagKey()
		case strings.HasPrefix(strings.ToLower(key), "aws:"):
			return InvalidParameterValue.errorf("Tag keys that begin with aws: are reserved for system use.")
		case utf8.RuneCountInString(tags[key]) > maxTagValue:
			return InvalidParameterValue.errorf("Tag values must be between 0 and %d characters in length.", maxTagValue)
		}
		if char, bad := findDisallowed(key + " " + tags[key]); bad { // XML could not show it
			return InvalidParameterValue.errorf("Invalid binary character '%s' was found in the tag %q, %s", char, key, allowed)
		}
	}
	if n > maxTags {
		return InvalidParameterValue.errorf("Too many tags added for queue %s.", name)
	}
	return nil
}

func badTagKey() *Error {
	return InvalidParameterValue.errorf("Tag keys must be between 1 and %d characters in length.", maxTagKey)
}
