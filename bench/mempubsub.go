package main

import (
	"context"
	"errors"
	"io"
	"log"
	"time"

	"gocloud.dev/pubsub"
	"gocloud.dev/pubsub/mempubsub"
)

type memPubSub struct {
	topic        *pubsub.Topic
	subscription *pubsub.Subscription
}

func openMempubsub(int) (queue, error) {
	log.SetOutput(io.Discard) // it logs each message that is dropped in flight
	topic := mempubsub.NewTopic()
	return memPubSub{topic, mempubsub.NewSubscription(topic, 12*time.Hour)}, nil
}

func (q memPubSub) send(ctx context.Context, b body) error {
	return q.topic.Send(ctx, &pubsub.Message{Body: b.bytes})
}

func (q memPubSub) receive(ctx context.Context) (delivery, error) {
	m, err := q.subscription.Receive(ctx)
	if err != nil {
		return delivery{}, err
	}
	return delivery{body: body{bytes: m.Body}, message: m}, nil
}

func (q memPubSub) delete(_ context.Context, d delivery) error {
	d.message.(*pubsub.Message).Ack()
	return nil
}

func (q memPubSub) close() error {
	ctx := context.Background()
	return errors.Join(q.subscription.Shutdown(ctx), q.topic.Shutdown(ctx))
}
