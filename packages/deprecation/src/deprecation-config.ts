import { checked, type ConfigRecord, configRecord, integer, optional } from "@framework/core/feature";
import type { HttpRequest } from "@framework/core";
import { callerOf } from "./caller.ts";
import { parseDate } from "./date.ts";
import { isLink } from "./route-options.ts";

/** Options of `enableDeprecation`. */
export interface DeprecationConfig {
  /** The date of routes with `deprecated: true`: a day (`"2026-11-01"`, UTC) or a time (RFC 3339). @default none, which makes `true` a start error */
  readonly since: string | undefined;
  /** Page about the deprecations, an http(s) URL or a path, as a link of relation `deprecation`. @default none */
  readonly policy: string | undefined;
  /** Names the caller of a request for the metric; `null` or an empty string for an unknown one. @default the API key's name, the user, or the token's client or subject */
  readonly callerOf: (request: HttpRequest) => string | null;
  /** Maximum number of pairs of a route and a caller that are counted separately; further callers are counted as `other`. @default 1000 */
  readonly maxCallers: number;
}

export const DeprecationConfig: ConfigRecord<DeprecationConfig> = configRecord<DeprecationConfig>(
  "DeprecationConfig",
  {
    since: optional<string>({
      problem: (value) =>
        parseDate(value) === null
          ? 'must be a day such as "2026-11-01" or a time such as "2026-11-01T12:00:00Z"'
          : null,
    }),
    policy: optional<string>({
      problem: (value) =>
        typeof value === "string" && isLink(value) && !/[{}]/.test(value)
          ? null
          : "must be an http(s) URL or a path, in ASCII without spaces",
    }),
    callerOf: checked(callerOf, "a function of a request", (value) => typeof value === "function"),
    maxCallers: integer(1000, { min: 0, max: 100_000 }),
  },
);
