import { waitFor } from "@framework/testing";
import { expect } from "@jest/globals";
import { untilEnded, type WorkItem } from "../feature.ts";
import { NonRetryableError } from "./queue/non-retryable-error.ts";
import { add, type Fact, Gate, waitForState, waitUntilRemoved, startWorker } from "./queue-tools.test-kit.ts";

/** Declares the tests of outcomes, which run on every database. */
export const outcomeFacts = (fact: Fact): void => {
  fact("with keepSecs, the returned value is kept as the result", async (processes) => {
    const { queue } = await startWorker(processes, {
      keepSecs: 60,
      handle: ({ payload }) => ({ did: payload }),
    });
    const id = await add(queue, "a", { headers: { trace: "1" } });
    await waitForState(queue, id, "done");
    expect(await queue.get(id)).toMatchObject({
      result: { did: "a" },
      attempts: 1,
      headers: { trace: "1" },
      error: null,
    });
  });

  fact("without keepSecs, a done item is removed", async (processes) => {
    const { queue } = await startWorker(processes, { handle: () => "done" });
    await waitUntilRemoved(queue, await add(queue, "a"));
  });

  fact(
    "the handler of a plain queue may keep its attempt open until it calls `item.end`; only the first call counts",
    async (processes) => {
      const items: WorkItem<string>[] = [];
      const { queue } = await startWorker(processes, {
        isPlain: true,
        concurrency: 1,
        retry: { attempts: 2, delayMs: 0 },
        handle(item) {
          items.push(item);
          return untilEnded;
        },
      });
      const id = await add(queue, "a");
      await waitFor(() => items.length === 1, { subject: "the first attempt" });
      const other = await add(queue, "b");
      items[0]?.end(new Error("again"));
      items[0]?.end(null);
      await waitFor(() => items.length === 2, { subject: "the next attempt" });
      const states = await Promise.all([id, other].map(async (each) => (await queue.get(each))?.state));
      expect(new Set(states)).toEqual(new Set(["ready", "running"])); // in one slot
      items[1]?.end(null);
      await waitFor(() => items.length === 3, { subject: "the last attempt" });
      items[2]?.end(null);
      await waitUntilRemoved(queue, id);
      await waitUntilRemoved(queue, other);
    },
  );

  for (const keepSecs of [60, 16.1])
    fact(`items that were kept for ${keepSecs} s are removed`, async (processes) => {
      const { queue, kernel } = await startWorker(processes, { keepSecs, handle: () => "done" });
      const id = await add(queue, "a");
      await waitForState(queue, id, "done");
      await kernel.stop();
      await processes.time.advance(60_000);
      const next = await startWorker(processes, { keepSecs, handle: () => "done" });
      await waitUntilRemoved(next.queue, id);
    });

  fact(
    "a failed attempt is followed by another after the policy's delay, until the item is parked",
    async (processes) => {
      const failures: number[] = [];
      const { queue, kernel } = await startWorker(processes, {
        retry: { attempts: 3, delayMs: 1000, factor: 10, jitter: 0 },
        handle({ attempt }) {
          failures.push(attempt);
          throw new TypeError(`failed ${attempt}`);
        },
      });
      const id = await add(queue, "a", { key: "k", headers: { trace: "1" }, priority: 7, uniqueKey: "u" });
      await waitForState(queue, id, "waiting");
      expect((await queue.get(id))?.error).toEqual({ name: "TypeError", message: "failed 1", code: null });
      await processes.time.advance(1000);
      await waitFor(() => failures.length === 2);
      await waitForState(queue, id, "waiting");
      await processes.time.advance(9999);
      await waitFor(async () => (await queue.stats()).waiting === 1);
      expect(failures).toEqual([1, 2]);
      await processes.time.advance(1);
      await waitForState(queue, id, "parked");
      const { items } = await kernel.parked.list();
      expect(items).toMatchObject([
        {
          source: "work",
          name: "mail",
          key: "k",
          errorClass: "TypeError",
          errorMessage: "failed 3",
          attempts: 3,
        },
      ]);
      expect(await kernel.parked.inspect(items[0]?.id ?? "")).toMatchObject({
        payload: "a",
        headers: { trace: "1" },
      });
    },
  );

  fact(
    "an attempt that was scheduled while the database's clock was ahead begins after its delay once the clock is corrected",
    async (processes) => {
      const options = { retry: { attempts: 3, delayMs: 1000, jitter: 0 } };
      const { queue, kernel } = await startWorker(processes, {
        ...options,
        handle() {
          throw new Error("again");
        },
      });
      const year = 365 * 86_400_000;
      await processes.time.advance(year);
      const id = await add(queue, "a");
      await waitForState(queue, id, "waiting");
      const withRunAt = await add(queue, "b", { runAt: (await processes.time.read()) + year });
      await kernel.stop();
      await processes.time.advance(-year);
      const next = await startWorker(processes, { ...options, handle: () => "done" });
      const due = (await processes.time.read()) + 1000;
      await waitFor(async () => (await next.queue.get(id))?.runAt === due, {
        subject: "the corrected due time",
      });
      await processes.time.advance(1000);
      await waitUntilRemoved(next.queue, id);
      expect((await next.queue.get(withRunAt))?.state).toBe("waiting");
    },
  );

  fact(
    "an item gives up at once after a NonRetryableError, or when its error is not retryable",
    async (processes) => {
      const { queue } = await startWorker(processes, {
        onExhausted: "keep",
        isRetryable: (error) => !(error instanceof RangeError),
        handle({ payload }) {
          throw payload === "never" ? new NonRetryableError("never") : new RangeError("range");
        },
      });
      const ids = [await add(queue, "never"), await add(queue, "range")];
      for (const id of ids) await waitForState(queue, id, "failed");
      expect((await queue.get(ids[0] ?? ""))?.attempts).toBe(1);
      expect((await queue.get(ids[1] ?? ""))?.error?.name).toBe("RangeError");
    },
  );

  fact("a failed item can be retried", async (processes) => {
    let fails = true;
    const { queue } = await startWorker(processes, {
      onExhausted: "keep",
      retry: { attempts: 1 },
      handle() {
        if (fails) throw new Error("no");
      },
    });
    const id = await add(queue, "a");
    await waitForState(queue, id, "failed");
    fails = false;
    expect(await queue.retry(id)).toBe(true);
    await waitUntilRemoved(queue, id);
    expect(await queue.retry(id)).toBe(false);
  });

  fact("a delayed item begins when it is due", async (processes) => {
    const done: string[] = [];
    const { queue } = await startWorker(processes, { handle: ({ payload }) => void done.push(payload) });
    const at = new Date((await processes.time.read()) + 2000);
    await queue.enqueue([
      { payload: "later", delayMs: 3000 },
      { payload: "at", runAt: at },
      { payload: "now" },
    ]);
    await waitFor(() => done.length === 1);
    await processes.time.advance(2000);
    await waitFor(() => done.length === 2);
    await processes.time.advance(1000);
    await waitFor(() => done.length === 3);
    expect(done).toEqual(["now", "at", "later"]);
  });

  fact("progress can be seen while the handler runs", async (processes) => {
    const gate = new Gate();
    const { queue } = await startWorker(processes, { handle: gate.handle });
    const id = await add(queue, "a");
    await gate.waitUntilBegun("a");
    gate.item("a").progress({ percent: 10 });
    gate.item("a").progress({ percent: 20 });
    await waitFor(async () => (await queue.get(id))?.progress !== null);
    expect((await queue.get(id))?.progress).toEqual({ percent: 20 });
    gate.open("a");
  });

  fact("the last progress of an attempt is kept, however the attempt ends", async (processes) => {
    const ends: Readonly<Record<string, (item: WorkItem<string>) => unknown>> = {
      returned: () => "result",
      failed() {
        throw new NonRetryableError("row 17 is bad");
      },
      completed: (item) => kernel.db.transaction((tx) => item.complete(tx)),
    };
    const { kernel, queue } = await startWorker(processes, {
      keepSecs: 60,
      onExhausted: "keep",
      async handle(item) {
        item.progress({ row: 16 });
        await new Promise(setImmediate);
        item.progress({ row: 17 });
        return await ends[item.payload]?.(item);
      },
    });
    const ids = [];
    for (const end of Object.keys(ends)) ids.push(await add(queue, end), await add(queue, end, { key: "k" }));
    for (const id of ids) {
      await waitFor(async () => ["done", "failed"].includes((await queue.get(id))?.state ?? ""));
      expect((await queue.get(id))?.progress).toEqual({ row: 17 });
    }
  });

  for (const onExhausted of ["keep", "park"] as const)
    fact(
      `an item gives up with its last failure when a deployment allows fewer attempts (${onExhausted})`,
      async (processes) => {
        const fails = (): never => {
          throw new Error("connection refused");
        };
        const options = { onExhausted, handle: fails };
        const many = await startWorker(processes, {
          ...options,
          retry: { attempts: 9, delayMs: 1000, factor: 1 },
        });
        const id = await add(many.queue, "a");
        await waitForState(many.queue, id, "waiting");
        await processes.time.advance(1000);
        await waitFor(async () => {
          const info = await many.queue.get(id);
          return info?.attempts === 2 && info.state === "waiting";
        });
        await many.kernel.stop();
        await processes.time.advance(1000);
        const { kernel, queue } = await startWorker(processes, { ...options, retry: { attempts: 2 } });
        await waitForState(queue, id, onExhausted === "keep" ? "failed" : "parked");
        expect((await queue.get(id))?.error).toMatchObject({ message: "connection refused" });
        const { items } = await kernel.parked.list();
        if (onExhausted === "park")
          expect(items).toMatchObject([{ errorMessage: "connection refused", attempts: 2 }]);
      },
    );
};
