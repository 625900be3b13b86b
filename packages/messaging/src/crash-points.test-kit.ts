// Above 250 lines because the processes that die and the world that judges them are one: what outbox and inbox leave when the process dies at any statement, on every database.
import { App } from "@framework/core";
import { type Feature } from "@framework/core/feature";
import { openDatabase, type Database } from "@framework/database";
import {
  type Crash,
  crashAtEachStatement,
  type FaultingDatabase,
  faultingDatabase,
  type TestDatabase,
} from "@framework/database/testing";
import type { DurableMethods } from "@framework/durable";
import { createKernel, type OwnKernel, type Place } from "@framework/durable/feature";
import { waitFor } from "@framework/testing";
import { expect, type test as jestTest } from "@jest/globals";
import { type BrokerAdapter, type OutgoingMessage } from "./adapter.ts";
import { memoryBroker, messaging, type MessagingMethods } from "./index.ts";

const quiet = { info() {}, warn() {}, error() {} };
const retry = { quickTries: 100, quickDelayMs: 1, delaysMs: [], jitter: 0 };

/** Processes of one host: a later one knows that the earlier ones are gone. */
let lastPid = 0;
const nextPlace = (): (() => Place) => {
  const pid = ++lastPid;
  return () => ({ id: "host", pid, started: null, isGone: (other) => other < pid });
};

/** Composes messaging with a kernel on a database of the test's own. */
const kernelFeature = (kernel: OwnKernel): Feature<Pick<DurableMethods, "durable">> => ({
  name: "durable",
  install({ life }) {
    life.onStart({ name: "durable", run: () => kernel.start() });
    life.onDrain((deadline) => kernel.drain(deadline));
    life.onStop({ name: "durable", run: () => kernel.stop() });
    const programs = { kernel } as unknown as DurableMethods["durable"]; // the only member that features use
    return {
      get durable() {
        return programs;
      },
    };
  },
});

type Process = App & MessagingMethods;
type Enable = (app: Process) => void;

/** Runs a process on a database: starts it, does some work, and ends it, whatever fails; one that is dead drains nothing. */
const live = async (
  db: Database,
  enable: Enable,
  work: (app: Process) => Promise<void>,
  isDead: () => boolean = () => false,
): Promise<void> => {
  const config = { pollMinMs: 10, pollMaxMs: 50 };
  const kernel = createKernel(db, { config, place: nextPlace(), log: quiet });
  const app = new (App.with(kernelFeature(kernel), messaging))();
  enable(app);
  try {
    await app.start({ log: quiet });
    await work(app);
  } finally {
    if (isDead()) {
      await kernel.drain(AbortSignal.abort());
      await kernel.stop();
    }
    await app.stop().catch(() => {});
  }
};

/** A broker that outlives the processes, and what it was sent; a process that has died in the meantime sends nothing. */
const recorded = (
  isDead: () => boolean,
): { readonly adapter: BrokerAdapter; readonly sent: OutgoingMessage[] } => {
  const inner = memoryBroker();
  const sent: OutgoingMessage[] = [];
  const open: BrokerAdapter["open"] = (context) => {
    const broker = inner.open(context);
    return {
      ...broker,
      producer: {
        async send(messages, options) {
          await new Promise(setImmediate);
          if (isDead())
            return messages.map(() => ({ ok: false, error: new Error("killed"), isRetryable: true }));
          sent.push(...messages);
          return await broker.producer.send(messages, options);
        },
      },
    };
  };
  return { adapter: { ...inner, open }, sent };
};

const send = (app: Process, db: Database, numbers: readonly number[], isUndone = false): Promise<unknown> =>
  db
    .transaction(async (tx) => {
      for (const number of numbers) {
        await tx.execute`INSERT INTO ledger (number) VALUES (${number})`;
        await app.messaging.send("books", { type: "t", id: String(number), key: "k" }, { tx });
      }
      if (isUndone) throw new Error("undone");
    })
    .catch(() => {});

const program = async (app: Process, db: Database): Promise<void> => {
  await send(app, db, [1]);
  await send(app, db, [100], true);
  await send(app, db, [2, 3]);
};

const numbersIn = async (db: Database, table: "ledger" | "effects"): Promise<readonly number[]> => {
  const order = table === "effects" ? "ORDER BY place" : "";
  const rows = await db.query<{ number: number }>(`SELECT number FROM ${table} ${order}`);
  return Array.from(rows, ({ number }) => number);
};

/** Columns that count rows in the order of their insertion; PostgreSQL itself reuses the places of deleted rows. */
const counted = { sqlite: "INTEGER", postgres: "BIGINT GENERATED ALWAYS AS IDENTITY" } as const;

const sorted = (numbers: readonly number[]): readonly number[] => numbers.toSorted((a, b) => a - b);
const firstOfEach = (numbers: readonly number[]): readonly number[] => [...new Set(numbers)];

const emptied = async (db: Database): Promise<void> => {
  for (const table of ["ledger", "effects", "framework_work", "framework_inbox"])
    await db.execute(`DELETE FROM ${table}`).catch(() => {}); // the first process has created none yet
};

const isWorkDone = async (db: Database): Promise<boolean> =>
  (await db.fetchValue("SELECT count(*) FROM framework_work")) === 0;

const until = (holds: () => boolean | Promise<boolean>): Promise<unknown> =>
  waitFor(holds, { timeoutMs: 60_000, intervalMs: 2 });

/** Whether every process dies before each statement too, as `FRAMEWORK_CRASHES=all` asks: twice the time. */
const isLong = process.env["FRAMEWORK_CRASHES"] === "all";

/** Statements of a process until it has started, which the tests of durable crash at. The first one also creates the tables. */
const statementsOfStart = async (db: Database, enable: Enable): Promise<number> => {
  await live(db, enable, async () => {});
  const counting = faultingDatabase(db);
  let atStart = 0;
  await live(counting, enable, async () => void (atStart = counting.statements));
  await counting.close();
  return atStart;
};

/** A crash that a stride leaves out: the search for the last statement goes on after it. */
const passedOver = { isDead: true } as FaultingDatabase;

interface Scenario {
  /** Configures a process. `db` is the database as this process has it. */
  readonly enable: Enable;
  readonly work: (app: Process, db: Database) => Promise<void>;
  /** Whether nothing is left to do. */
  readonly isDone: (db: Database) => Promise<boolean>;
  readonly check: (db: Database) => Promise<void>;
}

/** @param isDead whether the process that works now is dead */
type MakeScenario = (isDead: () => boolean) => Scenario | Promise<Scenario>;

/** Runs a scenario once for each statement that its first process may die at. */
const atEachStatement = async (
  place: TestDatabase,
  scenario: MakeScenario,
  stride: number,
): Promise<{ readonly crashes: number }> => {
  const db = openDatabase({ url: place.url, connectionTimeoutSecs: 30 });
  await db.execute("CREATE TABLE IF NOT EXISTS ledger (number INTEGER NOT NULL)");
  await db.execute(
    `CREATE TABLE IF NOT EXISTS effects (place ${counted[db.dialect]} PRIMARY KEY, number INTEGER NOT NULL)`,
  );
  const atStart = await statementsOfStart(db, (await scenario(() => false)).enable);
  const run = async ({ at, when }: Crash): Promise<FaultingDatabase> => {
    if (at % stride !== 0) return passedOver;
    await emptied(db);
    const doomed = faultingDatabase(db, { at: atStart + at, when });
    let isSuccessor = false;
    const { enable, work, isDone, check } = await scenario(() => doomed.isDead && !isSuccessor);
    const process = async (app: Process): Promise<void> => {
      await work(app, doomed);
      await until(async () => doomed.isDead || (await isDone(db)));
    };
    await live(doomed, enable, process, () => doomed.isDead).catch((error: unknown) => {
      if (!doomed.isDead) throw error;
    });
    await doomed.close();
    isSuccessor = true;
    await live(db, enable, async () => void (await until(() => isDone(db))));
    await check(db);
    return doomed;
  };
  const crashes = await crashAtEachStatement(run, isLong ? {} : { when: "after" });
  await db.close();
  return { crashes };
};

/** The outbox: a broker elsewhere gets what was committed. */
const outboxScenario = (isDead: () => boolean): Scenario => {
  const { adapter, sent } = recorded(isDead);
  return {
    enable: (app) => app.enableMessaging({ broker: adapter, outbox: true, drainMs: 20 }),
    work: program,
    isDone: isWorkDone,
    async check(db) {
      const got = sent.map(({ id }) => Number(id));
      expect(firstOfEach(got)).toEqual(sorted(await numbersIn(db, "ledger"))); // all, in order, and nothing undone
      for (const number of got) expect(got.filter((each) => each === number).length).toBeLessThanOrEqual(2);
    },
  };
};

/** Adds a subscription that has an effect, with the inbox. */
const subscribed = (app: Process): void => {
  const options = { group: "search", order: "key", dedupe: "inbox", retry } as const;
  app.messaging.subscribe("books", options, async ({ id }, { tx }) => {
    await tx.execute`INSERT INTO effects (number) VALUES (${Number(id)})`;
  });
};

/** The broker on the database, with the inbox: sending, claiming, effect and end are all in the database. */
const databaseScenario = (): Scenario => ({
  enable(app) {
    app.enableMessaging({ drainMs: 20 });
    subscribed(app);
  },
  work: program,
  isDone: isWorkDone,
  async check(db) {
    expect(await numbersIn(db, "effects")).toEqual(sorted(await numbersIn(db, "ledger")));
  },
});

/** The inbox on a broker elsewhere, which delivers again what was not settled. */
const inboxScenario = async (): Promise<Scenario> => {
  const broker = memoryBroker();
  const sender = new (App.with(messaging))().enableMessaging({ broker });
  await sender.start({ log: quiet });
  for (const id of ["1", "2", "3"]) await sender.messaging.send("books", { type: "t", id, key: "k" });
  await sender.stop();
  return {
    enable(app) {
      app.enableMessaging({ broker, drainMs: 20 });
      subscribed(app);
    },
    work: async () => {},
    isDone: async (db) => (await numbersIn(db, "effects")).length === 3,
    check: async (db) => expect(await numbersIn(db, "effects")).toEqual([1, 2, 3]),
  };
};

/**
 * Registers the facts for one kind of database.
 *
 * @param stride distance between two of the statements that a process dies at: 1 is every one
 */
export const crashPointFacts = (
  test: typeof jestTest.concurrent,
  make: () => TestDatabase | Promise<TestDatabase>,
  stride = 1,
): void => {
  const fact = (name: string, scenario: MakeScenario, least: number): void =>
    test(
      name,
      async () => {
        await using place = await make();
        const { crashes } = await atEachStatement(place, scenario, stride);
        expect(crashes).toBeGreaterThan(least);
      },
      600_000, // PostgreSQL at every statement takes minutes
    );

  fact(
    "outbox: whichever statement the process dies at, what was committed is sent, in order, and nothing that was rolled back",
    outboxScenario,
    15,
  );
  fact(
    "inbox: whichever statement the process dies at, each message has its effect once, in order",
    inboxScenario,
    8,
  );
  fact(
    "on the database: whichever statement the process dies at, what was committed has its effect once, in order",
    databaseScenario,
    15,
  );
};
