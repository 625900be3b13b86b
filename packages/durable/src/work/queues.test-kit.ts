// What holds for queues on every database: the same facts.
import { virtualClock, type VirtualClock, waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { Processes } from "../leases-and-lanes.test-kit.ts";
import { type OwnKernel, type QueueOptions, untilEnded, type WorkItem, type WorkQueue } from "../feature.ts";
import { NonRetryableError } from "./queue/non-retryable-error.ts";
import type { TestDatabase } from "../testing/open-databases.test-kit.ts";

/** A handler that waits for the test. */
class Gate {
  readonly items: WorkItem<string>[] = [];
  private readonly opened = new Map<string, (error?: Error) => void>();

  handle = (item: WorkItem<string>): Promise<string> => {
    this.items.push(item);
    return new Promise((resolve, reject) => {
      this.opened.set(item.payload, (error) =>
        error === undefined ? resolve(`did ${item.payload}`) : reject(error),
      );
    });
  };

  get payloads(): string[] {
    return this.items.map(({ payload }) => payload);
  }

  item(payload: string): WorkItem<string> {
    const item = this.items.findLast((each) => each.payload === payload);
    if (item === undefined) throw new Error(`nothing has begun ${payload}`);
    return item;
  }

  open(payload: string, error?: Error): void {
    this.opened.get(payload)?.(error);
  }

  async began(...payloads: readonly string[]): Promise<void> {
    await waitFor(() => payloads.every((payload) => this.payloads.includes(payload)), {
      what: `the begin of ${payloads.join(", ")}`,
    });
  }
}

interface Working {
  readonly kernel: OwnKernel;
  readonly queue: WorkQueue<string>;
}

const work = async (
  processes: Processes,
  options: Partial<QueueOptions<string>> & Pick<QueueOptions<string>, "handle">,
  kernelOptions: Parameters<Processes["create"]>[0] = {},
): Promise<Working> => {
  const kernel = processes.create(kernelOptions);
  const queue = kernel.queue<string>({ name: "mail", retry: { jitter: 0 }, ...options });
  await kernel.start();
  return { kernel, queue };
};

const add = async (queue: WorkQueue<string>, payload: string, parts: object = {}): Promise<string> => {
  const [added] = await queue.enqueue({ payload, ...parts });
  if (added === undefined) throw new Error("nothing was added");
  return added.id;
};

const inState = async (queue: WorkQueue<string>, id: string, state: string): Promise<void> =>
  void (await waitFor(async () => (await queue.get(id))?.state === state, { what: `${id} to be ${state}` }));

const gone = async (queue: WorkQueue<string>, id: string): Promise<void> =>
  void (await waitFor(async () => (await queue.get(id)) === null, { what: `${id} to be gone` }));

const LEASE_MS = 15_000;

/** A handler that runs. */
interface Running extends Working {
  readonly processes: Processes;
  readonly clock: VirtualClock;
  readonly id: string;
  readonly item: WorkItem<string>;
}

/** How an attempt ends whose handler does not. */
const endings: Readonly<Record<string, (running: Running) => Promise<unknown>>> = {
  cancelled: ({ queue, id }) => queue.cancel(id),
  "taken over": async ({ processes, clock, item }) => {
    await processes.time.advance(LEASE_MS);
    await waitFor(
      async () => {
        await clock.advance(100);
        return item.signal.aborted;
      },
      { what: "the loss of the item" },
    );
    expect(item.signal.reason).toMatchObject({ code: "DURABLE_LOST" });
  },
  "completed in a transaction": ({ kernel, item }) => kernel.db.transaction((tx) => item.complete(tx)),
};

/** Registers the facts. */
export const queues = (test: typeof jestTest, make: () => Promise<TestDatabase>): void => {
  const fact = (name: string, run: (processes: Processes, kernels: OwnKernel[]) => Promise<void>): void =>
    test(name, async () => {
      await using database = await make();
      const kernels: OwnKernel[] = [];
      const processes = await Processes.on(database);
      const create = processes.create.bind(processes);
      processes.create = (options) => {
        const kernel = create(options);
        kernels.push(kernel);
        return kernel;
      };
      try {
        await run(processes, kernels);
      } finally {
        for (const kernel of kernels) {
          await kernel.drain(AbortSignal.abort()); // some handlers never return, and some clocks stand still
          await kernel.stop();
        }
      }
    });

  fact("a returned value is the result, which is kept", async (processes) => {
    const { queue } = await work(processes, { keepSecs: 60, handle: ({ payload }) => ({ did: payload }) });
    const id = await add(queue, "a", { headers: { trace: "1" } });
    await inState(queue, id, "done");
    expect(await queue.get(id)).toMatchObject({
      result: { did: "a" },
      attempts: 1,
      headers: { trace: "1" },
      error: null,
    });
  });

  fact("a done item is removed when nothing is kept", async (processes) => {
    const { queue } = await work(processes, { handle: () => "done" });
    await gone(queue, await add(queue, "a"));
  });

  fact("a plain handler may keep its attempt open until `item.end`, which counts once", async (processes) => {
    const items: WorkItem<string>[] = [];
    const { queue } = await work(processes, {
      isPlain: true,
      concurrency: 1,
      retry: { attempts: 2, delayMs: 0 },
      handle(item) {
        items.push(item);
        return untilEnded;
      },
    });
    const id = await add(queue, "a");
    await waitFor(() => items.length === 1, { what: "the first attempt" });
    const other = await add(queue, "b");
    items[0]?.end(new Error("again"));
    items[0]?.end(null);
    await waitFor(() => items.length === 2, { what: "the next attempt" });
    const states = await Promise.all([id, other].map(async (each) => (await queue.get(each))?.state));
    expect(new Set(states)).toEqual(new Set(["ready", "running"])); // in one slot
    items[1]?.end(null);
    await waitFor(() => items.length === 3, { what: "the last attempt" });
    items[2]?.end(null);
    await gone(queue, id);
    await gone(queue, other);
  });

  for (const keepSecs of [60, 16.1])
    fact(`items that were kept for ${keepSecs} s are removed`, async (processes) => {
      const { queue, kernel } = await work(processes, { keepSecs, handle: () => "done" });
      const id = await add(queue, "a");
      await inState(queue, id, "done");
      await kernel.stop();
      await processes.time.advance(60_000);
      const next = await work(processes, { keepSecs, handle: () => "done" });
      await gone(next.queue, id);
    });

  fact(
    "a failed attempt is followed by another after the policy's delay, until the item is parked",
    async (processes) => {
      const failures: number[] = [];
      const { queue, kernel } = await work(processes, {
        retry: { attempts: 3, delayMs: 1000, factor: 10, jitter: 0 },
        handle({ attempt }) {
          failures.push(attempt);
          throw new TypeError(`failed ${attempt}`);
        },
      });
      const id = await add(queue, "a", { key: "k", headers: { trace: "1" }, priority: 7, uniqueKey: "u" });
      await inState(queue, id, "waiting");
      expect((await queue.get(id))?.error).toEqual({ name: "TypeError", message: "failed 1", code: null });
      await processes.time.advance(1000);
      await waitFor(() => failures.length === 2);
      await inState(queue, id, "waiting");
      await processes.time.advance(9999);
      await waitFor(async () => (await queue.stats()).waiting === 1);
      expect(failures).toEqual([1, 2]);
      await processes.time.advance(1);
      await inState(queue, id, "parked");
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
    "an item gives up at once after a NonRetryableError, or when its error is not retryable",
    async (processes) => {
      const { queue } = await work(processes, {
        onExhausted: "keep",
        isRetryable: (error) => !(error instanceof RangeError),
        handle({ payload }) {
          throw payload === "never" ? new NonRetryableError("never") : new RangeError("range");
        },
      });
      const ids = [await add(queue, "never"), await add(queue, "range")];
      for (const id of ids) await inState(queue, id, "failed");
      expect((await queue.get(ids[0] ?? ""))?.attempts).toBe(1);
      expect((await queue.get(ids[1] ?? ""))?.error?.name).toBe("RangeError");
    },
  );

  fact("a failed item can be retried", async (processes) => {
    let fails = true;
    const { queue } = await work(processes, {
      onExhausted: "keep",
      retry: { attempts: 1 },
      handle() {
        if (fails) throw new Error("no");
      },
    });
    const id = await add(queue, "a");
    await inState(queue, id, "failed");
    fails = false;
    expect(await queue.retry(id)).toBe(true);
    await gone(queue, id);
    expect(await queue.retry(id)).toBe(false);
  });

  fact("an attempt that takes too long has failed, whatever its handler does later", async (processes) => {
    const gate = new Gate();
    const clock = virtualClock();
    const { queue } = await work(
      processes,
      { handle: gate.handle, timeoutMs: 5000, retry: { attempts: 1 }, onExhausted: "keep", keepSecs: 60 },
      { clock },
    );
    const id = await add(queue, "a");
    await gate.began("a");
    await clock.advance(4999);
    expect(gate.item("a").signal.aborted).toBe(false);
    await clock.advance(1);
    expect(gate.item("a").signal.reason).toMatchObject({ code: "DURABLE_TIMEOUT" });
    await inState(queue, id, "failed");
    gate.open("a");
    await add(queue, "b");
    await gate.began("b");
    expect(await queue.get(id)).toMatchObject({
      state: "failed",
      result: null,
      error: { code: "DURABLE_TIMEOUT" },
    });
    gate.open("b");
  });

  fact(
    "the slot of a handler that ignores its timeout is given again later, and not for ever",
    async (processes) => {
      const gate = new Gate();
      const clock = virtualClock();
      const { queue } = await work(
        processes,
        { handle: gate.handle, timeoutMs: 1000, concurrency: 1, retry: { attempts: 1 }, onExhausted: "keep" },
        { clock },
      );
      const ids = [await add(queue, "a"), await add(queue, "b"), await add(queue, "c")];
      await gate.began("a");
      await clock.advance(1000);
      await inState(queue, ids[0] ?? "", "failed");
      expect(gate.payloads).toEqual(["a"]);
      await clock.advance(10_000);
      await gate.began("b");
      await clock.advance(60_000);
      await inState(queue, ids[1] ?? "", "failed");
      expect(gate.payloads).toEqual(["a", "b"]);
      gate.open("b");
      await gate.began("c");
      for (const payload of ["a", "c"]) gate.open(payload);
    },
  );

  for (const [how, end] of Object.entries(endings))
    fact(
      `the slot of a handler that hangs is given again later, when its item was ${how}`,
      async (processes) => {
        const gate = new Gate();
        const clock = virtualClock();
        const { queue, kernel } = await work(
          processes,
          { handle: gate.handle, timeoutMs: 20_000, concurrency: 1, retry: { attempts: 1 } },
          { clock },
        );
        const id = await add(queue, "a");
        await gate.began("a");
        await add(queue, "b");
        await end({ processes, clock, queue, kernel, id, item: gate.item("a") });
        await clock.advance(10_000);
        expect(gate.payloads).toEqual(["a"]);
        await clock.advance(40_000);
        await gate.began("b");
        for (const payload of ["a", "b"]) gate.open(payload);
      },
    );

  fact("one call adds payloads and headers of 64 MiB at most, all or none", async (processes) => {
    const { queue } = await work(processes, { handle() {} }, { config: { runWork: false } });
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

  fact("a queue that admits nothing for a month is asked again each hour", async (processes) => {
    const clock = virtualClock();
    const gate = new Gate();
    let permits = 0;
    let asked = 0;
    const admission = () => {
      asked++;
      return { permits, retryInMs: 2_591_999_990, async giveBack() {} };
    };
    const config = { leaseMs: 600_000, pollMaxMs: 600_000 };
    const { queue } = await work(processes, { handle: gate.handle, admission }, { clock, config });
    await add(queue, "a");
    await waitFor(() => asked === 1, { what: "the first question" });
    permits = 1;
    await clock.advance(3_599_000);
    expect(asked).toBe(1);
    await clock.advance(1000);
    await gate.began("a");
    gate.open("a");
  });

  fact("at most `concurrency` items run, and the others follow", async (processes) => {
    const gate = new Gate();
    const { queue } = await work(processes, { handle: gate.handle, concurrency: 2 });
    for (const payload of ["a", "b", "c"]) await add(queue, payload);
    await gate.began("a", "b");
    expect((await queue.stats()).ready).toBe(1);
    gate.open("b");
    await gate.began("c");
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
    const { queue } = await work(processes, { handle: gate.handle, admission, keepSecs: 60 });
    const ids = [await add(queue, "a"), await add(queue, "b"), await add(queue, "c")];
    await gate.began("a", "b");
    for (const payload of ["a", "b"]) gate.open(payload);
    for (const id of ids.slice(0, 2)) await inState(queue, id, "done");
    expect(await queue.stats()).toMatchObject({ ready: 1, running: 0 });
    permits = 5;
    await gate.began("c");
    gate.open("c");
    await waitFor(() => permits === 4, { what: "the unused permits" });
  });

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
    const { queue } = await work(processes, options);
    await work(processes, options);
    const work30 = Array.from({ length: 30 }, (_, at) => ({ payload: `${at % 3} ${at}`, key: `k${at % 3}` }));
    await queue.enqueue(work30);
    await waitFor(() => order.length === 30);
    expect(overlaps).toBe(0);
    for (const key of ["0", "1", "2"]) {
      const mine = order.filter((payload) => payload.startsWith(key));
      expect(mine).toEqual(work30.map(({ payload }) => payload).filter((payload) => payload.startsWith(key)));
    }
  });

  fact("an item completes in the transaction of its handler, or not at all", async (processes) => {
    const db = processes.time;
    expect(db).toBeDefined();
    const seen: string[] = [];
    const { queue, kernel } = await work(processes, {
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
    await inState(queue, id, "done");
    await inState(queue, next, "done");
    expect(await queue.get(id)).toMatchObject({ result: { in: "transaction" }, attempts: 2 });
    expect(seen).toEqual(["a", "b"]);
    const rows = await kernel.db.query<{ name: string }>("SELECT name FROM effects ORDER BY name");
    expect(Array.from(rows, ({ name }) => name)).toEqual(["a 2", "b 2"]);
  });

  fact("a transaction cannot complete an item that was taken over", async (processes) => {
    const gate = new Gate();
    const hung = await work(processes, { handle: gate.handle }, { clock: virtualClock() });
    const id = await add(hung.queue, "a");
    await gate.began("a");
    await processes.time.advance(LEASE_MS);
    const other = new Gate();
    const { queue } = await work(processes, { handle: other.handle });
    await other.began("a");
    const late = hung.kernel.db.transaction((tx) => gate.item("a").complete(tx));
    await expect(late).rejects.toMatchObject({ code: "DURABLE_LOST" });
    expect(other.item("a").attempt).toBe(2);
    gate.open("a");
    other.open("a");
    await gone(queue, id);
  });

  fact("an item whose process was killed in every attempt is parked without another", async (processes) => {
    const gate = new Gate();
    const policy = { retry: { attempts: 2 } };
    for (let attempt = 1; attempt <= 2; attempt++) {
      const { queue } = await work(processes, { ...policy, handle: gate.handle }, { clock: virtualClock() });
      if (attempt === 1) await add(queue, "a");
      await waitFor(() => gate.items.length === attempt);
      await processes.time.advance(LEASE_MS);
    }
    const { kernel } = await work(processes, { ...policy, handle: gate.handle });
    await waitFor(async () => (await kernel.parked.count()) === 1);
    expect((await kernel.parked.list()).items[0]).toMatchObject({
      errorCode: "DURABLE_ATTEMPT_LOST",
      attempts: 2,
    });
    expect(gate.items.length).toBe(2);
  });

  fact("an item that gives up without running shows the attempts that it had", async (processes) => {
    for (const [name, onExhausted, state] of [
      ["kept", "keep", "failed"],
      ["moved", "park", "parked"],
    ] as const) {
      const gate = new Gate();
      const options = { name, onExhausted, retry: { attempts: 1 }, keepFailedSecs: 60, handle: gate.handle };
      const { queue } = await work(processes, options, { clock: virtualClock() });
      const id = await add(queue, "a");
      await gate.began("a");
      await processes.time.advance(LEASE_MS);
      const other = await work(processes, options);
      await inState(other.queue, id, state);
      expect(await other.queue.get(id)).toMatchObject({
        attempts: 1,
        error: { code: "DURABLE_ATTEMPT_LOST", message: expect.stringContaining("attempt 1") },
      });
      expect(gate.items.length).toBe(1);
    }
  });

  fact("a cancelled item does not run; a running one is told and cannot complete", async (processes) => {
    const gate = new Gate();
    const { queue } = await work(processes, { handle: gate.handle, concurrency: 1, keepSecs: 60 });
    const other = await work(
      processes,
      { handle: gate.handle, concurrency: 1, keepSecs: 60 },
      { config: { runWork: false } },
    );
    const [running, waiting] = [await add(queue, "a"), await add(queue, "b")];
    await gate.began("a");
    expect(await queue.cancel(waiting)).toBe(true);
    expect(await queue.cancel(waiting)).toBe(false);
    expect(await queue.cancel("none")).toBe(false);
    expect(await queue.cancel(running)).toBe(true);
    await waitFor(() => gate.item("a").signal.aborted);
    expect(gate.item("a").signal.reason).toMatchObject({ code: "DURABLE_CANCELLED" });
    gate.open("a");
    const last = await add(other.queue, "c");
    await gate.began("c");
    gate.open("c");
    await inState(queue, last, "done");
    for (const id of [running, waiting]) expect((await queue.get(id))?.state).toBe("cancelled");
    expect(gate.payloads).toEqual(["a", "c"]);
  });

  fact(
    "the unfinished item with a unique key is cancelled by that key, in a transaction too",
    async (processes) => {
      const gate = new Gate();
      const { queue, kernel } = await work(processes, { handle: gate.handle, keepSecs: 60 });
      const later = { payload: "a", uniqueKey: "k", delayMs: 60_000 };
      const [first] = await queue.enqueue(later);
      expect(await queue.cancel({ uniqueKey: "other" })).toBe(false);
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
      await gate.began("b");
      expect(await queue.cancel({ uniqueKey: "k" })).toBe(true);
      await waitFor(() => gate.item("b").signal.aborted);
      gate.open("b");
      expect((await queue.get(first?.id ?? ""))?.state).toBe("cancelled");
      expect(await queue.cancel({ uniqueKey: "k" })).toBe(false);
    },
  );

  fact(
    "work added in a transaction begins when it commits, and never when it does not",
    async (processes) => {
      const done: string[] = [];
      const { queue, kernel } = await work(processes, { handle: ({ payload }) => void done.push(payload) });
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

  fact("a delayed item begins when it is due", async (processes) => {
    const done: string[] = [];
    const { queue } = await work(processes, { handle: ({ payload }) => void done.push(payload) });
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
    const { queue } = await work(processes, { handle: gate.handle });
    const id = await add(queue, "a");
    await gate.began("a");
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
    const { kernel, queue } = await work(processes, {
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
        const many = await work(processes, { ...options, retry: { attempts: 9, delayMs: 1000, factor: 1 } });
        const id = await add(many.queue, "a");
        await inState(many.queue, id, "waiting");
        await processes.time.advance(1000);
        await waitFor(async () => {
          const info = await many.queue.get(id);
          return info?.attempts === 2 && info.state === "waiting";
        });
        await many.kernel.stop();
        await processes.time.advance(1000);
        const { kernel, queue } = await work(processes, { ...options, retry: { attempts: 2 } });
        await inState(queue, id, onExhausted === "keep" ? "failed" : "parked");
        expect((await queue.get(id))?.error).toMatchObject({ message: "connection refused" });
        const { items } = await kernel.parked.list();
        if (onExhausted === "park")
          expect(items).toMatchObject([{ errorMessage: "connection refused", attempts: 2 }]);
      },
    );

  fact(
    "a drain waits for handlers, claims nothing more, and then gives back what still runs",
    async (processes) => {
      const gate = new Gate();
      const { queue, kernel } = await work(processes, { handle: gate.handle, concurrency: 2, keepSecs: 60 });
      const ids = [await add(queue, "a"), await add(queue, "b"), await add(queue, "c")];
      await gate.began("a", "b");
      const deadline = new AbortController();
      const drained = kernel.drain(deadline.signal);
      gate.open("a");
      await inState(queue, ids[0] ?? "", "done");
      expect(gate.item("b").signal.aborted).toBe(false);
      deadline.abort();
      await drained;
      expect(gate.item("b").signal.reason).toMatchObject({ code: "DURABLE_RELEASED" });
      expect(gate.payloads).toEqual(["a", "b"]);
      expect(await queue.get(ids[1] ?? "")).toMatchObject({ state: "ready", attempts: 0 });
      gate.open("b");
      const next = new Gate();
      await work(processes, { handle: next.handle, keepSecs: 60 });
      await next.began("b", "c");
      expect(next.item("b").attempt).toBe(1);
      for (const payload of ["b", "c"]) next.open(payload);
    },
  );

  fact("a process that only enqueues runs nothing", async (processes) => {
    const gate = new Gate();
    const { queue } = await work(processes, { handle: gate.handle }, { config: { runWork: false } });
    await add(queue, "a");
    const done: string[] = [];
    const other = await work(processes, { handle: ({ payload }) => void done.push(payload) });
    await waitFor(() => done.length === 1);
    expect(gate.items).toEqual([]);
    expect(await other.queue.stats()).toMatchObject({ ready: 0 });
  });

  fact("parked items are replayed with their keys, or discarded with a note", async (processes) => {
    let fails = true;
    const done: object[] = [];
    const { queue, kernel } = await work(processes, {
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

  fact("a replay leaves work parked whose unique key is taken", async (processes) => {
    const gate = new Gate();
    const { queue, kernel } = await work(processes, { retry: { attempts: 1 }, handle: gate.handle });
    await add(queue, "a", { uniqueKey: "u" });
    await gate.began("a");
    gate.open("a", new Error("no"));
    await waitFor(async () => (await kernel.parked.count()) === 1);
    await add(queue, "b", { uniqueKey: "u" });
    const { replayed, failed } = await kernel.parked.replay({});
    expect(replayed).toBe(0);
    expect(failed[0]?.reason).toContain('has its unique key "u"');
    expect((await kernel.parked.list()).items.length).toBe(1);
    await gate.began("b");
    gate.open("b");
  });

  fact("when the parked work is full, items that give up wait in their queue", async (processes) => {
    const config = { leaseMs: LEASE_MS, pollMinMs: 1, pollMaxMs: 20, maxParked: 1 };
    const { queue, kernel } = await work(
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
    await inState(queue, id, "waiting");
    const [parked] = (await kernel.parked.list()).items;
    await kernel.parked.discard([parked?.id ?? ""], { note: "room" });
    await processes.time.advance(60_000);
    await inState(queue, id, "parked");
    expect((await kernel.parked.list()).items).toMatchObject([{ errorMessage: "no", attempts: 1 }]);
  });

  fact(
    "an item that waits until there is room for parked work does not run again, and keeps its failure",
    async (processes) => {
      const config = { leaseMs: LEASE_MS, pollMinMs: 1, pollMaxMs: 20, maxParked: 1 };
      const ran: string[] = [];
      const { queue, kernel } = await work(
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
      const isDue = async (id: string, ms: number): Promise<void> => {
        const at = (await processes.time.read()) + ms;
        await waitFor(async () => (await queue.get(id))?.runAt === at, { what: "the next attempt" });
      };
      const giveUp = async (payload: string): Promise<string> => {
        const id = await add(queue, payload);
        await inState(queue, id, "waiting");
        await processes.time.advance(1000);
        return id;
      };
      await inState(queue, await giveUp("a"), "parked");
      const id = await giveUp("b");
      for (let round = 0; round < 3; round++) {
        await isDue(id, 60_000);
        expect((await queue.get(id))?.error).toMatchObject({ message: "refused" });
        await processes.time.advance(60_000);
      }
      await isDue(id, 60_000);
      const [parked] = (await kernel.parked.list()).items;
      await kernel.parked.discard([parked?.id ?? ""], { note: "room" });
      await processes.time.advance(60_000);
      await inState(queue, id, "parked");
      expect((await kernel.parked.list()).items).toMatchObject([
        { errorClass: "NonRetryableError", errorMessage: "refused", errorCode: "REFUSED", attempts: 2 },
      ]);
      expect(ran).toEqual(["a 1", "a 2", "b 1", "b 2"]);
    },
  );

  fact(
    "an item that waits for room for parked work is kept with its failure by a deployment that keeps",
    async (processes) => {
      const config = { leaseMs: LEASE_MS, pollMinMs: 1, pollMaxMs: 20, maxParked: 1 };
      const fails = (): never => {
        throw new NonRetryableError("refused", { code: "REFUSED" });
      };
      const retry = { attempts: 5, maxDelayMs: 60_000 };
      const { queue, kernel } = await work(processes, { retry, handle: fails }, { config });
      await inState(queue, await add(queue, "a"), "parked");
      const id = await add(queue, "b");
      await inState(queue, id, "waiting");
      await kernel.stop();
      await processes.time.advance(60_000);
      const next = await work(processes, { retry, onExhausted: "keep", handle: fails }, { config });
      await inState(next.queue, id, "failed");
      expect((await next.queue.get(id))?.error).toEqual({
        name: "NonRetryableError",
        message: "refused",
        code: "REFUSED",
      });
    },
  );
};
