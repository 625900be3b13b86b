import { type WorkRate, workRate, type WorkRateInput } from "@framework/durable/feature";

/** Checks the rate of a subscription. Permits are in memory or in Redis, so the limits are lower than the limits of jobs. */
export const messageRate: (rate: WorkRateInput) => WorkRate = workRate({
  maxLimit: 100_000,
  maxPerSecs: 600,
});

/** Longest time in seconds for which a process may hold a message that waits for its rate: RabbitMQ redelivers after 30 minutes. */
const MAX_HELD_SECS = 1200;

/** Returns the maximum deliveries that a process may hold at a rate of calls, each with a batch. */
export const maxHeld = ({ limit, perSecs }: WorkRate, batchSize: number): number =>
  Math.floor((limit * batchSize * MAX_HELD_SECS) / perSecs);
