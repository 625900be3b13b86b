import { type ConfigInput, type ConfigRecord, configRecord, decimal, integer } from "@framework/core/feature";

/** A limit on how many calls of a handler begin, over all workers of the service, and over all hosts that share state through Redis. */
export interface MessageRate {
  /** Calls that begin within `perSecs`, 1 to 100,000. A call with a batch is one. */
  readonly limit: number;
  /** Length of the window in seconds, 0.1 to 600. @default 1 */
  readonly perSecs: number;
}

/** Input of a rate: `limit` has no default. */
export type MessageRateInput = ConfigInput<MessageRate> & Pick<MessageRate, "limit">;

/** Checks a rate. */
export const MessageRate: ConfigRecord<MessageRate> = configRecord("MessageRate", {
  limit: integer(1, { min: 1, max: 100_000 }),
  perSecs: decimal(1, { min: 0.1, max: 600 }),
});

/** Longest time for which a process may hold a message that waits for its rate, in seconds: brokers take a delivery back after 30 minutes. */
const MAX_HELD_SECS = 1200;

/** Deliveries that a process may hold at a rate of calls with batches of a size. */
export const mostHeld = ({ limit, perSecs }: MessageRate, batchSize: number): number =>
  Math.floor((limit * batchSize * MAX_HELD_SECS) / perSecs);
