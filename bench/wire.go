package main

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"github.com/Admiral-Piett/goaws/app/router"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/sirupsen/logrus"

	"github.com/memsqs/memsqs/sqshttp"
)

// A wirePeer answers the SDK's client.
type wirePeer struct {
	name  string
	serve func() endpoint
}

// An endpoint is a server, and the client of the SDK that has no socket between
// itself and the server.
type endpoint struct {
	http.Handler
	direct sqs.HTTPClient
}

// wirePeers are those of the wire row. The first is what the others are compared
// with: its share of a call is next to nothing, and the rest is the SDK's.
var wirePeers = []wirePeer{
	{"canned reply", func() endpoint {
		c := cannedReplies(newBody(bodySizes[0], 0))
		return endpoint{c, c}
	}},
	{"memsqs", func() endpoint {
		s := sqshttp.NewServer(sqshttp.Options{})
		return endpoint{s, s}
	}},
	{"goaws", func() endpoint {
		logrus.SetOutput(io.Discard)
		h := router.New()
		return endpoint{h, caller{h}}
	}},
}

// The ways to a server.
const (
	inProcess = "in process"
	loopback  = "loopback"
)

// wireDepth is how many messages wait in the queues of the deep trials. goaws
// gets slower with each.
const wireDepth = 10_000

// wireRow is the life of a message by way of the SDK. The size is the number of
// others that wait.
var wireRow = row{
	name: "Wire",
	size: "messages",
	trials: func(cfg config) (trials []trial) {
		for _, way := range []string{inProcess, loopback} {
			for _, p := range wirePeers {
				trials = append(trials, wireTrial(cfg, p, way, 0))
			}
		}
		for _, p := range wirePeers[1:] {
			trials = append(trials, wireTrial(cfg, p, inProcess, wireDepth))
		}
		return trials
	},
	table: func(cfg config, found results) table {
		t := table{
			title:  "Wire: send, receive and delete one message by aws-sdk-go-v2",
			header: []string{"server", inProcess, loopback, inProcess + ", " + thousands(wireDepth) + " waiting"},
			note: "The canned reply is made without looking at the request, so its time is the SDK's own. In brackets, how many times as long as that" +
				" on the same way. Both other servers are called in process without a socket; goaws by its router.",
		}
		for _, p := range wirePeers {
			line := []string{p.name}
			for _, k := range []key{wireKey(p, inProcess, 0), wireKey(p, loopback, 0), wireKey(p, inProcess, wireDepth)} {
				line = append(line, found.timeAgainst(k, wireKey(wirePeers[0], k.situation, 0)))
			}
			t.lines = append(t.lines, line)
		}
		return t
	},
}

func wireKey(p wirePeer, way string, waiting int) key {
	return key{row: "Wire", peer: p.name, situation: way, size: waiting}
}

func wireTrial(cfg config, p wirePeer, way string, waiting int) trial {
	return trial{wireKey(p, way, waiting), cfg.limit, func(ctx context.Context) (values, error) {
		q, err := p.open(way)
		if err != nil {
			return nil, err
		}
		defer q.close()
		b := newBody(bodySizes[0], 0)
		if err := q.fill(ctx, b, waiting); err != nil {
			return nil, err
		}
		return timeCycles(ctx, cfg, q, b)
	}}
}

// A wireQueue is a queue as the client of the SDK sees it.
type wireQueue struct {
	client *sqs.Client
	url    string
	stop   func()
}

// wireQueues numbers the queues, for those of goaws are the process's.
var wireQueues atomic.Int64

// open makes an empty queue on a server of its own.
func (p wirePeer) open(way string) (*wireQueue, error) {
	server := p.serve()
	q := &wireQueue{stop: func() {}}
	opts := sqs.Options{
		Region:      "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
	}
	endpoint := "http://localhost"
	if way == loopback {
		s := httptest.NewServer(server)
		endpoint, q.stop = s.URL, s.Close
	} else {
		opts.HTTPClient = server.direct
	}
	opts.BaseEndpoint = &endpoint
	q.client = sqs.New(opts)
	out, err := q.client.CreateQueue(context.Background(), &sqs.CreateQueueInput{
		QueueName:  new(fmt.Sprint("bench", wireQueues.Add(1))),
		Attributes: map[string]string{"VisibilityTimeout": "43200", "ReceiveMessageWaitTimeSeconds": "20"},
	})
	if err != nil {
		q.stop()
		return nil, err
	}
	q.url = *out.QueueUrl
	return q, nil
}

func (q *wireQueue) send(ctx context.Context, b body) error {
	_, err := q.client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: &b.text})
	return err
}

// fill sends n messages, a multiple of ten, in batches.
func (q *wireQueue) fill(ctx context.Context, b body, n int) error {
	const most = 10
	var entries []types.SendMessageBatchRequestEntry
	for i := range most {
		entries = append(entries, types.SendMessageBatchRequestEntry{Id: new(fmt.Sprint(i)), MessageBody: &b.text})
	}
	return repeat(ctx, n/most, func() error {
		out, err := q.client.SendMessageBatch(context.Background(), &sqs.SendMessageBatchInput{QueueUrl: &q.url, Entries: entries})
		if err == nil && len(out.Failed) > 0 {
			err = errors.New(*out.Failed[0].Message)
		}
		return err
	})
}

func (q *wireQueue) receive(ctx context.Context) (delivery, error) {
	out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &q.url})
	switch {
	case err != nil:
		return delivery{}, err
	case len(out.Messages) == 0:
		return delivery{}, errors.New("no message became visible in time")
	}
	m := out.Messages[0]
	return delivery{body: body{text: *m.Body}, handle: *m.ReceiptHandle}, nil
}

func (q *wireQueue) delete(ctx context.Context, d delivery) error {
	_, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &q.url, ReceiptHandle: &d.handle})
	return err
}

func (q *wireQueue) close() error {
	_, err := q.client.DeleteQueue(context.Background(), &sqs.DeleteQueueInput{QueueUrl: &q.url})
	q.stop()
	return err
}

// A caller calls a handler without a socket.
type caller struct{ http.Handler }

func (c caller) Do(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w.Result(), nil
}

// A canned has a reply to each operation, with which it answers without looking at
// the request.
type canned map[string]string

// cannedReplies returns the replies to who sends and receives a message of the given
// body.
func cannedReplies(b body) canned {
	sum := fmt.Sprintf("%x", md5.Sum(b.bytes))
	const id = "6e6b6f1c-0c3f-4b58-9d0e-0f6a1c1a4f0b"
	return canned{
		"CreateQueue":    `{"QueueUrl":"http://localhost/000000000000/bench"}`,
		"SendMessage":    `{"MessageId":"` + id + `","MD5OfMessageBody":"` + sum + `"}`,
		"ReceiveMessage": `{"Messages":[{"MessageId":"` + id + `","ReceiptHandle":"handle","MD5OfBody":"` + sum + `","Body":"` + b.text + `"}]}`,
	}
}

func (c canned) reply(r *http.Request) string {
	return c[strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.")]
}

func (c canned) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	io.WriteString(w, c.reply(r))
}

func (c canned) Do(r *http.Request) (*http.Response, error) {
	reply := c.reply(r)
	return &http.Response{
		StatusCode:    http.StatusOK,
		Header:        http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:          io.NopCloser(strings.NewReader(reply)),
		ContentLength: int64(len(reply)),
		Request:       r,
	}, nil
}
