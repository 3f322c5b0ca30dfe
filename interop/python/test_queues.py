"""Queues and what is set on them, by boto3 over the Query protocol. The versions
of it that speak Query know no move tasks."""

import json
import unittest

from endpoint import arn, attributes, bodies, create, receive, refusal, sqs


class Queues(unittest.TestCase):
    def test_queue_has_the_attributes_it_was_created_with_and_those_set_later(self):
        url = create("configured", VisibilityTimeout="45")
        self.assertEqual(sqs.get_queue_url(QueueName="py-configured")["QueueUrl"], url)
        sqs.set_queue_attributes(
            QueueUrl=url, Attributes={"DelaySeconds": "5", "MaximumMessageSize": "2048"}
        )
        got = attributes(url, "All")
        self.assertRegex(got.pop("CreatedTimestamp"), r"^\d{10}$")
        self.assertRegex(got.pop("LastModifiedTimestamp"), r"^\d{10}$")
        self.assertEqual(
            got,
            {
                "ApproximateNumberOfMessages": "0",
                "ApproximateNumberOfMessagesDelayed": "0",
                "ApproximateNumberOfMessagesNotVisible": "0",
                "DelaySeconds": "5",
                "MaximumMessageSize": "2048",
                "MessageRetentionPeriod": "345600",
                "QueueArn": arn(url),
                "ReceiveMessageWaitTimeSeconds": "0",
                "SqsManagedSseEnabled": "true",
                "VisibilityTimeout": "45",
            },
        )
        sqs.delete_queue(QueueUrl=url)
        refusal(sqs.get_queue_url, QueueName="py-configured")

    def test_queues_are_listed_page_by_page(self):
        want = [create(f"page-{i}") for i in range(7)]
        pages = sqs.get_paginator("list_queues").paginate(
            QueueNamePrefix="py-page-", PaginationConfig={"PageSize": 3}
        )
        got = [page["QueueUrls"] for page in pages]
        self.assertEqual([len(page) for page in got], [3, 3, 1])
        self.assertEqual(sorted(sum(got, [])), want)
        self.assertNotIn("QueueUrls", sqs.list_queues(QueueNamePrefix="py-there-is-none"))

    def test_queue_can_be_tagged(self):
        url = sqs.create_queue(QueueName="py-tagged", tags={"team": "red", "empty": ""})["QueueUrl"]
        sqs.tag_queue(QueueUrl=url, Tags={"team": "blue", "with space": "\u00fc & <>"})
        sqs.untag_queue(QueueUrl=url, TagKeys=["empty", "never there"])
        self.assertEqual(
            sqs.list_queue_tags(QueueUrl=url)["Tags"], {"team": "blue", "with space": "\u00fc & <>"}
        )

    def test_permission_is_a_statement_of_the_policy(self):
        url = create("permissions")
        sqs.add_permission(
            QueueUrl=url, Label="read", AWSAccountIds=["123456789012"], Actions=["ReceiveMessage"]
        )
        statement = json.loads(attributes(url, "Policy")["Policy"])["Statement"][0]
        self.assertEqual(statement["Sid"], "read")
        self.assertEqual(statement["Action"], "SQS:ReceiveMessage")
        sqs.remove_permission(QueueUrl=url, Label="read")
        self.assertEqual(attributes(url, "Policy"), {})

    def test_purged_queue_is_empty_and_not_to_be_purged_again_so_soon(self):
        url = create("purged")
        sqs.send_message(QueueUrl=url, MessageBody="visible")
        sqs.send_message(QueueUrl=url, MessageBody="delayed", DelaySeconds=60)
        sqs.purge_queue(QueueUrl=url)
        counts = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesDelayed"]
        self.assertEqual(attributes(url, *counts), dict.fromkeys(counts, "0"))
        self.assertIsInstance(
            refusal(sqs.purge_queue, QueueUrl=url), sqs.exceptions.PurgeQueueInProgress
        )

    def test_message_that_nobody_deletes_becomes_a_dead_letter(self):
        dead = create("dead")
        policy = json.dumps({"deadLetterTargetArn": arn(dead), "maxReceiveCount": 2})
        source = create("dying", RedrivePolicy=policy, VisibilityTimeout="0")
        sources = sqs.get_paginator("list_dead_letter_source_queues").paginate(QueueUrl=dead)
        self.assertEqual(sum((page["queueUrls"] for page in sources), []), [source])

        sent = sqs.send_message(QueueUrl=source, MessageBody="poison")
        self.assertEqual(bodies(source), ["poison"])
        self.assertEqual(bodies(source), ["poison"])
        self.assertEqual(bodies(source), [])
        letter = receive(dead, VisibilityTimeout=0, AttributeNames=["All"])
        self.assertEqual(letter["MessageId"], sent["MessageId"])
        self.assertEqual(letter["Attributes"]["DeadLetterQueueSourceArn"], arn(source))
        self.assertEqual(letter["Attributes"]["ApproximateReceiveCount"], "3")
