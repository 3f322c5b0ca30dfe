// What the tests have in common: clients of the endpoints that interop/run has
// started, and queues to work on.

import { SQS } from "@aws-sdk/client-sqs";

const account = process.env.MEMSQS_ACCOUNT;

// connect returns a client that signs its requests.
function connect(endpoint) {
  return new SQS({
    endpoint,
    region: process.env.AWS_DEFAULT_REGION,
    credentials: {
      accessKeyId: process.env.AWS_ACCESS_KEY_ID,
      secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
    },
    maxAttempts: 1, // what is refused is shown, and not tried again
  });
}

export const sqs = connect(process.env.MEMSQS_ENDPOINT);

// The client of the endpoint whose clock stands still.
export const manual = connect(process.env.MEMSQS_MANUAL_ENDPOINT);

// control calls a control endpoint and returns its answer.
async function control(endpoint, path, method = "GET") {
  const answer = await fetch(`${endpoint}/_memsqs/${path}`, { method });
  if (!answer.ok) {
    throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  }
  return answer.json();
}

// advance advances the clock of the manual endpoint by a duration as Go writes it.
export const advance = (duration) =>
  control(process.env.MEMSQS_MANUAL_ENDPOINT, `advance?duration=${duration}`, "POST");

// polled returns when as many long polls wait at the queue with a URL.
export async function polled(url, polls = 1) {
  const { origin, pathname } = new URL(url);
  while ((await control(origin, `stats?queue=${pathname.split("/").at(-1)}`)).Waiting !== polls);
}

// create creates a queue and returns its URL. The names of all queues here begin
// with "js-".
export async function create(name, attributes = {}, client = sqs) {
  if (name.endsWith(".fifo")) {
    attributes = { FifoQueue: "true", ...attributes };
  }
  const { QueueUrl } = await client.createQueue({ QueueName: `js-${name}`, Attributes: attributes });
  return QueueUrl;
}

// arn returns the ARN of the queue with a URL.
export function arn(url) {
  return `arn:aws:sqs:${process.env.AWS_DEFAULT_REGION}:${account}:${url.split("/").at(-1)}`;
}

// bodies receives what there is and returns its bodies.
export async function bodies(url, options = {}) {
  const { Messages } = await sqs.receiveMessage({ QueueUrl: url, MaxNumberOfMessages: 10, ...options });
  return (Messages ?? []).map((m) => m.Body);
}

// receive receives one message, which must be there.
export async function receive(url, options = {}, client = sqs) {
  const { Messages } = await client.receiveMessage({ QueueUrl: url, ...options });
  if (Messages?.length !== 1) {
    throw new Error(`${url}: received ${Messages?.length ?? 0} messages; want 1`);
  }
  return Messages[0];
}
