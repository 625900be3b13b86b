import { ConfigurationError } from "@framework/core";
import { type ConfigInput, configRecord, decimal, integer } from "@framework/core/feature";

/** A rate limit on the start of work: attempts at a job, or calls of a message handler. */
export interface WorkRate {
  /** Maximum number of starts in one period, at least 1. */
  readonly limit: number;
  /** Length of the period in seconds, at least 0.1. @default 1 */
  readonly perSecs: number;
}

/** Input of a rate: `limit` has no default. */
export type WorkRateInput = ConfigInput<WorkRate> & Pick<WorkRate, "limit">;

/** Maximum values of the fields of a `WorkRate`. */
export interface WorkRateBounds {
  readonly maxLimit: number;
  readonly maxPerSecs: number;
}

/** Returns a function that checks rates. @throws ConfigurationError CORE_BAD_CONFIG, all mistakes in one message */
export const workRate = ({ maxLimit, maxPerSecs }: WorkRateBounds): ((rate: WorkRateInput) => WorkRate) => {
  const record = configRecord<WorkRate>("WorkRate", {
    limit: integer(1, { min: 1, max: maxLimit }),
    perSecs: decimal(1, { min: 0.1, max: maxPerSecs }),
  });
  return (rate) => {
    const { value, problems } = record.read(rate);
    const missing = (rate as ConfigInput<WorkRate> | null)?.limit === undefined ? [NEEDS_LIMIT] : [];
    const all = [...missing, ...problems];
    if (all.length > 0)
      throw new ConfigurationError(all.map((message) => ({ code: "CORE_BAD_CONFIG", message })));
    return value;
  };
};

const NEEDS_LIMIT = "WorkRate needs a limit: { limit: 100, perSecs: 60 }";
