// Repeatedly kills processes that append and run projections. The views must equal a fold of all events, and a fresh rebuild.
import assert from "node:assert/strict";
import { waitFor } from "@framework/testing";
import { type Killed, killWarmProcesses } from "@framework/warm-processes";
import { same } from "../../contract/store-fixture.ts";
import { type OpenEventStore, openEventStore } from "../../index.ts";
import { Extended, loanTypes } from "../../loan.test-kit.ts";
import { foldedRows, longTimeout, shelfRows } from "../shelf.test-kit.ts";
import { killedDesk, killedShelf } from "./killed-views.test-kit.ts";

const log = { info() {}, warn() {}, error: console.error };

/** Total working time of the killed processes, in seconds. */
const KILL_SECS = Number(process.env["FRAMEWORK_KILL_SECS"] ?? "0.3");

/** Timeout of a test. Long, because on a busy machine the starts take much longer than the work. */
export const KILL_TEST_MS: number = 600_000 + KILL_SECS * 30_000;

/** The kills, and the work that the killed processes had done. */
export interface KilledProjections extends Killed {
  /** Events in the store. */
  readonly events: number;
  /** Processes that had appended before they were killed. */
  readonly writers: number;
  /** Events that the asynchronous view contained when the last process was killed. */
  readonly applied: number;
}

/** Opens the store in the test process, and waits until its views contain all events. */
const openCaughtUp = async (url: string, version: number): Promise<OpenEventStore> => {
  const projections = [killedShelf(version), killedDesk];
  const store = await openEventStore({ connectionUrl: url, events: loanTypes, projections }, { log });
  const { position } = await store.append("loan-last", { type: "Returned", data: {} });
  assert.equal(await store.waitFor(position, longTimeout), true);
  return store;
};

/** Appends initial events, so that shards have work until the last process is killed. */
const fill = async (connectionUrl: string): Promise<void> => {
  await using store = await openEventStore({
    connectionUrl,
    events: loanTypes,
    projections: [killedShelf(), killedDesk],
  });
  for (let stream = 0; stream < 20; stream++)
    await store.append(
      `filled-${stream}`,
      Array.from({ length: KILL_SECS > 1 ? 50 : 20 }, () => Extended({ days: 1 })),
    );
};

const count = async ({ db }: OpenEventStore, text: string): Promise<number> =>
  (await db.fetchValue<number>(`SELECT CAST(${text} AS BIGINT)`)) ?? 0;

/** Kills each process on average 50 ms after it began to work. */
export const killProjections = async (url: string): Promise<KilledProjections> => {
  await fill(url);
  await using observer = await openEventStore({ connectionUrl: url, events: loanTypes });
  const applied = async (): Promise<number> =>
    await count(observer, "(SELECT coalesce(sum(applied), 0) FROM shelf)");
  const writers = async (): Promise<number> =>
    await count(observer, "(SELECT count(*) FROM framework_streams WHERE stream LIKE 'own-%')");
  const killed = await killWarmProcesses({
    program: new URL("./killed.test-program.ts", import.meta.url),
    env: () => ({ DATABASE: url }),
    callsHasBegun: true,
    workingMs: KILL_SECS * 1000,
    minKills: 4,
    isEnough: async () => (await writers()) > 1 && (await applied()) > 0,
  });
  const done = { writers: await writers(), applied: await applied() };
  const store = await openCaughtUp(url, 1);
  const folded = await foldedRows(store);
  same(await shelfRows(store.db), folded);
  const counted = folded.map(({ stream, applied: times }) => ({ stream, applied: times }));
  same(await store.db.query("SELECT stream, applied FROM desk ORDER BY stream"), counted);
  assert.equal(await store.parked.count(), 0);
  await store.close();
  await using rebuilt = await openCaughtUp(url, 2);
  const isLive = async (): Promise<boolean> =>
    (await rebuilt.projections.status()).some(({ version, status }) => version === 2 && status === "live");
  await waitFor(isLive, { subject: "the rebuild", timeoutMs: 120_000 });
  same(await shelfRows(rebuilt.db), await foldedRows(rebuilt));
  const events = await count(rebuilt, "(SELECT count(*) FROM framework_events)");
  if (KILL_SECS > 10) console.log(JSON.stringify({ ...killed, ...done, events }));
  return { ...killed, ...done, events };
};
