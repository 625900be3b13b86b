import { App, type Logger } from "@framework/core";
import { expect, test } from "@jest/globals";
import { waitFor } from "@framework/testing";
import type { BrokerAdapter } from "./adapter.ts";
import { forwardHeaders, memoryBroker, messaging } from "./index.ts";

const quiet: Logger = { info() {}, warn() {}, error() {} };
const withBroker = () => new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
const failureOf = (app: App): Promise<string> =>
  app.start({ log: quiet }).then(
    () => "started",
    (error: Error) => error.message,
  );

test("all mistakes in subscriptions are reported at start, together", async () => {
  const app = withBroker();
  app.messaging
    .subscribe("ok", { group: "one" }, () => {})
    .subscribe("ok", { group: "one" }, () => {})
    .subscribe("no spaces", { group: "" }, () => {})
    .subscribe("limits", { group: "a", concurrency: 0, timeoutMs: -1, retry: { quickTries: 0 } }, () => {})
    .subscribe("else", { group: "a", broker: "defualt" }, () => {})
    .subscribe(/pattern/, { group: "a" }, () => {})
    .subscribe("later", { group: "a", from: "latest" }, () => {})
    .subscribe("inbox", { group: "a", dedupe: "inbox" }, () => {});
  const failure = await failureOf(app);
  for (const message of [
    'there are two subscriptions "ok one"',
    "its topic must have 1 to 100 letters",
    "its group must have 1 to 100 letters",
    "concurrency must be a whole number from 1 to 1,000",
    "timeoutMs must be a whole number",
    "MessageRetry.quickTries",
    'there is no broker "defualt"; did you mean "default"?',
    "does not support subscriptions to patterns",
    'does not support from: "latest"; leave it out',
    "inbox and parked dead letters need a database",
  ])
    expect(failure).toContain(message);
});

test("two subscriptions with the same topic, group and broker are a start error", async () => {
  const oneBroker = withBroker();
  const twoBrokers = withBroker();
  twoBrokers.messaging.addBroker("other", memoryBroker());
  for (const app of [oneBroker, twoBrokers]) app.messaging.subscribe("books", { group: "a" }, () => {});
  oneBroker.messaging.subscribe("books", { group: "a", broker: "default" }, () => {});
  twoBrokers.messaging.subscribe("books", { group: "a", broker: "other" }, () => {});
  expect(await failureOf(oneBroker)).toContain('there are two subscriptions "books a"');
  expect(await failureOf(twoBrokers)).toBe("started");
  await twoBrokers.stop();
});

test("a subscription without a broker is a start error", async () => {
  const app = new (App.with(messaging))();
  app.messaging.subscribe("books", { group: "a" }, () => {});
  expect(await failureOf(app)).toContain("no broker is enabled; call enableMessaging()");
});

test("a subscription without a group is in the default group of its broker", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker(), group: "shop" });
  app.messaging.subscribe("books", {}, () => {}).subscribe("books", { group: "other" }, () => {});
  await app.start({ log: quiet });
  expect(app.messaging.status().map(({ group }) => group)).toEqual(["shop", "other"]);
  await app.stop();
});

test("the consumer of a pattern gets the dead-letter topic, which it must not match", async () => {
  const inner = memoryBroker();
  const seen: (string | undefined)[] = [];
  const open: BrokerAdapter["open"] = (context) => {
    const broker = inner.open(context);
    return {
      ...broker,
      consumer(options) {
        seen.push(options.deadLetterTopic);
        return broker.consumer(options);
      },
    };
  };
  const broker = { ...inner, capabilities: { ...inner.capabilities, patterns: true }, open };
  const app = new (App.with(messaging))().enableMessaging({ broker });
  app.messaging
    .subscribe(/dlq$/, { group: "audit" }, () => {})
    .subscribe(/dlq$/, { group: "ops", deadLetter: "lost" }, () => {});
  await app.start({ log: quiet });
  await app.stop();
  expect(seen).toEqual(["pattern.audit.dlq", "lost"]);
});

test("adding subscriptions and middleware after the start throws", async () => {
  const app = withBroker();
  await app.start({ log: quiet });
  expect(() => app.messaging.subscribe("late", { group: "a" }, () => {})).toThrow("start");
  expect(() => app.messaging.use((message, next) => next(message))).toThrow("start");
  await app.stop();
});

test("several brokers of one app are chosen by name", async () => {
  const [one, other] = [memoryBroker(), memoryBroker()];
  const app = new (App.with(messaging))().enableMessaging({ broker: one });
  const got: string[] = [];
  app.messaging
    .addBroker("other", other)
    .subscribe("books", { group: "a" }, ({ meta, type }) => void got.push(`${meta.broker} ${type}`))
    .subscribe(
      "books",
      { group: "a", broker: "other" },
      ({ meta, type }) => void got.push(`${meta.broker} ${type}`),
    );
  await app.start({ log: quiet });
  await app.messaging.send("books", { type: "first" });
  await app.messaging.send("books", { type: "second" }, { broker: "other" });
  await waitFor(() => got.length === 2, { timeoutMs: 60_000 });
  expect(got.toSorted()).toEqual(["default first", "other second"]);
  await expect(app.messaging.send("books", { type: "x" }, { broker: "othr" })).rejects.toThrow(
    'did you mean "other"?',
  );
  await app.stop();
});

test("forwardHeaders keeps extension attributes and headers of the sender", async () => {
  const app = withBroker();
  const got: unknown[] = [];
  app.messaging.subscribe("books", { group: "relay" }, async ({ type, headers }) => {
    const forwarded = { ...forwardHeaders(headers), "x-hop": "2" };
    await app.messaging.send("copies", { type, headers: forwarded });
  });
  app.messaging.subscribe("copies", { group: "search" }, ({ headers }) => void got.push({ ...headers }));
  await app.start({ log: quiet });
  const headers = { ce_tenant: "acme", "x-shelf": "7" };
  await app.messaging.send("books", { type: "t", headers }, { ttlMs: 600_000 });
  await waitFor(() => got.length === 1, { timeoutMs: 60_000 });
  expect(got).toEqual([{ ...headers, "x-hop": "2" }]);
  expect({
    ...forwardHeaders({ ...headers, ce_id: "1", "content-type": "image/png", "framework-group": "g" }),
  }).toEqual(headers);
  await app.stop();
});

test.each(["", "x".repeat(231), "é".repeat(116)])(
  "an invalid topic name is rejected, for a send and in the configuration: %#",
  async (name) => {
    const app = withBroker();
    await app.start({ log: quiet });
    const sent = app.messaging.send(name, { type: "t" });
    await expect(sent).rejects.toMatchObject({ code: "MESSAGING_BAD_MESSAGE" });
    await expect(sent).rejects.toThrow("the name of its topic must have 1 to 230 bytes");
    await app.stop();
    const declared = new (App.with(messaging))().enableMessaging({ broker: memoryBroker(), topics: [name] });
    expect(await failureOf(declared)).toContain("with names of 1 to 230 bytes");
  },
);

test("a topic may have a name of 230 bytes", async () => {
  const name = "x".repeat(230);
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker(), topics: [name] });
  await app.start({ log: quiet });
  expect(await app.messaging.send(name, { type: "t", id: "1" })).toEqual({ id: "1" });
  await app.stop();
});
