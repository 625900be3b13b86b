/** Counters of a subscription. */
export interface ConsumeCounts {
  received: number;
  redelivered: number;
  done: number;
  retries: number;
  deadLettered: number;
  duplicates: number;
  lost: number;
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
