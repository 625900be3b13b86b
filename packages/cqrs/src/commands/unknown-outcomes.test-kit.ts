// Facts about commits whose outcome is unknown, the same on both kinds of database.
import assert from "node:assert/strict";
import type { ConfigInput } from "@framework/core/feature";
import { portContract, type PortContract } from "@framework/core/testing";
import {
  CommitUnknownError,
  type Database,
  openDatabase,
  type TransactionOptions,
} from "@framework/database";
import type { TestDatabase } from "@framework/database/testing";
import { virtualClock } from "@framework/testing";
import {
  Add,
  add,
  type CounterApp,
  counterAppOn,
  failureOf,
  started,
  TABLE,
  totalOf,
} from "../counters.test-kit.ts";
import { type CqrsConfig } from "../index.ts";

const one = { name: "a", amount: 1 };
const summary = async (call: Promise<unknown>): Promise<unknown[]> => {
  const { status, code, extras } = await failureOf(call);
  return [status, code, extras?.["outcome"]];
};

/** Decides about commits: gets a transaction that commits when it is run. */
type Commit = (run: () => Promise<unknown>, signal: AbortSignal) => Promise<unknown>;

/** A database that lets `commit` decide about the transactions of commands, which alone run without retries of the database. */
const withCommits = (db: Database, commit: Commit): Database =>
  Object.create(db, {
    transaction: {
      value: (run: never, options: TransactionOptions = {}) => {
        const { retries, signal } = options;
        const transact = () => db.transaction(run, options);
        return retries === 0 && signal !== undefined ? commit(transact, signal) : transact();
      },
    },
  }) as Database;

const onDatabase = async (
  { url }: TestDatabase,
  commit: Commit,
  run: (app: CounterApp, db: Database) => Promise<void>,
  config: ConfigInput<CqrsConfig> = {},
): Promise<void> => {
  const db = openDatabase({ url, poolSize: 3 });
  await db.execute(TABLE);
  const app = counterAppOn(withCommits(db, commit), config);
  app.cqrs.handle(Add, async ({ name, amount }, { tx }) => ({ total: await add(tx, name, amount) }));
  try {
    await started(app, () => run(app, db));
  } finally {
    await db.close();
  }
};

export const unknownOutcomes: PortContract<TestDatabase> = portContract<TestDatabase>("unknown outcomes", {
  "a commit without an answer at the limit has an unknown outcome": async (place) => {
    const clock = virtualClock();
    const committing = Promise.withResolvers<void>();
    const hang = async (run: () => Promise<unknown>, signal: AbortSignal): Promise<never> => {
      await run();
      committing.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      throw new CommitUnknownError(new Error("no answer in time"));
    };
    const run = async (app: CounterApp): Promise<void> => {
      const call = summary(app.cqrs.execute(Add, one, { idempotencyKey: "k" }));
      await committing.promise;
      await clock.advance(5000);
      assert.deepEqual(await call, [504, "CQRS_TIMEOUT", "unknown"]);
    };
    await onDatabase(place, hang, run, { clock });
  },

  "a connection that breaks in the commit: with a key the command finds out whether it was committed": async (
    place,
  ) => {
    let loseNext = "committed";
    const lose = async (run: () => Promise<unknown>): Promise<unknown> => {
      const how = loseNext;
      loseNext = "none";
      if (how === "none") return run();
      if (how === "committed") await run();
      throw new CommitUnknownError(new Error("the connection broke"));
    };
    await onDatabase(place, lose, async (app) => {
      const committed = await app.cqrs.execute(Add, one, { idempotencyKey: "k-1" });
      assert.deepEqual(committed, { value: { total: 1 }, token: null, isReplay: false });
      loseNext = "rolled back";
      const rolledBack = await app.cqrs.execute(Add, one, { idempotencyKey: "k-2" });
      assert.deepEqual(rolledBack, { value: { total: 2 }, token: null, isReplay: false });
      assert.equal((await app.cqrs.execute(Add, one, { idempotencyKey: "k-2" })).isReplay, true);
    });
  },

  "a connection that breaks in the commit: without a key the outcome is unknown, and nothing runs again":
    async (place) => {
      const lose = async (run: () => Promise<unknown>): Promise<unknown> => {
        await run();
        throw new CommitUnknownError(new Error("the connection broke"));
      };
      await onDatabase(place, lose, async (app, db) => {
        assert.deepEqual(await summary(app.cqrs.execute(Add, one)), [503, "CQRS_OUTCOME_UNKNOWN", "unknown"]);
        assert.equal(await totalOf({ db } as never, "a"), 1);
      });
    },

  "a key whose outcome stays unknown says so": async (place) => {
    const lose = async (): Promise<unknown> => {
      throw new CommitUnknownError(new Error("the connection broke"));
    };
    await onDatabase(place, lose, async (app) => {
      const call = app.cqrs.execute(Add, one, { idempotencyKey: "k" });
      assert.deepEqual(await summary(call), [503, "CQRS_OUTCOME_UNKNOWN", "unknown"]);
    });
  },
});
