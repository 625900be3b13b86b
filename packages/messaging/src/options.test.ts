import { readFileSync } from "node:fs";
import { App, dependency, type Logger, type StandardSchema } from "@framework/core";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { Broker, BrokerAdapter } from "./adapter.ts";
import { deadTopicOf } from "./testing.ts";
import {
  type BatchSubscriptionOptions,
  memoryBroker,
  type Message,
  messaging,
  MessagingConfig,
  type SubscriptionOptions,
} from "./index.ts";

const quiet: Logger = { info() {}, warn() {}, error() {} };
const once = { quickTries: 1, delaysMs: [] };

/** Creates an in-memory broker with replaced members. */
const brokerWith = (part: (broker: Broker) => Partial<Broker>): BrokerAdapter => {
  const inner = memoryBroker();
  return {
    ...inner,
    open(context) {
      const broker = inner.open(context);
      return { ...broker, ...part(broker) };
    },
  };
};

/** Creates an app with one subscription, and collects its dead letters. */
const appWith = (
  options: object,
  handle: (message: Message) => void,
  config: Parameters<ReturnType<typeof newApp>["enableMessaging"]>[0] = {},
) => {
  const app = newApp().enableMessaging({ broker: memoryBroker(), ...config });
  const dead: Message[] = [];
  app.messaging
    .subscribe("books", { group: "a", deadLetter: deadTopicOf("books"), ...options }, handle)
    .subscribe(deadTopicOf("books"), { group: "dead" }, (message) => void dead.push(message));
  return { app, dead };
};

const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) },
};

const newApp = () => new (App.with(messaging))();

test("topology: by default, topics are created in development and verified in production", async () => {
  const seen: string[] = [];
  for (const [env, topology] of [
    ["development", undefined],
    ["production", undefined],
    ["production", "create"],
    ["development", "verify"],
    ["development", "off"],
  ] as const) {
    const modes: string[] = [];
    const broker = brokerWith((inner) => ({
      topology(spec, mode, signal) {
        modes.push(mode);
        return inner.topology(spec, mode, signal);
      },
    }));
    const { app } = appWith({}, () => {}, { broker, topology });
    await app.start({ log: quiet, env });
    await waitFor(() => app.messaging.status().every(({ state }) => state === "running"));
    await app.stop();
    seen.push(`${env} ${topology}: ${modes[0]}`);
  }
  expect(seen).toEqual([
    "development undefined: create",
    "production undefined: verify",
    "production create: create",
    "development verify: verify",
    "development off: undefined",
  ]);
});

test("sendTimeoutMs ends a send that the broker does not confirm", async () => {
  const broker = brokerWith(() => ({
    producer: {
      async send(messages, { signal }) {
        const { promise, resolve } = Promise.withResolvers<void>();
        signal.addEventListener("abort", () => resolve(), { once: true });
        await promise;
        return messages.map(() => ({ ok: false, error: signal.reason as Error, isRetryable: true }));
      },
    },
  }));
  const app = newApp().enableMessaging({ broker, sendTimeoutMs: 50 });
  await app.start({ log: quiet });
  const failure = await app.messaging.send("books", { type: "t" }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "MESSAGING_SEND_FAILED", status: 503 });
  expect(String((failure as Error).cause)).toContain("not confirmed within 50 ms");
  await app.stop();
});

test("maxHeaderBytes limits the headers of sent and of received messages", async () => {
  const broker = memoryBroker();
  const { app, dead } = appWith({}, () => {}, { broker });
  const strict = appWith({ group: "b" }, () => {}, { broker, maxHeaderBytes: 512 });
  await app.start({ log: quiet });
  await strict.app.start({ log: quiet });
  const message = { type: "t", headers: { "x-long": "x".repeat(5000) } };
  const refused = { code: "MESSAGING_TOO_LARGE" };
  await expect(strict.app.messaging.send("books", message)).rejects.toMatchObject(refused);
  await app.messaging.send("books", message);
  await waitFor(() => dead.length === 1);
  expect(dead[0]?.headers).toMatchObject({
    "framework-dead-code": "MESSAGING_TOO_LARGE",
    "framework-dead-group": "b",
  });
  await Promise.all([app.stop(), strict.app.stop()]);
});

test("a message with the largest headers can become a dead letter: headers that messaging adds do not count", async () => {
  const fail = (): never => {
    throw new Error("broken ".repeat(100));
  };
  const { app, dead } = appWith({ retry: once }, fail, { maxHeaderBytes: 512 });
  await app.start({ log: quiet });
  const longest = 512 - "content-typeapplication/cloudevents+jsonx-long".length;
  const send = (length: number) =>
    app.messaging.send("books", { type: "t", headers: { "x-long": "x".repeat(length) } });
  await expect(send(longest + 1)).rejects.toMatchObject({ code: "MESSAGING_TOO_LARGE" });
  await send(longest);
  await waitFor(() => dead.length === 1);
  await app.stop();
});

test("onUnknown: a message of an unknown type is a dead letter at once, acknowledged, or retried", async () => {
  const tries: Record<string, string | undefined> = {};
  for (const onUnknown of ["park", "ack", "fail"] as const) {
    const retry = { quickTries: 3, quickDelayMs: 1, delaysMs: [] };
    const { app, dead } = appWith({ onUnknown, retry, schema: { other: anything } }, () => {});
    await app.start({ log: quiet });
    await app.messaging.send("books", { type: "unknown" });
    const isOver = (): boolean => app.messaging.status()[0]?.done === 1 || dead.length === 1;
    await waitFor(isOver);
    tries[onUnknown] = dead[0]?.headers["framework-dead-tries"];
    await app.stop();
  }
  expect(tries).toEqual({ park: "1", ack: undefined, fail: "3" });
});

test("inject: a dependency of scope invocation lives for one try, or one call with a batch", async () => {
  const events: string[] = [];
  let made = 0;
  const Session = dependency("session", {
    scope: "invocation",
    create: () => ++made,
    dispose: (session) => void events.push(`disposed ${session}`),
  });
  const app = newApp().enableMessaging({ broker: memoryBroker() });
  const options = { group: "a", inject: { session: Session }, retry: { quickDelayMs: 1 } };
  app.messaging
    .subscribe("books", options, ({ attempt }, _context, { session }) => {
      events.push(`try ${attempt} with ${session}`);
      if (attempt === 1) throw new Error("broken");
    })
    .subscribeBatch("pages", { ...options, batch: { size: 2, waitMs: 1000 } }, (messages, { session }) => {
      events.push(`${messages.length} pages with ${session}`);
      return new Map(messages.map(({ id }) => [id, "ack"]));
    });
  await app.start({ log: quiet });
  await app.messaging.send("books", { type: "t" });
  await waitFor(() => app.messaging.status()[0]?.done === 1);
  await app.messaging.sendAll("pages", [{ type: "t" }, { type: "t" }]);
  await waitFor(() => app.messaging.status()[1]?.done === 2);
  expect(events.join()).toBe("try 1 with 1,disposed 1,try 2 with 2,disposed 2,2 pages with 3,disposed 3");
  await app.stop();
});

test.each([
  [0, 1000, 1000],
  [1, 1000, 2000],
])("jitter %d: a try with a delay of 1,000 ms begins after %d to %d ms", async (jitter, from, to) => {
  const clock = virtualClock();
  let tries = 0;
  const { app } = appWith(
    { retry: { quickTries: 2, quickDelayMs: 1000, jitter } },
    () => {
      if (++tries === 1) throw new Error("broken");
    },
    { clock, drainMs: 0 },
  );
  await app.start({ log: quiet });
  await app.messaging.send("books", { type: "t" });
  await waitFor(() => tries === 1);
  await clock.advance(from - 1);
  expect(tries).toBe(1);
  await clock.advance(to - from + 1);
  await waitFor(() => tries === 2);
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});

type Options = keyof MessagingConfig | keyof SubscriptionOptions | keyof BatchSubscriptionOptions;

/** File and name of the test in which each option changes behaviour. */
const tests: Readonly<Record<Options, readonly [file: string, name: string]>> = {
  broker: ["messaging.test", "several brokers of one app are chosen by name"],
  source: ["contract/handling-facts", "a handler receives the event that was sent"],
  group: ["messaging.test", "a subscription without a group is in the default group of its broker"],
  topics: ["contract/sending-facts", "messages of one topic are not delivered in another"],
  topology: ["options.test", "topology: by default, topics are created in development"],
  outbox: ["crash-points.test-kit", "outbox: if the process dies at any statement"],
  maxMessageBytes: ["contract/external-message-facts", "a body above the size limit is a dead letter"],
  maxHeaderBytes: ["options.test", "maxHeaderBytes limits the headers"],
  sendTimeoutMs: ["options.test", "sendTimeoutMs ends a send"],
  drainMs: ["contract/stop-facts", "a handler that does not end is aborted at the end of the drain"],
  clock: ["consume/stalled.test", "an app is not ready after messages were overdue for a minute"],
  schema: ["contract/handling-facts", "a handler receives the schema's output"],
  inject: ["options.test", "inject: a dependency of scope invocation"],
  guards: ["subscribe/verify-sender.test", "auth and guards: a handler can read the sender"],
  auth: ["subscribe/verify-sender.test", "auth and guards: a handler can read the sender"],
  concurrency: ["contract/lane-facts", "at most `concurrency` handlers run"],
  prefetch: ["bounded-memory.test", "a process on the database holds only its prefetch"],
  order: ["contract/lane-facts", "messages of a key run one at a time, in order"],
  rate: ["contract/rate-facts", "a rate limits handler calls"],
  ack: [
    "contract/dead-letter-facts",
    "with manual acknowledgement, returning without a decision is a failed try",
  ],
  retry: [
    "contract/dead-letter-facts",
    "a poison message becomes a dead letter after exactly the configured tries",
  ],
  deadLetter: ["contract/parked-facts", "a dead letter is parked once"],
  dedupe: ["contract/inbox-facts", "with the inbox, an event that is sent twice takes effect once"],
  timeoutMs: ["contract/dead-letter-facts", "a handler that exceeds its time limit has failed"],
  onUnknown: ["options.test", "onUnknown: a message of an unknown type"],
  raw: ["contract/external-message-facts", "other JSON is handled if the subscription accepts it"],
  from: ["messaging.test", "all mistakes in subscriptions are reported at start"], // only Kafka supports "latest"
  batch: ["contract/batch-facts", "a batch handler gets several messages"],
};

test("every option names a test of its effect", () => {
  const own = Object.keys(MessagingConfig.of());
  expect(Object.keys(tests)).toEqual(expect.arrayContaining(own));
  for (const [option, [file, name]] of Object.entries(tests)) {
    const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), "utf8");
    const title = file === "options.test" ? `test("${name}` : name; // this file has each name in the list as well
    expect([option, source.includes(title), source.includes(option)]).toEqual([option, true, true]);
  }
});
