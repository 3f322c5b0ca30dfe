// What is refused, and the name and the code by which a program that uses the AWS
// SDK for JavaScript knows it. The name is that of a class if SQS itself has the error;
// for an error of the framework below it is the code.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { SQS, SQSServiceException } from "@aws-sdk/client-sqs";
import { arn, create, sqs } from "./endpoint.mjs";

let url;
let fifo;
before(async () => {
  url = await create("errors");
  fifo = await create("errors.fifo");
});

const entries = (n, id = (i) => `${i}`) => Array.from({ length: n }, (_, i) => ({ Id: id(i), MessageBody: "m" }));

// prettier-ignore
const refused = [
  ["an unknown queue", "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", 400,
    () => sqs.getQueueUrl({ QueueName: "js-unknown" })],
  ["the URL of an unknown queue", "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", 400,
    () => sqs.sendMessage({ QueueUrl: `${url}-unknown`, MessageBody: "m" })],
  ["a queue that exists with other attributes", "QueueNameExists", "QueueAlreadyExists", 400,
    () => create("errors", { VisibilityTimeout: "31" })],
  ["an attribute out of range", "InvalidAttributeValue", "InvalidAttributeValue", 400,
    () => create("bad", { VisibilityTimeout: "43201" })],
  ["an unknown attribute", "InvalidAttributeName", "InvalidAttributeName", 400,
    () => create("bad", { Foobar: "1" })],
  ["a bad name", "InvalidParameterValue", "InvalidParameterValue", 400,
    () => create("bad name")],
  ["a dead-letter queue that is not there", "InvalidParameterValue", "InvalidParameterValue", 400,
    () => create("bad", { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arn("js-none"), maxReceiveCount: 1 }) })],
  ["an empty body", "MissingParameter", "MissingParameter", 400,
    () => sqs.sendMessage({ QueueUrl: url, MessageBody: "" })],
  ["a control character", "InvalidMessageContents", "InvalidMessageContents", 400,
    () => sqs.sendMessage({ QueueUrl: url, MessageBody: "\u0000" })],
  ["a delay of over 15 minutes", "InvalidParameterValue", "InvalidParameterValue", 400,
    () => sqs.sendMessage({ QueueUrl: url, MessageBody: "m", DelaySeconds: 901 })],
  ["no message group", "MissingParameter", "MissingParameter", 400,
    () => sqs.sendMessage({ QueueUrl: fifo, MessageBody: "m", MessageDeduplicationId: "d" })],
  ["no deduplication id", "InvalidParameterValue", "InvalidParameterValue", 400,
    () => sqs.sendMessage({ QueueUrl: fifo, MessageBody: "m", MessageGroupId: "g" })],
  ["too many messages at once", "InvalidParameterValue", "InvalidParameterValue", 400,
    () => sqs.receiveMessage({ QueueUrl: url, MaxNumberOfMessages: 11 })],
  ["a wait of over 20 seconds", "InvalidParameterValue", "InvalidParameterValue", 400,
    () => sqs.receiveMessage({ QueueUrl: url, WaitTimeSeconds: 21 })],
  ["a receipt handle that is none", "ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", 404,
    () => sqs.deleteMessage({ QueueUrl: url, ReceiptHandle: "garbage" })],
  ["an empty batch", "EmptyBatchRequest", "AWS.SimpleQueueService.EmptyBatchRequest", 400,
    () => sqs.sendMessageBatch({ QueueUrl: url, Entries: [] })],
  ["too many entries", "TooManyEntriesInBatchRequest", "AWS.SimpleQueueService.TooManyEntriesInBatchRequest", 400,
    () => sqs.sendMessageBatch({ QueueUrl: url, Entries: entries(11) })],
  ["an id twice", "BatchEntryIdsNotDistinct", "AWS.SimpleQueueService.BatchEntryIdsNotDistinct", 400,
    () => sqs.sendMessageBatch({ QueueUrl: url, Entries: entries(2, () => "same") })],
  ["an id with a blank", "InvalidBatchEntryId", "AWS.SimpleQueueService.InvalidBatchEntryId", 400,
    () => sqs.sendMessageBatch({ QueueUrl: url, Entries: entries(1, () => "a b") })],
  ["too long a batch", "BatchRequestTooLong", "AWS.SimpleQueueService.BatchRequestTooLong", 400,
    () => sqs.sendMessageBatch({ QueueUrl: url, Entries: [
      { Id: "1", MessageBody: "x".repeat(1 << 19) }, { Id: "2", MessageBody: "x".repeat((1 << 19) + 1) }] })],
  ["a move from a queue that is not there", "ResourceNotFoundException", "ResourceNotFoundException", 404,
    () => sqs.startMessageMoveTask({ SourceArn: arn("js-none") })],
  ["a queue created again at once", "QueueDeletedRecently", "AWS.SimpleQueueService.QueueDeletedRecently", 400,
    async () => {
      await sqs.deleteQueue({ QueueUrl: await create("deleted") });
      await create("deleted");
    }],
  ["a wrong secret", "SignatureDoesNotMatch", "SignatureDoesNotMatch", 403,
    () => signedBy(process.env.AWS_ACCESS_KEY_ID, "wrong").listQueues()],
  ["an unknown access key", "InvalidClientTokenId", "InvalidClientTokenId", 403,
    () => signedBy("unknown", "wrong").listQueues()],
];

function signedBy(accessKeyId, secretAccessKey) {
  const endpoint = process.env.MEMSQS_ENDPOINT;
  return new SQS({ endpoint, region: process.env.AWS_DEFAULT_REGION, credentials: { accessKeyId, secretAccessKey } });
}

for (const [what, name, code, status, call] of refused) {
  test(`refused: ${what}`, async () => {
    const err = await call().then(
      () => assert.fail("it was not refused"),
      (err) => err,
    );
    assert.ok(err instanceof SQSServiceException, `${err}`);
    assert.deepEqual([err.name, err.Code, err.$metadata.httpStatusCode], [name, code, status], err.message);
    assert.ok(err.message, "the error has no text");
    assert.match(err.$metadata.requestId, /^[0-9a-f-]{36}$/);
  });
}
