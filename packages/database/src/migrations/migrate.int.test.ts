import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withServer } from "@framework/services";
import { expect, test } from "@jest/globals";
import { type Database, type DatabaseConfig, migrate, openDatabase, sql } from "../index.ts";
import { databaseInSchema } from "../testing.ts";
import { migrationSets } from "./migration-sets.test-kit.ts";

withServer("postgres", (url) => {
  /** A separate schema, and a folder of migrations. */
  const setUp = async (files: Readonly<Record<string, string>>) => {
    const schema = await databaseInSchema(url);
    const folder = mkdtempDisposableSync(join(tmpdir(), "migrations-"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
    const opened: Database[] = [];
    const open = (config: Partial<DatabaseConfig> = {}) => {
      const db = openDatabase({ url: schema.url, ...config });
      opened.push(db);
      return db;
    };
    const close = async (): Promise<void> => {
      await Promise.all(opened.map((db) => db.close()));
      await schema[Symbol.asyncDispose]();
      folder.remove();
    };
    return { directory: folder.path, open, [Symbol.asyncDispose]: close };
  };

  test("a migration may take longer than the limits for requests, and concurrent runs wait for it", async () => {
    await using s = await setUp({
      "0001-slow.up.sql": "CREATE TABLE books (id INTEGER);\nSELECT pg_sleep(1.5);",
    });
    const config = { answerTimeoutSecs: 0.3, statementTimeoutMs: 200, connectionTimeoutSecs: 60 };
    const { directory } = s;
    const steps = await Promise.all([1, 2, 3].map(() => migrate(s.open(config), { directory })));
    expect(steps.map(({ length }) => length).reduce((sum, length) => sum + length)).toBe(1);
    const limited = s.open(config).transaction((tx) => tx.query("SELECT pg_sleep(30)"), { timeoutSecs: 0.5 });
    await expect(limited).rejects.toMatchObject({ reason: "the transaction took longer than 0.5 s" });
  });

  test("a failed statement is reported with its file, its line and the line itself", async () => {
    const text = "CREATE TABLE a (n INTEGER);\n\nCREATE TABLE b (\n  n INTEGER,\n  name NOTYPE\n);";
    await using s = await setUp({ "0001-two.up.sql": text });
    const { directory } = s;
    await expect(migrate(s.open(), { directory })).rejects.toThrow(
      /0001-two\.up\.sql:5: type "notype" does not exist; nothing was changed\n {2}5 \| {3}name NOTYPE$/,
    );
    expect(await s.open().fetchValue("SELECT to_regclass('a')")).toBe(null);
  });

  test("bodies of functions run whole, and a file that commits is refused before it runs", async () => {
    const body = "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 2; END $$;";
    const atomic = "CREATE FUNCTION g() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 3; END;";
    await using s = await setUp({ "0001-functions.up.sql": `${body}\n${atomic}` });
    const { directory } = s;
    const db = s.open();
    await migrate(db, { directory });
    expect(await db.fetchOne("SELECT f(), g()")).toEqual({ f: 2, g: 3 });
    writeFileSync(join(directory, "0002-half.up.sql"), "CREATE TABLE half (n INTEGER);\nCOMMIT;\nSELEKT");
    await expect(migrate(db, { directory })).rejects.toMatchObject({ code: "DATABASE_BAD_MIGRATIONS" });
    expect(await db.fetchValue("SELECT to_regclass('half')")).toBe(null);
  });

  test("statements after a comment that ends with a carriage return run", async () => {
    await using s = await setUp({
      "0001-two.up.sql": "-- note by Bob\rCREATE TABLE a (n INTEGER);\r-- and\rCREATE TABLE b (n INTEGER);",
    });
    const db = s.open();
    await migrate(db, { directory: s.directory });
    expect(await db.query("SELECT * FROM a, b")).toEqual([]);
  });

  test("a file with an unclosed comment is rejected, even if nested comments in it are closed", async () => {
    await using s = await setUp({
      "0001-two.up.sql": "CREATE TABLE a (n INTEGER); /* b /* nested */\nCREATE TABLE b (n INTEGER);",
    });
    const db = s.open();
    await expect(migrate(db, { directory: s.directory })).rejects.toMatchObject({
      code: "DATABASE_BAD_MIGRATIONS",
    });
    expect(await db.fetchValue("SELECT to_regclass('a')")).toBe(null);
  });

  migrationSets(test, async () => {
    const s = await setUp({});
    return Object.assign(s.open(), { [Symbol.asyncDispose]: s[Symbol.asyncDispose] });
  });

  test("a run without pending steps needs no right to create tables", async () => {
    await using s = await setUp({});
    const migrations = [{ number: 1, name: "one", up: "CREATE TABLE one (n INTEGER)" }];
    const db = s.open({ poolSize: 1 });
    await migrate(db, { set: "tasks", migrations });
    const role = `reader_${process.pid}`;
    const schema = await db.fetchValue<string>("SELECT current_schema()");
    const [reader, schemaName] = [sql.identifier(role), sql.identifier(schema ?? "")];
    await db.execute`CREATE ROLE ${reader} LOGIN`;
    await db.execute`GRANT USAGE ON SCHEMA ${schemaName} TO ${reader}`;
    await db.execute`GRANT SELECT ON ALL TABLES IN SCHEMA ${schemaName} TO ${reader}`;
    const own = new URL(url);
    own.searchParams.set("options", `-c search_path=${schema} -c role=${role}`);
    const limited = openDatabase({ url: own.href });
    expect(await migrate(limited, { set: "tasks", migrations })).toEqual([]);
    const more = [...migrations, { number: 2, name: "two", up: "CREATE TABLE two (n INTEGER)" }];
    await expect(migrate(limited, { set: "tasks", migrations: more })).rejects.toThrow("permission denied");
    await limited.close();
    await db.execute`DROP OWNED BY ${reader}`;
    await db.execute`DROP ROLE ${reader}`;
  });
});
