package main

import (
	"context"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"
)

const goChannelTopic = "topic"

// A goChannel is a topic with one subscription, which all receivers share.
type goChannel struct {
	q        *gochannel.GoChannel
	messages <-chan *message.Message
}

func openGoChannel(int) (queue, error) {
	q := gochannel.NewGoChannel(gochannel.Config{}, nil)
	messages, err := q.Subscribe(context.Background(), goChannelTopic)
	return goChannel{q, messages}, err
}

// send gives the message no UUID: it works without one, and is faster.
func (q goChannel) send(_ context.Context, b body) error {
	return q.q.Publish(goChannelTopic, message.NewMessage("", b.bytes))
}

func (q goChannel) receive(context.Context) (delivery, error) {
	m, ok := <-q.messages
	if !ok {
		return delivery{}, errClosed
	}
	return delivery{body: body{bytes: m.Payload}, message: m}, nil
}

func (q goChannel) delete(_ context.Context, d delivery) error {
	d.message.(*message.Message).Ack()
	return nil
}

func (q goChannel) close() error { return q.q.Close() }
