import type { SetMigration } from "@framework/database";
import { POSTGRES_TABLES } from "./postgres-tables.ts";
import { sqliteTables } from "./sqlite-tables.ts";

/** Name of the set of tables. */
export const TABLE_SET = "event-sourcing";

/** The tables of the event store. */
export const eventTables: readonly SetMigration[] = [
  { number: 1, name: "create-event-store", sqlite: sqliteTables, postgres: POSTGRES_TABLES },
];
