import { App, HttpError, type Invocation, key, type Logger, UnauthorizedError } from "@framework/core";
import type { Authenticator } from "@framework/core/feature";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { memoryBroker, messaging } from "../index.ts";

const quiet: Logger = { info() {}, warn() {}, error() {} };
const newApp = () => new (App.with(messaging))();

test("auth and guards: a handler can read the sender, a rejection is final, a failed check is retried", async () => {
  const Sender = key<string | undefined>("sender", undefined);
  let failures = 0;
  const auth: Authenticator = {
    identify({ headers, context }) {
      const name = headers.get("x-sender");
      if (name === null) throw new UnauthorizedError("there is no sender");
      if (name === "bob" && ++failures === 1) throw new HttpError(503, "the keys are not loaded yet");
      context.set(Sender, name);
    },
  };
  const guards = [({ context }: Invocation) => context.get(Sender) !== "mallory"];
  const app = newApp().enableMessaging({ broker: memoryBroker() });
  const [senders, rejections]: string[][] = [[], []];
  app.messaging
    .subscribe("books", { group: "a", auth, guards, retry: { quickDelayMs: 1 } }, (_message, context) => {
      senders?.push(String(context.invocation.context.get(Sender)));
    })
    .subscribe("books.a.dlq", { group: "dead" }, ({ headers }) => {
      rejections?.push(`${headers["framework-dead-tries"]} ${headers["framework-dead-message"]}`);
    });
  await app.start({ log: quiet });
  for (const headers of [{ "x-sender": "alice" }, {}, { "x-sender": "mallory" }, { "x-sender": "bob" }])
    await app.messaging.send("books", { type: "t", headers });
  await waitFor(() => senders?.length === 2 && rejections?.length === 2);
  expect([senders, failures]).toEqual([["alice", "bob"], 2]);
  expect(rejections).toEqual([expect.stringMatching(/^1 .*\(401\)/), expect.stringMatching(/^1 .*\(403\)/)]);
  await app.stop();
});

test.each<[string, () => never]>([
  [
    "an error",
    () => {
      throw new Error("the database is unavailable");
    },
  ],
  [
    "an HTTP error of another service",
    () => {
      throw new HttpError(404, "the database is unavailable");
    },
  ],
])("a guard that throws %s is retried, and the dead letter has the cause", async (_case, fail) => {
  let failures = 0;
  const guards = [
    ({ headers }: Invocation) => headers.get("x-sender") === "alice" || ++failures > 1 || fail(),
  ];
  const failingGuards = [(): never => fail()];
  const app = newApp().enableMessaging({ broker: memoryBroker() });
  const [handled, dead]: string[][] = [[], []];
  const retry = { quickTries: 2, quickDelayMs: 1, delaysMs: [] };
  app.messaging
    .subscribe("books", { group: "a", guards, retry }, ({ id }) => void handled?.push(id))
    .subscribe("books", { group: "b", guards: failingGuards, retry }, ({ id }) => void handled?.push(id))
    .subscribeBatch(
      "books",
      { group: "c", guards: failingGuards, retry, batch: { size: 2, waitMs: 1 } },
      () => new Map(),
    );
  for (const topic of ["books.b.dlq", "books.c.dlq"])
    app.messaging.subscribe(topic, { group: "dead" }, ({ headers }) => {
      dead?.push(`${headers["framework-dead-tries"]} ${headers["framework-dead-message"]}`);
    });
  await app.start({ log: quiet });
  await app.messaging.send("books", { type: "t", id: "1", headers: { "x-sender": "bob" } });
  await waitFor(() => handled?.length === 1 && dead?.length === 2);
  expect([handled, failures]).toEqual([["1"], 2]);
  expect(dead).toEqual(["2 the database is unavailable", "2 the database is unavailable"]);
  await app.stop();
});
