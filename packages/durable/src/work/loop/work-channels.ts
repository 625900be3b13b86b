/** Returns the channel of the signal that items of a queue may be ready. */
export const readyChannel = (queue: string): string => `work ${queue}`;

/** Channel of the signal that an item was cancelled. Owners then renew their items, which finds the cancelled one. */
export const CANCELLED_CHANNEL = "work-cancelled";
