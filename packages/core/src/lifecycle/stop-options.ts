import { configRecord, type ConfigRecord } from "../config/config-record.ts";
import { decimal } from "../config/field-rules.ts";

/** Options of `app.stop`. */
export interface StopOptions {
  /** Maximum seconds to wait for drain listeners and pending calls of `fetch` before the stop tasks run; a day at most. @default 30 */
  readonly timeoutSecs?: number;
}

/** Default of `StopOptions.timeoutSecs`. */
export const DRAIN_SECS = 30;

const record: ConfigRecord<Required<StopOptions>> = configRecord("StopOptions", {
  timeoutSecs: decimal(DRAIN_SECS, { min: 0, max: 86_400 }),
});

/** Returns the limit of a drain in milliseconds. @throws ConfigurationError CORE_BAD_CONFIG, also for Infinity, which a timer would treat as 1 ms */
export const drainMs = (options?: StopOptions): number => record.of(options).timeoutSecs * 1000;
