// Contract tests for commits with an unknown outcome, for SQLite and PostgreSQL.
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
  runStarted,
  TABLE,
  totalOf,
} from "../counters.test-kit.ts";
import { type CqrsConfig } from "../index.ts";

const one = { name: "a", amount: 1 };
const summary = async (call: Promise<unknown>): Promise<unknown[]> => {
  const { status, code, extras } = await failureOf(call);
  return [status, code, extras?.["outcome"]];
};

/** Decides whether a transaction commits: `run` runs and commits it. */
type Commit = (run: () => Promise<unknown>, signal: AbortSignal) => Promise<unknown>;

/** Wraps a database so that `commit` controls the transactions of commands, recognised by `retries: 0`. */
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

const runOnDatabase = async (
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
    await runStarted(app, () => run(app, db));
  } finally {
    await db.close();
  }
};

export const unknownOutcomes: PortContract<TestDatabase> = portContract<TestDatabase>("unknown outcomes", {
  "a commit without a reply at the time limit has an unknown outcome": async (storage) => {
    const clock = virtualClock();
    const committing = Promise.withResolvers<void>();
    const hang = async (run: () => Promise<unknown>, signal: AbortSignal): Promise<never> => {
      await run();
      committing.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      throw new CommitUnknownError(new Error("no reply in time"));
    };
    const run = async (app: CounterApp): Promise<void> => {
      const call = summary(app.cqrs.execute(Add, one, { idempotencyKey: "k" }));
      await committing.promise;
      await clock.advance(5000);
      assert.deepEqual(await call, [504, "CQRS_TIMEOUT", "unknown"]);
    };
    await runOnDatabase(storage, hang, run, { clock });
  },

  "a connection lost during the commit: with a key, a retry determines whether it was committed": async (
    storage,
  ) => {
    let loseNext = "committed";
    const lose = async (run: () => Promise<unknown>): Promise<unknown> => {
      const how = loseNext;
      loseNext = "none";
      if (how === "none") return run();
      if (how === "committed") await run();
      throw new CommitUnknownError(new Error("the connection broke"));
    };
    await runOnDatabase(storage, lose, async (app) => {
      const committed = await app.cqrs.execute(Add, one, { idempotencyKey: "k-1" });
      assert.deepEqual(committed, { value: { total: 1 }, token: null, isReplay: false });
      loseNext = "rolled back";
      const rolledBack = await app.cqrs.execute(Add, one, { idempotencyKey: "k-2" });
      assert.deepEqual(rolledBack, { value: { total: 2 }, token: null, isReplay: false });
      assert.equal((await app.cqrs.execute(Add, one, { idempotencyKey: "k-2" })).isReplay, true);
    });
  },

  "a connection lost during the commit: without a key, the outcome is unknown, and the command is not retried":
    async (storage) => {
      const lose = async (run: () => Promise<unknown>): Promise<unknown> => {
        await run();
        throw new CommitUnknownError(new Error("the connection broke"));
      };
      await runOnDatabase(storage, lose, async (app, db) => {
        assert.deepEqual(await summary(app.cqrs.execute(Add, one)), [503, "CQRS_OUTCOME_UNKNOWN", "unknown"]);
        assert.equal(await totalOf({ db } as never, "a"), 1);
      });
    },

  "with a key, the outcome is reported as unknown if it cannot be determined": async (storage) => {
    const lose = async (): Promise<unknown> => {
      throw new CommitUnknownError(new Error("the connection broke"));
    };
    await runOnDatabase(storage, lose, async (app) => {
      const call = app.cqrs.execute(Add, one, { idempotencyKey: "k" });
      assert.deepEqual(await summary(call), [503, "CQRS_OUTCOME_UNKNOWN", "unknown"]);
    });
  },
});
