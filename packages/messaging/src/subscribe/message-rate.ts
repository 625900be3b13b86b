import { type WorkRate, workRate, type WorkRateInput } from "@framework/durable/feature";

/** Checks the rate of a subscription. Its permits are kept in memory, so that it has smaller bounds than that of a job. */
export const messageRate: (rate: WorkRateInput) => WorkRate = workRate({
  maxLimit: 100_000,
  maxPerSecs: 600,
});

/** Longest time for which a process may hold a message that waits for its rate, in seconds: brokers take a delivery back after 30 minutes. */
const MAX_HELD_SECS = 1200;

/** Deliveries that a process may hold at a rate of calls with batches of a size. */
export const mostHeld = ({ limit, perSecs }: WorkRate, batchSize: number): number =>
  Math.floor((limit * batchSize * MAX_HELD_SECS) / perSecs);
