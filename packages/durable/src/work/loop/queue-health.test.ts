import { App } from "@framework/core";
import type { Feature, Host } from "@framework/core/feature";
import { virtualClock, type VirtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import {
  createKernel,
  NonRetryableError,
  type OwnKernel,
  type QueueOptions,
  type WorkQueue,
} from "../../feature.ts";
import { sqliteFile } from "../../testing/open-databases.test-kit.ts";
import { tableClock } from "../../testing/table-clock.ts";

const hosting: Feature<{ readonly host: Host }> = {
  name: "hosting",
  install: (host) => ({
    get host() {
      return host;
    },
  }),
};

const log = { info() {}, warn() {}, error() {} };

interface QueueTools {
  readonly queue: WorkQueue<string>;
  /** Observations of histograms: name, value, labels. */
  readonly observed: readonly unknown[][];
  /** The failure of the health check; `null` while it passes. */
  check(): Promise<string | null>;
  readonly kernel: OwnKernel;
  /** Advances the clocks of the process and of the database. */
  advance(ms: number): Promise<void>;
}

/** Runs a queue in an app, with clocks that only the test advances. */
const withQueue = async (
  options: Partial<QueueOptions<string>> & Pick<QueueOptions<string>, "handle">,
  use: (tools: QueueTools) => Promise<void>,
): Promise<void> => {
  await using file = await sqliteFile();
  const db = file.open();
  const time = await tableClock(db);
  const clock: VirtualClock = virtualClock();
  const app = new (App.with(hosting))();
  const { insight } = app.host;
  const observed: unknown[][] = [];
  insight.recordHistograms(
    ({ name }) =>
      (value, labels) =>
        void observed.push([name, value, labels]),
  );
  await using kernel = createKernel(db, {
    host: app.host,
    clock,
    now: time.now,
    log,
    config: { leaseMs: 600_000 },
  });
  const queue = kernel.queue<string>({ name: "mail", ...options });
  await app.start({ log });
  await kernel.start();
  const check = async (): Promise<string | null> => {
    const found = insight.healthChecks().find(({ name }) => name === "queues");
    expect(found?.critical).toBe(false);
    try {
      await found?.run(new AbortController().signal);
      return null;
    } catch (error) {
      expect(error).toMatchObject({ code: "DURABLE_UNHEALTHY" });
      return (error as Error).message;
    }
  };
  const advance = async (ms: number): Promise<void> => {
    await time.advance(ms);
    await clock.advance(ms);
  };
  try {
    await use({ kernel, queue, observed, check, advance });
  } finally {
    await kernel.drain(AbortSignal.abort());
    await app.stop();
  }
};

test("a queue whose due items wait while no attempt ends is reported as stalled, until an attempt ends", async () => {
  const gate = Promise.withResolvers<void>();
  const limits = { concurrency: 1, timeoutMs: 3_600_000, stalledAfterSecs: 60 };
  await withQueue({ ...limits, handle: () => gate.promise }, async ({ queue, check, advance }) => {
    await queue.enqueue([{ payload: "a" }, { payload: "b" }]);
    await waitFor(async () => (await queue.stats()).running === 1, { subject: "the first attempt" });
    for (let step = 0; step < 3; step++) await advance(15_000);
    expect(await check()).toBeNull();
    await waitFor(
      async () => {
        await advance(15_000);
        return (await check()) !== null;
      },
      { subject: "the failure of the check" },
    );
    expect(await check()).toMatch(
      /^queue "mail" is stalled: 1 items are due, the oldest for \d+ s, no attempt has ended in this process for \d+ s, and [01] of 1 slots are taken$/,
    );
    gate.resolve();
    await waitFor(
      async () => {
        await advance(15_000);
        return (await check()) === null;
      },
      { subject: "the check to pass" },
    );
  });
}, 120_000);

test("a queue is reported as stalled while finished items cannot be removed", async () => {
  const gate = Promise.withResolvers<void>();
  const handle = (item: { readonly payload: string }): unknown =>
    item.payload === "first" ? "done" : gate.promise;
  const limits = { concurrency: 1, timeoutMs: 3_600_000, stalledAfterSecs: 60, keepSecs: 1 };
  await withQueue({ ...limits, handle }, async ({ kernel, queue, check, advance }) => {
    await kernel.db.execute(
      `CREATE TRIGGER kept BEFORE DELETE ON framework_work BEGIN SELECT RAISE(ABORT, 'kept'); END`,
    );
    await queue.enqueue([{ payload: "first" }, { payload: "a" }, { payload: "b" }]);
    await waitFor(async () => (await queue.list({ state: "done" })).items.length === 1, {
      subject: "a done item",
    });
    await waitFor(
      async () => {
        await advance(15_000);
        return (await check()) !== null;
      },
      { subject: "the failure of the check" },
    );
    expect(await check()).toContain('queue "mail" is stalled: 1 items are due');
    gate.resolve();
  });
}, 120_000);

test("an item that is claimed while the process begins to drain is given back at once", async () => {
  const claiming = Promise.withResolvers<void>();
  const admitted = Promise.withResolvers<void>();
  const admission = async (wanted: number) => {
    claiming.resolve();
    await admitted.promise;
    return { permits: wanted, retryInMs: 0, async giveBack() {} };
  };
  await withQueue({ admission, handle() {} }, async ({ kernel, queue, observed, advance }) => {
    await advance(5000);
    await queue.enqueue({ payload: "a" });
    await claiming.promise;
    const drained = kernel.drain(new AbortController().signal);
    admitted.resolve();
    await drained;
    expect(observed.filter(([name]) => name === "durable_work_duration_seconds")).toEqual([
      ["durable_work_duration_seconds", 0, { queue: "mail", outcome: "released" }],
    ]);
  });
}, 120_000);

test("when too many items have given up, the check fails for an hour", async () => {
  const handle = (): never => {
    throw new NonRetryableError("no such address");
  };
  await withQueue({ maxGaveUpPerHour: 2, handle }, async ({ queue, check, advance }) => {
    await queue.enqueue([{ payload: "a" }, { payload: "b" }]);
    const isDone = async (): Promise<boolean> => {
      const { ready, running } = await queue.stats();
      return ready + running === 0;
    };
    await waitFor(isDone, { subject: "two items to give up" });
    expect(await check()).toBeNull();
    await queue.enqueue({ payload: "c" });
    await waitFor(async () => (await check()) !== null, { subject: "the failure of the check" });
    expect(await check()).toBe(
      '3 items of queue "mail" gave up in this process in the past hour, more than 2',
    );
    await advance(3_600_000);
    expect(await check()).toBeNull();
  });
}, 120_000);

test("histograms have the duration of attempts by outcome, and the time until the first attempt", async () => {
  let fails = true;
  const gate = Promise.withResolvers<void>();
  const options: Partial<QueueOptions<string>> & Pick<QueueOptions<string>, "handle"> = {
    retry: { jitter: 0, delayMs: 1000 },
    async handle() {
      await gate.promise;
      if (fails) throw new Error("once");
    },
  };
  await withQueue(options, async ({ queue, observed, advance }) => {
    await queue.enqueue({ payload: "a" });
    await waitFor(async () => (await queue.stats()).running === 1, { subject: "the first attempt" });
    await advance(200);
    gate.resolve();
    const durationsOf = (outcome: string): unknown[][] =>
      observed.filter(([, , labels]) => (labels as Record<string, string>)["outcome"] === outcome);
    await waitFor(() => durationsOf("retried").length === 1, { subject: "the first outcome" });
    fails = false;
    await waitFor(
      async () => {
        await advance(500);
        return durationsOf("done").length === 1;
      },
      { subject: "the second attempt" },
    );
    expect(durationsOf("retried")).toEqual([
      ["durable_work_duration_seconds", 0.2, { queue: "mail", outcome: "retried" }],
    ]);
    expect(observed.filter(([name]) => name === "durable_work_wait_seconds")).toEqual([
      ["durable_work_wait_seconds", 0, { queue: "mail" }],
    ]);
  });
}, 120_000);

test("a stalledAfterSecs of 0, by which every due item would be stalled, is refused", async () => {
  await using file = await sqliteFile();
  const db = file.open();
  const kernel = createKernel(db, { log });
  expect(() => kernel.queue({ name: "mail", stalledAfterSecs: 0, handle: () => {} })).toThrow(
    "QueueOptions.stalledAfterSecs must be a number from 0.1",
  );
  await db.close();
});
