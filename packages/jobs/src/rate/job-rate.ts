import { type ConfigInput, type ConfigRecord, configRecord, decimal, integer } from "@framework/core/feature";

/** A limit on how many attempts at a job begin, over all processes and hosts. */
export interface JobRate {
  /** Attempts that begin in one period, 1 to 1,000,000. */
  readonly limit: number;
  /** Length of the period in seconds, 0.1 to 2,592,000. A period begins with the first attempt after the one before. @default 1 */
  readonly perSecs: number;
}

const record: ConfigRecord<JobRate> = configRecord("JobRate", {
  limit: integer(1, { min: 1, max: 1_000_000 }),
  perSecs: decimal(1, { min: 0.1, max: 2_592_000 }),
});

/** Checks a rate. @throws ConfigurationError CORE_BAD_CONFIG, all mistakes in one message */
export const jobRate = (rate: ConfigInput<JobRate>): JobRate => record.of(rate);
