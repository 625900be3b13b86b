// Contract of faulting databases, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { portContract, type PortContract } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { CommitUnknownError, type Database, DatabaseUnavailableError, sql } from "../index.ts";
import { type Crash, crashAtEachStatement, type FaultingDatabase, faultingDatabase } from "../testing.ts";
import { add, rowsAfter, scenario, scenarioStatements, table } from "./crash-scenario.test-kit.ts";

const ids = async (db: Database): Promise<readonly number[]> =>
  Array.from(await db.query<{ id: number }>("SELECT id FROM things ORDER BY id"), ({ id }) => id);

const empty = async (db: Database): Promise<void> => {
  await db.execute("DROP TABLE IF EXISTS things");
  await db.execute(table);
};

const failure = async (act: () => Promise<unknown>): Promise<DatabaseUnavailableError> => {
  try {
    await act();
  } catch (error) {
    return error as DatabaseUnavailableError;
  }
  throw new Error("expected an error");
};

/** Every way to use a database. */
const uses: readonly ((db: FaultingDatabase) => Promise<unknown>)[] = [
  (db) => db.query`INSERT INTO things VALUES (${91}) RETURNING id`,
  (db) => db.fetchAll("INSERT INTO things VALUES (92) RETURNING id"),
  (db) => db.fetchOne("INSERT INTO things VALUES (93) RETURNING id"),
  (db) => db.fetchValue("INSERT INTO things VALUES (94) RETURNING id"),
  (db) => db.execute(add(95)),
  (db) => db.until(new AbortController().signal).execute(add(96)),
  (db) => db.transaction((tx) => tx.execute(add(97))),
  (db) => db.stream(sql`SELECT 1`).next(),
  (db) => db.notify("news"),
  (db) => db.listen("news", () => {}),
];

export const crashes: PortContract<Database> = portContract<Database>("faulting database", {
  "the database fails at each statement once, and keeps only the changes that were committed before": async (
    db,
  ) => {
    const count = await crashAtEachStatement(async (crash) => {
      await empty(db);
      const faulting = faultingDatabase(db, crash);
      const outcome = scenario(faulting);
      if (crash.at > scenarioStatements.length) await outcome;
      else {
        const text = scenarioStatements[crash.at - 1];
        const { message, reason, cause } = await failure(() => outcome);
        const why = reason ?? (cause as DatabaseUnavailableError).reason;
        assert.equal(why, `the process was killed ${crash.when} statement ${crash.at}: ${text}`, message);
        assert.equal(faulting.statements, crash.at);
      }
      await faulting.close();
      assert.deepEqual(await ids(db), rowsAfter(crash));
      return faulting;
    });
    assert.equal(count, 2 * scenarioStatements.length);
  },

  "no kind of call sends a statement after the fault": async (db) => {
    await empty(db);
    const faulting = faultingDatabase(db, { at: 3, when: "after" });
    let usesInTransaction: (() => Promise<unknown>)[] = [];
    const transaction = faulting.transaction(async (tx) => {
      usesInTransaction = [
        () => tx.execute(add(81)),
        () => tx.script("INSERT INTO things VALUES (82)"),
        () => tx.transaction((inner) => inner.execute(add(83))),
        () => tx.notify("news"),
        () => tx.stream(sql`SELECT 1`).next(),
        async () => tx.onCommit(() => {}),
      ];
      await tx.execute(add(1));
      await tx.execute(add(2)).catch(() => {});
      for (const use of usesInTransaction) assert.match((await failure(use)).reason, /after statement 3/);
    });
    assert.match((await failure(() => transaction)).reason, /after statement 3/);
    for (const use of uses) assert.match((await failure(() => use(faulting))).reason, /after statement 3/);
    for (const use of usesInTransaction) assert.match((await failure(use)).reason, /after statement 3/);
    assert.equal(faulting.statements, 3);
    assert.equal(faulting.isDead, true);
    assert.deepEqual(await ids(db), []);
  },

  "every open transaction is rolled back at the fault, even if its function still waits": async (db) => {
    await empty(db);
    const faulting = faultingDatabase(db, { at: 3 });
    const hanging = faulting.transaction(async (tx) => {
      await tx.execute(add(1));
      await new Promise(() => {});
    });
    await waitFor(() => faulting.statements === 2);
    assert.match((await failure(() => faulting.query("SELECT 1"))).reason, /before statement 3: SELECT 1/);
    await faulting.close();
    await db.execute(add(1)); // its lock is free
    assert.match((await failure(() => hanging)).reason, /before statement 3/);
  },

  "a commit at the fault has an unknown outcome, and its callbacks do not run": async (db) => {
    for (const when of ["before", "after"] as const) {
      await empty(db);
      const faulting = faultingDatabase(db, { at: 3, when });
      let called = 0;
      const transaction = faulting.transaction(async (tx) => {
        tx.onCommit(() => void called++);
        await tx.execute(add(1));
      });
      assert.ok((await failure(() => transaction)) instanceof CommitUnknownError);
      assert.deepEqual([called, await ids(db)], [0, when === "after" ? [1] : []]);
    }
  },

  "a fault within a nested transaction ends the outer one, even if its error is caught": async (db) => {
    await empty(db);
    const faulting = faultingDatabase(db, { at: 4 });
    const transaction = faulting.transaction(async (tx) => {
      await tx.execute(add(1));
      await tx.transaction((inner) => inner.execute(add(2))).catch(() => {});
      return "done";
    });
    assert.match((await failure(() => transaction)).reason, /before statement 4/);
    assert.deepEqual(await ids(db), []);
  },

  "listeners get nothing after the fault": async (db) => {
    const heard: string[] = [];
    const faulting = faultingDatabase(db, { at: 3 });
    await faulting.listen("news", (payload) => heard.push(`faulting ${payload}`));
    await db.listen("news", (payload) => heard.push(payload));
    await faulting.notify("news", "one");
    await waitFor(() => heard.length === 2);
    await failure(() => faulting.query("SELECT 1"));
    await db.notify("news", "two");
    await waitFor(() => heard.includes("two"));
    assert.deepEqual(heard.toSorted(), ["faulting one", "one", "two"]);
  },

  "a stream counts as one statement, and ends at the fault": async (db) => {
    await empty(db);
    for (const id of [1, 2, 3]) await db.execute(add(id));
    const rows = sql`SELECT id FROM things ORDER BY id`;
    const failing = (crash: Crash) => failure(() => faultingDatabase(db, crash).stream(rows).next());
    assert.match((await failing({ at: 1, when: "before" })).reason, /before statement 1: SELECT id/);
    assert.match((await failing({ at: 1, when: "after" })).reason, /after statement 1: SELECT id/);
    const faulting = faultingDatabase(db, { at: 2 });
    const seen: unknown[] = [];
    const read = async (): Promise<void> => {
      for await (const { id } of faulting.stream<{ id: number }>(rows, { batchSize: 1 })) {
        seen.push(id);
        if (id === 2) await failure(() => faulting.query("SELECT 1"));
      }
    };
    assert.match((await failure(read)).reason, /before statement 2/);
    assert.deepEqual(seen, [1, 2]);
  },

  "without a fault, statements are only counted": async (db) => {
    await empty(db);
    const counting = faultingDatabase(db);
    await scenario(counting);
    assert.deepEqual([counting.statements, counting.isDead], [scenarioStatements.length, false]);
    await counting.close();
    assert.equal((await failure(() => counting.query("SELECT 1"))).code, "DATABASE_CLOSED");
    assert.deepEqual(await ids(db), rowsAfter({ at: 99, when: "before" }));
  },

  "crashAtEachStatement finds an operation that a crash leaves half done": async (db) => {
    const half = crashAtEachStatement(async (crash) => {
      await empty(db);
      const faulting = faultingDatabase(db, crash);
      const both = async (): Promise<void> => {
        await faulting.execute(add(1));
        await faulting.execute(add(2));
      };
      await both().catch(() => {});
      assert.notEqual((await ids(db)).length, 1);
      return faulting;
    });
    assert.match((await failure(() => half)).message, /^with a crash before statement 2: /);
  },

  "crashAtEachStatement refuses an operation with no or too many statements, and tests only the requested moment":
    async (db) => {
      const loop = (statements: number, options: { when?: "after" } = {}) =>
        crashAtEachStatement(
          async (crash) => {
            const faulting = faultingDatabase(db, crash);
            const run = async (): Promise<void> => {
              for (let n = 0; n < statements; n++) await faulting.query("SELECT 1");
            };
            await run().catch(() => {});
            return faulting;
          },
          { maxStatements: 5, ...options },
        );
      assert.match((await failure(() => loop(0))).message, /got no statement/);
      assert.match((await failure(() => loop(6))).message, /more than 5 statements; raise maxStatements/);
      assert.equal(await loop(5), 10);
      assert.equal(await loop(5, { when: "after" }), 5);
    },
});
