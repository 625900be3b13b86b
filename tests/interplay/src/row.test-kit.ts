import type { TestInit } from "@framework/testing";
import type { ToggleName } from "./toggles.test-kit.ts";

/** The enabled features of an app. */
export type On = ReadonlySet<ToggleName>;

/** One request, and its expected result while the features of `on` are enabled. Rows share an app and run in order. */
export interface Row {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => NonNullable<TestInit["body"]>;
  /** The row whose `ETag` this one sends in `If-None-Match`. */
  readonly holds?: string;
  readonly status: (on: On) => number;
  /** Pattern of the route; `null` when nothing matches. @default the path */
  readonly route?: (on: On) => string | null;
  /** `X-Cache`; absent when the cache is not reached or disabled. */
  readonly cache?: string | ((on: On) => string | null);
  /** The body of a 2xx, before any coding. */
  readonly text?: string;
  /** The row whose fields this HEAD repeats. */
  readonly like?: string;
  /** Whether the reply must be coded while compression is on. */
  readonly isCoded?: boolean;
  readonly isPreflight?: boolean;
  /** Total number of calls of the path's handler after this row. */
  readonly calls?: (on: On) => number;
}
