"""FIFO queues, by boto3 over the Query protocol."""

import unittest

from endpoint import bodies, create, messages, receive, sqs


def send(url, group, body, **options):
    return sqs.send_message(QueueUrl=url, MessageGroupId=group, MessageBody=body, **options)


class FIFO(unittest.TestCase):
    def test_duplicate_is_answered_with_the_first_message(self):
        url = create("duplicates.fifo")
        first = send(url, "g", "once", MessageDeduplicationId="d")
        second = send(url, "g", "twice", MessageDeduplicationId="d")
        self.assertEqual(second["MessageId"], first["MessageId"])
        self.assertEqual(second["SequenceNumber"], first["SequenceNumber"])
        self.assertRegex(first["SequenceNumber"], r"^\d{20}$")

        got = receive(url, AttributeNames=["All"])
        self.assertEqual(got["Body"], "once")
        self.assertEqual(got["Attributes"]["MessageGroupId"], "g")
        self.assertEqual(got["Attributes"]["MessageDeduplicationId"], "d")
        self.assertEqual(got["Attributes"]["SequenceNumber"], first["SequenceNumber"])
        sqs.delete_message(QueueUrl=url, ReceiptHandle=got["ReceiptHandle"])

        send(url, "g", "after it was deleted", MessageDeduplicationId="d")
        self.assertEqual(bodies(url), [])

    def test_content_can_tell_duplicates(self):
        url = create("content.fifo", ContentBasedDeduplication="true")
        sent = sqs.send_message_batch(
            QueueUrl=url,
            Entries=[
                {"Id": str(i), "MessageBody": body, "MessageGroupId": "g"}
                for i, body in enumerate(["a", "b", "a"])
            ],
        )["Successful"]
        self.assertEqual(len(sent), 3)
        self.assertEqual(sent[2]["MessageId"], sent[0]["MessageId"])
        self.assertEqual(bodies(url), ["a", "b"])

    def test_group_waits_for_what_is_in_flight_and_others_do_not(self):
        url = create("groups.fifo", ContentBasedDeduplication="true")
        for body in ["a1", "a2", "b1", "a3", "b2"]:
            send(url, body[0], body)
        a1 = receive(url)
        self.assertEqual(a1["Body"], "a1")
        self.assertEqual(bodies(url), ["b1", "b2"])
        sqs.delete_message(QueueUrl=url, ReceiptHandle=a1["ReceiptHandle"])
        self.assertEqual(bodies(url), ["a2", "a3"])

    def test_receive_that_is_tried_again_gets_the_same_messages(self):
        url = create("attempts.fifo", ContentBasedDeduplication="true")
        send(url, "g", "1")
        send(url, "g", "2")
        first = messages(url, ReceiveRequestAttemptId="attempt")
        self.assertEqual(len(first), 2)
        self.assertEqual(messages(url, ReceiveRequestAttemptId="attempt"), first)
