import { waitFor } from "@framework/testing";
import { expect } from "@jest/globals";
import { type QueueOptions } from "../feature.ts";
import {
  add,
  type Fact,
  Gate,
  startHangingWorker,
  LEASE_MS,
  waitForState,
  waitUntilRemoved,
  startWorker,
} from "./queue-tools.test-kit.ts";

/** Declares the tests of the ownership of items, which run on every database. */
export const holdingFacts = (fact: Fact): void => {
  fact("items of a key run one at a time, in their order, over all processes", async (processes) => {
    const running = new Set<string>();
    const order: string[] = [];
    let overlaps = 0;
    const options: QueueOptions<string> = {
      name: "mail",
      async handle({ payload, key }) {
        if (running.has(key ?? "")) overlaps++;
        running.add(key ?? "");
        order.push(payload);
        await new Promise(setImmediate);
        running.delete(key ?? "");
      },
    };
    const { queue } = await startWorker(processes, options);
    await startWorker(processes, options);
    const items = Array.from({ length: 30 }, (_, at) => ({ payload: `${at % 3} ${at}`, key: `k${at % 3}` }));
    await queue.enqueue(items);
    await waitFor(() => order.length === 30);
    expect(overlaps).toBe(0);
    for (const key of ["0", "1", "2"]) {
      const ofKey = order.filter((payload) => payload.startsWith(key));
      expect(ofKey).toEqual(items.map(({ payload }) => payload).filter((payload) => payload.startsWith(key)));
    }
  });

  fact("an item completes in the transaction of its handler, or not at all", async (processes) => {
    const seen: string[] = [];
    const { queue, kernel } = await startWorker(processes, {
      keepSecs: 60,
      retry: { attempts: 2, delayMs: 0 },
      async handle(item) {
        await kernel.db.transaction(async (tx) => {
          await tx.execute`INSERT INTO effects (name) VALUES (${`${item.payload} ${item.attempt}`})`;
          await item.complete(tx, { in: "transaction" });
          if (item.attempt === 1) throw new Error("undo");
        });
        seen.push(item.payload);
        return "ignored";
      },
    });
    await kernel.db.execute("CREATE TABLE effects (name TEXT)");
    const id = await add(queue, "a", { key: "k" });
    const next = await add(queue, "b", { key: "k" });
    await waitForState(queue, id, "done");
    await waitForState(queue, next, "done");
    expect(await queue.get(id)).toMatchObject({ result: { in: "transaction" }, attempts: 2 });
    expect(seen).toEqual(["a", "b"]);
    const rows = await kernel.db.query<{ name: string }>("SELECT name FROM effects ORDER BY name");
    expect(Array.from(rows, ({ name }) => name)).toEqual(["a 2", "b 2"]);
  });

  fact("a transaction cannot complete an item that was taken over", async (processes) => {
    const gate = new Gate();
    const hung = await startHangingWorker(processes, { handle: gate.handle });
    const id = await add(hung.queue, "a");
    await gate.waitUntilBegun("a");
    await processes.time.advance(LEASE_MS);
    const other = new Gate();
    const { queue } = await startWorker(processes, { handle: other.handle });
    await other.waitUntilBegun("a");
    const completing = hung.kernel.db.transaction((tx) => gate.item("a").complete(tx));
    await expect(completing).rejects.toMatchObject({ code: "DURABLE_LOST" });
    expect(other.item("a").attempt).toBe(2);
    gate.open("a");
    other.open("a");
    await waitUntilRemoved(queue, id);
  });

  fact(
    "an item whose process was killed in every attempt is parked without another attempt",
    async (processes) => {
      const gate = new Gate();
      const policy = { retry: { attempts: 2 } };
      for (let attempt = 1; attempt <= 2; attempt++) {
        const { queue } = await startHangingWorker(processes, { ...policy, handle: gate.handle });
        if (attempt === 1) await add(queue, "a");
        await waitFor(() => gate.items.length === attempt);
        await processes.time.advance(LEASE_MS);
      }
      const { kernel } = await startWorker(processes, { ...policy, handle: gate.handle });
      await waitFor(async () => (await kernel.parked.count()) === 1, { subject: "the parked item" });
      expect((await kernel.parked.list()).items[0]).toMatchObject({
        errorCode: "DURABLE_ATTEMPT_LOST",
        attempts: 2,
      });
      expect(gate.items.length).toBe(2);
    },
  );

  fact("an item that gives up without running again keeps its number of attempts", async (processes) => {
    for (const [name, onExhausted, state] of [
      ["kept", "keep", "failed"],
      ["moved", "park", "parked"],
    ] as const) {
      const gate = new Gate();
      const options = { name, onExhausted, retry: { attempts: 1 }, keepFailedSecs: 60, handle: gate.handle };
      const { queue } = await startHangingWorker(processes, options);
      const id = await add(queue, "a");
      await gate.waitUntilBegun("a");
      await processes.time.advance(LEASE_MS);
      const other = await startWorker(processes, options);
      await waitForState(other.queue, id, state);
      expect(await other.queue.get(id)).toMatchObject({
        attempts: 1,
        error: { code: "DURABLE_ATTEMPT_LOST", message: expect.stringContaining("attempt 1") },
      });
      expect(gate.items.length).toBe(1);
    }
  });

  fact(
    "a cancelled item does not run; if it is running, its signal aborts and it cannot complete",
    async (processes) => {
      const gate = new Gate();
      const { queue } = await startWorker(processes, { handle: gate.handle, concurrency: 1, keepSecs: 60 });
      const other = await startWorker(
        processes,
        { handle: gate.handle, concurrency: 1, keepSecs: 60 },
        { config: { runWork: false } },
      );
      const [running, waiting] = [await add(queue, "a"), await add(queue, "b")];
      await gate.waitUntilBegun("a");
      expect(await queue.cancel(waiting)).toBe(true);
      expect(await queue.cancel(waiting)).toBe(false);
      expect(await queue.cancel("none")).toBe(false);
      expect(await queue.cancel(running)).toBe(true);
      await waitFor(() => gate.item("a").signal.aborted);
      expect(gate.item("a").signal.reason).toMatchObject({ code: "DURABLE_CANCELLED" });
      gate.open("a");
      const last = await add(other.queue, "c");
      await gate.waitUntilBegun("c");
      gate.open("c");
      await waitForState(queue, last, "done");
      for (const id of [running, waiting]) expect((await queue.get(id))?.state).toBe("cancelled");
      expect(gate.payloads).toEqual(["a", "c"]);
    },
  );

  fact("a cancellation with `keepRunning` does not affect a running item", async (processes) => {
    const gate = new Gate();
    const { queue } = await startWorker(processes, { handle: gate.handle, concurrency: 1, keepSecs: 60 });
    const [running = { id: "" }] = await queue.enqueue({ payload: "a", uniqueKey: "a" });
    const waiting = await add(queue, "b");
    await gate.waitUntilBegun("a");
    expect(await queue.cancel({ uniqueKey: "a" }, { keepRunning: true })).toBe(false);
    expect(await queue.cancel(running.id, { keepRunning: true })).toBe(false);
    expect(await queue.cancel(waiting, { keepRunning: true })).toBe(true);
    gate.open("a");
    await waitForState(queue, running.id, "done");
    expect([gate.item("a").signal.aborted, (await queue.get(waiting))?.state]).toEqual([false, "cancelled"]);
  });

  fact(
    "the unfinished item with a unique key is found and cancelled by that key, also in a transaction",
    async (processes) => {
      const gate = new Gate();
      const { queue, kernel } = await startWorker(processes, { handle: gate.handle, keepSecs: 60 });
      const later = { payload: "a", uniqueKey: "k", delayMs: 60_000 };
      const [first] = await queue.enqueue(later);
      expect(await queue.cancel({ uniqueKey: "other" })).toBe(false);
      expect(await queue.get({ uniqueKey: "other" })).toBeNull();
      expect(await queue.get({ uniqueKey: "k" })).toMatchObject({ id: first?.id, state: "waiting" });
      const undone = kernel.db.transaction(async (tx) => {
        expect(await queue.cancel({ uniqueKey: "k" }, { tx })).toBe(true);
        throw new Error("undone");
      });
      await expect(undone).rejects.toThrow("undone");
      expect(await queue.enqueue(later)).toEqual([{ id: first?.id, isNew: false }]);
      await kernel.db.transaction(async (tx) => {
        expect(await queue.cancel({ uniqueKey: "k" }, { tx })).toBe(true);
        await queue.enqueue({ payload: "b", uniqueKey: "k" }, { tx }); // the key is free again
      });
      await gate.waitUntilBegun("b");
      expect(await queue.cancel({ uniqueKey: "k" })).toBe(true);
      await waitFor(() => gate.item("b").signal.aborted);
      gate.open("b");
      expect((await queue.get(first?.id ?? ""))?.state).toBe("cancelled");
      expect(await queue.cancel({ uniqueKey: "k" })).toBe(false);
      expect(await queue.get({ uniqueKey: "k" })).toBeNull(); // finds only unfinished items
    },
  );

  fact(
    "work added in a transaction begins after the commit, and never after a rollback",
    async (processes) => {
      const done: string[] = [];
      const { queue, kernel } = await startWorker(processes, {
        handle: ({ payload }) => void done.push(payload),
      });
      await expect(
        kernel.db.transaction(async (tx) => {
          await queue.enqueue({ payload: "undone" }, { tx });
          throw new Error("undo");
        }),
      ).rejects.toThrow("undo");
      await kernel.db.transaction((tx) => queue.enqueue([{ payload: "a" }, { payload: "b" }], { tx }));
      await waitFor(() => done.length === 2);
      expect(done).toEqual(["a", "b"]);
    },
  );

  fact(
    "a drain waits for handlers without claiming, and then gives running items back",
    async (processes) => {
      const gate = new Gate();
      const { queue, kernel } = await startWorker(processes, {
        handle: gate.handle,
        concurrency: 2,
        keepSecs: 60,
      });
      const ids = [await add(queue, "a"), await add(queue, "b"), await add(queue, "c")];
      await gate.waitUntilBegun("a", "b");
      const deadline = new AbortController();
      const drained = kernel.drain(deadline.signal);
      gate.open("a");
      await waitForState(queue, ids[0] ?? "", "done");
      expect(gate.item("b").signal.aborted).toBe(false);
      deadline.abort();
      await drained;
      expect(gate.item("b").signal.reason).toMatchObject({ code: "DURABLE_RELEASED" });
      expect(gate.payloads).toEqual(["a", "b"]);
      expect(await queue.get(ids[1] ?? "")).toMatchObject({ state: "ready", attempts: 0 });
      gate.open("b");
      const next = new Gate();
      await startWorker(processes, { handle: next.handle, keepSecs: 60 });
      await next.waitUntilBegun("b", "c");
      expect(next.item("b").attempt).toBe(1);
      for (const payload of ["b", "c"]) next.open(payload);
    },
  );

  fact("a process with runWork: false runs no items", async (processes) => {
    const gate = new Gate();
    const { queue } = await startWorker(processes, { handle: gate.handle }, { config: { runWork: false } });
    await add(queue, "a");
    const done: string[] = [];
    const other = await startWorker(processes, { handle: ({ payload }) => void done.push(payload) });
    await waitFor(() => done.length === 1);
    expect(gate.items).toEqual([]);
    expect(await other.queue.stats()).toMatchObject({ ready: 0 });
  });
};
