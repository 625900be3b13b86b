// Above 250 lines because it is one list: the contract of SQLite and PostgreSQL databases.
import assert from "node:assert/strict";
import { portContract, type PortContract } from "@framework/core/testing";
import { waitFor } from "@framework/testing";
import { type Database, type DatabaseError, sql } from "./index.ts";

const table =
  "CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, year INTEGER CHECK (year > 0))";

const withBooks = async (db: Database): Promise<void> => void (await db.execute(table));

const failure = async (act: () => Promise<unknown>): Promise<DatabaseError> => {
  try {
    await act();
  } catch (error) {
    return error as DatabaseError;
  }
  throw new Error("expected an error");
};

/** Copies rows into objects of this realm. */
const plain = (rows: readonly object[]): object[] => Array.from(rows, (row) => ({ ...row }));

const titles = async (db: Database): Promise<string[]> =>
  Array.from(await db.query<{ title: string }>("SELECT title FROM books ORDER BY id"), ({ title }) => title);

const all = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const seen: T[] = [];
  for await (const row of rows) seen.push(row);
  return seen;
};

const add = (id: number, title = `book ${id}`) => sql`INSERT INTO books (id, title) VALUES (${id}, ${title})`;

export const databaseContract: PortContract<Database> = portContract<Database>("database", {
  "statements return rows, the first row, the first value or the number of changes": async (db) => {
    await withBooks(db);
    assert.deepEqual(
      await db.execute`INSERT INTO books VALUES (${1}, ${"Dune"}, ${1965}), (${2}, ${"Emma"}, ${null})`,
      { changes: 2 },
    );
    assert.deepEqual(plain(await db.query("SELECT * FROM books ORDER BY id")), [
      { id: 1, title: "Dune", year: 1965 },
      { id: 2, title: "Emma", year: null },
    ]);
    assert.equal((await db.fetchAll`SELECT * FROM books WHERE id > ${1}`).length, 1);
    assert.deepEqual({ ...(await db.fetchOne`SELECT title FROM books WHERE id = ${1}`) }, { title: "Dune" });
    assert.equal(await db.fetchOne`SELECT title FROM books WHERE id = ${7}`, null);
    assert.equal(await db.fetchValue<number>`SELECT count(*) FROM books`, 2);
    assert.equal(await db.fetchValue`SELECT id FROM books WHERE id = ${7}`, null);
    assert.deepEqual(await db.execute("UPDATE books SET year = $2 WHERE id = $1", [2, 1815]), { changes: 1 });
    assert.deepEqual(await db.execute("DELETE FROM books WHERE id = 9"), { changes: 0 });
    assert.equal(await db.fetchValue`INSERT INTO books (id, title) VALUES (3, ${"It"}) RETURNING id`, 3);
  },

  "fetchOne returns the first row after the whole statement has run": async (db) => {
    await withBooks(db);
    for (const id of [1, 2, 3]) await db.execute(add(id));
    const big = 9_007_199_254_740_993n;
    assert.deepEqual(
      { ...(await db.fetchOne`SELECT id, CAST(${big} AS BIGINT) AS big FROM books ORDER BY id`) },
      { id: 1, big },
    );
    assert.equal(await db.fetchValue`SELECT id FROM books ORDER BY id DESC`, 3);
    await db.fetchOne`UPDATE books SET year = ${1965} RETURNING id`;
    assert.equal(await db.fetchValue<number>`SELECT count(*) FROM books WHERE year = ${1965}`, 3);
    await db.transaction(async (tx) => {
      await tx.fetchValue`DELETE FROM books WHERE id > ${1} RETURNING id`;
    });
    assert.deepEqual(await titles(db), ["book 1"]);
  },

  "a parameter may occur repeatedly and in any order, and $1 in quotes or comments is text": async (db) => {
    const row = await db.fetchOne(
      "SELECT CAST($2 AS TEXT) AS b, CAST($1 AS TEXT) AS a, CAST($2 AS TEXT) AS c, '$1' AS t -- $3",
      ["x", "y"],
    );
    assert.deepEqual({ ...row }, { b: "y", a: "x", c: "y", t: "$1" });
  },

  "a statement can be embedded in another statement": async (db) => {
    await withBooks(db);
    for (const id of [1, 2, 3]) await db.execute(add(id));
    const where = sql.join([sql`id > ${1}`, sql`title <> ${"book 3"}`], " AND ");
    assert.equal(
      await db.fetchValue`SELECT id FROM ${sql.identifier("books")} WHERE ${where} AND id IN (${sql.list([1, 2, 3])})`,
      2,
    );
    const odd = 'odd " name';
    await db.execute`CREATE TABLE ${sql.identifier(odd)} (${sql.identifier("select")} INTEGER)`;
    assert.equal(await db.fetchValue`SELECT count(*) FROM ${sql.identifier(odd)}`, 0);
  },

  "hostile text is stored unchanged": async (db) => {
    await withBooks(db);
    const hostile = [
      "'; DROP TABLE books; --",
      '"',
      "\\",
      "$1",
      "?1",
      "%_",
      "\u{1F600}\u0301",
      "a\r\nb",
      "x".repeat(100_000),
    ];
    for (const [id, title] of hostile.entries()) await db.execute(add(id, title));
    assert.deepEqual(await titles(db), hostile);
  },

  "an unsupported parameter is refused before the statement is sent": async (db) => {
    const bad: unknown[] = [
      undefined,
      {},
      () => 1,
      Number.NaN,
      Infinity,
      new Date(Number.NaN),
      "a\0b",
      2n ** 63n,
      Symbol.iterator,
    ];
    for (const value of bad) {
      assert.equal(
        (await failure(() => db.query("SELECT $1", [value as string]))).code,
        "DATABASE_BAD_VALUE",
      );
      assert.equal(
        (await failure(async () => await db.query`SELECT ${value as string}`)).code,
        "DATABASE_BAD_VALUE",
      );
    }
  },

  "integers are exact, as bigint beyond the range of number": async (db) => {
    await db.execute("CREATE TABLE numbers (n BIGINT)");
    const numbers = [
      0,
      -1,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
      2n ** 53n,
      2n ** 63n - 1n,
      -(2n ** 63n),
    ];
    for (const n of numbers) {
      await db.execute("DELETE FROM numbers");
      await db.execute`INSERT INTO numbers VALUES (${n})`;
      assert.equal(await db.fetchValue("SELECT n FROM numbers"), n);
    }
  },

  "bytes, fractions and null are stored unchanged": async (db) => {
    await db.execute(
      `CREATE TABLE things (b ${db.dialect === "sqlite" ? "BLOB" : "BYTEA"}, f DOUBLE PRECISION, t TEXT)`,
    );
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
    await db.execute`INSERT INTO things VALUES (${bytes}, ${0.1}, ${null})`;
    const row = await db.fetchOne<{ b: Uint8Array; f: number; t: null }>("SELECT * FROM things");
    assert.deepEqual([...(row?.b ?? [])], [...bytes]);
    assert.deepEqual([row?.f, row?.t], [0.1, null]);
  },

  "errors of violated constraints and of syntax have their kinds": async (db) => {
    await withBooks(db);
    await db.execute(add(1, "Dune"));
    const kinds = [
      (await failure(() => db.execute(add(2, "Dune")))).kind,
      (await failure(() => db.execute("INSERT INTO books (id) VALUES (3)"))).kind,
      (await failure(() => db.execute("INSERT INTO books VALUES (4, 'x', -1)"))).kind,
      (await failure(() => db.execute("SELEKT"))).kind,
    ];
    assert.deepEqual(kinds, ["unique", "not-null", "check", "syntax"]);
    assert.deepEqual(await titles(db), ["Dune"]);
  },

  "a transaction commits and resolves to the function's result": async (db) => {
    await withBooks(db);
    const value = await db.transaction(async (tx) => {
      await tx.execute(add(1));
      await tx.script(
        "INSERT INTO books (id, title) VALUES (2, 'two'); INSERT INTO books (id, title) VALUES (3, 'three')",
      );
      return await tx.fetchValue<number>("SELECT count(*) FROM books");
    });
    assert.equal(value, 3);
    assert.equal((await titles(db)).length, 3);
  },

  "an error rolls the transaction back and is rethrown": async (db) => {
    await withBooks(db);
    const fault = new Error("mine");
    assert.equal(
      await failure(() =>
        db.transaction(async (tx) => {
          await tx.execute(add(1));
          throw fault;
        }),
      ),
      fault,
    );
    assert.deepEqual(await titles(db), []);
    await db.execute(add(1));
  },

  "a nested transaction rolls back only its own changes": async (db) => {
    await withBooks(db);
    await db.transaction(async (tx) => {
      await tx.execute(add(1));
      const inner = tx.transaction(async (deep) => {
        await deep.execute(add(2));
        await deep.transaction((deeper) => deeper.execute(add(3)));
        await deep.execute(add(1));
      });
      assert.equal((await failure(() => inner)).kind, "unique");
      await tx.transaction((deep) => deep.execute(add(4)));
    });
    assert.deepEqual(await titles(db), ["book 1", "book 4"]);
  },

  "other callers do not see uncommitted changes, and their statements do not join the transaction": async (
    db,
  ) => {
    await withBooks(db);
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const transaction = db.transaction(async (tx) => {
      await tx.execute(add(1));
      begun.resolve();
      await end.promise;
      throw new Error("undo");
    });
    await begun.promise;
    const outside = db.execute(add(2));
    end.resolve();
    await failure(() => transaction);
    await outside;
    assert.deepEqual(await titles(db), ["book 2"]);
  },

  "an ended transaction refuses statements": async (db) => {
    await withBooks(db);
    let leaked: { execute(text: string): Promise<unknown> } | null = null;
    let deep: { execute(text: string): Promise<unknown> } | null = null;
    await db.transaction(async (tx) => {
      leaked = tx;
      await tx.transaction(async (inner) => {
        deep = inner;
      });
      assert.equal(
        (await failure(async () => await deep?.execute("SELECT 1"))).code,
        "DATABASE_TRANSACTION_OVER",
      );
    });
    assert.equal(
      (await failure(async () => await leaked?.execute("SELECT 1"))).code,
      "DATABASE_TRANSACTION_OVER",
    );
  },

  "a read-only transaction refuses to write": async (db) => {
    await withBooks(db);
    await failure(() => db.transaction((tx) => tx.execute(add(1)), { readOnly: true }));
    await db.execute(add(2));
    assert.deepEqual(await titles(db), ["book 2"]);
  },

  "an idle transaction is rolled back at its timeout, and other callers continue": async (db) => {
    await withBooks(db);
    const [holdsRow, stuck] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const transaction = db.transaction(async (tx) => {
      await tx.execute(add(1));
      holdsRow.resolve();
      await stuck.promise;
      await tx.execute(add(2));
    });
    const failed = failure(() => transaction);
    await holdsRow.promise;
    await db.execute(add(1, "other"));
    stuck.resolve();
    assert.equal((await failed).code, "DATABASE_TRANSACTION_IDLE");
    assert.deepEqual(await titles(db), ["other"]);
  },

  "a stream whose signal has aborted yields no row, and throws the signal's reason": async (db) => {
    const reason = new Error("enough");
    const rows: unknown[] = [];
    for (const statement of [sql`SELECT 1 AS n`, sql`SELECT 1 AS n WHERE 1 = 2`]) {
      const read = async (): Promise<void> => {
        for await (const row of db.until(AbortSignal.abort(reason)).stream(statement)) rows.push(row);
      };
      await assert.rejects(read(), (error) => error === reason);
    }
    assert.deepEqual(rows, []);
  },

  "an aborted signal rolls the transaction back, which rejects with the signal's reason": async (db) => {
    await withBooks(db);
    const stop = new AbortController();
    const reason = new Error("the client has gone");
    const transaction = db.transaction(
      async (tx) => {
        await tx.execute(add(1));
        stop.abort(reason);
        await tx.execute(add(2));
      },
      { signal: stop.signal },
    );
    assert.equal(await failure(() => transaction), reason);
    assert.equal(await failure(() => db.transaction(async () => {}, { signal: stop.signal })), reason);
    assert.equal(await failure(() => db.until(stop.signal).query("SELECT 1")), reason);
    assert.deepEqual(await titles(db), []);
  },

  "a stream yields every row once, in order, with any batch size": async (db) => {
    await withBooks(db);
    await db.transaction(async (tx) => {
      for (let id = 1; id <= 250; id++) await tx.execute(add(id));
    });
    for (const batchSize of [1, 7, 250, 10_000]) {
      const seen: number[] = [];
      for await (const { id } of db.stream<{ id: number }>(
        sql`SELECT id FROM books WHERE id > ${0} ORDER BY id`,
        { batchSize },
      ))
        seen.push(id);
      assert.deepEqual(
        seen,
        Array.from({ length: 250 }, (_, n) => n + 1),
      );
    }
  },

  "leaving a stream early frees its connection, and a failed stream throws its error": async (db) => {
    await withBooks(db);
    for (let id = 1; id <= 20; id++) await db.execute(add(id));
    for (let turn = 0; turn < 30; turn++) {
      for await (const _row of db.stream(sql`SELECT * FROM books`, { batchSize: 2 })) break;
    }
    const failed = await failure(async () => {
      for await (const _row of db.stream(sql`SELECT * FROM nowhere`));
    });
    assert.equal(failed.kind, "syntax");
    await db.execute(add(21));
    assert.equal((await titles(db)).length, 21);
  },

  "a stream in a transaction sees its changes": async (db) => {
    await withBooks(db);
    const seen = await db.transaction(async (tx) => {
      await tx.execute(add(1));
      return await all(tx.stream<{ id: number }>(sql`SELECT id FROM books`));
    });
    assert.deepEqual(
      seen.map((row) => ({ ...row })),
      [{ id: 1 }],
    );
  },

  "a notification reaches every listener, unless its transaction is rolled back": async (db) => {
    const seen: string[] = [];
    const end = await db.listen("news", (payload) => seen.push(payload));
    await db.listen("other", () => seen.push("wrong"));
    await db.notify("news", "one");
    await failure(() =>
      db.transaction(async (tx) => {
        await tx.notify("news", "never");
        throw new Error("undo");
      }),
    );
    await db.transaction(async (tx) => {
      const nested = tx.transaction(async (inner) => {
        await inner.notify("news", "never");
        throw new Error("undo");
      });
      assert.equal((await failure(() => nested)).message, "undo");
      await tx.transaction((inner) => inner.notify("news", "two"));
    });
    await waitFor(() => seen.length >= 2, { subject: "both notifications" });
    assert.deepEqual(seen, ["one", "two"]);
    const ended = new AbortController();
    await db.listen("news", () => seen.push("after its signal"), { signal: ended.signal });
    ended.abort();
    await db.notify("news", "last");
    await waitFor(() => seen.includes("last"), { subject: "the notification after an abort" });
    assert.deepEqual(seen, ["one", "two", "last"]);
    await end();
    await db.notify("news", "three");
    await db.query("SELECT 1");
    assert.deepEqual(seen, ["one", "two", "last"]);
    assert.equal((await failure(() => db.notify("no good"))).code, "DATABASE_BAD_NOTIFICATION");
    assert.equal(
      (await failure(() => db.notify("news", "x".repeat(8000)))).code,
      "DATABASE_BAD_NOTIFICATION",
    );
    assert.equal((await failure(() => db.notify("news", 5 as never))).code, "DATABASE_BAD_NOTIFICATION");
  },

  "callbacks run after the outermost commit, and not after a rollback": async (db) => {
    await withBooks(db);
    const seen: string[] = [];
    const note = (text: string) => () => void seen.push(text);
    await db.transaction(async (tx) => {
      tx.onCommit(note("first"));
      await tx.transaction(async (inner) => {
        inner.onCommit(note("nested"));
        const undone = inner.transaction(async (deep) => {
          deep.onCommit(note("rolled back"));
          throw new Error("undo");
        });
        await failure(() => undone);
      });
      tx.onCommit(note("last"));
      await tx.execute(add(1));
      assert.deepEqual(seen, []);
    });
    assert.deepEqual(seen, ["first", "nested", "last"]);
    await failure(() =>
      db.transaction(async (tx) => {
        tx.onCommit(note("failed"));
        await tx.execute(add(1));
      }),
    );
    assert.deepEqual(seen, ["first", "nested", "last"]);
  },

  "100 increments in transactions, 10 at a time, lose no update": async (db) => {
    await db.execute("CREATE TABLE counter (n INTEGER)");
    await db.execute("INSERT INTO counter VALUES (0)");
    let called = 0;
    const increment = () =>
      db.transaction(
        async (tx) => {
          tx.onCommit(() => void called++); // once, even if the transaction runs again
          const n = (await tx.fetchValue<number>("SELECT n FROM counter")) ?? 0;
          await tx.execute`UPDATE counter SET n = ${n + 1}`;
        },
        { isolation: "serializable", retries: 20 },
      );
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 10 }, increment));
    assert.equal(await db.fetchValue("SELECT n FROM counter"), 100);
    assert.equal(called, 100);
  },

  "a closed database refuses statements and listeners": async (db) => {
    await db.query("SELECT 1");
    await db.close();
    await db.close();
    const uses = [
      () => db.query("SELECT 1"),
      () => db.transaction(async () => {}),
      () => db.stream(sql`SELECT 1`).next(),
      () => db.listen("news", () => {}),
    ];
    for (const use of uses) assert.equal((await failure(use)).code, "DATABASE_CLOSED");
  },
});
