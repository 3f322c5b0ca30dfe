// Messages of standard queues, by the client of the AWS SDK for JavaScript. It
// checks the MD5 of every body by itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import { advance, bodies, create, manual, polled, receive, sqs } from "./endpoint.mjs";

test("a message arrives with its attributes", async () => {
  const url = await create("attributes");
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  const attributes = {
    color: { DataType: "String", StringValue: "bl\u00fc <&> \u{1F426}" },
    count: { DataType: "Number", StringValue: "3" },
    "image.raw": { DataType: "Binary.png", BinaryValue: bytes },
  };
  const trace = "Root=1-5759e988-bd862e3fe1be46a994272793";
  const sent = await sqs.sendMessage({
    QueueUrl: url,
    MessageBody: "hello \u{1F426} <&>\r\n\t\"'",
    MessageAttributes: attributes,
    MessageSystemAttributes: { AWSTraceHeader: { DataType: "String", StringValue: trace } },
  });
  const got = await receive(url, { MessageAttributeNames: ["All"], MessageSystemAttributeNames: ["All"] });
  assert.equal(got.MessageId, sent.MessageId);
  assert.equal(got.Body, "hello \u{1F426} <&>\r\n\t\"'");
  assert.equal(got.MD5OfMessageAttributes, sent.MD5OfMessageAttributes);
  assert.deepEqual({ ...got.MessageAttributes }, attributes);
  assert.deepEqual(Object.keys(got.Attributes).sort(), [
    "AWSTraceHeader",
    "ApproximateFirstReceiveTimestamp",
    "ApproximateReceiveCount",
    "SenderId",
    "SentTimestamp",
  ]);
  assert.equal(got.Attributes.AWSTraceHeader, trace);
  assert.equal(got.Attributes.ApproximateReceiveCount, "1");
});

test("the MD5 of attributes is of those that were asked for", async () => {
  const url = await create("attribute-filter");
  const sent = await sqs.sendMessage({
    QueueUrl: url,
    MessageBody: "m",
    MessageAttributes: {
      color: { DataType: "String", StringValue: "blue" },
      count: { DataType: "Number", StringValue: "3" },
      blob: { DataType: "Binary", BinaryValue: Uint8Array.of(1, 2, 3) },
    },
  });
  assert.equal(sent.MD5OfMessageAttributes, "d838729972a4b70e2d2acd9d59ac847c");

  const some = await receive(url, { MessageAttributeNames: ["col.*", "color"], VisibilityTimeout: 0 });
  assert.deepEqual(Object.keys(some.MessageAttributes), ["color"]);
  assert.equal(some.MD5OfMessageAttributes, "da1b33cc3cbfe8b1630921e78e6b9880");

  const none = await receive(url);
  assert.equal(none.MessageAttributes, undefined);
  assert.equal(none.MD5OfMessageAttributes, undefined);
  assert.equal(none.Attributes, undefined);
});

test("a body can be a mebibyte, and no more", async () => {
  const url = await create("large");
  const body = "\u00e9".repeat(512 * 1024);
  await sqs.sendMessage({ QueueUrl: url, MessageBody: body });
  assert.ok((await receive(url)).Body === body, "the body that came is not the one that was sent");
  await assert.rejects(sqs.sendMessage({ QueueUrl: url, MessageBody: `${body}x` }), { Code: "InvalidParameterValue" });
});

test("a batch succeeds and fails entry by entry", async () => {
  const url = await create("batches");
  const entries = Array.from({ length: 10 }, (_, i) => ({ Id: `m${i}`, MessageBody: `body ${i}` }));
  entries[3].MessageBody = "not allowed: \u0001";
  entries[7].DelaySeconds = 901;
  const sent = await sqs.sendMessageBatch({ QueueUrl: url, Entries: entries });
  assert.deepEqual(sent.Successful.map((e) => e.Id), ["m0", "m1", "m2", "m4", "m5", "m6", "m8", "m9"]);
  assert.deepEqual(
    sent.Failed.map((e) => [e.Id, e.Code, e.SenderFault]),
    [["m3", "InvalidMessageContents", true], ["m7", "InvalidParameterValue", true]],
  );

  const { Messages } = await sqs.receiveMessage({ QueueUrl: url, MaxNumberOfMessages: 10 });
  assert.equal(Messages.length, 8);
  const changed = await sqs.changeMessageVisibilityBatch({
    QueueUrl: url,
    Entries: [
      { Id: "back", ReceiptHandle: Messages[0].ReceiptHandle, VisibilityTimeout: 0 },
      { Id: "garbage", ReceiptHandle: "garbage", VisibilityTimeout: 0 },
    ],
  });
  assert.deepEqual(changed.Successful, [{ Id: "back" }]);
  assert.deepEqual(changed.Failed.map((e) => [e.Id, e.Code]), [["garbage", "ReceiptHandleIsInvalid"]]);
  assert.deepEqual(await bodies(url), [Messages[0].Body]);

  const deleted = await sqs.deleteMessageBatch({
    QueueUrl: url,
    Entries: Messages.map((m, i) => ({ Id: `m${i}`, ReceiptHandle: m.ReceiptHandle })),
  });
  assert.equal(deleted.Successful.length, 8);
  assert.equal(deleted.Failed, undefined);
});

test("a long poll gets the message that is sent while it waits", async () => {
  const url = await create("long-poll", { ReceiveMessageWaitTimeSeconds: "20" });
  const waiting = receive(url);
  await polled(url);
  await sqs.sendMessage({ QueueUrl: url, MessageBody: "at last" });
  assert.equal((await waiting).Body, "at last");
});

test("a long poll ends without messages", async () => {
  const url = await create("long-poll-empty");
  const { Messages } = await sqs.receiveMessage({ QueueUrl: url, WaitTimeSeconds: 1 });
  assert.equal(Messages, undefined);
});

test("a long poll that is given up takes no message with it", async () => {
  const url = await create("long-poll-aborted");
  const abort = new AbortController();
  const waiting = sqs.receiveMessage({ QueueUrl: url, WaitTimeSeconds: 20 }, { abortSignal: abort.signal });
  await polled(url);
  abort.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  await polled(url, 0); // the server has seen that the client is gone
  await sqs.sendMessage({ QueueUrl: url, MessageBody: "for another" });
  assert.deepEqual(await bodies(url, { WaitTimeSeconds: 5 }), ["for another"]);
});

test("a message of which the visibility timeout is set to zero comes back", async () => {
  const url = await create("visibility");
  await sqs.sendMessage({ QueueUrl: url, MessageBody: "again" });
  const first = await receive(url);
  assert.deepEqual(await bodies(url), []);
  await sqs.changeMessageVisibility({ QueueUrl: url, ReceiptHandle: first.ReceiptHandle, VisibilityTimeout: 0 });
  const second = await receive(url, { MessageSystemAttributeNames: ["ApproximateReceiveCount"] });
  assert.equal(second.MessageId, first.MessageId);
  assert.notEqual(second.ReceiptHandle, first.ReceiptHandle);
  assert.deepEqual({ ...second.Attributes }, { ApproximateReceiveCount: "2" });
  await sqs.deleteMessage({ QueueUrl: url, ReceiptHandle: second.ReceiptHandle });
});

test("twelve hours pass when they are told to", async () => {
  const url = await create("time", { VisibilityTimeout: "43200" }, manual);
  await manual.sendMessage({ QueueUrl: url, MessageBody: "later", DelaySeconds: 15 });
  const waiting = receive(url, { WaitTimeSeconds: 20 }, manual);
  await polled(url);
  await advance("15s");
  assert.equal((await waiting).Body, "later");
  assert.equal((await manual.receiveMessage({ QueueUrl: url })).Messages, undefined);
  await advance("12h");
  assert.equal((await receive(url, {}, manual)).Body, "later");
});
