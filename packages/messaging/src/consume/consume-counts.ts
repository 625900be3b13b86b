/** Counters of a subscription. */
export interface ConsumeCounts {
  /** Deliveries from the broker. */
  received: number;
  /** Deliveries that may have been delivered before. */
  redelivered: number;
  /** Messages that are done: handled without a failure, or skipped, such as duplicates and expired messages. */
  done: number;
  /** Failed tries that are retried. */
  retries: number;
  /** Messages that became dead letters. */
  deadLettered: number;
  /** Messages that the inbox had already recorded as done. */
  duplicates: number;
  /** Deliveries that the broker gave to another consumer. */
  lost: number;
  /** Handlers that ignored their signal after their time limit. */
  abandoned: number;
}

export const consumeCounts = (): ConsumeCounts => ({
  received: 0,
  redelivered: 0,
  done: 0,
  retries: 0,
  deadLettered: 0,
  duplicates: 0,
  lost: 0,
  abandoned: 0,
});
