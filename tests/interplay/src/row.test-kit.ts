import type { TestInit } from "@framework/testing";
import type { ToggleName } from "./toggles.test-kit.ts";

/** The features that an app has switched on. */
export type On = ReadonlySet<ToggleName>;

/** One request, and what must become of it while the features of `on` are. Rows share an app and run in order. */
export interface Row {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => NonNullable<TestInit["body"]>;
  /** The row whose `ETag` this one brings back in `If-None-Match`. */
  readonly holds?: string;
  readonly status: (on: On) => number;
  /** Pattern of the route; `null` when nothing matches. @default the path */
  readonly route?: (on: On) => string | null;
  /** `X-Cache`; nothing where the cache is not reached, or off. */
  readonly cache?: string | ((on: On) => string | null);
  /** The body of a 2xx, before any coding. */
  readonly text?: string;
  /** Whether the rate limit counts it. */
  readonly isCounted?: (on: On) => boolean;
  /** The row whose fields this HEAD repeats. */
  readonly like?: string;
  /** Whether the reply must be coded while compression is on. */
  readonly isCoded?: boolean;
  readonly isPreflight?: boolean;
  /** How often the handler of the path was called in all once this row is through. */
  readonly calls?: (on: On) => number;
}
