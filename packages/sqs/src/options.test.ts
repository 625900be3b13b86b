import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { SqsConfig } from "./index.ts";

const requests = [
  "sqs.int.test",
  "receive requests have maxMessages, waitTimeSecs and visibilityTimeoutSecs",
] as const;

/** File and name of the test in which each option changes behaviour. */
const tests: Readonly<Record<keyof SqsConfig, readonly [file: string, name: string]>> = {
  region: ["sqs.test", "servers contains the endpoint, or else the SQS host of the region"],
  queueUrl: ["sqs.int.test", "queueUrl is the queue of one topic and one group"],
  endpointUrl: ["sqs.test", "servers contains the endpoint, or else the SQS host of the region"],
  credentials: ["sqs.int.test", "credentials may be a function that returns temporary ones"],
  maxMessages: requests,
  waitTimeSecs: requests,
  visibilityTimeoutSecs: requests,
  requestTimeoutMs: ["sqs.int.test", "a request without a response ends at requestTimeoutMs"],
  maxReceiveCount: [
    "sqs.int.test",
    "a message that is never settled becomes a dead letter at maxReceiveCount",
  ],
  messageSizeBytes: ["sqs.int.test", "verify reports missing and misconfigured queues, and creates nothing"],
  discoveryMs: ["sqs.int.test", "a new group receives messages after discoveryMs"],
};

test("every option names a test of its effect", () => {
  expect(Object.keys(tests).toSorted()).toEqual(Object.keys(SqsConfig.of()).toSorted());
  for (const [option, [file, name]] of Object.entries(tests)) {
    const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), "utf8");
    expect([option, source.includes(name), source.includes(option)]).toEqual([option, true, true]);
  }
});
