/** Channel of the signal that items of a queue may be ready. */
export const readyChannel = (queue: string): string => `work ${queue}`;

/** Channel of the signal that an item was cancelled, which its owner learns by renewing. */
export const CANCELLED_CHANNEL = "work-cancelled";
