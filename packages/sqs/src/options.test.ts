import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { SqsConfig } from "./index.ts";

const requests = [
  "sqs.int.test",
  "maxMessages, waitTimeSecs and visibilityTimeoutSecs are those of each request for messages",
] as const;

/** The test in which each option changes behaviour: its file, and its name. */
const tests: Readonly<Record<keyof SqsConfig, readonly [file: string, name: string]>> = {
  region: ["sqs.test", "the servers of an API document are SQS of the region, or the endpoint"],
  queueUrl: ["sqs.int.test", "queueUrl is the queue of its topic, for one group"],
  endpointUrl: ["sqs.test", "the servers of an API document are SQS of the region, or the endpoint"],
  credentials: ["sqs.int.test", "credentials may come from a function, with the token of temporary ones"],
  maxMessages: requests,
  waitTimeSecs: requests,
  visibilityTimeoutSecs: requests,
  requestTimeoutMs: ["sqs.int.test", "a request without an answer ends at requestTimeoutMs"],
  maxReceiveCount: ["sqs.int.test", "a message that is never settled is a dead letter at the receive count"],
  messageSizeBytes: ["sqs.int.test", "verify creates nothing, and says what is missing or different"],
  discoveryMs: ["sqs.int.test", "a group that is new gets what is sent after discoveryMs"],
};

test("every option changes behaviour in a test", () => {
  expect(Object.keys(tests).toSorted()).toEqual(Object.keys(SqsConfig.of()).toSorted());
  for (const [option, [file, name]] of Object.entries(tests)) {
    const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), "utf8");
    expect([option, source.includes(name), source.includes(option)]).toEqual([option, true, true]);
  }
});
