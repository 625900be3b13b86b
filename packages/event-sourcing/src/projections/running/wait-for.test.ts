import { openDatabase } from "@framework/database";
import { virtualClock } from "@framework/testing";
import { expect, test } from "@jest/globals";
import type { StoreBase } from "../../base/store-base.ts";
import { toPosition } from "../../events/position.ts";
import { openEventStore } from "../../index.ts";
import { Borrowed, loanTypes } from "../../loan.test-kit.ts";
import { shelf } from "../shelf.test-kit.ts";
import { Waits } from "./wait-for.ts";

const silent = { info() {}, warn() {}, error() {} };

/** A store on a virtual clock, which only the test advances. */
const storeOnVirtualClock = async () => {
  const clock = virtualClock();
  const db = openDatabase({ url: "sqlite://:memory:" });
  const config = { events: loanTypes, projections: [shelf()] };
  const store = await openEventStore(config, { db, clock, log: silent });
  await db.execute("UPDATE framework_projection_shards SET state = 'ended'"); // no projection runs
  const close = async (): Promise<void> => {
    await store.close();
    await db.close();
  };
  return { clock, db, store, close };
};

test("waitFor resolves to false after its timeout, and not before", async () => {
  const { clock, store, close } = await storeOnVirtualClock();
  const { position } = await store.append("loan-1", Borrowed({ member: "ann" }));
  const from = clock.now();
  let result: boolean | null = null;
  const waiting = store.waitFor(position, { timeoutMs: 5000 }).then((value) => (result = value));
  while (result === null) {
    await clock.advance(10);
    await new Promise(setImmediate);
  }
  expect(await waiting).toBe(false);
  expect(clock.now() - from).toBeGreaterThanOrEqual(5000);
  await close();
});

test("waitFor resolves when the view has caught up, even by another process", async () => {
  const { clock, db, store, close } = await storeOnVirtualClock();
  const { position } = await store.append("loan-1", Borrowed({ member: "ann" }));
  const waiting = store.waitFor(position, { timeoutMs: 600_000 });
  await db.execute`UPDATE framework_projection_shards SET position = 1`; // sends no signal
  let isResolved = false;
  void waiting.then((value) => (isResolved = value));
  while (!isResolved) {
    await clock.advance(10);
    await new Promise(setImmediate);
  }
  expect(clock.now()).toBeLessThan(600_000);
  await close();
});

test("waitFor rejects when its signal aborts, even if the database does not answer", async () => {
  const db = { query: () => new Promise(() => {}) };
  const waits = new Waits({
    base: { db } as unknown as StoreBase, // its other members are not used
    clock: virtualClock(),
    names: ["shelf"],
    onProgress: () => () => {},
  });
  const abort = new AbortController();
  const waiting = waits.until(toPosition(1), { signal: abort.signal });
  abort.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
});

test("waitFor rejects when its signal aborts, and if its timeout is out of range", async () => {
  const { store, close } = await storeOnVirtualClock();
  const { position } = await store.append("loan-1", Borrowed({ member: "ann" }));
  const abort = new AbortController();
  const waiting = store.waitFor(position, { signal: abort.signal });
  abort.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  await expect(store.waitFor(position, { timeoutMs: 600_001 })).rejects.toMatchObject({
    code: "EVENTS_BAD_READ",
  });
  await close();
});
