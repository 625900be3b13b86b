import { type ConfigInput, type ConfigRecord, configRecord } from "../config/config-record.ts";
import { decimal, integer } from "../config/field-rules.ts";
import { givenFields } from "../config/given-fields.ts";
import { isOptions } from "../config/wrong-value.ts";

/** The number of attempts and the delays between them; plain data, which can be stored. */
export interface RetryPolicy {
  /** Attempts including the first, 1 to 1,000. @default 3 */
  readonly attempts: number;
  /** Milliseconds before the second attempt. @default 100 */
  readonly delayMs: number;
  /** Factor by which the delay grows with each attempt, 1 to 10. @default 2 */
  readonly factor: number;
  /** Maximum fraction, from 0 to 1, by which a delay is shortened at random, so that clients do not retry simultaneously. @default 0.5 */
  readonly jitter: number;
  /** Maximum delay in milliseconds, a day at most. @default 30000 */
  readonly maxDelayMs: number;
}

const DAY_MS = 86_400_000;

const record: ConfigRecord<RetryPolicy> = configRecord("RetryPolicy", {
  attempts: integer(3, { min: 1, max: 1000 }),
  delayMs: decimal(100, { min: 0, max: DAY_MS }),
  factor: decimal(2, { min: 1, max: 10 }),
  jitter: decimal(0.5, { min: 0, max: 1 }),
  maxDelayMs: decimal(30_000, { min: 0, max: DAY_MS }),
});

/**
 * Returns a frozen policy with defaults filled in.
 *
 * @param defaults values of fields that are absent or `undefined`. @default the defaults of `RetryPolicy`
 * @example
 * const policy = retryPolicy({ attempts: 5, delayMs: 200 }); // delays of up to 200, 400, 800 and 1600 ms
 * @throws ConfigurationError CORE_BAD_CONFIG, all mistakes in one message
 */
export const retryPolicy = (
  policy: ConfigInput<RetryPolicy> = {},
  defaults: ConfigInput<RetryPolicy> = {},
): Readonly<RetryPolicy> => {
  if (!isOptions(policy)) return record.of(policy); // throws: an untyped program may pass a number of attempts
  return record.of({ ...defaults, ...givenFields(policy) });
};

/**
 * Returns the milliseconds to wait after a failed attempt.
 *
 * @param attempt number of that attempt, from 1
 * @param random a number from 0 up to 1
 */
export const retryDelayMs = (
  { delayMs, factor, jitter, maxDelayMs }: RetryPolicy,
  attempt: number,
  random: number = Math.random(),
): number => {
  const growth = Math.min(factor ** (attempt - 1), Number.MAX_VALUE); // finite, because 0 * Infinity is NaN
  const whole = Math.min(delayMs * growth, maxDelayMs);
  return whole * (1 - jitter * random);
};
