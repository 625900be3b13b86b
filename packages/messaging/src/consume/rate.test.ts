import { App, type Logger } from "@framework/core";
import type { SharedState } from "@framework/core/feature";
import { inProcessState, virtualClock } from "@framework/core/testing";
import { expect, test } from "@jest/globals";
import { waitFor } from "@framework/testing";
import { memoryBroker, messaging, type SubscriptionOptions } from "../index.ts";

const warnings: string[] = [];
const log: Logger = { info() {}, warn: (message) => void warnings.push(message), error() {} };
const RATE = { limit: 4, perSecs: 10 };
type RateOptions = Pick<SubscriptionOptions, "rate" | "retry" | "concurrency">;

/** Starts processes of one service with shared state on a virtual clock; each has its own broker. */
const service = async (
  count: number,
  { rate = RATE, ...options }: RateOptions = {},
  wrap = (shared: SharedState) => shared,
) => {
  const clock = virtualClock();
  const shared = wrap(inProcessState({ clock, log, timeoutMs: Infinity }));
  const calls: string[] = [];
  let failuresLeft = 0;
  const apps = Array.from({ length: count }, () => {
    const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker(), clock, drainMs: 0 });
    app.messaging.subscribe("books", { group: "mail", rate, ...options }, ({ id }) => {
      calls.push(id);
      if (failuresLeft-- > 0) throw new Error("broken");
    });
    return app;
  });
  for (const app of apps) await app.start({ log, shared });
  const send = async (...ids: string[]): Promise<void> => {
    for (const id of ids)
      for (const app of apps) await app.messaging.send("books", { type: "t", id, data: 1 });
  };
  const fail = (times: number): void => void (failuresLeft = times);
  const status = () => apps.map(({ messaging: each }) => each.status()[0]);
  const stop = async (): Promise<void> => {
    const stopping = Promise.all(apps.map((app) => app.stop()));
    await clock.advance(1);
    await stopping;
  };
  return { clock, calls, send, fail, status, [Symbol.asyncDispose]: stop };
};

const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n));

test("processes that share state share one rate", async () => {
  await using one = await service(3);
  await one.send(...ids(4));
  await waitFor(() => one.calls.length === 4);
  await one.clock.advance(9999);
  expect([one.calls.length, one.status().map((each) => each?.isLimited)]).toEqual([4, [true, true, true]]);
  await one.clock.advance(1);
  await waitFor(() => one.calls.length === 8);
  await one.clock.advance(10_000);
  await waitFor(() => one.calls.length === 12);
  expect(one.calls.toSorted()).toEqual(ids(4).flatMap((id) => [id, id, id]));
});

test("each try of a message counts as a call", async () => {
  await using one = await service(1, {
    rate: { limit: 2, perSecs: 10 },
    retry: { quickDelayMs: 0, jitter: 0 },
  });
  one.fail(2);
  await one.send("a");
  const soon = (holds: () => boolean): Promise<unknown> =>
    waitFor(async () => {
      await one.clock.advance(1); // the pause between quick tries
      return holds();
    });
  await soon(() => one.calls.length === 2 && one.status()[0]?.isLimited === true);
  await one.clock.advance(9000);
  expect(one.calls).toEqual(["a", "a"]);
  await one.clock.advance(1000);
  await soon(() => one.calls.length === 3);
  await waitFor(() => one.status()[0]?.done === 1);
});

test("messages wait while the permit store fails, and continue when it works again", async () => {
  let failures = 0;
  await using one = await service(1, {}, (shared) => ({
    ...shared,
    permits: {
      take: async (...request) => {
        if (failures++ < 2) throw new Error("the store is unavailable");
        return await shared.permits.take(...request);
      },
    },
  }));
  warnings.length = 0;
  await one.send("a", "b");
  await waitFor(() => one.status()[0]?.isLimited === true);
  await one.clock.advance(1000);
  await waitFor(() => failures === 2 && one.status()[0]?.isLimited === true);
  expect(one.calls).toEqual([]);
  await one.clock.advance(1000);
  await waitFor(() => one.calls.length === 2);
  expect(warnings).toEqual(
    Array(2).fill("messaging: the rate limit of a subscription is unavailable; its messages wait"),
  );
});

test("a batch counts as one call", async () => {
  const clock = virtualClock();
  const shared = inProcessState({ clock, log, timeoutMs: Infinity });
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker(), clock, drainMs: 0 });
  const sizes: number[] = [];
  app.messaging.subscribeBatch(
    "books",
    { group: "mail", batch: { size: 3, waitMs: 1000 }, rate: { limit: 2, perSecs: 10 } },
    (messages) => {
      sizes.push(messages.length);
      return new Map(messages.map(({ id }) => [id, "ack"]));
    },
  );
  await app.start({ log, shared });
  for (const id of ids(9)) await app.messaging.send("books", { type: "t", id, data: 1 });
  await waitFor(() => sizes.length === 2);
  await clock.advance(9999);
  expect(sizes).toEqual([3, 3]);
  await clock.advance(1);
  await waitFor(() => sizes.length === 3);
  const stopping = app.stop();
  await clock.advance(1);
  await stopping;
});

test("an incomplete or out-of-range rate, or a prefetch above it, is a start error", async () => {
  const app = new (App.with(messaging))().enableMessaging({ broker: memoryBroker() });
  const subscribe = (group: string, options: object) =>
    app.messaging.subscribe("books", { group, ...options }, () => {});
  subscribe("a", { rate: {} });
  subscribe("b", { rate: { limit: 0, perSecs: 601 } });
  subscribe("c", { rate: { limit: 1, perSecs: 600 }, prefetch: 3 });
  const failure = await app.start({ log }).catch((error: Error) => error.message);
  for (const message of [
    "WorkRate needs a limit",
    "WorkRate.limit",
    "WorkRate.perSecs",
    "prefetch must not exceed the messages that its rate admits in 20 minutes",
  ])
    expect(failure).toContain(message);
});
