"""What the tests have in common: clients of the endpoints that interop/run has
started, and queues to work on."""

import json
import os
import urllib.request

import boto3
import botocore.config
import botocore.exceptions

ENDPOINT = os.environ["MEMSQS_ENDPOINT"]
MANUAL_ENDPOINT = os.environ["MEMSQS_MANUAL_ENDPOINT"]
ACCOUNT = os.environ["MEMSQS_ACCOUNT"]
REGION = os.environ["AWS_DEFAULT_REGION"]


def connect(endpoint, **options):
    """Return a client. Credentials and region are in the environment."""
    once = botocore.config.Config(retries={"total_max_attempts": 1})
    return boto3.client("sqs", endpoint_url=endpoint, config=once, **options)


sqs = connect(ENDPOINT)

# The client of the endpoint whose clock stands still.
manual = connect(MANUAL_ENDPOINT)


def control(endpoint, path, method="GET"):
    """Call a control endpoint and return its answer."""
    request = urllib.request.Request(f"{endpoint}/_memsqs/{path}", method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def advance(duration):
    """Advance the clock of the manual endpoint by a duration as Go writes it."""
    control(MANUAL_ENDPOINT, f"advance?duration={duration}", "POST")


def polled(url):
    """Return when a long poll waits at the queue with a URL."""
    endpoint, _, queue = url.rsplit("/", 2)
    while control(endpoint, f"stats?queue={queue}")["Waiting"] == 0:
        pass


def create(name, client=sqs, **attributes):
    """Create a queue and return its URL. All names here begin with "py-"."""
    if name.endswith(".fifo"):
        attributes["FifoQueue"] = "true"
    return client.create_queue(QueueName=f"py-{name}", Attributes=attributes)["QueueUrl"]


def arn(url):
    """Return the ARN of the queue with a URL."""
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{url.split('/')[-1]}"


def messages(url, client=sqs, **options):
    """Receive what there is."""
    options = {"MaxNumberOfMessages": 10, **options}
    return client.receive_message(QueueUrl=url, **options).get("Messages", [])


def bodies(url, **options):
    """Receive what there is and return its bodies."""
    return [m["Body"] for m in messages(url, **options)]


def receive(url, client=sqs, **options):
    """Receive one message, which must be there."""
    got = messages(url, client, MaxNumberOfMessages=1, **options)
    assert len(got) == 1, f"{url}: received {len(got)} messages; want 1"
    return got[0]


def attributes(url, *names):
    """Return attributes of a queue."""
    return sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names).get("Attributes", {})


def refusal(call, *args, **options):
    """Return the error with which a call is refused."""
    try:
        call(*args, **options)
    except botocore.exceptions.ClientError as err:
        return err
    raise AssertionError("it was not refused")
