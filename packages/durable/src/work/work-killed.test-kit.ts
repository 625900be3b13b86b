import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom, waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { createKernel } from "../feature.ts";
import type { TestDatabase } from "../testing/open-databases.test-kit.ts";

const CHAOS_SECS = Number(process.env["FRAMEWORK_CHAOS_SECS"] ?? 5);
const PROCESSES = 2;

/** Mean pause between two kills. */
const KILL_MS = 400;

const effects = {
  sqlite: "CREATE TABLE effects (n INTEGER PRIMARY KEY AUTOINCREMENT, item INTEGER NOT NULL, key TEXT)",
  postgres:
    "CREATE TABLE effects (n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item INTEGER NOT NULL, key TEXT)",
};

/** What holds for workers that are killed again and again, on every database. */
export const killedWorkers = (test: typeof jestTest, make: () => Promise<TestDatabase>): void => {
  test(
    "workers are killed again and again: every item has its effect once, and those of a key in their order",
    async () => {
      await using database = await make();
      const db = database.open();
      await db.execute(effects[db.dialect]);
      const quiet = { info() {}, warn() {}, error() {} };
      const kernel = createKernel(db, { config: { runWork: false }, log: quiet });
      const queue = kernel.queue<number>({ name: "killed", handle: () => {} });
      await kernel.start();
      const random = seededRandom(1);
      const workers = Array.from({ length: PROCESSES }, () => startWorker(database.url));
      let added = 0;
      let kills = 0;
      try {
        for (const until = performance.now() + CHAOS_SECS * 1000; performance.now() < until;) {
          const items = Array.from({ length: 20 }, () => ({
            payload: added,
            key: added++ % 3 === 0 ? `k${added % 4}` : undefined,
          }));
          await queue.enqueue(items);
          await delay(KILL_MS * 2 * random());
          const at = Math.floor(random() * PROCESSES);
          await kill(workers[at]);
          workers[at] = startWorker(database.url);
          kills++;
        }
        await waitFor(async () => (await db.fetchValue("SELECT 1 FROM framework_work LIMIT 1")) === null, {
          what: "every item to be done",
          timeoutMs: 120_000,
        });
      } finally {
        await Promise.all(workers.map(kill));
        await kernel.stop();
      }
      expect(kills).toBeGreaterThan(2);
      const rows = await db.query<{ item: number; key: string | null }>(
        "SELECT item, key FROM effects ORDER BY n",
      );
      const done = Array.from(rows, ({ item }) => item);
      expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: added }, (_, at) => at));
      for (const key of ["k0", "k1", "k2", "k3"]) {
        const ofKey = Array.from(rows).flatMap((row) => (row.key === key ? [row.item] : []));
        expect(ofKey).toEqual(ofKey.toSorted((a, b) => a - b));
      }
    },
    240_000 + CHAOS_SECS * 1000,
  );
};

const startWorker = (url: string): ChildProcess => {
  const program = new URL("./work-killed.test-program.ts", import.meta.url).pathname;
  return spawn(process.execPath, ["--conditions=@framework/source", program], {
    stdio: ["pipe", "ignore", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "", DATABASE: url },
  });
};

const kill = async (child: ChildProcess | undefined): Promise<void> => {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
};
