// oxlint-disable jest/no-standalone-expect -- eachClient registers the tests
import { App, ConfigurationError } from "@framework/core";
import { eachClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { bodyLimit } from "./body-limit.ts";
import { BodyLimitConfig } from "./body-limit-config.ts";

let handled = 0;

const makeApp = () => {
  handled = 0;
  const app = new (App.with(bodyLimit))().enableBodyLimit(100);
  const length = async (request: { body(): Promise<Uint8Array> }) => {
    handled++;
    return (await request.body()).byteLength;
  };
  app.route("/read", { methods: ["POST", "PUT", "DELETE"] }, length);
  app.post("/unread", () => ++handled);
  app.post("/larger", { maxBodyBytes: 200 }, length);
  app.post("/smaller", { maxBodyBytes: 50 }, length);
  return app;
};

const text = (length: number) => "x".repeat(length);

/** A body whose length is not declared. */
const stream = (length: number) => new Blob([text(length)]).stream();

eachClient(test, makeApp, {
  "a declared length above the limit is rejected before the handler; one equal to it is accepted": async (
    client,
  ) => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      expect((await client.request(method, "/read", { body: text(100) })).json()).toBe(100);
      const reply = await client.request(method, "/read", { body: text(101) });
      expect([reply.status, reply.json()]).toEqual([
        413,
        {
          error: "Payload Too Large",
          detail: "Request body is larger than the limit of 100B",
          status: 413,
        },
      ]);
    }
    expect((await client.post("/unread", { body: text(101) })).status).toBe(413);
    expect(handled).toBe(3);
  },
  "a body without a declared length is rejected above the limit": async (client) => {
    expect((await client.post("/read", { body: stream(100) })).json()).toBe(100);
    expect((await client.post("/read", { body: stream(101) })).status).toBe(413);
  },
  "a limit of the route replaces the limit of the feature": async (client) => {
    for (const body of [text, stream]) {
      expect((await client.post("/larger", { body: body(200) })).json()).toBe(200);
      expect((await client.post("/larger", { body: body(201) })).status).toBe(413);
      expect((await client.post("/smaller", { body: body(50) })).json()).toBe(50);
      expect((await client.post("/smaller", { body: body(51) })).status).toBe(413);
    }
  },
  "the limit applies to unmatched paths": async (client) => {
    expect((await client.post("/nowhere", { body: text(101) })).status).toBe(413);
    expect((await client.post("/nowhere", { body: text(100) })).status).toBe(404);
  },
});

test("the default limit is 10 MiB", async () => {
  const app = new (App.with(bodyLimit))().enableBodyLimit();
  app.post("/", () => "accepted");
  await using client = testClient(app);
  expect((await client.post("/", { body: new Uint8Array(10_485_760) })).status).toBe(200);
  expect((await client.post("/", { body: new Uint8Array(10_485_761) })).text).toContain("10.0MB");
});

test("all invalid options are reported together at start", async () => {
  const input = { maxBodyBytes: -1, decode: ["compress" as never], maxRatio: 0 };
  const app = new (App.with(bodyLimit))().enableBodyLimit(input);
  const error: unknown = await app.start().catch((thrown: unknown) => thrown);
  expect((error as ConfigurationError).problems.map(({ message }) => message.split(" ")[0])).toEqual([
    "BodyLimitConfig.maxBodyBytes",
    "BodyLimitConfig.decode",
    "BodyLimitConfig.maxRatio",
  ]);
});

test("maxRatio without decode is a start error", async () => {
  const app = new (App.with(bodyLimit))().enableBodyLimit({ maxRatio: 10 });
  await expect(app.start()).rejects.toThrow("BodyLimitConfig.maxRatio has no effect without decode");
});

test("the complete record that BodyLimitConfig.of returns is accepted", async () => {
  for (const config of [BodyLimitConfig.of(), BodyLimitConfig.of({ maxBodyBytes: 5 })]) {
    const app = new (App.with(bodyLimit))().enableBodyLimit(config);
    await expect(app.start({ log: { info() {}, warn() {}, error() {} } })).resolves.toBeDefined();
    await app.stop();
  }
});
