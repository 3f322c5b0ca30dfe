package api

import (
	"cmp"
	"context"
	"encoding/base64"
	"maps"
	"slices"
	"strings"
)

// GetQueueUrl returns the URL of a queue, which can be another account's.
func (c *Caller) GetQueueUrl(ctx context.Context, in *GetQueueUrlInput) (*GetQueueUrlOutput, error) {
	if value(in.QueueName) == "" {
		return nil, noQueueName()
	}
	owner := cmp.Or(value(in.QueueOwnerAWSAccountId), c.account)
	q := c.Service.lookUp(arn{place{c.region, owner}, *in.QueueName})
	if q == nil {
		return nil, c.noSuchQueue()
	}
	return &GetQueueUrlOutput{QueueUrl: c.queueURL(q)}, nil
}

// ListQueues returns the queues whose names begin with a prefix, in the order of their
// names.
func (c *Caller) ListQueues(ctx context.Context, in *ListQueuesInput) (*ListQueuesOutput, error) {
	prefix := value(in.QueueNamePrefix)
	all := c.Service.queuesOf(c.place, func(q *queue) bool { return strings.HasPrefix(q.arn.name, prefix) })
	urls, next, err := c.page(all, "queues/"+prefix, in.MaxResults, in.NextToken)
	if err != nil {
		return nil, err
	}
	return &ListQueuesOutput{QueueUrls: urls, NextToken: next}, nil
}

// ListDeadLetterSourceQueues returns the queues whose dead letters go to a queue.
func (c *Caller) ListDeadLetterSourceQueues(ctx context.Context, in *ListDeadLetterSourceQueuesInput) (*ListDeadLetterSourceQueuesOutput, error) {
	q, err := c.find(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	urls, next, refusal := c.page(c.Service.sources(q), "sources/"+q.arn.String(), in.MaxResults, in.NextToken)
	if refusal != nil {
		return nil, refusal
	}
	return &ListDeadLetterSourceQueuesOutput{QueueUrls: urls, NextToken: next}, nil
}

// sources returns the queues whose dead letters go to a queue with the ARN of q, in
// the order of their names.
func (s *Service) sources(q *queue) []*queue {
	return s.queuesOf(q.arn.place, func(source *queue) bool {
		target, ok := source.deadLetterTarget()
		return ok && target == q.arn
	})
}

// queuesOf returns the queues of a place that match, in the order of their names.
func (s *Service) queuesOf(p place, match func(*queue) bool) []*queue {
	s.mu.Lock()
	var all []*queue
	if ns := s.namespaces[p]; ns != nil {
		all = slices.Collect(maps.Values(ns.queues))
	}
	s.mu.Unlock()
	all = slices.DeleteFunc(all, func(q *queue) bool { return q.Closed() || !match(q) })
	slices.SortFunc(all, func(a, b *queue) int { return cmp.Compare(a.arn.name, b.arn.name) })
	return all
}

// maxPage is the most results on a page, and how many are returned if the caller
// wants no pages (A16.9).
const maxPage = 1000

// page returns the URLs of a page of a list that is sorted by name, and the token of
// the next page if there is one and the caller wants pages. The token holds the last
// name of its page, so what is created or deleted between two pages does no harm, and
// which list it is of.
func (c *Caller) page(all []*queue, list string, maxResults *int, token *string) (urls []string, next string, err *Error) {
	n := cmp.Or(number(maxResults), maxPage)
	if !within(maxResults, 1, maxPage) {
		return nil, "", InvalidParameterValue.errorf("Value for parameter MaxResults is invalid. Reason: MaxResults must be an integer between 1 and %d.", maxPage)
	}
	if token != nil {
		last, ok := parseToken(*token, list)
		if !ok {
			return nil, "", InvalidParameterValue.errorf("Invalid or expired next token.")
		}
		all = slices.DeleteFunc(all, func(q *queue) bool { return q.arn.name <= last })
	}
	if len(all) > n {
		all = all[:n]
		if maxResults != nil {
			next = makeToken(all[n-1].arn.name, list)
		}
	}
	for _, q := range all {
		urls = append(urls, c.queueURL(q))
	}
	return urls, next, nil
}

func makeToken(last, list string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(last + " " + list))
}

// parseToken returns the last name of a page of a list, or false if that has made no
// such token.
func parseToken(token, list string) (last string, ok bool) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(token)
	last, of, _ := strings.Cut(string(text), " ")
	return last, err == nil && last != "" && of == list
}
