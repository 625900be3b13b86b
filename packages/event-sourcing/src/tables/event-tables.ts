import type { SetMigration } from "@framework/database";
import { postgresProjectionTables, sqliteProjectionTables } from "./projection-tables.ts";
import { POSTGRES_TABLES } from "./postgres-tables.ts";
import { sqliteTables } from "./sqlite-tables.ts";

/** Name of the table set. */
export const TABLE_SET = "event-sourcing";

/** The tables of the event store. */
export const eventTables: readonly SetMigration[] = [
  { number: 1, name: "create-event-store", sqlite: sqliteTables, postgres: POSTGRES_TABLES },
  {
    number: 2,
    name: "create-projections",
    sqlite: sqliteProjectionTables,
    postgres: postgresProjectionTables,
  },
];
