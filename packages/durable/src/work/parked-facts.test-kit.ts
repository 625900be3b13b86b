import { waitFor } from "@framework/testing";
import { expect } from "@jest/globals";
import { NonRetryableError } from "./queue/non-retryable-error.ts";
import { add, type Fact, Gate, LEASE_MS, waitForState, startWorker } from "./queue-tools.test-kit.ts";

/** Declares the tests of parked items, which run on every database. */
export const parkedFacts = (fact: Fact): void => {
  fact("parked items are replayed with their keys, or discarded with a note", async (processes) => {
    let fails = true;
    const done: object[] = [];
    const { queue, kernel } = await startWorker(processes, {
      retry: { attempts: 1 },
      handle({ payload, key, headers, attempt }) {
        if (fails) throw new Error("no");
        done.push({ payload, key, headers, attempt });
      },
    });
    for (const payload of ["a", "b", "c"])
      await add(queue, payload, { key: "k", uniqueKey: payload, headers: { of: payload } });
    await waitFor(async () => (await kernel.parked.count()) === 3);
    fails = false;
    const { items } = await kernel.parked.list({ name: "mail" });
    const [a = "", b = "", c = ""] = items.map(({ id }) => id);
    expect(await kernel.parked.replay([a, "none", a])).toMatchObject({
      replayed: 1,
      failed: [{ id: "none" }, { id: a }],
    });
    await expect(kernel.parked.discard([b], { note: " " })).rejects.toMatchObject({
      code: "DURABLE_BAD_FILTER",
    });
    expect(await kernel.parked.discard([b, a], { note: "not needed" })).toBe(1);
    expect(await kernel.parked.replay({ source: "work", key: "k" }, { limit: 10, perSecond: 1000 })).toEqual({
      replayed: 1,
      failed: [],
    });
    await waitFor(() => done.length === 2);
    expect(done).toEqual(
      ["a", "c"].map((payload) => ({ payload, key: "k", headers: { of: payload }, attempt: 1 })),
    );
    expect(await kernel.parked.inspect(b)).toMatchObject({ state: "discarded", note: "not needed" });
    expect(await kernel.parked.inspect(c)).toMatchObject({ state: "replayed" });
    expect(await kernel.parked.count()).toBe(0);
  });

  fact("a replay leaves an item parked while another item has its unique key", async (processes) => {
    const gate = new Gate();
    const { queue, kernel } = await startWorker(processes, { retry: { attempts: 1 }, handle: gate.handle });
    await add(queue, "a", { uniqueKey: "u" });
    await gate.waitUntilBegun("a");
    gate.open("a", new Error("no"));
    await waitFor(async () => (await kernel.parked.count()) === 1);
    await add(queue, "b", { uniqueKey: "u" });
    const { replayed, failed } = await kernel.parked.replay({});
    expect(replayed).toBe(0);
    expect(failed[0]?.reason).toContain('has its unique key "u"');
    expect((await kernel.parked.list()).items.length).toBe(1);
    await gate.waitUntilBegun("b");
    gate.open("b");
  });

  fact("while maxParked is reached, items that give up wait in their queue", async (processes) => {
    const config = { leaseMs: LEASE_MS, pollMinMs: 1, pollMaxMs: 20, maxParked: 1 };
    const { queue, kernel } = await startWorker(
      processes,
      {
        retry: { attempts: 1, maxDelayMs: 60_000 },
        handle() {
          throw new Error("no");
        },
      },
      { config },
    );
    await add(queue, "a");
    await waitFor(async () => (await kernel.parked.count()) === 1);
    const id = await add(queue, "b");
    await waitForState(queue, id, "waiting");
    const [parked] = (await kernel.parked.list()).items;
    await kernel.parked.discard([parked?.id ?? ""], { note: "room" });
    await processes.time.advance(60_000);
    await waitForState(queue, id, "parked");
    expect((await kernel.parked.list()).items).toMatchObject([{ errorMessage: "no", attempts: 1 }]);
  });

  fact(
    "an item that waits because of maxParked does not run again, and keeps its failure",
    async (processes) => {
      const config = { leaseMs: LEASE_MS, pollMinMs: 1, pollMaxMs: 20, maxParked: 1 };
      const ran: string[] = [];
      const { queue, kernel } = await startWorker(
        processes,
        {
          retry: { attempts: 5, maxDelayMs: 60_000 },
          handle({ payload, attempt }) {
            ran.push(`${payload} ${attempt}`);
            if (attempt < 2) throw new Error("later");
            throw new NonRetryableError("refused", { code: "REFUSED" });
          },
        },
        { config },
      );
      const waitForRunIn = async (id: string, ms: number): Promise<void> => {
        const at = (await processes.time.read()) + ms;
        await waitFor(async () => (await queue.get(id))?.runAt === at, { subject: "the next attempt" });
      };
      const giveUp = async (payload: string): Promise<string> => {
        const id = await add(queue, payload);
        await waitForState(queue, id, "waiting");
        await processes.time.advance(1000);
        return id;
      };
      await waitForState(queue, await giveUp("a"), "parked");
      const id = await giveUp("b");
      for (let round = 0; round < 3; round++) {
        await waitForRunIn(id, 60_000);
        expect((await queue.get(id))?.error).toMatchObject({ message: "refused" });
        await processes.time.advance(60_000);
      }
      await waitForRunIn(id, 60_000);
      const [parked] = (await kernel.parked.list()).items;
      await kernel.parked.discard([parked?.id ?? ""], { note: "room" });
      await processes.time.advance(60_000);
      await waitForState(queue, id, "parked");
      expect((await kernel.parked.list()).items).toMatchObject([
        { errorClass: "NonRetryableError", errorMessage: "refused", errorCode: "REFUSED", attempts: 2 },
      ]);
      expect(ran).toEqual(["a 1", "a 2", "b 1", "b 2"]);
    },
  );

  fact(
    "an item that waits because of maxParked is kept with its failure after a deployment with `keep`",
    async (processes) => {
      const config = { leaseMs: LEASE_MS, pollMinMs: 1, pollMaxMs: 20, maxParked: 1 };
      const fails = (): never => {
        throw new NonRetryableError("refused", { code: "REFUSED" });
      };
      const retry = { attempts: 5, maxDelayMs: 60_000 };
      const { queue, kernel } = await startWorker(processes, { retry, handle: fails }, { config });
      await waitForState(queue, await add(queue, "a"), "parked");
      const id = await add(queue, "b");
      await waitForState(queue, id, "waiting");
      await kernel.stop();
      await processes.time.advance(60_000);
      const next = await startWorker(processes, { retry, onExhausted: "keep", handle: fails }, { config });
      await waitForState(next.queue, id, "failed");
      expect((await next.queue.get(id))?.error).toEqual({
        name: "NonRetryableError",
        message: "refused",
        code: "REFUSED",
      });
    },
  );
};
