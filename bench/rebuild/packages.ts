/** The measured packages, loaded from their sources, and `pg`. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
import { createRequire } from "node:module";

export { type Database, openDatabase } from "../../packages/database/src/index.ts";
export { openEventStore, type Projection, projection } from "../../packages/event-sourcing/src/index.ts";
export { startPostgres } from "../../tools/services/src/postgres.ts";

/** The used part of a `pg` client. */
export interface BareClient {
  connect(): Promise<unknown>;
  query<Row>(
    statement: string | { readonly name: string; readonly text: string; readonly values: readonly unknown[] },
  ): Promise<{ readonly rows: readonly Row[] }>;
  end(): Promise<void>;
}

const requireFromDatabase = createRequire(new URL("../../packages/database/package.json", import.meta.url));

/** `pg` in the version of `@framework/database`. */
export const loadPg = (): {
  readonly Client: new (options: { readonly connectionString: string }) => BareClient;
} => requireFromDatabase("pg") as ReturnType<typeof loadPg>;
