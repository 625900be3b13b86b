// Sagas whose worker dies at any statement, on every database.
import { type Database, openDatabase } from "@framework/database";
import {
  type Crash,
  crashAtEachStatement,
  faultingDatabase,
  type FaultingDatabase,
  type TestDatabase,
} from "@framework/database/testing";
import type { TableClock } from "@framework/durable/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { type AnySaga, saga, type SagaInfo, SagaReject } from "./index.ts";
import { ManualWorker, prepareDatabase } from "./testing/manual-worker.ts";
import { FakePaymentService } from "./testing/fake-payment-service.test-kit.ts";

/** How a saga of the test ends. */
type Ending = "completed" | "refused" | "cancelled" | "bug";
const endings: readonly Ending[] = ["completed", "refused", "cancelled", "bug"];

/** Minimum number of statements of a saga; PostgreSQL writes a change with one statement, SQLite with three. */
const MIN_STATEMENTS = { sqlite: 60, postgres: 30 };

/** Result for a crash that the stride skips: the loop continues with the next statement. */
const skippedCrash = { isDead: true } as FaultingDatabase;

/** A saga with every kind of step, whose last step causes the given ending. */
const everyKind = (payments: FakePaymentService, ending: Ending): AnySaga =>
  saga("every-kind", 1)
    .tx(
      "reserve",
      async ({ key }, tx) =>
        void (await tx.execute`INSERT INTO places (name, what) VALUES (${key}, 'reserved')`),
      {
        undo: async ({ key }, _, tx) =>
          void (await tx.execute`INSERT INTO places (name, what) VALUES (${key}, 'released')`),
      },
    )
    .call("charge", ({ idempotencyKey }) => payments.call(idempotencyKey), {
      undo: ({ idempotencyKey }) => payments.call(idempotencyKey),
    })
    .parallel("notify", (branch) => ({
      mail: branch(({ idempotencyKey }) => payments.call(idempotencyKey), {
        undo: ({ idempotencyKey }) => payments.call(idempotencyKey),
        check: ({ idempotencyKey }) => (payments.has(idempotencyKey) ? { output: "found" } : null),
      }),
      phone: branch(
        ({ idempotencyKey, attempt }) => {
          if (attempt === 1) throw new Error("the line is busy");
          return payments.call(idempotencyKey);
        },
        { undo: ({ idempotencyKey }) => payments.call(idempotencyKey) },
      ),
    }))
    .waitFor("packed")
    .sleep("1h")
    .call("ship", ({ idempotencyKey }) => {
      if (ending === "refused") throw new SagaReject("no carrier");
      if (ending === "bug") throw new TypeError("a typo");
      return payments.call(idempotencyKey);
    })
    .build();

interface Case {
  readonly db: Database;
  readonly time: TableClock;
  readonly key: string;
  readonly payments: FakePaymentService;
  readonly definition: AnySaga;
  readonly ending: Ending;
}

/** Runs a saga to its end, in one process. After a crash, another call resumes it. */
const runToEnd = async (worker: ManualWorker, { time, key, definition, ending }: Case): Promise<string> => {
  const { runner } = worker;
  const { id } = await runner.start(definition, { key }, { key });
  await worker.runAll();
  await time.advance(30_000); // the delay of the phone's second attempt
  await worker.runAll();
  await runner.deliver(definition, { key, id: "packed-1", name: "packed", data: { weight: 1 } });
  await worker.runAll();
  if (ending === "cancelled") {
    const { status } = (await runner.get(id)) as SagaInfo;
    if (status !== "compensated" && status !== "compensating" && status !== "cancelling")
      await runner.cancel(id, { reason: "the customer changed her mind" });
    await worker.runAll();
  }
  await time.advance(3_600_000);
  await worker.runAll();
  return id;
};

const clear = async (db: Database): Promise<void> => {
  for (const table of [
    "places",
    "framework_sagas",
    "framework_saga_steps",
    "framework_saga_inbox",
    "framework_saga_log",
    "framework_saga_test_runs",
  ])
    await db.execute(`DELETE FROM ${table}`);
};

const ends: Readonly<Record<Ending, SagaInfo["status"]>> = {
  completed: "completed",
  refused: "compensated",
  cancelled: "compensated",
  bug: "paused",
};

const expectEnd = async (worker: ManualWorker, id: string, one: Case): Promise<void> => {
  const { ending, payments, db, key } = one;
  const info = await worker.runner.get(id);
  expect(info?.status).toBe(ends[ending]);
  const isUndone = ends[ending] === "compensated";
  const forward = ["charge", "notify:mail", "notify:phone"].map((step) => `${id}:${step}`);
  const expectedEffects = isUndone ? [] : ending === "completed" ? [...forward, `${id}:ship`] : forward;
  expect(payments.net).toEqual(expectedEffects.toSorted());
  const places = await db.query<{
    what: string;
  }>`SELECT what FROM places WHERE name = ${key} ORDER BY what DESC`;
  expect(places.map(({ what }) => what)).toEqual(isUndone ? ["reserved", "released"] : ["reserved"]);
  const undos = payments.effectsInOrder.filter((effect) => effect.endsWith(":undo"));
  const backwards = ["notify:phone", "notify:mail", "charge"].map((step) => `${id}:${step}:undo`);
  expect(undos).toEqual(isUndone ? backwards : []);
};

/**
 * Declares the tests of crashes at each statement, which run on every database.
 * The worker sends its statements sequentially, so the state after each statement equals the state before the next.
 *
 * @param stride the worker dies after every `stride`-th statement
 */
export const crashFacts = (
  test: typeof jestTest,
  make: () => TestDatabase | Promise<TestDatabase>,
  { stride = 1 }: { readonly stride?: number } = {},
): void => {
  test.each(endings)(
    "after a crash at any statement, another worker brings the saga to the same end, with each effect once: %s",
    async (ending) => {
      await using storage = await make();
      const db = openDatabase({ url: storage.url, connectionTimeoutSecs: 60 });
      try {
        const time = await prepareDatabase(db);
        await db.execute("CREATE TABLE places (name TEXT NOT NULL, what TEXT NOT NULL)");
        const crashAt = (crash: Crash): Promise<FaultingDatabase> => runUntilCrash(db, time, ending, crash);
        const crashed = await crashAtEachStatement(
          (crash) => (crash.at % stride === 0 ? crashAt(crash) : Promise.resolve(skippedCrash)),
          { when: "after" },
        );
        expect(crashed).toBeGreaterThan(MIN_STATEMENTS[db.dialect]);
      } finally {
        await db.close();
      }
    },
    300_000,
  );
};

const runUntilCrash = async (
  db: Database,
  time: TableClock,
  ending: Ending,
  crash: Crash,
): Promise<FaultingDatabase> => {
  await clear(db);
  const payments = new FakePaymentService();
  const key = "order-1";
  const definition = everyKind(payments, ending);
  const one: Case = { db, time, key, payments, definition, ending };
  const faulting = faultingDatabase(db, crash);
  await runToEnd(new ManualWorker(faulting, time, [definition]), one).catch((error: unknown) => {
    if (!faulting.isDead) throw error;
  });
  await faulting.close();
  const next = new ManualWorker(db, time, [definition]);
  const id = await runToEnd(next, one);
  await expectEnd(next, id, one);
  return faulting;
};
