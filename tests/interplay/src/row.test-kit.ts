import type { TestInit } from "@framework/testing";
import type { ToggleName } from "./toggles.test-kit.ts";

/** The enabled features of an app. */
export type EnabledFeatures = ReadonlySet<ToggleName>;

/** One request, and its expected result for a set of enabled features. Rows share an app and run in order. */
export interface Row {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => NonNullable<TestInit["body"]>;
  /** Name of the row whose `ETag` this one sends in `If-None-Match`. */
  readonly sendsTagOf?: string;
  readonly status: (enabled: EnabledFeatures) => number;
  /** Pattern of the route; `null` when no route matches. @default the path */
  readonly route?: (enabled: EnabledFeatures) => string | null;
  /** `X-Cache`; absent when the cache is not reached or is disabled. */
  readonly cache?: string | ((enabled: EnabledFeatures) => string | null);
  /** Body of a 2xx before content coding. */
  readonly text?: string;
  /** Name of the row whose fields this HEAD must have. */
  readonly like?: string;
  /** Whether the reply must be compressed while compression is enabled. */
  readonly isCompressed?: boolean;
  readonly isPreflight?: boolean;
  /** Total number of calls of the path's handler after this row. */
  readonly calls?: (enabled: EnabledFeatures) => number;
}
