import { randomUUID } from "node:crypto";
import { askPostgres } from "./postgres.ts";

/** Name of a PostgreSQL schema that tests use one after the other; disposal drops it. */
export interface SharedSchema extends AsyncDisposable {
  readonly name: string;
  /** Empties its tables, but not those of migrations. */
  clear(): Promise<void>;
}

/** A schema for tables that a program creates with many migrations: tests that share it run them once. */
export const sharedSchema = (server: string): SharedSchema => {
  const name = `shared_${randomUUID().replaceAll("-", "")}`;
  // TRUNCATE would create new files.
  const clearing = `DO $$ DECLARE one text; BEGIN
    FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = '${name}' AND tablename NOT LIKE '%migration%'
    LOOP EXECUTE format('DELETE FROM ${name}.%I', one); END LOOP; END $$`;
  return {
    name,
    clear: () => askPostgres(server, clearing),
    [Symbol.asyncDispose]: () => askPostgres(server, `DROP SCHEMA IF EXISTS ${name} CASCADE`),
  };
};
