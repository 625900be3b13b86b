/** What is measured here, from its source, and `pg`, as `@framework/database` has it. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
import { createRequire } from "node:module";

export { openDatabase } from "../../packages/database/src/index.ts";
export { createKernel } from "../../packages/durable/src/feature.ts";
export { startPostgres } from "../../tools/services/src/postgres.ts";

/** The part of a `pg` pool that is used here. */
export interface BarePool {
  query(statement: {
    readonly name?: string;
    readonly text: string;
    readonly values?: readonly unknown[];
  }): Promise<{ readonly rows: readonly BareRow[] }>;
  on(event: "error", listener: () => void): unknown;
  end(): Promise<void>;
}

/** A claimed row. */
export interface BareRow {
  readonly id: number;
  readonly fence: number;
  readonly payload: string;
}

/** `pg`, as `@framework/database` has it. */
export const loadPg = (): {
  readonly Pool: new (options: { readonly connectionString: string; readonly max: number }) => BarePool;
} =>
  createRequire(new URL("../../packages/database/package.json", import.meta.url))("pg") as ReturnType<
    typeof loadPg
  >;
