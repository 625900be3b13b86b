/** The measured packages, loaded from their sources, and `pg`. */
// oxlint-disable no-restricted-imports -- the bench depends on core only, so that a comparison installs nothing else
import { createRequire } from "node:module";

export { openDatabase } from "../../packages/database/src/index.ts";
export { createKernel } from "../../packages/durable/src/feature.ts";
export { startPostgres } from "../../tools/services/src/postgres.ts";

/** The used part of a `pg` pool. */
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

/** `pg` in the version of `@framework/database`. */
export const loadPg = (): {
  readonly Pool: new (options: { readonly connectionString: string; readonly max: number }) => BarePool;
} =>
  createRequire(new URL("../../packages/database/package.json", import.meta.url))("pg") as ReturnType<
    typeof loadPg
  >;
