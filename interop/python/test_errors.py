"""What is refused, and the class and the code by which a program that uses boto3
knows it."""

import json
import os
import unittest

from endpoint import ENDPOINT, arn, connect, create, refusal, sqs


def entries(n, make_id=str):
    return [{"Id": make_id(i), "MessageBody": "m"} for i in range(n)]


class Errors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.url = create("errors")
        cls.fifo = create("errors.fifo")

    def check(self, table):
        for what, name, code, status, call in table:
            with self.subTest(what):
                err = refusal(call)
                got = err.response
                self.assertEqual(
                    (type(err).__name__, got["Error"]["Code"], got["ResponseMetadata"]["HTTPStatusCode"]),
                    (name, code, status),
                    got["Error"],
                )
                self.assertEqual(got["Error"]["Type"], "Sender")
                self.assertTrue(got["Error"]["Message"], "the error has no text")
                self.assertRegex(got["ResponseMetadata"]["RequestId"], r"^[0-9a-f-]{36}$")

    def test_queues(self):
        def redrive():
            policy = {"deadLetterTargetArn": arn("py-none"), "maxReceiveCount": 1}
            create("bad", RedrivePolicy=json.dumps(policy))

        def recreate():
            sqs.delete_queue(QueueUrl=create("deleted"))
            create("deleted")

        self.check([
            ("unknown name", "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", 400,
             lambda: sqs.get_queue_url(QueueName="py-unknown")),
            ("unknown URL", "QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", 400,
             lambda: sqs.send_message(QueueUrl=self.url + "-unknown", MessageBody="m")),
            ("other attributes", "QueueNameExists", "QueueAlreadyExists", 400,
             lambda: create("errors", VisibilityTimeout="31")),
            ("attribute out of range", "ClientError", "InvalidAttributeValue", 400,
             lambda: create("bad", VisibilityTimeout="43201")),
            ("unknown attribute", "InvalidAttributeName", "InvalidAttributeName", 400,
             lambda: create("bad", Foobar="1")),
            ("bad name", "ClientError", "InvalidParameterValue", 400,
             lambda: create("bad name")),
            ("no such dead-letter queue", "ClientError", "InvalidParameterValue", 400, redrive),
            ("created again at once", "QueueDeletedRecently", "AWS.SimpleQueueService.QueueDeletedRecently",
             400, recreate),
        ])

    def test_messages(self):
        def send(**options):
            return sqs.send_message(**{"QueueUrl": self.url, "MessageBody": "m", **options})

        def receive(**options):
            return sqs.receive_message(QueueUrl=self.url, **options)

        self.check([
            ("empty body", "ClientError", "MissingParameter", 400,
             lambda: send(MessageBody="")),
            ("control character", "InvalidMessageContents", "InvalidMessageContents", 400,
             lambda: send(MessageBody="\0")),
            ("delay of over 15 minutes", "ClientError", "InvalidParameterValue", 400,
             lambda: send(DelaySeconds=901)),
            ("no message group", "ClientError", "MissingParameter", 400,
             lambda: send(QueueUrl=self.fifo, MessageDeduplicationId="d")),
            ("no deduplication id", "ClientError", "InvalidParameterValue", 400,
             lambda: send(QueueUrl=self.fifo, MessageGroupId="g")),
            ("too many messages", "ClientError", "InvalidParameterValue", 400,
             lambda: receive(MaxNumberOfMessages=11)),
            ("wait of over 20 seconds", "ClientError", "InvalidParameterValue", 400,
             lambda: receive(WaitTimeSeconds=21)),
            ("bad receipt handle", "ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", 404,
             lambda: sqs.delete_message(QueueUrl=self.url, ReceiptHandle="garbage")),
        ])

    def test_batches(self):
        def send(*batch):
            return sqs.send_message_batch(QueueUrl=self.url, Entries=batch)

        half = "x" * (1 << 19)
        self.check([
            ("no entry", "EmptyBatchRequest", "AWS.SimpleQueueService.EmptyBatchRequest", 400,
             lambda: send()),
            ("too many entries", "TooManyEntriesInBatchRequest",
             "AWS.SimpleQueueService.TooManyEntriesInBatchRequest", 400,
             lambda: send(*entries(11))),
            ("id twice", "BatchEntryIdsNotDistinct", "AWS.SimpleQueueService.BatchEntryIdsNotDistinct", 400,
             lambda: send(*entries(2, lambda i: "same"))),
            ("bad id", "InvalidBatchEntryId", "AWS.SimpleQueueService.InvalidBatchEntryId", 400,
             lambda: send(*entries(1, lambda i: "a b"))),
            ("too long", "BatchRequestTooLong", "AWS.SimpleQueueService.BatchRequestTooLong", 400,
             lambda: send({"Id": "1", "MessageBody": half}, {"Id": "2", "MessageBody": half + "x"})),
        ])

    def test_signatures(self):
        def signed_by(key, secret):
            return connect(ENDPOINT, aws_access_key_id=key, aws_secret_access_key=secret)

        self.check([
            ("wrong secret", "ClientError", "SignatureDoesNotMatch", 403,
             signed_by(os.environ["AWS_ACCESS_KEY_ID"], "wrong").list_queues),
            ("unknown key", "ClientError", "InvalidClientTokenId", 403,
             signed_by("unknown", "wrong").list_queues),
        ])
