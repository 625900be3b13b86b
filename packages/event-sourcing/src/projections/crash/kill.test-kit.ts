// Processes that run projections are killed again and again; the views must equal a fold of all events.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { same } from "../../contract/store-fixture.ts";
import { openEventStore, type Projection } from "../../index.ts";
import { Extended, loanTypes } from "../../loan.test-kit.ts";
import { foldedRows, patient, shelf, shelfRows } from "../shelf.test-kit.ts";

/** Small transactions, so that a kill falls into one. */
export const chaosProjections: readonly Projection[] = [shelf({ shards: 3, batchSize: 2 })];

/** Longest life of a process after it began to work. */
const LIFE_MS = 50;
const SECS = Number(process.env["FRAMEWORK_CHAOS_SECS"] ?? "3");
const PROGRAM = fileURLToPath(new URL("./killed.test-program.ts", import.meta.url));

/** Starts a process, lets it work for up to 50 ms, and kills it: half of them as soon as they are open, half when shards move. */
const liveAndDie = async (url: string): Promise<void> => {
  const child = spawn(process.execPath, ["--conditions=@framework/source", PROGRAM, url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const wanted = Math.random() < 0.5 ? "open" : "working";
  for await (const text of child.stdout.setEncoding("utf8")) if (String(text).includes(wanted)) break;
  assert.equal(child.exitCode, null, "the process ended by itself");
  await new Promise((resolve) => setTimeout(resolve, Math.random() * LIFE_MS));
  child.kill("SIGKILL");
  await ended;
};

/** Events to begin with, so that shards have work at every moment. */
const fill = async (connectionUrl: string): Promise<void> => {
  await using store = await openEventStore({ connectionUrl, events: loanTypes });
  for (let stream = 0; stream < 20; stream++)
    await store.append(
      `filled-${stream}`,
      Array.from({ length: 50 }, () => Extended({ days: 1 })),
    );
};

/** Kills processes, two at a time, for a few seconds. Returns the number of kills, and of events that were applied. */
export const killProjections = async (url: string): Promise<{ kills: number; events: number }> => {
  await fill(url);
  const until = Date.now() + SECS * 1000;
  let kills = 0;
  const one = async (): Promise<void> => {
    do {
      await liveAndDie(url);
      kills++;
    } while (Date.now() < until);
  };
  await Promise.all([one(), one()]);
  await using store = await openEventStore({
    connectionUrl: url,
    events: loanTypes,
    projections: chaosProjections,
  });
  const { position } = await store.append("loan-last", { type: "Returned", data: {} });
  assert.equal(await store.waitFor(position, patient), true);
  const folded = await foldedRows(store);
  same(await shelfRows(store.db), folded);
  assert.equal(await store.parked.count(), 0);
  return { kills, events: folded.reduce((sum, { applied }) => sum + applied, 0) };
};
