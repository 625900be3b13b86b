import { type ConfigRecord, configRecord, integer } from "@framework/core/feature";
import { faultProblems, type FaultRule } from "./faults/fault-rule.ts";

/** Options of `enableDevtools`. */
export interface DevtoolsConfig {
  /** Port of the dev page on 127.0.0.1; 0 lets the system choose. @default 0 */
  readonly port: number;
  /** Requests that each worker keeps for newly opened pages, 1 to 1,000; the oldest are dropped. @default 200 */
  readonly maxRequests: number;
  /** Requests that each worker records per second while a page is open, as rate and burst, 1 to 1,000; further requests are not shown. @default 50 */
  readonly maxPerSecond: number;
  /** Faults at the start, at most 100, unless the page has stored others; the page adds and removes faults. @default [] */
  readonly faults: readonly FaultRule[];
  /** Seed of the random numbers that choose what fails, from 0 to 2^32 - 1. @default 1 */
  readonly seed: number;
}

const MAX_FAULTS = 100;
/** Maximum number of problems in a message. */
const MAX_PROBLEMS = 10;

const faultsProblem = (value: unknown): string | null => {
  if (!Array.isArray(value)) return `must be a list of at most ${MAX_FAULTS} faults`;
  if (value.length > MAX_FAULTS)
    return `must be a list of at most ${MAX_FAULTS} faults, but has ${value.length}`;
  const problems = value.flatMap((rule, at) =>
    faultProblems(rule).map((problem) => `faults[${at}]${problem}`),
  );
  const more = problems.length - MAX_PROBLEMS;
  if (problems.length === 0) return null;
  return `must be a list of at most ${MAX_FAULTS} faults: ${problems.slice(0, MAX_PROBLEMS).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
};

/** Reads and checks the options. */
export const DevtoolsConfig: ConfigRecord<DevtoolsConfig> = configRecord("DevtoolsConfig", {
  port: integer(0, { min: 0, max: 65_535 }),
  maxRequests: integer(200, { min: 1, max: 1000 }),
  maxPerSecond: integer(50, { min: 1, max: 1000 }),
  faults: { default: [], namesParts: true, problem: faultsProblem },
  seed: integer(1, { min: 0, max: 2 ** 32 - 1 }),
});
