// Sagas whose processes are killed, on every database.
import { setTimeout as delay } from "node:timers/promises";
import { type Database, openDatabase } from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { createKernel, type OwnKernel } from "@framework/durable/feature";
import { waitFor } from "@framework/testing";
import { type Killed, killWarmProcesses } from "@framework/warm-processes";
import { expect, type test as jestTest } from "@jest/globals";
import type { AnySaga, SagaRunner } from "./index.ts";
import { EFFECTS, orderSaga } from "./killed.test-sagas.ts";
import { SagaSet } from "./saga-set.ts";
import { HOUR_MS } from "./testing/shifted-clock.test-kit.ts";

/** Seconds that the killed processes work in total. */
const KILL_SECS = Number(process.env["FRAMEWORK_KILL_SECS"] ?? "0.3");

/** Number of sagas to start. If set, four processes work concurrently, each for three seconds on average. */
const KILL_SAGAS = Number(process.env["FRAMEWORK_KILL_SAGAS"] ?? "0");
const isLong = KILL_SAGAS > 0;

/** Minimum number of kills: on a busy machine workers live longer. */
const MIN_KILLS = isLong ? 20 : 6;

/** Maximum number of unfinished sagas while processes are killed: the rest would only have to be completed at the end. */
const MAX_OPEN = isLong ? 400 : 40;

const quiet = { info() {}, warn() {}, error() {} };

interface Sagas {
  readonly kernel: OwnKernel;
  readonly runner: SagaRunner;
  readonly definition: AnySaga;
}

/** Defines the sagas in this process, and runs them if `runs` is set. */
export const sagasOn = async (
  db: Database,
  { runs, leaseMs = 600_000 }: { readonly runs: boolean; readonly leaseMs?: number },
): Promise<Sagas> => {
  const config = { pollMinMs: 5, pollMaxMs: 50, leaseMs };
  const kernel = createKernel(db, { config, log: quiet });
  const problem = ({ message }: { readonly message: string }): never => {
    throw new Error(message);
  };
  const set = new SagaSet({ kernel, problem, log: () => quiet, config: { workers: runs } });
  const definition = orderSaga(db);
  set.define(definition);
  await kernel.start();
  return { kernel, runner: set.runner, definition };
};

/** Number of sagas that have not ended. */
export const openSagas = async (db: Database): Promise<number> =>
  (await db.fetchValue<number>("SELECT count(*) FROM framework_sagas WHERE finished_at IS NULL")) ?? 0;

/** Retries sagas that are paused because they lost ten workers, as an operator does, and returns how many. */
const retryPaused = async (runner: SagaRunner): Promise<number> => {
  const { sagas } = await runner.list({ status: "paused" });
  for (const { id, error } of sagas) {
    expect(error?.code).toBe("SAGA_WORKERS_LOST");
    await runner.retry(id, { reason: "its workers were killed by the test" });
  }
  return sagas.length;
};

/** Asserts that every saga has ended as its key determines, with each of its effects once. */
export const expectEachOnce = async (db: Database, ids: ReadonlyMap<string, string>): Promise<void> => {
  const sagas = await db.query<{ id: string; key: string; status: string }>(
    "SELECT id, key, status FROM framework_sagas",
  );
  expect(sagas.map(({ id }) => id).toSorted()).toEqual(Array.from(ids.values()).toSorted());
  const places = await db.query<{ saga: string; what: string }>("SELECT saga, what FROM places");
  const effects = await db.query<{ key: string }>("SELECT key FROM effects");
  const expectedPlaces: string[] = [];
  const expectedEffects: string[] = [];
  for (const [key, id] of ids) {
    const isRefused = Number(key) % 3 === 0;
    expectedPlaces.push(`${id} reserved`, ...(isRefused ? [`${id} released`] : []));
    expectedEffects.push(
      `${id}:charge`,
      `${id}:notify:mail`,
      `${id}:notify:phone`,
      ...(isRefused ? [`${id}:charge:undo`] : []),
    );
  }
  const wrong = sagas.filter(
    ({ key, status }) => status !== (Number(key) % 3 === 0 ? "compensated" : "completed"),
  );
  expect(wrong).toEqual([]);
  expect(places.map(({ saga, what }) => `${saga} ${what}`).toSorted()).toEqual(expectedPlaces.toSorted());
  expect(effects.map(({ key }) => key).toSorted()).toEqual(expectedEffects.toSorted());
};

export const killFacts = (test: typeof jestTest, make: () => TestDatabase | Promise<TestDatabase>): void => {
  test("no saga is lost or duplicated while workers whose clocks differ by an hour are repeatedly killed soon after they start", async () => {
    await using storage = await make();
    const db = openDatabase({ url: storage.url, connectionTimeoutSecs: 60 });
    try {
      const { kernel, runner, definition } = await sagasOn(db, { runs: false });
      await db.transaction((tx) => tx.script(EFFECTS));
      const ids = new Map<string, string>();
      let hasEnded = false;
      let retried = 0;
      const areStarted = (): boolean => isLong && ids.size >= KILL_SAGAS;
      const isEnough = async (): Promise<boolean> => areStarted() && (await openSagas(db)) === 0;
      const add = async (): Promise<void> => {
        for (let key = 1; !hasEnded; await delay(5)) {
          if (areStarted() || (await openSagas(db)) > MAX_OPEN) {
            retried += await retryPaused(runner);
            continue;
          }
          const keys = Array.from({ length: 10 }, () => String(key++));
          for (const each of keys)
            ids.set(each, (await runner.start(definition, null as never, { key: each })).id);
        }
      };
      const kill = async (): Promise<Killed> => {
        try {
          const program = new URL("./killed.test-program.ts", import.meta.url);
          return await killWarmProcesses({
            program,
            env: (at) => ({ DATABASE: storage.url, CLOCK_AHEAD_MS: String((at % 2) * HOUR_MS) }),
            workingMs: KILL_SECS * 1000,
            minKills: MIN_KILLS,
            ...(isLong && { concurrency: 4, meanLifeMs: 3000, limitMs: 3_600_000, isEnough }),
          });
        } finally {
          hasEnded = true;
        }
      };
      const [killed] = await Promise.all([kill(), add()]);
      expect(killed.kills).toBeGreaterThanOrEqual(MIN_KILLS);
      await kernel.stop();
      const last = await sagasOn(db, { runs: true });
      const areOver = async (): Promise<boolean> => {
        retried += await retryPaused(last.runner);
        return (await openSagas(db)) === 0;
      };
      await waitFor(areOver, { subject: "the end of every saga", timeoutMs: 300_000 });
      await expectEachOnce(db, ids);
      await last.kernel.stop();
      if (isLong || KILL_SECS > 10) console.log(JSON.stringify({ ...killed, sagas: ids.size, retried }));
    } finally {
      await db.close();
    }
  }, 4_000_000);
};
