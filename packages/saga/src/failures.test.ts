// What follows from each kind of failure, with a worker that the test turns by hand.
import { virtualClock } from "@framework/core/testing";
import { openDatabase } from "@framework/database";
import type { TableClock } from "@framework/durable/testing";
import { expect, test } from "@jest/globals";
import { type AnySaga, failureClass, saga, type SagaInfo, SagaReject } from "./index.ts";
import type { RunLimits } from "./run/runner-parts.ts";
import { HandWorker, type HandWorkerOptions, prepareDatabase } from "./testing/hand-worker.ts";

interface Bench extends AsyncDisposable {
  readonly worker: HandWorker;
  readonly time: TableClock;
  start(key?: string): Promise<string>;
  info(id: string): Promise<SagaInfo>;
  /** Runs turns over a time in steps of a second. */
  pass(ms: number): Promise<void>;
  /** Runs turns until none is due, with a new worker for each that is lost. */
  loseWorkers(): Promise<void>;
  worker2(definition?: AnySaga): HandWorker;
}

const bench = async (
  definition: AnySaga,
  limits: Partial<RunLimits> = {},
  options: Pick<HandWorkerOptions, "clock"> = {},
): Promise<Bench> => {
  const db = openDatabase({ url: "sqlite://:memory:" });
  const time = await prepareDatabase(db);
  const worker = new HandWorker(db, time, [definition], { ...options, limits });
  return {
    worker,
    time,
    start: async (key = "k") => (await worker.runner.start(definition, null, { key })).id,
    async info(id) {
      const info = await worker.runner.get(id);
      if (info === null) throw new Error("no such saga");
      return info;
    },
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 1000) {
        await worker.runAll();
        await time.advance(1000);
      }
      await worker.runAll();
    },
    async loseWorkers() {
      for (let turn = await worker.take(); turn !== null; turn = await worker.take())
        await worker.run(turn).catch(() => {});
    },
    worker2: (other = definition) => new HandWorker(db, time, [other], { limits }),
    [Symbol.asyncDispose]: () => db.close(),
  };
};

const because = { reason: "the operator said so" };

test("transient errors are retried as often as the configuration says, with growing delays, then the saga is undone", async () => {
  const calls: number[] = [];
  const undone: unknown[] = [];
  const definition = saga("s", 1)
    .call(
      "flaky",
      ({ attempt }) => {
        calls.push(attempt);
        throw new Error("503");
      },
      { undo: (_, output) => void undone.push(output) },
    )
    .build();
  await using own = await bench(definition, { maxRetries: 2 });
  const id = await own.start();
  await own.worker.runAll();
  expect(calls).toEqual([1]);
  await own.pass(1000);
  expect(calls).toEqual([1, 2]);
  await own.pass(1000);
  expect(calls).toEqual([1, 2]);
  await own.pass(1000);
  expect(calls).toEqual([1, 2, 3]);
  const info = await own.info(id);
  expect([info.status, info.error?.message, undone]).toEqual(["compensated", "503", [undefined]]);
});

test("a policy of a step takes precedence, and a step that recovers goes on", async () => {
  const definition = saga("s", 1)
    .tx(
      "flaky",
      ({ attempt }) => {
        if (attempt < 5) throw new Error("later");
        return attempt;
      },
      { retry: { attempts: 9, delayMs: 0 } },
    )
    .build();
  await using own = await bench(definition, { maxRetries: 0 });
  const id = await own.start();
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "completed", steps: [{ attempts: 5, output: 5 }] });
});

test.each<readonly [string, () => unknown, string]>([
  [
    "an error whose message is not text",
    () => Object.assign(new Error(), { message: { busy: true } }),
    '{"busy":true}',
  ],
  [
    "an error whose message cannot be text",
    () => Object.assign(new Error(), { message: Object.create(null) }),
    "{}",
  ],
  [
    "an error whose code is an object",
    () => Object.assign(new Error("no"), { code: Object.create(null) }),
    "no",
  ],
  ["undefined", () => undefined, "undefined"],
  ["null", () => null, "null"],
])("%s that a step throws counts as an attempt, like any other error", async (_what, thrown, message) => {
  const fails = (): never => {
    throw thrown();
  };
  const retry = { attempts: 2, delayMs: 0 };
  for (const definition of [
    saga("s", 1).call("flaky", fails, { retry }).build(),
    saga("s", 1).tx("flaky", fails, { retry }).build(),
  ]) {
    await using own = await bench(definition);
    const id = await own.start();
    await own.worker.runAll();
    expect(await own.info(id)).toMatchObject({
      status: "compensated",
      error: { message },
      steps: [{ attempts: 2 }],
    });
    const again = (await own.worker.runner.timeline(id)).filter(({ event }) => event === "again");
    expect(again).toMatchObject([{ step: "flaky", note: message }]);
  }
});

test("a programming error pauses the saga and undoes nothing; after the repair it goes on", async () => {
  let isBroken = true;
  let undos = 0;
  const definition = saga("s", 1)
    .call("paid", () => 1, { undo: () => void undos++ })
    .call("typo", () => {
      if (isBroken) throw new TypeError("x is not a function");
    })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.pass(5000);
  expect([(await own.info(id)).status, undos]).toEqual(["paused", 0]);
  isBroken = false;
  expect(await own.worker.runner.retry(id, because)).toBe(true);
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("completed");
  expect((await own.worker.runner.timeline(id)).map(({ event }) => event)).toContain("retry");
});

test("an operator skips a step, settles it with an output, or cancels the saga", async () => {
  const seen: unknown[] = [];
  const definition = saga("s", 1)
    .call("paid", () => 1, { undo: () => void seen.push("refunded") })
    .call("typo", (): string => {
      throw new TypeError("x");
    })
    .call("after", ({ outputs }) => void seen.push(outputs.typo))
    .build();
  await using own = await bench(definition);
  const ids = [await own.start("a"), await own.start("b"), await own.start("c")];
  await own.worker.runAll();
  const [skipped = "", settled = "", cancelled = ""] = ids;
  await own.worker.runner.skip(skipped, because);
  await own.worker.runAll();
  await own.worker.runner.settle(settled, { ...because, output: "by hand" });
  await own.worker.runAll();
  await own.worker.runner.cancel(cancelled, because);
  await own.worker.runAll();
  expect(seen).toEqual([undefined, "by hand", "refunded"]);
  expect([
    (await own.info(skipped)).status,
    (await own.info(settled)).status,
    (await own.info(cancelled)).status,
  ]).toEqual(["completed", "completed", "compensated"]);
  await expect(own.worker.runner.cancel(cancelled, because)).rejects.toMatchObject({ status: 409 });
  await expect(own.worker.runner.retry(settled, because)).rejects.toMatchObject({ status: 409 });
  expect(await own.worker.runner.retry("unknown", because)).toBe(false);
});

test("an undo that fails is tried again for its time, then the saga is stuck until an operator decides", async () => {
  let isDown = true;
  const done: string[] = [];
  const definition = saga("s", 1)
    .tx("first", () => 1, { undo: () => void done.push("first") })
    .call("second", () => 2, {
      undo: () => {
        if (isDown) throw new Error("down");
        done.push("second");
      },
    })
    .call("third", () => {
      throw new SagaReject("no");
    })
    .build();
  await using own = await bench(definition, { undoTimeoutMs: 5000 });
  const [one, two, three] = [await own.start("1"), await own.start("2"), await own.start("3")];
  await own.pass(3000);
  expect((await own.info(one)).status).toBe("compensating");
  await own.pass(20_000);
  expect([(await own.info(one)).status, done]).toEqual(["stuck", []]);
  await own.worker.runner.skip(two, because);
  await own.worker.runner.settle(three, because);
  await own.worker.runAll();
  expect(done).toEqual(["first", "first"]);
  isDown = false;
  await own.worker.runner.retry(one, because);
  await own.worker.runAll();
  expect(done).toEqual(["first", "first", "second", "first"]);
  for (const id of [one, two, three]) expect((await own.info(id)).status).toBe("compensated");
});

test("a programming error in an undo makes the saga stuck at once", async () => {
  const definition = saga("s", 1)
    .call("first", () => 1, {
      undo: () => {
        throw new TypeError("x");
      },
    })
    .call("second", () => {
      throw new SagaReject("no");
    })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("stuck");
});

test("after the pivot nothing is undone: a step that fails for good pauses the saga, and it cannot be cancelled", async () => {
  let undos = 0;
  const definition = saga("s", 1)
    .call("paid", () => 1, { undo: () => void undos++ })
    .pivot()
    .call("ship", ({ attempt }) => {
      if (undos === 0 && attempt < 3) throw new SagaReject("no carrier");
    })
    .waitFor("arrived", { timeout: "1m" })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("paused");
  await expect(own.worker.runner.cancel(id, because)).rejects.toMatchObject({ status: 409 });
  await own.worker.runner.skip(id, because);
  await own.pass(61_000);
  expect(await own.info(id)).toMatchObject({ status: "paused", error: { code: "SAGA_TIMEOUT" } });
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("waiting");
  await own.worker.runner.deliver(definition, { key: "k", id: "1", name: "arrived" });
  await own.worker.runAll();
  expect([(await own.info(id)).status, undos]).toEqual(["completed", 0]);
});

test("the time limit counts active time only: a long wait passes, long retries do not", async () => {
  const definition = saga("s", 1)
    .sleep("2h")
    .waitFor("go", { timeout: "2h" })
    .call(
      "flaky",
      () => {
        throw new Error("down");
      },
      { retry: { attempts: 100, delayMs: 4000, factor: 1 } },
    )
    .build();
  await using own = await bench(definition, { timeoutMs: 10_000 });
  const id = await own.start();
  await own.worker.runAll();
  await own.time.advance(7_200_000);
  await own.worker.runAll();
  await own.time.advance(3_600_000);
  await own.worker.runner.deliver(definition, { key: "k", id: "1", name: "go" });
  await own.pass(8000);
  expect((await own.info(id)).status).toBe("running");
  await own.pass(3000);
  expect(await own.info(id)).toMatchObject({ status: "compensated", error: { code: "SAGA_TIMEOUT" } });
});

test("time in which no worker has the saga does not count: before its first turn, after a worker was lost, and before a late turn", async () => {
  let turns = 0;
  const definition = saga("s", 1)
    .call("lost", () => {
      if (++turns === 1) throw lost();
    })
    .call("flaky", ({ attempt }) => {
      if (attempt === 1) throw new Error("later");
    })
    .build();
  await using own = await bench(definition, { timeoutMs: 10_000 });
  const id = await own.start();
  await own.time.advance(3_600_000);
  await own.worker.run((await own.worker.take()) as never).catch(() => {});
  await own.time.advance(3_600_000);
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("running");
  await own.time.advance(3_600_000);
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "completed", error: null });
});

test("the time of attempts counts, over all turns", async () => {
  const clock = virtualClock();
  const definition = saga("s", 1)
    .call("first", () => clock.advance(6000))
    .call("second", () => clock.advance(6000))
    .build();
  await using own = await bench(definition, { timeoutMs: 10_000 }, { clock });
  const id = await own.start();
  await own.worker.run((await own.worker.take()) as never);
  expect(await own.info(id)).toMatchObject({
    status: "running",
    steps: [{ status: "done" }, { error: { code: "SAGA_STEP_TIMEOUT" } }],
  });
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "compensated", error: { code: "SAGA_TIMEOUT" } });
});

test("an undo that fails after a time in which no worker ran is tried again", async () => {
  const definition = saga("s", 1)
    .call("first", () => 1, {
      undo: ({ attempt }) => {
        if (attempt <= 2) throw new Error("down");
      },
    })
    .call("second", () => {
      throw new SagaReject("no");
    })
    .build();
  await using own = await bench(definition, { undoTimeoutMs: 5000 });
  const id = await own.start();
  await own.worker.runAll();
  await own.time.advance(3_600_000);
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("compensating");
  await own.pass(2000);
  expect((await own.info(id)).status).toBe("compensated");
});

test("a saga keeps 1,000 messages, refuses more, and still recognises those that are repeated", async () => {
  const definition = saga("s", 1).waitFor("never").waitFor("early").build();
  await using own = await bench(definition);
  await own.start();
  const deliver = (number: number) =>
    own.worker.runner.deliver(definition, { key: "k", id: `m${number}`, name: "early" });
  for (let number = 1; number <= 1000; number++) expect(await deliver(number)).toBe("kept");
  await expect(deliver(1001)).rejects.toMatchObject({ status: 409 });
  expect(await deliver(5)).toBe("repeated");
});

test("a wait that takes too long undoes the saga", async () => {
  const undone: string[] = [];
  const definition = saga("s", 1)
    .call("order", () => 1, { undo: () => void undone.push("order") })
    .waitFor("packed", { timeout: "1m" })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.pass(59_000);
  expect((await own.info(id)).status).toBe("waiting");
  await own.pass(2000);
  expect([(await own.info(id)).status, undone]).toEqual(["compensated", ["order"]]);
});

test("steps below `when` run only if the condition holds, and are not undone otherwise", async () => {
  const ran: string[] = [];
  const definition = saga("s", 1)
    .call("ask", ({ key }) => key === "abroad")
    .when(
      ({ outputs }) => outputs.ask,
      (branch) =>
        branch
          .call("customs", () => (ran.push("customs"), "paid"), {
            undo: () => void ran.push("customs undone"),
          })
          .when(
            () => false,
            (inner) => inner.waitFor("never"),
          ),
    )
    .call("last", ({ outputs }) => {
      ran.push(String(outputs.customs));
      throw new SagaReject("no");
    })
    .build();
  await using own = await bench(definition);
  await own.start("home");
  await own.worker.runAll();
  expect(ran).toEqual(["undefined"]);
  await own.start("abroad");
  await own.worker.runAll();
  expect(ran).toEqual(["undefined", "customs", "paid", "customs undone"]);
});

test("a condition that throws pauses the saga before its step", async () => {
  let isBroken = true;
  const definition = saga("s", 1)
    .call("one", () => 1)
    .when(
      () => {
        if (isBroken) throw new TypeError("x");
        return true;
      },
      (branch) => branch.call("two", () => 2),
    )
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("paused");
  isBroken = false;
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "completed", steps: [{ output: 1 }, { output: 2 }] });
});

test("after a worker was lost in a step, `check` decides whether it is repeated, and `manual` asks an operator", async () => {
  const happened = new Set<string>();
  const ran: string[] = [];
  const work = ({ key }: { readonly key: string }) => {
    ran.push(key);
    if (happened.size === 0) throw lost();
    return "ran";
  };
  const check = saga("check", 1)
    .call("work", work, { check: ({ key }) => (happened.has(key) ? { output: "found" } : null) })
    .build();
  await using own = await bench(check);
  const [yes, no] = [await own.start("yes"), await own.start("no")];
  for (const _ of [yes, no]) await own.worker.run((await own.worker.take()) as never).catch(() => {});
  happened.add("yes");
  await own.worker.runAll();
  expect([(await own.info(yes)).steps[0]?.output, (await own.info(no)).steps[0]?.output]).toEqual([
    "found",
    "ran",
  ]);
  happened.clear();
  const manual = saga("manual", 1).call("work", work, { onUnknown: "manual" }).build();
  await using other = await bench(manual);
  const id = await other.start("manual");
  await other.worker.run((await other.worker.take()) as never).catch(() => {});
  await other.worker.runAll();
  expect(await other.info(id)).toMatchObject({ status: "paused", error: { code: "SAGA_UNKNOWN_OUTCOME" } });
  expect(ran.filter((key) => key === "manual")).toHaveLength(1);
});

test("a retry of an operator does not forget that an outcome is unknown: `check` is asked first", async () => {
  let ran = 0;
  let hasWorked = false;
  const definition = saga("s", 1)
    .call(
      "deadly",
      () => {
        ran++;
        throw lost();
      },
      { check: () => (hasWorked ? { output: "found" } : null) },
    )
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.loseWorkers();
  expect([(await own.info(id)).status, ran]).toEqual(["paused", 10]);
  hasWorked = true;
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "completed", steps: [{ output: "found" }] });
  expect(ran).toBe(10);
});

test("each branch of a parallel step whose outcome is unknown is asked for, also when another one has paused the saga", async () => {
  const ran: string[] = [];
  const definition = saga("s", 1)
    .parallel("all", (branch) => {
      const work = (name: string) => () => {
        ran.push(name);
        if (ran.length <= 2) throw lost();
        return "ran";
      };
      return {
        a: branch(work("a"), { onUnknown: "manual" }),
        b: branch(work("b"), { check: () => ({ output: "found" }) }),
      };
    })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.run((await own.worker.take()) as never).catch(() => {});
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "paused", error: { code: "SAGA_UNKNOWN_OUTCOME" } });
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect((await own.info(id)).status).toBe("completed");
  expect(ran).toEqual(["a", "b", "a"]);
});

test("a `check` that fails is asked again, as often as the step is tried, and the step does not run before", async () => {
  let ran = 0;
  let asked = 0;
  let isDown = true;
  const definition = saga("s", 1)
    .pivot()
    .call(
      "work",
      () => {
        ran++;
        throw lost();
      },
      {
        check: () => {
          asked++;
          if (isDown) throw new Error("down");
          return { output: "found" };
        },
      },
    )
    .build();
  await using own = await bench(definition, { maxRetries: 2 });
  const id = await own.start();
  await own.worker.run((await own.worker.take()) as never).catch(() => {});
  await own.pass(20_000);
  expect([(await own.info(id)).status, ran, asked]).toEqual(["paused", 1, 3]);
  isDown = false;
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect([(await own.info(id)).status, ran, asked]).toEqual(["completed", 1, 4]);
});

test("a `check` that returns neither an output nor null pauses the saga, and the step does not run again", async () => {
  let ran = 0;
  const work = (): never => {
    ran++;
    throw lost();
  };
  for (const answer of [{ done: false }, undefined, true]) {
    const definition = saga("s", 1)
      .call("work", work, { check: () => answer as never })
      .build();
    await using own = await bench(definition);
    const id = await own.start();
    await own.worker.run((await own.worker.take()) as never).catch(() => {});
    await own.worker.runAll();
    const { status, error } = await own.info(id);
    expect([status, error?.message]).toEqual([
      "paused",
      'saga: `check` of the step "work" returns { output } if the step took effect, or null if it did not',
    ]);
  }
  expect(ran).toBe(3);
});

test("a step does not run once its time has passed in `check`", async () => {
  const clock = virtualClock();
  const asked = Promise.withResolvers<void>();
  const found = Promise.withResolvers<null>();
  let ran = 0;
  const definition = saga("s", 1)
    .call(
      "work",
      () => {
        ran++;
        throw lost();
      },
      {
        timeoutMs: 1000,
        check: () => {
          asked.resolve();
          return found.promise;
        },
      },
    )
    .build();
  await using own = await bench(definition, {}, { clock });
  const id = await own.start();
  await own.worker.run((await own.worker.take()) as never).catch(() => {});
  const turn = own.worker.run((await own.worker.take()) as never);
  await asked.promise;
  await clock.advance(1000);
  await turn;
  found.resolve(null);
  await new Promise(setImmediate);
  expect(ran).toBe(1);
  expect((await own.info(id)).steps).toMatchObject([
    { status: "started", error: { code: "SAGA_STEP_TIMEOUT" } },
  ]);
});

const lost = (): Error => Object.assign(new Error("lost"), { code: "DURABLE_LOST" });

test("failures of machinery never count, and a saga whose workers are lost again and again is paused", async () => {
  let losses = 0;
  const definition = saga("s", 1)
    .call("deadly", () => {
      losses++;
      throw lost();
    })
    .build();
  await using own = await bench(definition, { maxRetries: 0 });
  const id = await own.start();
  await own.loseWorkers();
  expect(losses).toBe(10);
  expect(await own.info(id)).toMatchObject({ status: "paused", error: { code: "SAGA_WORKERS_LOST" } });
});

test("a saga whose workers are lost again and again in an undo is stuck, until an operator decides", async () => {
  let losses = 0;
  let isDeadly = true;
  const definition = saga("s", 1)
    .call("first", () => 1, {
      undo: () => {
        losses++;
        if (isDeadly) throw lost();
      },
    })
    .call("second", () => {
      throw new SagaReject("no");
    })
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.loseWorkers();
  expect(losses).toBe(10);
  expect(await own.info(id)).toMatchObject({ status: "stuck", error: { code: "SAGA_WORKERS_LOST" } });
  isDeadly = false;
  await own.worker.runner.retry(id, because);
  await own.worker.runAll();
  expect([(await own.info(id)).status, losses]).toEqual(["compensated", 11]);
});

test("a worker that froze in a step cannot write once another one has taken over", async () => {
  const { promise: frozen, resolve: thaw } = Promise.withResolvers<void>();
  const effects: string[] = [];
  const made = (who: string, waits: Promise<void> | null) =>
    saga("s", 1)
      .call("one", async ({ idempotencyKey }) => {
        await waits;
        effects.push(`${who} ${idempotencyKey.split(":")[1]}`);
        return who;
      })
      .call("two", () => who)
      .build();
  await using own = await bench(made("zombie", frozen));
  const id = await own.start();
  const zombie = own.worker.run((await own.worker.take()) as never);
  await own.worker2(made("heir", null)).runAll();
  thaw();
  await expect(zombie).rejects.toMatchObject({ code: "SAGA_STALE" });
  expect(effects).toEqual(["heir one", "zombie one"]);
  expect((await own.info(id)).steps.map(({ output }) => output)).toEqual(["heir", "heir"]);
});

test("a worker that froze cannot write from the moment on when another one has claimed the saga, before that one writes anything", async () => {
  const { promise: frozen, resolve: thaw } = Promise.withResolvers<void>();
  const definition = saga("s", 1)
    .call("one", () => frozen)
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  const zombie = own.worker.run((await own.worker.take()) as never);
  const heir = (await own.worker2().take()) as never;
  thaw();
  await expect(zombie).rejects.toMatchObject({ code: "SAGA_STALE" });
  expect((await own.info(id)).steps.map(({ status }) => status)).toEqual(["started"]);
  await own.worker.run(heir);
  expect((await own.info(id)).status).toBe("completed");
});

test("a change by an old state of a saga is refused, whoever holds it", async () => {
  const definition = saga("s", 1)
    .call("one", () => 1)
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  const { store } = own.worker;
  const read = await store.load(store.db, id);
  if (read === null) throw new Error("no such saga");
  await store.db.transaction((tx) => store.change(tx, read, { event: "begin" }));
  const again = store.db.transaction((tx) => store.change(tx, read, { event: "pause" }));
  await expect(again).rejects.toMatchObject({ code: "SAGA_STALE" });
  const illegal = store.db.transaction((tx) => store.change(tx, read, { event: "restore" }));
  await expect(illegal).rejects.toMatchObject({ code: "SAGA_ILLEGAL" });
});

test("a list of steps that was changed without a new version is not run", async () => {
  const definition = saga("s", 1)
    .call("one", () => 1)
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  const changed = own.worker2(
    saga("s", 1)
      .call("zero", () => 0)
      .call("one", () => 1)
      .build(),
  );
  await expect(changed.runAll()).rejects.toMatchObject({ code: "SAGA_CHANGED" });
  expect((await own.info(id)).status).toBe("ready");
});

test("an output that cannot be stored is a programming error", async () => {
  const definition = saga("s", 1)
    .call("big", () => "x".repeat(1_100_000))
    .tx("odd", () => 1n)
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({ status: "paused", error: { code: "SAGA_BAD_VALUE" } });
  await own.worker.runner.skip(id, because);
  await own.worker.runAll();
  expect(await own.info(id)).toMatchObject({
    status: "paused",
    position: 1,
    error: { code: "SAGA_BAD_VALUE" },
  });
});

test("of the branches of a parallel step only those that failed are repeated", async () => {
  const ran: string[] = [];
  const run =
    (name: string, failures: number) =>
    ({ attempt }: { readonly attempt: number }) => {
      ran.push(`${name} ${attempt}`);
      if (attempt <= failures) throw new Error("later");
      return name;
    };
  const definition = saga("s", 1)
    .parallel("all", (branch) => ({ a: branch(run("a", 0)), b: branch(run("b", 2)), c: branch(run("c", 1)) }))
    .build();
  await using own = await bench(definition);
  const id = await own.start();
  await own.pass(5000);
  expect(ran).toEqual(["a 1", "b 1", "c 1", "b 2", "c 2", "b 3"]);
  expect((await own.info(id)).status).toBe("completed");
});

test.each([
  [new SagaReject("no"), "reject"],
  [new TypeError("x is undefined"), "bug"],
  [
    new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) }),
    "transient",
  ],
  [new RangeError("x"), "bug"],
  [new Error("503"), "transient"],
  ["text", "transient"],
  [Object.assign(new Error("gone"), { name: "DatabaseUnavailableError" }), "machinery"],
  [Object.assign(new Error("?"), { name: "CommitUnknownError" }), "machinery"],
  [lost(), "machinery"],
  [Object.assign(new Error("stop"), { name: "AbortError" }), "transient"],
])("%s is classified as %s %s", (error, kind) => {
  expect(failureClass(error)).toBe(kind);
});

test("a step's retry with one field has the others of the configuration", async () => {
  let attempts = 0;
  const definition = saga("s", 1)
    .call(
      "flaky",
      () => {
        attempts++;
        throw new Error("down");
      },
      { retry: { jitter: 0 } },
    )
    .build();
  await using own = await bench(definition, { maxRetries: 4 });
  await own.start();
  await own.worker.runAll();
  await own.time.advance(900);
  await own.worker.runAll();
  expect(attempts).toBe(1); // the first delay is 1 s
  await own.pass(30_000);
  expect(attempts).toBe(5);
});

test("a decision without a reason and a list with a bad status are refused with a code", async () => {
  await using own = await bench(saga("s", 1).sleep("1h").build());
  const id = await own.start();
  const { runner } = own.worker;
  const refused = { code: "SAGA_NOT_POSSIBLE" };
  for (const verb of ["cancel", "retry", "skip", "settle"] as const)
    await expect(runner[verb](id, {} as never)).rejects.toMatchObject(refused);
  await expect(runner.list({ status: "x" as never })).rejects.toMatchObject(refused);
});
