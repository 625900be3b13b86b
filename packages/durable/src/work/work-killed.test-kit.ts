import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "@framework/database";
import { waitFor } from "@framework/testing";
import { type Killed, killWarmProcesses } from "@framework/warm-processes";
import { expect, type test as jestTest } from "@jest/globals";
import { createKernel } from "../feature.ts";
import type { TestDatabase } from "../testing/open-databases.test-kit.ts";
import { killedWorker } from "./killed-queue.test-kit.ts";

/** Total working time of the killed processes, in seconds. */
const KILL_SECS = Number(process.env["FRAMEWORK_KILL_SECS"] ?? "0.3");

/** Maximum number of ready items while processes are killed: more would only have to be completed at the end. */
const MAX_READY = 80;

const quiet = { info() {}, warn() {}, error() {} };

const effects = {
  sqlite: "CREATE TABLE effects (n INTEGER PRIMARY KEY AUTOINCREMENT, item INTEGER NOT NULL, key TEXT)",
  postgres:
    "CREATE TABLE effects (n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item INTEGER NOT NULL, key TEXT)",
};

const doneIn = async (db: Database): Promise<number> =>
  (await db.fetchValue<number>("SELECT count(*) FROM effects")) ?? 0;

/** Declares the tests of repeatedly killed workers, which run on every database. */
export const killedWorkers = (test: typeof jestTest, make: () => Promise<TestDatabase>): void => {
  test(
    "when workers are repeatedly killed about 50 ms after they began, every item has its effect once, and each key keeps its order",
    async () => {
      await using database = await make();
      const db = database.open();
      await db.execute(effects[db.dialect]);
      const { added, killed } = await killWhileAdding(db, database.url);
      const done = await doneIn(db);
      expect(done).toBeGreaterThan(0);
      await finish(database.url);
      await expectEachOnce(db, added);
      expect(killed.kills).toBeGreaterThanOrEqual(6);
      if (KILL_SECS > 10) console.log(JSON.stringify({ ...killed, items: added, done }));
    },
    600_000 + KILL_SECS * 30_000,
  );
};

/** Kills workers while items are added. */
const killWhileAdding = async (db: Database, url: string): Promise<{ added: number; killed: Killed }> => {
  const kernel = createKernel(db, { config: { runWork: false }, log: quiet });
  const queue = kernel.queue<number>({ name: "killed", handle: () => {} });
  await kernel.start();
  let hasEnded = false;
  let added = 0;
  const add = async (): Promise<void> => {
    for (; !hasEnded; await delay(10)) {
      if ((await queue.stats()).ready > MAX_READY) continue;
      const items = Array.from({ length: 20 }, () => ({
        payload: added,
        key: added++ % 3 === 0 ? `k${added % 4}` : undefined,
      }));
      await queue.enqueue(items);
    }
  };
  const kill = async (): Promise<Killed> => {
    try {
      const program = new URL("./work-killed.test-program.ts", import.meta.url);
      return await killWarmProcesses({
        program,
        env: () => ({ DATABASE: url }),
        workingMs: KILL_SECS * 1000,
        callsHasBegun: true,
        minKills: 6,
        isEnough: async () => (await doneIn(db)) > 0, // otherwise no worker was killed while it worked
      });
    } finally {
      hasEnded = true;
    }
  };
  try {
    const [killed] = await Promise.all([kill(), add()]);
    return { added, killed };
  } finally {
    await kernel.stop();
  }
};

/** A process that lives long enough completes the rest. */
const finish = async (url: string): Promise<void> => {
  const { db, kernel } = killedWorker(url);
  await kernel.start();
  await waitFor(async () => (await db.fetchValue("SELECT 1 FROM framework_work LIMIT 1")) === null, {
    subject: "every item to be done",
    timeoutMs: 120_000,
  });
  await kernel.stop();
  await db.close();
};

const expectEachOnce = async (db: Database, added: number): Promise<void> => {
  const rows = await db.query<{ item: number; key: string | null }>(
    "SELECT item, key FROM effects ORDER BY n",
  );
  const done = Array.from(rows, ({ item }) => item);
  expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: added }, (_, at) => at));
  for (const key of ["k0", "k1", "k2", "k3"]) {
    const ofKey = Array.from(rows).flatMap((row) => (row.key === key ? [row.item] : []));
    expect(ofKey).toEqual(ofKey.toSorted((a, b) => a - b));
  }
};
