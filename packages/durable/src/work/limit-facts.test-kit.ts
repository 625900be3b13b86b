import { virtualClock, type VirtualClock, waitFor } from "@framework/testing";
import { expect } from "@jest/globals";
import { type WorkItem } from "../feature.ts";
import type { Processes } from "../processes.test-kit.ts";
import {
  add,
  type Fact,
  Gate,
  LEASE_MS,
  waitForState,
  startWorker,
  type Worker,
} from "./queue-tools.test-kit.ts";

/** A running handler. */
interface Running extends Worker {
  readonly processes: Processes;
  readonly clock: VirtualClock;
  readonly id: string;
  readonly item: WorkItem<string>;
}

/** Ways in which an attempt ends while its handler is still running. */
const endings: Readonly<Record<string, (running: Running) => Promise<unknown>>> = {
  cancelled: ({ queue, id }) => queue.cancel(id),
  "taken over": async ({ processes, clock, item }) => {
    await processes.time.advance(LEASE_MS);
    await waitFor(
      async () => {
        await clock.advance(100);
        return item.signal.aborted;
      },
      { subject: "the loss of the item" },
    );
    expect(item.signal.reason).toMatchObject({ code: "DURABLE_LOST" });
  },
  "completed in a transaction": ({ kernel, item }) => kernel.db.transaction((tx) => item.complete(tx)),
};

/** Declares the tests of concurrency and time limits, which run on every database. */
export const limitFacts = (fact: Fact): void => {
  fact("an attempt that takes too long has failed, even if its handler returns later", async (processes) => {
    const gate = new Gate();
    const clock = virtualClock();
    const { queue } = await startWorker(
      processes,
      { handle: gate.handle, timeoutMs: 5000, retry: { attempts: 1 }, onExhausted: "keep", keepSecs: 60 },
      { clock },
    );
    const id = await add(queue, "a");
    await gate.waitUntilBegun("a");
    await clock.advance(4999);
    expect(gate.item("a").signal.aborted).toBe(false);
    await clock.advance(1);
    expect(gate.item("a").signal.reason).toMatchObject({ code: "DURABLE_TIMEOUT" });
    await waitForState(queue, id, "failed");
    gate.open("a");
    await add(queue, "b");
    await gate.waitUntilBegun("b");
    expect(await queue.get(id)).toMatchObject({
      state: "failed",
      result: null,
      error: { code: "DURABLE_TIMEOUT" },
    });
    gate.open("b");
  });

  fact(
    "the slot of a handler that ignores its timeout is reused later, a limited number of times",
    async (processes) => {
      const gate = new Gate();
      const clock = virtualClock();
      const { queue } = await startWorker(
        processes,
        { handle: gate.handle, timeoutMs: 1000, concurrency: 1, retry: { attempts: 1 }, onExhausted: "keep" },
        { clock },
      );
      const ids = [await add(queue, "a"), await add(queue, "b"), await add(queue, "c")];
      await gate.waitUntilBegun("a");
      await clock.advance(1000);
      await waitForState(queue, ids[0] ?? "", "failed");
      expect(gate.payloads).toEqual(["a"]);
      await clock.advance(10_000);
      await gate.waitUntilBegun("b");
      await clock.advance(60_000);
      await waitForState(queue, ids[1] ?? "", "failed");
      expect(gate.payloads).toEqual(["a", "b"]);
      gate.open("b");
      await gate.waitUntilBegun("c");
      for (const payload of ["a", "c"]) gate.open(payload);
    },
  );

  for (const [how, end] of Object.entries(endings))
    fact(`the slot of a hanging handler is reused later, if its item was ${how}`, async (processes) => {
      const gate = new Gate();
      const clock = virtualClock();
      const { queue, kernel } = await startWorker(
        processes,
        { handle: gate.handle, timeoutMs: 20_000, concurrency: 1, retry: { attempts: 1 } },
        { clock },
      );
      const id = await add(queue, "a");
      await gate.waitUntilBegun("a");
      await add(queue, "b");
      await end({ processes, clock, queue, kernel, id, item: gate.item("a") });
      await clock.advance(10_000);
      expect(gate.payloads).toEqual(["a"]);
      await clock.advance(40_000);
      await gate.waitUntilBegun("b");
      for (const payload of ["a", "b"]) gate.open(payload);
    });

  fact("one call adds at most 64 MiB of payloads and headers, all or none", async (processes) => {
    const { queue } = await startWorker(processes, { handle() {} }, { config: { runWork: false } });
    const payload = "x".repeat(1_048_000);
    const many = (count: number) => Array.from({ length: count }, () => ({ payload }));
    await expect(queue.enqueue(many(65))).rejects.toMatchObject({
      code: "DURABLE_BAD_WORK",
      message: expect.stringContaining("64 MiB"),
    });
    const headers = { note: "x".repeat(16_000) };
    const noted = Array.from({ length: 4500 }, () => ({ payload: "", headers }));
    await expect(queue.enqueue(noted)).rejects.toMatchObject({ code: "DURABLE_BAD_WORK" });
    expect((await queue.stats()).ready).toBe(0);
  });

  fact("an admission that grants nothing for a month is called again after an hour", async (processes) => {
    const clock = virtualClock();
    const gate = new Gate();
    let permits = 0;
    let calls = 0;
    const admission = () => {
      calls++;
      return { permits, retryInMs: 2_591_999_990, async giveBack() {} };
    };
    const config = { leaseMs: 600_000, pollMaxMs: 600_000 };
    const { queue } = await startWorker(processes, { handle: gate.handle, admission }, { clock, config });
    await add(queue, "a");
    await waitFor(() => calls === 1, { subject: "the first call of the admission" });
    permits = 1;
    await clock.advance(3_599_000);
    expect(calls).toBe(1);
    await clock.advance(1000);
    await gate.waitUntilBegun("a");
    gate.open("a");
  });

  fact("at most `concurrency` items run at once, and the others follow", async (processes) => {
    const gate = new Gate();
    const { queue } = await startWorker(processes, { handle: gate.handle, concurrency: 2 });
    for (const payload of ["a", "b", "c"]) await add(queue, payload);
    await gate.waitUntilBegun("a", "b");
    expect((await queue.stats()).ready).toBe(1);
    gate.open("b");
    await gate.waitUntilBegun("c");
    for (const payload of ["a", "c"]) gate.open(payload);
    await waitFor(async () => (await queue.stats()).running === 0);
  });

  fact("no more items are claimed than are admitted, and the others follow", async (processes) => {
    const gate = new Gate();
    let permits = 2;
    const admission = async (wanted: number) => {
      const taken = Math.min(wanted, permits);
      permits -= taken;
      const giveBack = async (count: number) => void (permits += count);
      return { permits: taken, retryInMs: 5, giveBack };
    };
    const { queue } = await startWorker(processes, { handle: gate.handle, admission, keepSecs: 60 });
    const ids = [await add(queue, "a"), await add(queue, "b"), await add(queue, "c")];
    await gate.waitUntilBegun("a", "b");
    for (const payload of ["a", "b"]) gate.open(payload);
    for (const id of ids.slice(0, 2)) await waitForState(queue, id, "done");
    expect(await queue.stats()).toMatchObject({ ready: 1, running: 0 });
    permits = 5;
    await gate.waitUntilBegun("c");
    gate.open("c");
    await waitFor(() => permits === 4, { subject: "the unused permits" });
  });
};
