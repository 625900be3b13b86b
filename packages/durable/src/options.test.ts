import { readFileSync } from "node:fs";
import type { Database } from "@framework/database";
import { virtualClock, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createKernel, type KernelOptions, type OwnKernel } from "./feature.ts";
import { DurableConfig } from "./index.ts";
import { sqliteFile } from "./testing/open-databases.test-kit.ts";

const quiet = { info() {}, warn() {}, error() {} };

/** A kernel with a queue whose handler always fails, and one parked item. */
const kernelWithParkedItem = async (db: Database, options: KernelOptions): Promise<OwnKernel> => {
  const kernel = createKernel(db, { log: quiet, ...options });
  const queue = kernel.queue<string>({
    name: "mail",
    retry: { attempts: 1 },
    handle() {
      throw new Error("no");
    },
  });
  await kernel.start();
  await queue.enqueue({ payload: "a" });
  await waitFor(async () => (await kernel.parked.count()) === 1);
  return kernel;
};

test("codeVersion is stored with parked work, which is kept for keepParkedSecs after it was discarded", async () => {
  await using database = await sqliteFile();
  const db = database.open();
  const kernel = await kernelWithParkedItem(db, { config: { codeVersion: "1.2.3" } });
  const [item] = (await kernel.parked.list()).items;
  expect(item?.codeVersion).toBe("1.2.3");
  const id = item?.id ?? "";
  await kernel.parked.discard([id], { note: "not needed" });
  await kernel.stop();
  const next = async (config: NonNullable<KernelOptions["config"]>): Promise<OwnKernel> => {
    const other = createKernel(database.open(), { log: quiet, config });
    other.queue<string>({ name: "mail", handle: () => {} });
    await other.start();
    return other;
  };
  const withDefaults = await next({});
  expect(await withDefaults.parked.inspect(id)).toMatchObject({ state: "discarded" });
  await withDefaults.stop();
  const withoutKeeping = await next({ keepParkedSecs: 0 });
  await waitFor(async () => (await withoutKeeping.parked.inspect(id)) === null);
  await withoutKeeping.stop();
});

test("a replay uses all given ids and lists at most 100 failures, and invalid filters are rejected", async () => {
  await using database = await sqliteFile();
  const kernel = await kernelWithParkedItem(database.open(), {});
  const ids = Array.from({ length: 150 }, (_, at) => String(1000 + at));
  const [item] = (await kernel.parked.list()).items;
  const replayed = await kernel.parked.replay([...ids, item?.id ?? ""], { perSecond: 10_000 });
  expect(replayed).toMatchObject({ replayed: 1, failed: { length: 100 } });
  const bad = { code: "DURABLE_BAD_FILTER" };
  const tooMany = Array.from({ length: 10_001 }, String);
  for (const which of [{ sorce: "work" }, { source: "work", limit: 1 }, tooMany])
    await expect(kernel.parked.replay(which)).rejects.toMatchObject(bad);
  await expect(kernel.parked.list({ sorce: "work" } as object)).rejects.toMatchObject({
    ...bad,
    message: 'durable: the filter has no field "sorce"; did you mean "source"?',
  });
  await kernel.stop();
});

test("pollMinMs and pollMaxMs bound the pauses between two polls", async () => {
  await using database = await sqliteFile();
  const clock = virtualClock();
  const config = { pollMinMs: 5000, pollMaxMs: 5000 };
  const kernel = createKernel(database.open(), { clock, log: quiet, config });
  const done: string[] = [];
  kernel.queue<string>({ name: "mail", handle: ({ payload }) => void done.push(payload) });
  await kernel.start();
  const adding = createKernel(database.open(), { log: quiet, config: { runWork: false } });
  const queue = adding.queue<string>({ name: "mail", handle: () => {} });
  await adding.start();
  await clock.advance(5000); // the first polls have found nothing
  await queue.enqueue({ payload: "a" });
  await clock.advance(4900);
  expect(done).toEqual([]);
  await clock.advance(5000);
  await waitFor(() => done.length === 1);
  await adding.stop();
  await kernel.stop();
});

test("migrationTimeoutSecs bounds the wait for another process that migrates", async () => {
  await using database = await sqliteFile();
  const other = database.open();
  const kernel = createKernel(database.open(), { log: quiet, config: { migrationTimeoutSecs: 0.05 } });
  kernel.queue<string>({ name: "mail", handle: () => {} });
  await other.transaction(async (tx) => {
    await tx.execute("CREATE TABLE busy (id INTEGER)");
    // The limit of the transaction, or of its wait for the lock, whichever is reached first.
    const reason = expect.stringMatching(/longer than 0.05 s|another process holds the lock/) as unknown;
    await expect(kernel.start()).rejects.toMatchObject({ reason });
  });
  await kernel.stop();
});

/** The test in which each option changes behaviour: its file, and its name. */
const tests: Readonly<Record<keyof DurableConfig, readonly [file: string, name: string]>> = {
  leaseMs: [
    "takeover.test-kit.ts",
    "no lane ever has two owners while processes are frozen beyond their lease",
  ],
  pollMinMs: ["options.test.ts", "pollMinMs and pollMaxMs bound the pauses"],
  pollMaxMs: ["options.test.ts", "pollMinMs and pollMaxMs bound the pauses"],
  runWork: ["lane-facts.test-kit.ts", "a process with runWork: false runs no lanes"],
  migrateAtStart: ["durable.test.ts", "with migrateAtStart: false, missing tables are a start error"],
  migrationTimeoutSecs: ["options.test.ts", "migrationTimeoutSecs bounds the wait"],
  maxParked: ["work/parked-facts.test-kit.ts", "while maxParked is reached, items that give up wait"],
  keepParkedSecs: [
    "options.test.ts",
    "codeVersion is stored with parked work, which is kept for keepParkedSecs",
  ],
  codeVersion: ["options.test.ts", "codeVersion is stored with parked work"],
  admin: ["admin/admin.test.ts", "there is no admin API unless it is enabled"],
};

test("every option names a test of its effect", () => {
  const options = new Set([...Object.keys(DurableConfig.of()), "admin"]); // which has no default
  expect(Object.keys(tests).toSorted()).toEqual([...options].toSorted());
  for (const [option, [file, name]] of Object.entries(tests)) {
    const source = readFileSync(new URL(`./${file}`, import.meta.url), "utf8");
    const title = file === "options.test.ts" ? `test("${name}` : name; // this file also contains each name in the list above
    expect([option, source.includes(title), source.includes(option)]).toEqual([option, true, true]);
  }
});
