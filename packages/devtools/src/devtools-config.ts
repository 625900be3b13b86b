import { checked, type ConfigRecord, configRecord, integer } from "@framework/core/feature";
import { type FaultRule, isFaultRule } from "./faults/fault-rule.ts";

/** Options of `enableDevtools`. */
export interface DevtoolsConfig {
  /** Port of the dev page on 127.0.0.1; 0 lets the system choose. @default 0 */
  readonly port: number;
  /** Requests that each worker keeps for pages that are opened or reloaded, 1 to 1,000; the oldest go first. @default 200 */
  readonly maxRequests: number;
  /** Requests that each worker records in a second while a page is open, on average and at once, 1 to 1,000; further ones are not shown. @default 50 */
  readonly maxPerSecond: number;
  /** Faults that are on from the start, 100 at most; more can be added on the page. @default [] */
  readonly faults: readonly FaultRule[];
  /** Seed of the random numbers that choose what fails, from 0 to 2^32 - 1. @default 1 */
  readonly seed: number;
}

/** Reads and checks the options. */
export const DevtoolsConfig: ConfigRecord<DevtoolsConfig> = configRecord("DevtoolsConfig", {
  port: integer(0, { min: 0, max: 65_535 }),
  maxRequests: integer(200, { min: 1, max: 1000 }),
  maxPerSecond: integer(50, { min: 1, max: 1000 }),
  faults: checked<readonly FaultRule[]>(
    [],
    "a list of at most 100 faults",
    (value) => Array.isArray(value) && value.length <= 100 && value.every(isFaultRule),
  ),
  seed: integer(1, { min: 0, max: 2 ** 32 - 1 }),
});
