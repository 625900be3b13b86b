import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestDatabase } from "@framework/database/testing";
import { waitFor } from "@framework/testing";
import { killWarmProcesses } from "@framework/warm-processes";
import { expect, type test as jestTest } from "@jest/globals";
import { openPayments, pay, type Payments, wayOf, ways } from "./payments.test-kit.ts";

/** Total working time of the killed processes, in seconds. */
const KILL_SECS = Number(process.env["FRAMEWORK_KILL_SECS"] ?? "0.3");

/** Declares the tests of processes that are killed while they execute commands, which run on every database. */
export const killedProcesses = (
  test: typeof jestTest,
  make: () => TestDatabase | Promise<TestDatabase>,
): void => {
  test(
    "processes are killed about 50 ms after they began: each payment is made once",
    async () => {
      await using storage = await make();
      await using opened = await openPayments(storage.url);
      const folder = await mkdtemp(join(tmpdir(), "killed-"));
      const log = join(folder, "log");
      const { kills, workedMs, tookMs } = await killWarmProcesses({
        program: new URL("./payments.test-program.ts", import.meta.url),
        env: (at) => ({ DATABASE: storage.url, LOG: log, AT: String(at) }),
        workingMs: KILL_SECS * 1000,
        minKills: 2,
        isEnough: async () => readNotes(log).acknowledged.length > 0,
      });
      const notes = readNotes(log);
      await rm(folder, { recursive: true });
      const counts = await expectEachOnce(opened.app, notes);
      expect(kills).toBeGreaterThan(1);
      if (KILL_SECS > 10) console.log(JSON.stringify({ kills, workedMs, tookMs, ...counts }));
    },
    600_000 + KILL_SECS * 30_000,
  );
};

/** Keys of attempted payments, and acknowledgements, as recorded by the processes. */
export interface Notes {
  readonly tried: ReadonlySet<string>;
  readonly acknowledged: readonly (readonly [key: string, acknowledgement: string])[];
}

const readNotes = (file: string): Notes => {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const words = lines.map((line) => line.split(" "));
  return {
    tried: new Set(words.flatMap(([word, key = ""]) => (word === "try" ? [key] : []))),
    acknowledged: words.flatMap(([word, key = "", acknowledgement = ""]) =>
      word === "done" && acknowledgement !== "" ? [[key, acknowledgement] as const] : [],
    ),
  };
};

/** Checks that acknowledged payments were made, and that each is made exactly once after all are repeated. */
export const expectEachOnce = async (
  app: Payments,
  { tried, acknowledged }: Notes,
): Promise<Readonly<Record<string, number>>> => {
  expect(acknowledged.length).toBeGreaterThan(0);
  const before = await paymentsOf(app);
  for (const [key] of acknowledged)
    if (wayOf(key) !== "queued") expect([key, before.get(key)]).toEqual([key, 1]);
  const acknowledgements = await repeat(app, [...tried]);
  for (const [key, acknowledgement] of acknowledged)
    expect([key, acknowledgements.get(key)]).toEqual([key, acknowledgement]);
  await waitFor(async () => (await paymentsOf(app)).size === tried.size, {
    subject: "every queued payment",
    timeoutMs: 120_000,
  });
  const made = await paymentsOf(app);
  expect(Object.fromEntries(made)).toEqual(Object.fromEntries([...tried].map((key) => [key, 1])));
  for (const way of ways) {
    const keys = [...tried].filter((key) => wayOf(key) === way).length;
    const total = await app.db.fetchValue<number>`SELECT total FROM totals WHERE way = ${way}`;
    expect([way, total ?? 0]).toEqual([way, keys]);
  }
  return { tried: tried.size, acknowledged: acknowledged.length, madeBeforeTheEnd: before.size };
};

/** Repeats payments concurrently until each is acknowledged. Returns the acknowledgements. */
const repeat = async (app: Payments, keys: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const acknowledgements = new Map<string, string>();
  const rest = keys.values(); // shared, so that each key is taken once
  const caller = async (): Promise<void> => {
    for (const key of rest)
      await waitFor(async () => acknowledgements.set(key, await pay(app, key)), {
        subject: `an acknowledgement of ${key}`,
        timeoutMs: 120_000,
      });
  };
  await Promise.all(Array.from({ length: 16 }, caller));
  return acknowledgements;
};

/** Counts how often each payment was made. */
const paymentsOf = async ({ db }: Payments): Promise<ReadonlyMap<string, number>> => {
  const rows = await db.query<{ key: string; n: number }>(
    "SELECT key, CAST(count(*) AS INTEGER) AS n FROM payments GROUP BY key",
  );
  return new Map(rows.map(({ key, n }) => [key, n]));
};
