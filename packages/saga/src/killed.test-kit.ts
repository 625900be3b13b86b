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

/** Seconds that the killed processes work in total. */
const KILL_SECS = Number(process.env["FRAMEWORK_KILL_SECS"] ?? "0.3");

/** A worker of a busy machine lives longer than it should. */
const LEAST_KILLS = 6;

/** Sagas that wait at most while processes are killed: more would only have to be completed at the end. */
const MAX_OPEN = 40;

const quiet = { info() {}, warn() {}, error() {} };

interface Sagas {
  readonly kernel: OwnKernel;
  readonly runner: SagaRunner;
  readonly definition: AnySaga;
}

/** The sagas of a process of the test's own. */
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

/** Every saga has ended as its key says, with the effects that belong to it. */
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
  test("no saga is lost or doubled while workers are killed about 50 ms after they began, again and again", async () => {
    await using place = await make();
    const db = openDatabase({ url: place.url, connectionTimeoutSecs: 60 });
    try {
      const { kernel, runner, definition } = await sagasOn(db, { runs: false });
      await db.transaction((tx) => tx.script(EFFECTS));
      const ids = new Map<string, string>();
      let isOver = false;
      const add = async (): Promise<void> => {
        for (let key = 1; !isOver; await delay(5)) {
          if ((await openSagas(db)) > MAX_OPEN) continue;
          const keys = Array.from({ length: 10 }, () => String(key++));
          for (const each of keys)
            ids.set(each, (await runner.start(definition, null as never, { key: each })).id);
        }
      };
      const kill = async (): Promise<Killed> => {
        try {
          const program = new URL("./killed.test-program.ts", import.meta.url);
          const env = { DATABASE: place.url };
          return await killWarmProcesses({
            program,
            env: () => env,
            workingMs: KILL_SECS * 1000,
            leastKills: LEAST_KILLS,
          });
        } finally {
          isOver = true;
        }
      };
      const [killed] = await Promise.all([kill(), add()]);
      expect(killed.kills).toBeGreaterThanOrEqual(LEAST_KILLS);
      await kernel.stop();
      const last = await sagasOn(db, { runs: true });
      await waitFor(async () => (await openSagas(db)) === 0, {
        what: "the end of every saga",
        timeoutMs: 300_000,
      });
      await expectEachOnce(db, ids);
      await last.kernel.stop();
      if (KILL_SECS > 10) console.log(JSON.stringify({ ...killed, sagas: ids.size }));
    } finally {
      await db.close();
    }
  }, 600_000);
};
