import {
  checked,
  type Clock,
  type ConfigRecord,
  configRecord,
  isClock,
  optional,
  systemClock,
} from "@framework/core/feature";

/** Replacements for clock and network, for tests. */
export interface JwtAuthOptions {
  /** Clock of expiry. @default the system clock */
  readonly clock?: Clock;
  /** Fetches the key set. @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
}

/** The options with their defaults. */
interface CompleteOptions {
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch | undefined;
}

export const jwtAuthOptions: ConfigRecord<CompleteOptions> = configRecord<CompleteOptions>("JwtAuthOptions", {
  clock: checked<Clock>(systemClock, "a clock", isClock),
  fetch: optional<typeof globalThis.fetch>({
    problem: (value) => (typeof value === "function" ? null : "must be a function, such as globalThis.fetch"),
  }),
});
