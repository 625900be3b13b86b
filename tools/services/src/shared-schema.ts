import { randomUUID } from "node:crypto";
import { queryPostgres } from "./postgres.ts";

/** A PostgreSQL schema that tests use sequentially; disposal drops it. */
export interface SharedSchema extends AsyncDisposable {
  readonly name: string;
  /** Deletes the rows of its tables, except the tables of migrations. */
  clear(): Promise<void>;
}

/** Returns a schema for tables that a program creates with many migrations, which tests that share it run only once. */
export const sharedSchema = (server: string): SharedSchema => {
  const name = `shared_${randomUUID().replaceAll("-", "")}`;
  // DELETE instead of TRUNCATE, which would create new files.
  const clearing = `DO $$ DECLARE one text; BEGIN
    FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = '${name}' AND tablename NOT LIKE '%migration%'
    LOOP EXECUTE format('DELETE FROM ${name}.%I', one); END LOOP; END $$`;
  return {
    name,
    clear: () => queryPostgres(server, clearing),
    [Symbol.asyncDispose]: () => queryPostgres(server, `DROP SCHEMA IF EXISTS ${name} CASCADE`),
  };
};
