import { expect, test } from "@jest/globals";
import { App } from "@framework/core";
import { messaging } from "@framework/messaging";
import { waitFor } from "@framework/testing";
import { sqs, sqsBroker, SqsConfig } from "./index.ts";

const start = async (config: object): Promise<void> => {
  const app = new (App.with(messaging, sqs))().enableSqs(config);
  await app.start();
  await app.stop();
};

test("region and queueUrl have the specified defaults", () => {
  const { region, queueUrl } = SqsConfig.of();
  expect([region, queueUrl]).toEqual(["us-east-1", ""]);
});

test("reports mistakes in fields of SqsConfig and MessagingConfig together, at start", async () => {
  const config = {
    region: "Frankfurt",
    endpointUrl: "localhost:4566",
    queueUrl: "orders",
    credentials: { accessKeyId: "x" },
    waitTimeSecs: 21,
    maxMessages: 11,
    visibilityTimeoutSecs: 1,
    drainMs: -1,
  };
  const failure = await start(config).catch(String);
  for (const field of Object.keys(config))
    expect(failure).toContain(field === "drainMs" ? "MessagingConfig.drainMs" : `SqsConfig.${field}`);
});

test.each(["not-for-logs", ["not-for-logs"]])(
  "an error message does not include the value of credentials: %#",
  async (credentials) => {
    const failure = await start({ credentials }).catch(String);
    expect(failure).toContain("SqsConfig.credentials must be");
    expect(failure).not.toContain("not-for-logs");
  },
);

test("servers contains the endpoint, or else the SQS host of the region", () => {
  const hosts = [{}, { region: "cn-north-1" }, { endpointUrl: "http://localhost:4566" }].map(
    (config) => sqsBroker(config).servers,
  );
  expect(hosts).toEqual([
    [{ host: "sqs.us-east-1.amazonaws.com", protocol: "sqs" }],
    [{ host: "sqs.cn-north-1.amazonaws.com.cn", protocol: "sqs" }],
    [{ host: "localhost:4566", protocol: "sqs" }],
  ]);
});

test("a queueUrl of another region is an error", async () => {
  const queueUrl = "https://sqs.eu-central-1.amazonaws.com/123456789012/orders";
  const message = 'SqsConfig.region is "us-east-1", but the queue of queueUrl is in "eu-central-1"';
  await expect(start({ queueUrl })).rejects.toThrow(message);
  expect(() => sqsBroker({ queueUrl })).toThrow(message);
  expect(sqsBroker({ queueUrl, region: "eu-central-1" }).name).toBe("sqs");
});

test("a misspelt field is reported with the nearest name of its record, an unknown field as one of SqsConfig", async () => {
  const failure = await start({ maxmessages: 1, drainMS: 1, colour: "red" }).catch(String);
  expect(failure).toContain('SqsConfig has no field "maxmessages"; did you mean "maxMessages"?');
  expect(failure).toContain('MessagingConfig has no field "drainMS"; did you mean "drainMs"?');
  expect(failure).toContain('SqsConfig has no field "colour"');
});

test("order by partition and patterns are refused at start", async () => {
  const app = new (App.with(messaging, sqs))().enableSqs();
  app.messaging.subscribe("orders", { group: "mail", order: "partition" }, () => {});
  app.messaging.subscribe(/^orders/, { group: "audit" }, () => {});
  const failure = await app.start().catch(String);
  expect(failure).toContain('does not support order: "partition"');
  expect(failure).toContain("does not support subscriptions to patterns");
});

test("the app starts while SQS is unavailable, and reports the reason", async () => {
  const app = new (App.with(messaging, sqs))().enableSqs({
    endpointUrl: "http://127.0.0.1:1",
    credentials: { accessKeyId: "id", secretAccessKey: "not-for-logs" },
  });
  app.messaging.subscribe("orders", { group: "mail" }, () => {});
  const lines: unknown[] = [];
  const log = { info() {}, warn: (...line: unknown[]) => void lines.push(line), error() {} };
  await app.start({ log });
  try {
    await waitFor(() => app.messaging.status()[0]?.reason?.includes("ECONNREFUSED"));
    const failure: unknown = await app.messaging
      .send("orders", { type: "t", data: 1 })
      .catch((error: Error) => error.cause);
    expect(failure).toHaveProperty(
      "message",
      expect.stringContaining("sqs: not available: connect ECONNREFUSED"),
    );
  } finally {
    await app.stop();
  }
  expect(JSON.stringify(lines)).not.toContain("not-for-logs");
});
