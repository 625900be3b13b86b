// Tests outbox and inbox when the process dies at any statement, on every database. Above 250 lines, because crashing processes and checks share much state.
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

/** Process ids on one host: earlier processes are known to have ended. */
let lastPid = 0;
const nextPlace = (): (() => Place) => {
  const pid = ++lastPid;
  return () => ({ id: "host", pid, started: null, isGone: (other) => other < pid });
};

/** Feature `durable` with a kernel of the test. */
const kernelFeature = (kernel: OwnKernel): Feature<Pick<DurableMethods, "durable">> => ({
  name: "durable",
  install({ life }) {
    life.onStart({ name: "durable", run: () => kernel.start() });
    life.onDrain((deadline) => kernel.drain(deadline));
    life.onStop({ name: "durable", run: () => kernel.stop() });
    const methods = { kernel } as unknown as DurableMethods["durable"]; // features use only this member
    return {
      get durable() {
        return methods;
      },
    };
  },
});

type Process = App & MessagingMethods;
type Enable = (app: Process) => void;

/** Runs a process on a database: starts it, works, and always stops it. A dead process drains nothing. */
const runProcess = async (
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

/** Creates a broker that outlives the processes and records sent messages. A dead process sends nothing. */
const recordingBroker = (
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
        await tx.execute`INSERT INTO committed_numbers (number) VALUES (${number})`;
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

const numbersIn = async (
  db: Database,
  table: "committed_numbers" | "effects",
): Promise<readonly number[]> => {
  const order = table === "effects" ? "ORDER BY place" : "";
  const rows = await db.query<{ number: number }>(`SELECT number FROM ${table} ${order}`);
  return Array.from(rows, ({ number }) => number);
};

/** Columns that number rows in the order of insertion; PostgreSQL reuses the storage order of deleted rows. */
const rowNumber = { sqlite: "INTEGER", postgres: "BIGINT GENERATED ALWAYS AS IDENTITY" } as const;

const sorted = (numbers: readonly number[]): readonly number[] => numbers.toSorted((a, b) => a - b);
const firstOfEach = (numbers: readonly number[]): readonly number[] => [...new Set(numbers)];

const emptyTables = async (db: Database): Promise<void> => {
  for (const table of ["committed_numbers", "effects", "framework_work", "framework_inbox"])
    await db.execute(`DELETE FROM ${table}`).catch(() => {}); // tables do not exist before the first process
};

const isWorkDone = async (db: Database): Promise<boolean> =>
  (await db.fetchValue("SELECT count(*) FROM framework_work")) === 0;

const until = (isTrue: () => boolean | Promise<boolean>): Promise<unknown> =>
  waitFor(isTrue, { timeoutMs: 60_000, intervalMs: 2 });

/** With `FRAMEWORK_CRASHES=all` processes also die before each statement, which doubles the time. */
const isLong = process.env["FRAMEWORK_CRASHES"] === "all";

/** Counts the statements of a start, which need no crash here: the tests of durable crash there. The first start creates the tables, and is not counted. */
const statementsOfStart = async (db: Database, enable: Enable): Promise<number> => {
  await runProcess(db, enable, async () => {});
  const counting = faultingDatabase(db);
  let startStatements = 0;
  await runProcess(counting, enable, async () => void (startStatements = counting.statements));
  await counting.close();
  return startStatements;
};

/** Result of a crash that the stride skips: the search for the last statement continues. */
const skippedCrash = { isDead: true } as FaultingDatabase;

interface Scenario {
  /** Configures a process. */
  readonly enable: Enable;
  readonly work: (app: Process, db: Database) => Promise<void>;
  /** Whether all work is done. */
  readonly isDone: (db: Database) => Promise<boolean>;
  readonly check: (db: Database) => Promise<void>;
}

/** @param isDead returns whether the current process is dead */
type MakeScenario = (isDead: () => boolean) => Scenario | Promise<Scenario>;

/** Runs a scenario once for each statement at which its first process can die. */
const atEachStatement = async (
  storage: TestDatabase,
  scenario: MakeScenario,
  stride: number,
): Promise<{ readonly crashes: number }> => {
  const db = openDatabase({ url: storage.url, connectionTimeoutSecs: 30 });
  await db.execute("CREATE TABLE IF NOT EXISTS committed_numbers (number INTEGER NOT NULL)");
  await db.execute(
    `CREATE TABLE IF NOT EXISTS effects (place ${rowNumber[db.dialect]} PRIMARY KEY, number INTEGER NOT NULL)`,
  );
  const startStatements = await statementsOfStart(db, (await scenario(() => false)).enable);
  const run = async ({ at, when }: Crash): Promise<FaultingDatabase> => {
    if (at % stride !== 0) return skippedCrash;
    await emptyTables(db);
    const crashing = faultingDatabase(db, { at: startStatements + at, when });
    let isSuccessor = false;
    const { enable, work, isDone, check } = await scenario(() => crashing.isDead && !isSuccessor);
    const workUntilDone = async (app: Process): Promise<void> => {
      await work(app, crashing);
      await until(async () => crashing.isDead || (await isDone(db)));
    };
    await runProcess(crashing, enable, workUntilDone, () => crashing.isDead).catch((error: unknown) => {
      if (!crashing.isDead) throw error;
    });
    await crashing.close();
    isSuccessor = true;
    await runProcess(db, enable, async () => void (await until(() => isDone(db))));
    await check(db);
    return crashing;
  };
  const crashes = await crashAtEachStatement(run, isLong ? {} : { when: "after" });
  await db.close();
  return { crashes };
};

/** The outbox: an external broker receives all committed messages. */
const outboxScenario = (isDead: () => boolean): Scenario => {
  const { adapter, sent } = recordingBroker(isDead);
  return {
    enable: (app) => app.enableMessaging({ broker: adapter, outbox: true, drainMs: 20 }),
    work: program,
    isDone: isWorkDone,
    async check(db) {
      const got = sent.map(({ id }) => Number(id));
      expect(firstOfEach(got)).toEqual(sorted(await numbersIn(db, "committed_numbers"))); // all committed numbers, in order
      for (const number of got) expect(got.filter((each) => each === number).length).toBeLessThanOrEqual(2);
    },
  };
};

/** Adds a subscription that writes effects, with the inbox. */
const subscribeEffects = (app: Process): void => {
  const options = { group: "search", order: "key", dedupe: "inbox", retry } as const;
  app.messaging.subscribe("books", options, async ({ id }, { tx }) => {
    await tx.execute`INSERT INTO effects (number) VALUES (${Number(id)})`;
  });
};

/** The broker on the database, with the inbox. */
const databaseScenario = (): Scenario => ({
  enable(app) {
    app.enableMessaging({ drainMs: 20 });
    subscribeEffects(app);
  },
  work: program,
  isDone: isWorkDone,
  async check(db) {
    expect(await numbersIn(db, "effects")).toEqual(sorted(await numbersIn(db, "committed_numbers")));
  },
});

/** The inbox on an external broker, which redelivers unsettled messages. */
const inboxScenario = async (): Promise<Scenario> => {
  const broker = memoryBroker();
  const sender = new (App.with(messaging))().enableMessaging({ broker });
  await sender.start({ log: quiet });
  for (const id of ["1", "2", "3"]) await sender.messaging.send("books", { type: "t", id, key: "k" });
  await sender.stop();
  return {
    enable(app) {
      app.enableMessaging({ broker, drainMs: 20 });
      subscribeEffects(app);
    },
    work: async () => {},
    isDone: async (db) => (await numbersIn(db, "effects")).length === 3,
    check: async (db) => expect(await numbersIn(db, "effects")).toEqual([1, 2, 3]),
  };
};

/**
 * Registers the facts for one kind of database.
 *
 * @param stride crashes at every nth statement
 */
export const crashPointFacts = (
  test: typeof jestTest.concurrent,
  make: () => TestDatabase | Promise<TestDatabase>,
  stride = 1,
): void => {
  const fact = (name: string, scenario: MakeScenario, threshold: number): void =>
    test(
      name,
      async () => {
        await using storage = await make();
        const { crashes } = await atEachStatement(storage, scenario, stride);
        expect(crashes).toBeGreaterThan(threshold);
      },
      600_000, // PostgreSQL at every statement takes minutes
    );

  fact(
    "outbox: if the process dies at any statement, committed messages are sent in order, and no others",
    outboxScenario,
    15,
  );
  fact(
    "inbox: if the process dies at any statement, each message takes effect once, in order",
    inboxScenario,
    8,
  );
  fact(
    "on the database: if the process dies at any statement, committed messages take effect once, in order",
    databaseScenario,
    15,
  );
};
