"""Messages of standard queues, by boto3 over the Query protocol. It checks the
MD5 of every body it receives by itself."""

import unittest
from concurrent.futures import ThreadPoolExecutor

from endpoint import advance, bodies, create, manual, messages, polled, receive, refusal, sqs


class Messages(unittest.TestCase):
    def test_client_speaks_query(self):
        self.assertEqual(sqs.meta.service_model.metadata["protocol"], "query")

    def test_message_arrives_with_its_attributes(self):
        url = create("attributes")
        attributes = {
            "color": {"DataType": "String", "StringValue": "bl\u00fc <&> \U0001f426"},
            "count": {"DataType": "Number", "StringValue": "3"},
            "image.raw": {"DataType": "Binary.png", "BinaryValue": bytes(range(256))},
        }
        trace = "Root=1-5759e988-bd862e3fe1be46a994272793"
        body = "hello \U0001f426 <&>\r\n\t\"'"
        sent = sqs.send_message(
            QueueUrl=url,
            MessageBody=body,
            MessageAttributes=attributes,
            MessageSystemAttributes={"AWSTraceHeader": {"DataType": "String", "StringValue": trace}},
        )
        got = receive(url, MessageAttributeNames=["All"], AttributeNames=["All"])
        self.assertEqual(got["MessageId"], sent["MessageId"])
        self.assertEqual(got["Body"], body)
        self.assertEqual(got["MD5OfMessageAttributes"], sent["MD5OfMessageAttributes"])
        self.assertEqual(got["MessageAttributes"], attributes)
        self.assertEqual(
            sorted(got["Attributes"]),
            [
                "AWSTraceHeader",
                "ApproximateFirstReceiveTimestamp",
                "ApproximateReceiveCount",
                "SenderId",
                "SentTimestamp",
            ],
        )
        self.assertEqual(got["Attributes"]["AWSTraceHeader"], trace)
        self.assertEqual(got["Attributes"]["ApproximateReceiveCount"], "1")

    def test_md5_of_attributes_is_of_those_that_were_asked_for(self):
        url = create("attribute-filter")
        sent = sqs.send_message(
            QueueUrl=url,
            MessageBody="m",
            MessageAttributes={
                "color": {"DataType": "String", "StringValue": "blue"},
                "count": {"DataType": "Number", "StringValue": "3"},
                "blob": {"DataType": "Binary", "BinaryValue": b"\x01\x02\x03"},
            },
        )
        self.assertEqual(sent["MD5OfMessageAttributes"], "d838729972a4b70e2d2acd9d59ac847c")
        some = receive(url, MessageAttributeNames=["col.*", "color"], VisibilityTimeout=0)
        self.assertEqual(list(some["MessageAttributes"]), ["color"])
        self.assertEqual(some["MD5OfMessageAttributes"], "da1b33cc3cbfe8b1630921e78e6b9880")
        none = receive(url)
        self.assertEqual(sorted(none), ["Body", "MD5OfBody", "MessageId", "ReceiptHandle"])

    def test_body_can_be_a_mebibyte_and_no_more(self):
        url = create("large")
        body = "\u00e9" * (512 * 1024)
        sqs.send_message(QueueUrl=url, MessageBody=body)
        self.assertTrue(receive(url)["Body"] == body, "the body that came is not the one that was sent")
        err = refusal(sqs.send_message, QueueUrl=url, MessageBody=body + "x")
        self.assertEqual(err.response["Error"]["Code"], "InvalidParameterValue")

    def test_batch_succeeds_and_fails_entry_by_entry(self):
        url = create("batches")
        entries = [{"Id": f"m{i}", "MessageBody": f"body {i}"} for i in range(10)]
        entries[3]["MessageBody"] = "not allowed: \x01"
        entries[7]["DelaySeconds"] = 901
        sent = sqs.send_message_batch(QueueUrl=url, Entries=entries)
        self.assertEqual(
            [e["Id"] for e in sent["Successful"]],
            ["m0", "m1", "m2", "m4", "m5", "m6", "m8", "m9"],
        )
        self.assertEqual(
            [(e["Id"], e["Code"], e["SenderFault"]) for e in sent["Failed"]],
            [("m3", "InvalidMessageContents", True), ("m7", "InvalidParameterValue", True)],
        )

        got = messages(url)
        self.assertEqual(len(got), 8)
        changed = sqs.change_message_visibility_batch(
            QueueUrl=url,
            Entries=[
                {"Id": "back", "ReceiptHandle": got[0]["ReceiptHandle"], "VisibilityTimeout": 0},
                {"Id": "garbage", "ReceiptHandle": "garbage", "VisibilityTimeout": 0},
            ],
        )
        self.assertEqual(changed["Successful"], [{"Id": "back"}])
        self.assertEqual(
            [(e["Id"], e["Code"]) for e in changed["Failed"]], [("garbage", "ReceiptHandleIsInvalid")]
        )
        self.assertEqual(bodies(url), [got[0]["Body"]])

        deleted = sqs.delete_message_batch(
            QueueUrl=url,
            Entries=[{"Id": f"m{i}", "ReceiptHandle": m["ReceiptHandle"]} for i, m in enumerate(got)],
        )
        self.assertEqual(len(deleted["Successful"]), 8)
        self.assertNotIn("Failed", deleted)

    def test_long_poll_gets_the_message_that_is_sent_while_it_waits(self):
        url = create("long-poll", ReceiveMessageWaitTimeSeconds="20")
        with ThreadPoolExecutor() as threads:
            waiting = threads.submit(bodies, url)
            polled(url)
            sqs.send_message(QueueUrl=url, MessageBody="at last")
            self.assertEqual(waiting.result(), ["at last"])

    def test_long_poll_ends_without_messages(self):
        self.assertEqual(bodies(create("long-poll-empty"), WaitTimeSeconds=1), [])

    def test_message_of_which_the_visibility_timeout_is_set_to_zero_comes_back(self):
        url = create("visibility")
        sqs.send_message(QueueUrl=url, MessageBody="again")
        first = receive(url)
        self.assertEqual(bodies(url), [])
        sqs.change_message_visibility(
            QueueUrl=url, ReceiptHandle=first["ReceiptHandle"], VisibilityTimeout=0
        )
        second = receive(url, AttributeNames=["ApproximateReceiveCount"])
        self.assertEqual(second["MessageId"], first["MessageId"])
        self.assertNotEqual(second["ReceiptHandle"], first["ReceiptHandle"])
        self.assertEqual(second["Attributes"], {"ApproximateReceiveCount": "2"})
        sqs.delete_message(QueueUrl=url, ReceiptHandle=second["ReceiptHandle"])

    def test_twelve_hours_pass_when_they_are_told_to(self):
        url = create("time", manual, VisibilityTimeout="43200")
        manual.send_message(QueueUrl=url, MessageBody="later", DelaySeconds=15)
        with ThreadPoolExecutor() as threads:
            waiting = threads.submit(receive, url, manual, WaitTimeSeconds=20)
            polled(url)
            advance("15s")
            self.assertEqual(waiting.result()["Body"], "later")
        self.assertEqual(messages(url, manual), [])
        advance("12h")
        self.assertEqual(receive(url, manual)["Body"], "later")
