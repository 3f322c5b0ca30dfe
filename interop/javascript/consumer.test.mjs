// Consumers of the npm package sqs-consumer.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Consumer } from "sqs-consumer";
import { arn, create, polled, receive, sqs } from "./endpoint.mjs";

// held returns how many messages a queue holds, visible or in flight.
async function held(url) {
  const { Attributes } = await sqs.getQueueAttributes({
    QueueUrl: url,
    AttributeNames: ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
  });
  return Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible);
}

// consume starts a consumer, and stops it when the test ends. The test fails if a
// call of the consumer's was refused by then.
function consume(t, options) {
  const consumer = Consumer.create({ sqs, waitTimeSeconds: 20, ...options });
  const errors = [];
  consumer.on("error", (err) => errors.push(err));
  t.after(() => {
    consumer.stop({ abort: true });
    assert.deepEqual(errors, []);
  });
  consumer.start();
  return consumer;
}

test("a consumer handles what comes, and deletes it", async (t) => {
  const url = await create("consumed");
  const seen = [];
  const consumer = consume(t, {
    queueUrl: url,
    batchSize: 10,
    handleMessage: async (message) => message,
  });
  const all = new Promise((resolve) => {
    consumer.on("message_processed", (message) => seen.push(message.Body) === 25 && resolve());
  });
  for (let i = 0; i < 25; i += 5) {
    const Entries = Array.from({ length: 5 }, (_, j) => ({ Id: `${j}`, MessageBody: `${i + j}` }));
    await sqs.sendMessageBatch({ QueueUrl: url, Entries });
  }
  await all;
  const want = Array.from({ length: 25 }, (_, i) => `${i}`);
  assert.deepEqual(seen.sort((a, b) => a - b), want);
  assert.equal(await held(url), 0);
});

test("what a consumer cannot handle becomes a dead letter", async (t) => {
  const dead = await create("consumer-dead");
  const url = await create("consumer-failing", {
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn(dead), maxReceiveCount: 3 }),
  });
  let attempts = 0;
  const consumer = consume(t, {
    queueUrl: url,
    waitTimeSeconds: 1,
    terminateVisibilityTimeout: true, // it comes back at once
    handleMessage: async () => {
      attempts++;
      throw new Error("it does not work");
    },
  });
  consumer.on("processing_error", () => {});
  await sqs.sendMessage({ QueueUrl: url, MessageBody: "poison" });
  assert.equal((await receive(dead, { WaitTimeSeconds: 20 })).Body, "poison");
  assert.equal(attempts, 3);
});

test("a heartbeat keeps a message from others", async (t) => {
  const url = await create("consumer-heartbeat");
  const consumer = consume(t, {
    queueUrl: url,
    visibilityTimeout: 2,
    heartbeatInterval: 1,
    handleMessage: async (message) => {
      await sleep(2500); // at 3 seconds a heartbeat would meet the deletion
      return message;
    },
  });
  const received = once(consumer, "message_received");
  const processed = once(consumer, "message_processed");
  await sqs.sendMessage({ QueueUrl: url, MessageBody: "slow" });
  await received;
  const other = await sqs.receiveMessage({ QueueUrl: url, WaitTimeSeconds: 4 });
  assert.equal(other.Messages, undefined);
  await processed;
  assert.equal(await held(url), 0);
});

test("a consumer that has stopped takes no more", async (t) => {
  const url = await create("consumer-stopped");
  const consumer = consume(t, {
    queueUrl: url,
    waitTimeSeconds: 1,
    pollingCompleteWaitTimeMs: 10_000,
    handleMessage: async (message) => message,
  });
  await once(consumer, "empty");
  await polled(url);
  const stopped = once(consumer, "stopped");
  consumer.stop();
  await stopped;
  await sqs.sendMessage({ QueueUrl: url, MessageBody: "for another" });
  assert.equal((await receive(url)).Body, "for another");
});
