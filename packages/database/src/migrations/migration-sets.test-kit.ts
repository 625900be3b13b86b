// Contract of sets of migrations, for SQLite and PostgreSQL.
import assert from "node:assert/strict";
import { portContract, type PortContract } from "@framework/core/testing";
import { type Database, migrate, type SetMigration } from "../index.ts";

const one: SetMigration = {
  number: 1,
  name: "create-tasks",
  sqlite: "CREATE TABLE tasks (id INTEGER PRIMARY KEY, only_sqlite INTEGER)",
  postgres: "CREATE TABLE tasks (id BIGINT PRIMARY KEY, only_postgres INTEGER);",
};
const two: SetMigration = {
  number: 2,
  name: "add-state",
  up: "ALTER TABLE tasks ADD COLUMN state TEXT",
  readableFrom: 1,
};
const three: SetMigration = {
  number: 3,
  name: "drop-state",
  up: "ALTER TABLE tasks DROP COLUMN state",
  readableFrom: 3,
};
const four: SetMigration = {
  number: 4,
  name: "add-note",
  up: "ALTER TABLE tasks ADD note TEXT",
  readableFrom: 3,
};

const step = (number: number, name: string) => ({ number, name, direction: "up" });

/** Migrates the set "tasks". */
const run = (db: Database, ...migrations: readonly SetMigration[]) =>
  migrate(db, { set: "tasks", migrations });

const columns = async (db: Database): Promise<readonly string[]> => {
  await db.execute("INSERT INTO tasks (id) VALUES (1)");
  return Object.keys((await db.fetchOne("SELECT * FROM tasks")) ?? {});
};

export const migrationSets: PortContract<Database> = portContract<Database>("migrations from code", {
  "migrations run once, in order, each with the SQL text for the database": async (db) => {
    assert.deepEqual(await run(db, one, two), [step(1, "create-tasks"), step(2, "add-state")]);
    assert.deepEqual(await run(db, one, two), []);
    assert.deepEqual(await run(db, one, two, three), [step(3, "drop-state")]);
    assert.deepEqual(await columns(db), ["id", `only_${db.dialect}`]);
  },

  "sets are numbered separately and share one table": async (db) => {
    const other = { number: 1, name: "create-leases", up: "CREATE TABLE leases (id INTEGER)" };
    await Promise.all([run(db, one, two), migrate(db, { set: "leases", migrations: [other] })]);
    assert.deepEqual(
      Array.from(
        await db.query(
          "SELECT set_name, number, name, readable_from FROM framework_migrations ORDER BY 1, 2",
        ),
        (row) => ({ ...row }),
      ),
      [
        { set_name: "leases", number: 1, name: "create-leases", readable_from: 1 },
        { set_name: "tasks", number: 1, name: "create-tasks", readable_from: 1 },
        { set_name: "tasks", number: 2, name: "add-state", readable_from: 1 },
      ],
    );
  },

  "an older program continues if every newer migration has a readableFrom up to its own number": async (
    db,
  ) => {
    await run(db, one, two);
    assert.deepEqual(await run(db, one), []);
    await run(db, one, two, three, four);
    assert.deepEqual(await run(db, one, two, three), []);
    await assert.rejects(run(db, one, two), {
      code: "DATABASE_MIGRATION_AHEAD",
      message:
        'migration 3 (drop-state) of the set "tasks" has run and requires a program with migration 3, but this one has only up to 2; deploy the newer version',
    });
    await assert.rejects(run(db), { code: "DATABASE_MIGRATION_AHEAD" });
  },

  "a migration without readableFrom is not readable by older code": async (db) => {
    const { readableFrom: _, ...plain } = two;
    await run(db, one, plain as SetMigration);
    await assert.rejects(run(db, one), { code: "DATABASE_MIGRATION_AHEAD" });
  },

  "a changed migration, a gap and a new migration with a lower number are refused": async (db) => {
    await run(db, one, four);
    await assert.rejects(run(db, { number: 1, name: "create-tasks", up: "SELECT 1" }, four), {
      code: "DATABASE_MIGRATION_CHANGED",
    });
    await assert.rejects(run(db, one, two, four), { code: "DATABASE_MIGRATION_MISSING" });
    await assert.rejects(run(db, four), { code: "DATABASE_MIGRATION_MISSING" });
  },

  "a failed statement undoes all steps, and is reported with set, number and line": async (db) => {
    const broken = { number: 5, name: "broken", up: "SELECT 1;\nSELEKT 2" };
    const message = /tasks\/0005-broken:2: .*\n {2}2 \| SELEKT 2/;
    await assert.rejects(run(db, one, broken), { code: "DATABASE_MIGRATION_FAILED", message });
    assert.deepEqual(await run(db, one), [step(1, "create-tasks")]);
  },

  "a dry run changes nothing": async (db) => {
    const dry = await migrate(db, { set: "tasks", migrations: [one], dryRun: true });
    assert.deepEqual(dry, [step(1, "create-tasks")]);
    await assert.rejects(db.query("SELECT * FROM framework_migrations"));
    assert.equal((await run(db, one)).length, 1);
  },

  "concurrent callers run each step once": async (db) => {
    const all = await Promise.all(Array.from({ length: 5 }, () => run(db, one, two)));
    assert.equal(all.flat().length, 2);
  },
});
