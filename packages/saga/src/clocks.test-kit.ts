// Two hosts whose clocks differ by an hour, on every database.
import { type Database, openDatabase } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { createKernel } from "@framework/durable/feature";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { type AnySaga, saga, type SagaRunner } from "./index.ts";
import { SagaSet } from "./saga-set.ts";
import { HOUR_MS, shiftedClock } from "./testing/shifted-clock.test-kit.ts";

/** Number of rounds, each with a rendezvous of the two hosts. */
const ROUNDS = 10;
const quiet = { info() {}, warn() {}, error() {} };

/** Barrier for two hosts: `join` resolves once both have called it. */
class Barrier {
  readonly calls = new Map<string, number>();
  private readonly present = new Set<string>();
  private readonly both = Promise.withResolvers<void>();

  async join(host: string, key: string): Promise<void> {
    this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
    this.present.add(host);
    if (this.present.size === 2) this.both.resolve();
    await this.both.promise;
  }
}

interface Host extends AsyncDisposable {
  readonly runner: SagaRunner;
}

const startHost = async (
  storage: TestDatabase,
  { ms, definitions }: { readonly ms: number; readonly definitions: readonly AnySaga[] },
): Promise<Host> => {
  const db: Database = openDatabase({ url: storage.url, connectionTimeoutSecs: 60 });
  const clock = shiftedClock(ms);
  const kernel = createKernel(db, {
    config: { pollMinMs: 5, pollMaxMs: 50 },
    log: quiet,
    clock,
  });
  const problem = ({ message }: { readonly message: string }): never => {
    throw new Error(message);
  };
  const set = new SagaSet({ kernel, problem, log: () => quiet, clock, config: { concurrency: 1 } });
  for (const definition of definitions) set.define(definition);
  await kernel.start();
  return {
    runner: set.runner,
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await db.close();
    },
  };
};

/** Declares the tests of two hosts whose clocks differ, which run on every database. */
export const clockFacts = (test: typeof jestTest, make: () => TestDatabase | Promise<TestDatabase>): void => {
  test("two hosts whose clocks differ by an hour share sagas, run each once, and end no wait early", async () => {
    await using storage = await make();
    let barrier = new Barrier();
    const definitionsOf = (host: string) => ({
      meets: saga("meets", 1)
        .call("join", ({ key }) => barrier.join(host, key))
        .build(),
      waits: saga("waits", 1).sleep("30m").build(),
      listens: saga("listens", 1).waitFor("news", { timeout: "30m" }).build(),
    });
    const [onTime, ahead] = [definitionsOf("onTime"), definitionsOf("ahead")];
    await using first = await startHost(storage, { ms: 0, definitions: Object.values(onTime) });
    await using second = await startHost(storage, { ms: HOUR_MS, definitions: Object.values(ahead) });
    const waits = [
      await first.runner.start(onTime.waits, null, { key: "1" }),
      await second.runner.start(ahead.waits, null, { key: "2" }),
      await first.runner.start(onTime.listens, null, { key: "1" }),
      await second.runner.start(ahead.listens, null, { key: "2" }),
    ];
    const statusOf = async (id: string): Promise<string | undefined> => (await first.runner.get(id))?.status;
    for (let round = 1; round <= ROUNDS; round++) {
      barrier = new Barrier();
      const keys = [`${round} a`, `${round} b`];
      const ids = await Promise.all(
        keys.map(async (key, at) => {
          const { runner } = at === 0 ? first : second;
          return (await runner.start(onTime.meets, null, { key })).id;
        }),
      );
      await waitFor(
        async () => (await Promise.all(ids.map(statusOf))).every((status) => status === "completed"),
        { subject: `the end of round ${round}, in which both hosts run a saga`, timeoutMs: 60_000 },
      );
      expect(Object.fromEntries(barrier.calls)).toEqual(Object.fromEntries(keys.map((key) => [key, 1])));
    }
    const statuses = (): Promise<unknown> => Promise.all(waits.map(({ id }) => statusOf(id)));
    expect(await statuses()).toEqual(["waiting", "waiting", "waiting", "waiting"]);
    expect(await first.runner.deliver(onTime.listens, { key: "2", id: "m", name: "news" })).toBe("resumed");
    await waitFor(async () => (await statusOf(waits[3]?.id ?? "")) === "completed", {
      subject: "the saga that got its message",
      timeoutMs: 60_000,
    });
  }, 300_000);
};
