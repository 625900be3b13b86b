import { configRecord, type ConfigRecord } from "../config/config-record.ts";
import { decimal } from "../config/field-rules.ts";

/** Options of `app.stop`. */
export interface StopOptions {
  /** Seconds that drain listeners and calls of `fetch` have until stop tasks run without them, a day at most. @default 30 */
  readonly timeoutSecs?: number;
}

/** Default of `StopOptions.timeoutSecs`. */
export const DRAIN_SECS = 30;

const record: ConfigRecord<Required<StopOptions>> = configRecord("StopOptions", {
  timeoutSecs: decimal(DRAIN_SECS, { min: 0, max: 86_400 }),
});

/** Returns the limit of a drain in milliseconds. @throws ConfigurationError CORE_BAD_CONFIG: a timer takes Infinity for 1 ms */
export const drainMs = (options?: StopOptions): number => record.of(options).timeoutSecs * 1000;
