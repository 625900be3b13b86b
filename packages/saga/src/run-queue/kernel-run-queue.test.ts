import { App } from "@framework/core";
import type { Feature, Host } from "@framework/core/feature";
import { openDatabase } from "@framework/database";
import { createKernel } from "@framework/durable/feature";
import { tableClock } from "@framework/durable/testing";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { saga } from "../index.ts";
import { SagaSet } from "../saga-set.ts";

const log = { info() {}, warn() {}, error() {} };
const hosting: Feature<{ readonly host: Host }> = {
  name: "hosting",
  install: (host) => ({
    get host() {
      return host;
    },
  }),
};

test("due sagas are reported as stalled once no run has ended for its maximum duration, and not before", async () => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const time = await tableClock(db);
  const clock = virtualClock();
  const app = new (App.with(hosting))();
  const kernel = createKernel(db, {
    host: app.host,
    clock,
    now: time.now,
    log,
    config: { leaseMs: 600_000 },
  });
  const problem = ({ message }: { readonly message: string }): never => {
    throw new Error(message);
  };
  const set = new SagaSet({
    kernel,
    problem,
    log: () => log,
    config: { concurrency: 1, stepTimeoutMs: 60_000 },
  });
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const slow = saga("slow", 1)
    .call("one", () => (begun.resolve(), gate.promise))
    .call("two", () => gate.promise, { timeoutMs: 90_000 })
    .build(); // stalled after twice 170 s, for the steps and their undos, plus a minute
  set.define(slow);
  await app.start({ log });
  await kernel.start();
  let passedMs = 0;
  const advance = async (ms: number): Promise<void> => {
    passedMs += ms;
    await time.advance(ms);
    await clock.advance(ms);
  };
  const failure = async (): Promise<string | null> => {
    const check = app.host.insight.healthChecks().find(({ name }) => name === "queues");
    try {
      await check?.run(new AbortController().signal);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  try {
    for (const key of ["a", "b"]) await set.runner.start(slow, null, { key });
    await begun.promise;
    while (passedMs < 385_000) {
      await advance(15_000);
      expect(await failure()).toBeNull();
    }
    await waitFor(
      async () => {
        await advance(passedMs < 900_000 ? 15_000 : 10); // the items are counted periodically
        return (await failure()) !== null;
      },
      { subject: "the failure of the check", timeoutMs: 60_000 },
    );
    expect(await failure()).toContain('queue "saga:slow:1" is stalled');
  } finally {
    gate.resolve();
    await kernel.drain(AbortSignal.abort());
    await kernel.stop();
    await app.stop();
    await db.close();
  }
}, 120_000);
