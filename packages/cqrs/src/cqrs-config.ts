import type { Invocation } from "@framework/core";
import {
  checked,
  type Clock,
  type ConfigRecord,
  configRecord,
  type FieldRule,
  flag,
  integer,
  isClock,
  optional,
} from "@framework/core/feature";
import { type AnyOperation, isOperation } from "./definitions/operation.ts";
import { MAX_TIMEOUT_MS } from "./limits.ts";

/** Options of `enableCqrs`. */
export interface CqrsConfig {
  /** Whether events are tracked: enables tokens, `after`, `sync`, and the invalidation of cached replies by events. @default true */
  readonly enableEventSync: boolean;
  /** Time limit of a command in milliseconds, 1 to 3,600,000. @default 5000 */
  readonly commandTimeoutMs: number;
  /** Time limit of a query in milliseconds, 1 to 3,600,000. @default 3000 */
  readonly queryTimeoutMs: number;
  /** Maximum number of retries of a command after conflicts and commits with an unknown outcome, 0 to 20. @default 3 */
  readonly maxRetries: number;
  /** Seconds for which an idempotency key, or a finished queued command, is kept, 60 to 2,678,400 (31 days). @default 86400 */
  readonly keepKeysSecs: number;
  /** Maximum size of a result or reply stored with an idempotency key, in bytes; 1,024 to 1,048,576. @default 65536 */
  readonly maxStoredBytes: number;
  /** Commands and queries that must have a handler; otherwise the start fails. Other operations need not be listed. @default [] */
  readonly operations: readonly AnyOperation[];
  /** Path of the status route of queued commands, to which `/{id}` is appended. @default "/commands" */
  readonly statusPath: string;
  /**
   * Returns a string that uniquely identifies the caller: idempotency keys and shared query runs of one caller are never used for another.
   * @default subject and issuer of the token, the user's name or `id`, and the name of the API key; without a principal a hash of `Authorization`
   */
  readonly callerOf: ((invocation: Invocation) => string) | undefined;
  /** Returns the tenant of a call; `null` for none. @default none */
  readonly tenantOf: ((invocation: Invocation) => string | null) | undefined;
  /** Clock, for tests. @default the system clock */
  readonly clock: Clock | undefined;
}

const limit = (initial: number): FieldRule<number> => integer(initial, { min: 1, max: MAX_TIMEOUT_MS });

const functionRule = {
  problem: (value: unknown) => (typeof value === "function" ? null : "must be a function"),
};

export const CqrsConfig: ConfigRecord<CqrsConfig> = configRecord("CqrsConfig", {
  enableEventSync: flag(true),
  commandTimeoutMs: limit(5000),
  queryTimeoutMs: limit(3000),
  maxRetries: integer(3, { min: 0, max: 20 }),
  keepKeysSecs: integer(86_400, { min: 60, max: 2_678_400 }),
  maxStoredBytes: integer(65_536, { min: 1024, max: 1_048_576 }),
  operations: checked<readonly AnyOperation[]>(
    [],
    "a list of commands and queries",
    (value) => Array.isArray(value) && value.every(isOperation),
  ),
  statusPath: checked(
    "/commands",
    "a path such as /commands, without parameters or a trailing slash",
    (value) => typeof value === "string" && /^(?:\/[\w.-]+)+$/.test(value),
  ),
  callerOf: optional<(invocation: Invocation) => string>(functionRule),
  tenantOf: optional<(invocation: Invocation) => string | null>(functionRule),
  clock: optional<Clock>({ problem: (value) => (isClock(value) ? null : "must be a Clock") }),
});
