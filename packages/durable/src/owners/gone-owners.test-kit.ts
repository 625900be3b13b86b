// Owners whose process has ended while the database still executes its last statement.
import type { Database, Queries } from "@framework/database";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { createKernel, type OwnKernel, type WorkQueue } from "../feature.ts";
import { thisPlace } from "../place/place.ts";
import type { TestDatabase } from "../testing/open-databases.test-kit.ts";

/** Longer than any test. */
const LEASE_MS = 600_000;

const DEAD = "dead";
const NO_PROCESS = 2_000_000_000;
const config = { leaseMs: LEASE_MS, pollMinMs: 5, pollMaxMs: 10 };
const log = { info() {}, warn() {}, error: console.error };

/** A process with a queue, and the items that it has completed. */
export interface Worker {
  readonly kernel: OwnKernel;
  readonly queue: WorkQueue<string>;
  readonly done: string[];
}

export const workerOn = (db: Database): Worker => {
  const kernel = createKernel(db, { config, log });
  const done: string[] = [];
  const queue = kernel.queue<string>({ name: "mail", handle: ({ payload }) => void done.push(payload) });
  return { kernel, queue, done };
};

/** Registers an owner whose process has ended. */
export const registerDead = async (db: Database): Promise<void> => {
  await db.execute`INSERT INTO framework_owners (id, place, pid, started, seen_at)
    VALUES (${DEAD}, ${thisPlace().id}, ${NO_PROCESS}, '1', ${Date.now()})`;
};

/** Claims all ready items for the dead owner. */
export const claimForDead = async (db: Queries): Promise<void> => {
  await db.execute`UPDATE framework_work SET state = 'running', owner = ${DEAD}, wake_at = ${Date.now() + LEASE_MS},
    fence = fence + 1, attempts = attempts + 1 WHERE state = 'ready'`;
};

/** Waits until the worker has completed an item, and so has already looked for ended owners. */
export const waitForSweep = async ({ queue, done }: Worker): Promise<void> => {
  await queue.enqueue({ payload: "first" });
  await waitUntilDone(done, "first");
};

export const waitUntilDone = (done: readonly string[], item: string): Promise<unknown> =>
  waitFor(() => done.includes(item), { subject: `the item ${item} to be done`, timeoutMs: 60_000 });

/** Declares the tests of claims by a dead process, which run on every database. */
export const lateClaims = (test: typeof jestTest, make: () => Promise<TestDatabase>): void =>
  test("a claim that the database executes after its process was found gone is taken over before its lease ends", async () => {
    await using database = await make();
    const db = database.open();
    await createKernel(db).migrate();
    await registerDead(db);
    const worker = workerOn(db);
    await worker.kernel.start();
    await waitForSweep(worker);
    await db.transaction(async (tx) => {
      await worker.queue.enqueue({ payload: "late" }, { tx });
      await claimForDead(tx);
    });
    await waitUntilDone(worker.done, "late");
    expect(worker.done).toEqual(["first", "late"]);
    await worker.kernel.stop();
  }, 120_000);
