import {
  checked,
  type Clock,
  type ConfigInput,
  type ConfigRecord,
  configRecord,
  integer,
  isClock,
  optional,
  pathPrefixes,
  unusedFields,
} from "@framework/core/feature";
import type { Problem } from "@framework/core";
import type { CacheStore } from "./store/cache-store.ts";

/** Methods whose replies may come from the store; HEAD uses stored replies to GET. */
export type CachedMethod = "GET" | "HEAD" | "QUERY";

/** Options of `enableCaching`. */
export interface CachingConfig {
  /** Seconds for which a reply without explicit freshness is fresh. @default 300 */
  readonly ttl: number;
  /**
   * Seconds for which a client may use a reply without explicit freshness before it revalidates; 0 sends `no-cache`, so it revalidates each time and gets 304.
   * `invalidateCache` does not reach the copies of clients. @default 0
   */
  readonly clientTtlSecs: number;
  /** Methods whose replies may come from the store. @default ["GET", "HEAD"] */
  readonly methods: readonly CachedMethod[];
  /** Canonical paths that are never cached, including everything below them. @default [] */
  readonly excludePaths: readonly string[];
  /** Default seconds for which a stale reply may be served while it is refreshed. @default 0 */
  readonly staleSecs: number;
  /** Maximum size of a stored body, in bytes. @default 1048576 (1 MiB) */
  readonly maxEntryBytes: number;
  /** Maximum number of entries in the memory store. @default 10000 */
  readonly maxEntries: number;
  /** Maximum size of the memory store, in bytes. @default 67108864 (64 MiB) */
  readonly maxBytes: number;
  /** Seconds from the start of a call for a key after which other requests no longer wait for it. @default 10 */
  readonly waitSecs: number;
  /** The store of replies. @default a memory store in each worker */
  readonly store: CacheStore | undefined;
  /** Timeout of a call to `store`, in milliseconds. @default 250 */
  readonly storeTimeoutMs: number;
  /** The cache's name in `Cache-Status`. @default "framework" */
  readonly name: string;
  /** The clock, for tests. @default the system clock */
  readonly clock: Clock | undefined;
}

const methods: readonly unknown[] = ["GET", "HEAD", "QUERY"];

const isMethods = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((method) => methods.includes(method)) &&
  (value.includes("GET") || value.includes("QUERY")) &&
  (value.includes("GET") || !value.includes("HEAD"));

const hasFunctions = (value: unknown, names: readonly string[]): boolean =>
  typeof value === "object" &&
  value !== null &&
  names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");

export const CachingConfig: ConfigRecord<CachingConfig> = configRecord("CachingConfig", {
  ttl: integer(300),
  clientTtlSecs: integer(0),
  methods: checked<readonly CachedMethod[]>(
    ["GET", "HEAD"],
    "a list of GET, HEAD and QUERY; HEAD requires GET",
    isMethods,
  ),
  excludePaths: pathPrefixes,
  staleSecs: integer(0),
  maxEntryBytes: integer(1_048_576),
  maxEntries: integer(10_000, { min: 1 }),
  maxBytes: integer(67_108_864, { min: 1024 }),
  waitSecs: integer(10, { min: 0, max: 3600 }),
  store: optional<CacheStore>({
    problem: (value) =>
      hasFunctions(value, ["get", "set", "delete", "drop"]) ? null : "must be a CacheStore",
  }),
  storeTimeoutMs: integer(250, { min: 1, max: 60_000 }),
  name: checked(
    "framework",
    "a token of up to 64 letters, digits, _ and - that starts with a letter",
    (value) => typeof value === "string" && /^[a-z][\w-]{0,63}$/i.test(value),
  ),
  clock: optional<Clock>({ problem: (value) => (isClock(value) ? null : "must be a Clock") }),
});

/** Returns a problem for each option that does not apply to the configured kind of store. */
export const storeProblems = (input: ConfigInput<CachingConfig> | undefined): Problem[] =>
  input?.store === undefined
    ? unusedFields(CachingConfig, input, ["storeTimeoutMs"], "store")
    : unusedFields(CachingConfig, input, ["maxEntries", "maxBytes"], "the feature's own store");
