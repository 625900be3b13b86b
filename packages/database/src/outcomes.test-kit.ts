// Above 250 lines because it is one table: programs and their outcomes, which are the same on every database.
import assert from "node:assert/strict";
import { type Database, sql, type SqlValue, type Transaction } from "./index.ts";
import { listening } from "./listening-programs.test-kit.ts";
import { outcome, type Program } from "./program.test-kit.ts";

const add = (id: number, parent: number | null = null) =>
  sql`INSERT INTO books (id, title, parent) VALUES (${id}, ${`book ${id}`}, ${parent})`;

const message = async (act: () => Promise<unknown>): Promise<string> => {
  try {
    await act();
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

const failing = {
  unique: add(1),
  "not-null": sql`INSERT INTO books (id) VALUES (9)`,
  "foreign-key": sql`UPDATE books SET strict_parent = 77 WHERE id = 1`,
  syntax: sql`SELEKT`,
} as const;

const caught: Record<string, Program> = {};
for (const [kind, statement] of Object.entries(failing)) {
  caught[`an error of the kind ${kind} ends its transaction, even if it is caught`] = {
    run: async (db) => {
      const seen: string[] = [];
      const end = await outcome(() =>
        db.transaction(async (tx) => {
          await tx.execute(add(1));
          seen.push(await outcome(() => tx.execute(statement)));
          seen.push(await outcome(() => tx.execute(add(2))));
          seen.push(await outcome(() => tx.query("SELECT 1")));
        }),
      );
      return [...seen, end];
    },
    gives: [
      kind,
      "DATABASE_TRANSACTION_ABORTED",
      "DATABASE_TRANSACTION_ABORTED",
      "DATABASE_TRANSACTION_ABORTED",
    ],
  };
}

/** Programs with transactions. */
const transactions: Readonly<Record<string, Program>> = {
  ...caught,
  "if a transaction continues after a failed statement, its error names that statement": {
    run: (db) =>
      message(() =>
        db.transaction(async (tx) => {
          await outcome(() => tx.execute("SELECT * FROM nowhere"));
        }),
      ).then((text) => /failed: SELECT \* FROM nowhere \(.*nowhere.*\)/.test(text)),
    gives: true,
  },
  "a failed statement that is not awaited ends the transaction too": {
    run: (db) =>
      outcome(() =>
        db.transaction(async (tx) => {
          await tx.execute(add(1));
          void tx.execute(add(1)).catch(() => {});
        }),
      ),
    gives: "DATABASE_TRANSACTION_ABORTED",
  },
  "a transaction rejects with an error that its function does not catch": {
    run: (db) =>
      outcome(() =>
        db.transaction(async (tx) => {
          await tx.execute(add(1));
          await tx.execute(add(1));
        }),
      ),
    gives: "unique",
  },
  "an error caught around a nested transaction rolls back only the nested one": {
    run: (db) =>
      outcome(() =>
        db.transaction(async (tx) => {
          await tx.execute(add(1));
          await outcome(() => tx.transaction((inner) => inner.execute(add(1))));
          await tx.execute(add(2));
        }),
      ),
    gives: "ok",
    leaves: [1, 2],
  },
  "an error caught within a nested transaction ends the nested one": {
    run: async (db) => {
      let inner = "";
      const end = await outcome(() =>
        db.transaction(async (tx) => {
          await tx.execute(add(1));
          inner = await outcome(() =>
            tx.transaction(async (nested) => {
              await nested.execute(add(2));
              await outcome(() => nested.execute(add(1)));
            }),
          );
          await tx.execute(add(3));
        }),
      );
      return [inner, end];
    },
    gives: ["DATABASE_TRANSACTION_ABORTED", "ok"],
    leaves: [1, 3],
  },
  "concurrent nested transactions, and use of the outer one meanwhile, are rejected": {
    run: async (db) => {
      const seen: string[] = [];
      await db.transaction(async (tx) => {
        await tx.transaction(async (inner) => {
          seen.push(await outcome(() => tx.execute(add(1))));
          seen.push(await outcome(() => tx.transaction(async () => {})));
          await inner.execute(add(2));
        });
        await tx.execute(add(3));
      });
      return seen;
    },
    gives: ["DATABASE_TRANSACTION_NESTED", "DATABASE_TRANSACTION_NESTED"],
    leaves: [2, 3],
  },
  "a transaction that leaves a nested one running is refused": {
    run: async (db) => {
      const stuck = Promise.withResolvers<void>();
      let inner = Promise.resolve("");
      const end = await outcome(() =>
        db.transaction(async (tx) => {
          await tx.execute(add(1));
          const begun = Promise.withResolvers<void>();
          inner = outcome(() =>
            tx.transaction(async (nested) => {
              begun.resolve();
              await stuck.promise;
              await nested.execute(add(2));
            }),
          );
          await begun.promise;
        }),
      );
      stuck.resolve();
      return [end, await inner];
    },
    gives: ["DATABASE_TRANSACTION_NESTED", "DATABASE_TRANSACTION_OVER"],
  },
  "a failed commit rolls back, and other callers can write at once": {
    run: async (db) => {
      const end = await outcome(() => db.transaction((tx) => tx.execute(add(1, 77))));
      return [
        end,
        await outcome(() => db.execute(add(2))),
        await outcome(() => db.transaction((tx) => tx.execute(add(3)))),
      ];
    },
    gives: ["foreign-key", "ok", "ok"],
    leaves: [2, 3],
  },
  "after several failed commits, the next transaction commits": {
    run: async (db) => {
      const seen: string[] = [];
      for (let round = 0; round < 3; round++)
        seen.push(await outcome(() => db.transaction((tx) => tx.execute(add(round, 77)), { retries: 0 })));
      await db.transaction((tx) => tx.execute(add(7)));
      return seen;
    },
    gives: ["foreign-key", "foreign-key", "foreign-key"],
    leaves: [7],
  },
  "a failed write ends a read-only transaction, even if its error is caught": {
    run: (db) => outcome(() => db.transaction((tx) => outcome(() => tx.execute(add(1))), { readOnly: true })),
    gives: "DATABASE_TRANSACTION_ABORTED",
  },
  "a stream that fails ends the transaction": {
    run: (db) =>
      outcome(() =>
        db.transaction(async (tx) => {
          await tx.execute(add(1));
          await outcome(async () => {
            for await (const _row of tx.stream(sql`SELECT * FROM nowhere`));
          });
        }),
      ),
    gives: "DATABASE_TRANSACTION_ABORTED",
  },
  "a stream that outlives its transaction is refused": {
    run: async (db) => {
      let rows: AsyncIterator<unknown> | null = null;
      await db.transaction(async (tx) => {
        for (const id of [1, 2, 3]) await tx.execute(add(id));
        rows = tx.stream(sql`SELECT id FROM books`, { batchSize: 1 });
        await rows.next();
      });
      const ended = rows as AsyncIterator<unknown> | null;
      return [await outcome(async () => await ended?.next()), await outcome(() => db.query("SELECT 1"))];
    },
    gives: ["DATABASE_TRANSACTION_OVER", "ok"],
    leaves: [1, 2, 3],
  },
  "a transaction whose function waits for something else ends when its signal aborts, and other callers can write at once":
    {
      run: async (db) => {
        const stop = new AbortController();
        const [begun, stuck] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        let lastUse = Promise.resolve("");
        const end = outcome(() =>
          db.transaction(
            async (tx) => {
              await tx.execute(add(1));
              lastUse = outcome(() => stuck.promise.then(() => tx.execute(add(2))));
              begun.resolve();
              await lastUse;
            },
            { signal: stop.signal },
          ),
        );
        await begun.promise;
        stop.abort({ code: "GONE" });
        const seen = [await end, await outcome(() => db.execute(add(1)))];
        stuck.resolve();
        return [...seen, await lastUse];
      },
      gives: ["GONE", "ok", "GONE"],
      leaves: [1],
    },
  "a transaction whose nested one waits for something else ends at its time limit, and other callers can write at once":
    {
      run: async (db) => {
        const stuck = Promise.withResolvers<never>();
        const end = await outcome(() =>
          db.transaction(
            async (tx) => {
              await tx.execute(add(1));
              await tx.transaction(() => stuck.promise);
            },
            { timeoutSecs: 3 },
          ),
        );
        return [end, await outcome(() => db.execute(add(1)))];
      },
      gives: ["DATABASE_TRANSACTION_TIMEOUT", "ok"],
      leaves: [1],
    },
  "a transaction that exceeds the idle timeout fails with DATABASE_TRANSACTION_IDLE, and its error has no status":
    {
      run: async (db) => {
        const [holdsRow, stuck] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const statuses: unknown[] = [];
        const run = (act: (tx: Transaction) => Promise<unknown>): Promise<string> =>
          outcome(() =>
            db
              .transaction(async (tx) => {
                await tx.execute(add(1));
                holdsRow.resolve();
                await stuck.promise;
                await act(tx);
              })
              .catch((error: unknown) => {
                statuses.push((error as { status?: number }).status);
                throw error;
              }),
          );
        const first = run((tx) => tx.execute(add(2)));
        await holdsRow.promise; // otherwise the next statement, on another connection, could run first
        await db.execute(add(1)); // waits for the rollback
        await db.execute("DELETE FROM books");
        stuck.resolve();
        const later = run(async () => {});
        return [await first, await later, statuses];
      },
      gives: ["DATABASE_TRANSACTION_IDLE", "ok", [undefined]],
      leaves: [1],
    },
};

/** Values from a request body instead of a statement. */
const fromClient = (json: string): never => JSON.parse(json) as never;

/** Statements that are refused before anything is sent: text, list of values, and code of the error. */
const refused: readonly (readonly [text: string, values: readonly SqlValue[], code: string])[] = [
  ["SELECT $1", [], "DATABASE_BAD_PARAMETERS"],
  ["SELECT 1", [1], "DATABASE_BAD_PARAMETERS"],
  ["INSERT INTO books (id, title) VALUES ($1, $2)", [1], "DATABASE_BAD_PARAMETERS"],
  ["INSERT INTO books (id, title) VALUES ($1, $2)", [1, "a", "b"], "DATABASE_BAD_PARAMETERS"],
  ["SELECT $2", [1, 2], "DATABASE_BAD_PARAMETERS"],
  ["SELECT $0", [1], "DATABASE_BAD_PARAMETERS"],
  ["SELECT 1; DELETE FROM books", [], "DATABASE_NOT_ONE_STATEMENT"],
  ["INSERT INTO books (id, title) VALUES ($1, 'a'); SELECT 1", [1], "DATABASE_NOT_ONE_STATEMENT"],
  ["", [], "DATABASE_NOT_ONE_STATEMENT"],
  [" ; -- nothing", [], "DATABASE_NOT_ONE_STATEMENT"],
  ["BEGIN", [], "DATABASE_TRANSACTION_CONTROL"],
  ["/* now */ Commit", [], "DATABASE_TRANSACTION_CONTROL"],
  ["ROLLBACK TO SAVEPOINT x", [], "DATABASE_TRANSACTION_CONTROL"],
  ["savepoint x;", [], "DATABASE_TRANSACTION_CONTROL"],
];

/** Programs with statements. */
const statements: Readonly<Record<string, Program>> = {
  "a statement with a mistake in its text or values is refused before it is sent, also in a transaction": {
    run: async (db) => {
      const seen: string[] = [];
      for (const [text, values, code] of refused) {
        const codes = [
          await outcome(() => db.query(text, values)),
          await outcome(() => db.execute(text, values)),
          await outcome(() => db.transaction((tx) => tx.fetchOne(text, values))),
        ];
        if (codes.some((each) => each !== code)) seen.push(`${text}: ${codes.join()}`);
      }
      return seen;
    },
    gives: [],
  },
  "a statement with more values than an argument list can have is refused before it is sent": {
    run: (db) => {
      const ids = Array.from({ length: 150_000 }, (_, at) => at);
      return outcome(() => db.query`SELECT id FROM books WHERE id IN (${sql.list(ids)})`);
    },
    gives: "DATABASE_BAD_PARAMETERS",
  },
  "a delete that RESTRICT refuses is an error of the kind foreign-key": {
    run: async (db) => {
      await db.execute(
        "CREATE TABLE pages (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents (id) ON DELETE RESTRICT)",
      );
      await db.execute("INSERT INTO parents VALUES (1)");
      await db.execute("INSERT INTO pages VALUES (1, 1)");
      return await outcome(() => db.execute("DELETE FROM parents"));
    },
    gives: "foreign-key",
  },
  "an error that a trigger raises is of the kind other": {
    run: async (db) => {
      for (const text of refusingTrigger[db.dialect]) await db.execute(text);
      return await outcome(() => db.execute(add(1)));
    },
    gives: "other",
  },
  "a refused statement leaves its transaction usable": {
    run: (db) =>
      outcome(() =>
        db.transaction(async (tx) => {
          await tx.execute(add(1));
          for (const [text, values] of refused) await outcome(() => tx.query(text, values));
          await tx.execute(add(2));
        }),
      ),
    gives: "ok",
    leaves: [1, 2],
  },
  "a semicolon at the end, in quotes or in comments does not start a second statement": {
    run: (db) =>
      outcome(async () => {
        await db.execute("INSERT INTO books (id, title) VALUES (1, 'a;b'); -- ; and so on");
        await db.execute(`INSERT INTO books (id, title) VALUES (2, $1) /* ; $2 */ ; `, ["b"]);
      }),
    gives: "ok",
    leaves: [1, 2],
  },
  "values from a request are not accepted as statements": {
    run: async (db) => {
      const given = [
        `["SELECT 1"]`,
        `[]`,
        `{"text":"SELECT 1","values":[],"pieces":["SELECT 1"]}`,
        "null",
        "7",
      ];
      const seen = new Set<string>();
      for (const each of given) {
        seen.add(await outcome(() => db.query(fromClient(each))));
        seen.add(await outcome(() => db.execute(fromClient(each))));
        seen.add(await outcome(() => db.transaction((tx) => tx.fetchValue(fromClient(each)))));
        seen.add(await outcome(async () => await db.stream(fromClient(each)).next()));
        seen.add(await outcome(async () => sql(fromClient(each))));
        seen.add(await outcome(async () => sql.join([fromClient(each)])));
        seen.add(await outcome(() => db.query(fromClient(each), sql`SELECT 1` as never)));
      }
      return [...seen];
    },
    gives: ["DATABASE_BAD_STATEMENT"],
  },
  "values that are not a list are rejected": {
    run: async (db) => [
      await outcome(() => db.query("SELECT $1", fromClient(`"a"`))),
      await outcome(() => db.query("SELECT $1", fromClient("1"))),
      await outcome(() => db.query("SELECT $1", ...(fromClient("[[1], [2]]") as [SqlValue[]]))),
    ],
    gives: ["DATABASE_BAD_PARAMETERS", "DATABASE_BAD_PARAMETERS", "DATABASE_BAD_PARAMETERS"],
  },
  "a script with parameters or transaction control is refused": {
    run: (db) =>
      db.transaction(async (tx) => {
        const codes = [
          await outcome(() => tx.script("INSERT INTO books (id, title) VALUES (1, 'a'); COMMIT")),
          await outcome(() => tx.script("INSERT INTO books (id, title) VALUES (2, $1)")),
        ];
        await tx.script("INSERT INTO books (id, title) VALUES (3, '$1;'); -- COMMIT;");
        return codes;
      }),
    gives: ["DATABASE_TRANSACTION_CONTROL", "DATABASE_BAD_PARAMETERS"],
    leaves: [3],
  },
  "a statement that writes runs once, even if it returns an integer beyond the range of number": {
    run: async (db) => {
      await db.execute("CREATE TABLE counters (n BIGINT)");
      const count = sql`UPDATE counters SET n = n + 1 RETURNING n`;
      return [
        await db.fetchValue`INSERT INTO counters VALUES (${2n ** 60n}) RETURNING n`,
        await db.fetchValue(count),
        await db.query(count).then((rows) => Array.from(rows, (row) => ({ ...row }))),
        await db.transaction((tx) => tx.fetchValue(count)),
        await db.execute(count),
        await db.fetchValue("SELECT count(*) FROM counters"),
        await db.fetchValue("SELECT n FROM counters"),
      ];
    },
    gives: [
      2n ** 60n,
      2n ** 60n + 1n,
      [{ n: 2n ** 60n + 2n }],
      2n ** 60n + 3n,
      { changes: 1 },
      1,
      2n ** 60n + 4n,
    ],
  },
  "a whole number is bound as an integer: stored as text it has no fraction, and it divides as an integer": {
    run: async (db) => {
      await db.execute`INSERT INTO books (id, title) VALUES (${7}, ${5})`;
      await db.execute`UPDATE books SET id = id / ${2}`;
      return await db.fetchValue("SELECT title FROM books");
    },
    gives: "5",
    leaves: [3],
  },
  "a DDL statement reports no changes, even after a statement that changed rows": {
    run: async (db) => {
      const { changes } = await db.execute(
        "INSERT INTO books (id, title) VALUES (1, 'a'), (2, 'b'), (3, 'c')",
      );
      const texts = ["CREATE TABLE more (n INTEGER)", "CREATE INDEX by_n ON more (n)", "DROP TABLE more"];
      const seen = [changes];
      for (const text of texts) seen.push((await db.execute(text)).changes);
      const ids = "WITH ids (id) AS (SELECT 3) DELETE FROM books WHERE id IN (SELECT id FROM ids)";
      return [...seen, (await db.execute(ids)).changes, (await db.execute("DELETE FROM books")).changes];
    },
    gives: [3, 0, 0, 0, 1, 2],
  },
  "if two columns have the same name, a row has the value of the second, even if it is NULL": {
    run: async (db) => {
      await db.execute("INSERT INTO parents (id) VALUES (7)");
      const joined = sql`FROM parents LEFT JOIN books ON books.parent = parents.id`;
      const seen: unknown[] = [];
      for (const statement of [sql`SELECT parents.id, books.id ${joined}`, sql`SELECT * ${joined}`]) {
        for (const row of [1, 2]) seen.push(row, (await db.fetchOne<{ id: unknown }>(statement))?.id);
        for await (const { id } of db.stream<{ id: unknown }>(statement)) seen.push(id);
      }
      return seen;
    },
    gives: [1, null, 2, null, null, 1, null, 2, null, null],
  },
  "quoted text in a nested statement is unchanged": {
    run: async (db) => {
      const inner = sql`SELECT '$1' AS literal, CAST(${"x"} AS TEXT) AS value`;
      const row =
        await db.fetchOne`SELECT CAST(${"before"} AS TEXT) AS before, inside.* FROM (${inner}) AS inside`;
      return { ...row };
    },
    gives: { before: "before", literal: "$1", value: "x" },
  },
};

const refusingTrigger: Readonly<Record<Database["dialect"], readonly string[]>> = {
  sqlite: [
    "CREATE TRIGGER no_books BEFORE INSERT ON books BEGIN SELECT RAISE(ABORT, 'the shelf is full'); END",
  ],
  postgres: [
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the shelf is full'; END $$",
    "CREATE TRIGGER no_books BEFORE INSERT ON books FOR EACH ROW EXECUTE FUNCTION refuse()",
  ],
};

const programs: Readonly<Record<string, Program>> = { ...statements, ...transactions, ...listening };

const tables = [
  "CREATE TABLE parents (id INTEGER PRIMARY KEY)",
  `CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT NOT NULL, strict_parent INTEGER REFERENCES parents (id),
    parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)`,
];

/** Runs every program of the table on its own database. `make` creates a database whose idle timeout for transactions is a few seconds. */
export const sameOutcomes = (
  test: (name: string, run: () => Promise<void>) => void,
  make: () => Promise<Database & Partial<AsyncDisposable>> | (Database & Partial<AsyncDisposable>),
): void => {
  for (const [name, { run, gives, leaves = [] }] of Object.entries(programs)) {
    test(name, async () => {
      const db = await make();
      try {
        for (const table of tables) await db.execute(table);
        assert.deepEqual(await run(db), gives);
        const left = await db.query<{ id: number }>("SELECT id FROM books ORDER BY id");
        assert.deepEqual(
          Array.from(left, ({ id }) => id), // an array of this realm, because deepEqual compares prototypes
          leaves,
        );
      } finally {
        await db.close();
        await db[Symbol.asyncDispose]?.();
      }
    });
  }
};
