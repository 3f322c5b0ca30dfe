// FIFO queues, by the client of the AWS SDK for JavaScript.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bodies, create, receive, sqs } from "./endpoint.mjs";

const send = (url, group, body, options = {}) =>
  sqs.sendMessage({ QueueUrl: url, MessageGroupId: group, MessageBody: body, ...options });

test("a duplicate is answered with the first message", async () => {
  const url = await create("duplicates.fifo");
  const first = await send(url, "g", "once", { MessageDeduplicationId: "d" });
  const second = await send(url, "g", "twice", { MessageDeduplicationId: "d" });
  assert.equal(second.MessageId, first.MessageId);
  assert.equal(second.SequenceNumber, first.SequenceNumber);
  assert.match(first.SequenceNumber, /^\d{20}$/);

  const got = await receive(url, { MessageSystemAttributeNames: ["All"] });
  assert.equal(got.Body, "once");
  assert.equal(got.Attributes.MessageGroupId, "g");
  assert.equal(got.Attributes.MessageDeduplicationId, "d");
  assert.equal(got.Attributes.SequenceNumber, first.SequenceNumber);
  await sqs.deleteMessage({ QueueUrl: url, ReceiptHandle: got.ReceiptHandle });

  await send(url, "g", "after it was deleted", { MessageDeduplicationId: "d" });
  assert.deepEqual(await bodies(url), []);
});

test("content can tell duplicates", async () => {
  const url = await create("content.fifo", { ContentBasedDeduplication: "true" });
  const sent = await sqs.sendMessageBatch({
    QueueUrl: url,
    Entries: ["a", "b", "a"].map((body, i) => ({ Id: `${i}`, MessageBody: body, MessageGroupId: "g" })),
  });
  assert.equal(sent.Successful.length, 3);
  assert.equal(sent.Successful[2].MessageId, sent.Successful[0].MessageId);
  assert.deepEqual(await bodies(url), ["a", "b"]);
});

test("a group waits for what is in flight, and others do not", async () => {
  const url = await create("groups.fifo", { ContentBasedDeduplication: "true" });
  for (const [group, body] of [["a", "a1"], ["a", "a2"], ["b", "b1"], ["a", "a3"], ["b", "b2"]]) {
    await send(url, group, body);
  }
  const a1 = await receive(url);
  assert.equal(a1.Body, "a1");
  assert.deepEqual(await bodies(url), ["b1", "b2"]);
  await sqs.deleteMessage({ QueueUrl: url, ReceiptHandle: a1.ReceiptHandle });
  assert.deepEqual(await bodies(url), ["a2", "a3"]);
});

test("a receive that is tried again gets the same messages", async () => {
  const url = await create("attempts.fifo", { ContentBasedDeduplication: "true" });
  await send(url, "g", "1");
  await send(url, "g", "2");
  const attempt = { QueueUrl: url, MaxNumberOfMessages: 10, ReceiveRequestAttemptId: "attempt" };
  const first = await sqs.receiveMessage(attempt);
  const second = await sqs.receiveMessage(attempt);
  assert.equal(first.Messages.length, 2);
  assert.deepEqual(second.Messages, first.Messages);
});
