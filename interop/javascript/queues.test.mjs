// Queues and what is set on them, by the client of the AWS SDK for JavaScript.

import assert from "node:assert/strict";
import { test } from "node:test";
import { paginateListDeadLetterSourceQueues, paginateListQueues } from "@aws-sdk/client-sqs";
import { arn, bodies, create, receive, sqs } from "./endpoint.mjs";

const attributesOf = async (url, ...names) =>
  ({ ...(await sqs.getQueueAttributes({ QueueUrl: url, AttributeNames: names })).Attributes });

test("a queue has the attributes it was created with, and those set later", async () => {
  const url = await create("configured", { VisibilityTimeout: "45" });
  assert.equal((await sqs.getQueueUrl({ QueueName: "js-configured" })).QueueUrl, url);
  await sqs.setQueueAttributes({ QueueUrl: url, Attributes: { DelaySeconds: "5", MaximumMessageSize: "2048" } });
  const { CreatedTimestamp, LastModifiedTimestamp, ...rest } = await attributesOf(url, "All");
  assert.match(CreatedTimestamp, /^\d{10}$/);
  assert.match(LastModifiedTimestamp, /^\d{10}$/);
  assert.deepEqual(rest, {
    ApproximateNumberOfMessages: "0",
    ApproximateNumberOfMessagesDelayed: "0",
    ApproximateNumberOfMessagesNotVisible: "0",
    DelaySeconds: "5",
    MaximumMessageSize: "2048",
    MessageRetentionPeriod: "345600",
    QueueArn: arn(url),
    ReceiveMessageWaitTimeSeconds: "0",
    SqsManagedSseEnabled: "true",
    VisibilityTimeout: "45",
  });
  await sqs.deleteQueue({ QueueUrl: url });
  await assert.rejects(sqs.getQueueUrl({ QueueName: "js-configured" }), { name: "QueueDoesNotExist" });
});

test("queues are listed page by page", async () => {
  const want = [];
  for (let i = 0; i < 7; i++) {
    want.push(await create(`page-${i}`));
  }
  const pages = [];
  for await (const page of paginateListQueues({ client: sqs, pageSize: 3 }, { QueueNamePrefix: "js-page-" })) {
    pages.push(page.QueueUrls);
  }
  assert.deepEqual(pages.map((p) => p.length), [3, 3, 1]);
  assert.deepEqual(pages.flat().sort(), want);
  assert.equal((await sqs.listQueues({ QueueNamePrefix: "js-there-is-none" })).QueueUrls, undefined);
});

test("a queue can be tagged", async () => {
  const { QueueUrl } = await sqs.createQueue({ QueueName: "js-tagged", tags: { team: "red", empty: "" } });
  await sqs.tagQueue({ QueueUrl, Tags: { team: "blue", "with space": "\u00fc & <>" } });
  await sqs.untagQueue({ QueueUrl, TagKeys: ["empty", "never there"] });
  const { Tags } = await sqs.listQueueTags({ QueueUrl });
  assert.deepEqual({ ...Tags }, { team: "blue", "with space": "\u00fc & <>" });
});

test("a permission is a statement of the policy", async () => {
  const url = await create("permissions");
  await sqs.addPermission({ QueueUrl: url, Label: "read", AWSAccountIds: ["123456789012"], Actions: ["ReceiveMessage"] });
  const { Policy } = await attributesOf(url, "Policy");
  const { Statement } = JSON.parse(Policy);
  assert.equal(Statement[0].Sid, "read");
  assert.equal(Statement[0].Action, "SQS:ReceiveMessage");
  await sqs.removePermission({ QueueUrl: url, Label: "read" });
  assert.deepEqual(await attributesOf(url, "Policy"), {});
});

test("a purged queue is empty, and not to be purged again so soon", async () => {
  const url = await create("purged");
  await sqs.sendMessage({ QueueUrl: url, MessageBody: "visible" });
  await sqs.sendMessage({ QueueUrl: url, MessageBody: "delayed", DelaySeconds: 60 });
  await sqs.purgeQueue({ QueueUrl: url });
  assert.deepEqual(await attributesOf(url, "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesDelayed"), {
    ApproximateNumberOfMessages: "0",
    ApproximateNumberOfMessagesDelayed: "0",
  });
  await assert.rejects(sqs.purgeQueue({ QueueUrl: url }), { name: "PurgeQueueInProgress" });
});

test("a message that nobody deletes becomes a dead letter, and can be moved back", async () => {
  const dead = await create("dead");
  const source = await create("dying", {
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn(dead), maxReceiveCount: 2 }),
    VisibilityTimeout: "0",
  });
  const sources = [];
  for await (const page of paginateListDeadLetterSourceQueues({ client: sqs }, { QueueUrl: dead })) {
    sources.push(...page.queueUrls);
  }
  assert.deepEqual(sources, [source]);

  const { MessageId } = await sqs.sendMessage({ QueueUrl: source, MessageBody: "poison" });
  assert.deepEqual(await bodies(source), ["poison"]);
  assert.deepEqual(await bodies(source), ["poison"]);
  assert.deepEqual(await bodies(source), []);
  const letter = await receive(dead, { VisibilityTimeout: 0, MessageSystemAttributeNames: ["All"] });
  assert.equal(letter.MessageId, MessageId);
  assert.equal(letter.Attributes.DeadLetterQueueSourceArn, arn(source));
  assert.equal(letter.Attributes.ApproximateReceiveCount, "3");

  const { TaskHandle } = await sqs.startMessageMoveTask({ SourceArn: arn(dead) });
  assert.ok(TaskHandle);
  const back = await receive(source, { WaitTimeSeconds: 20 });
  assert.equal(back.Body, "poison");
  const task = await settled(arn(dead));
  assert.equal(task.Status, "COMPLETED");
  assert.equal(task.ApproximateNumberOfMessagesMoved, 1);
  assert.equal(task.SourceArn, arn(dead));
});

// settled returns the latest move task of a queue as soon as it is no longer
// running.
async function settled(sourceArn) {
  for (;;) {
    const { Results } = await sqs.listMessageMoveTasks({ SourceArn: sourceArn });
    if (Results[0].Status !== "RUNNING") {
      return Results[0];
    }
  }
}

test("a move can be stopped on its way", async () => {
  const dead = await create("dead-slow");
  const source = await create("dying-slow", {
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn(dead), maxReceiveCount: 1 }),
  });
  for (let i = 0; i < 10; i++) {
    await sqs.sendMessage({ QueueUrl: dead, MessageBody: `${i}` });
  }
  const { TaskHandle } = await sqs.startMessageMoveTask({
    SourceArn: arn(dead),
    DestinationArn: arn(source),
    MaxNumberOfMessagesPerSecond: 1,
  });
  await sqs.cancelMessageMoveTask({ TaskHandle });
  let task;
  do {
    task = await settled(arn(dead));
  } while (task.Status === "CANCELLING");
  assert.equal(task.Status, "CANCELLED");
  assert.equal(task.MaxNumberOfMessagesPerSecond, 1);
  assert.equal(task.DestinationArn, arn(source));
});
