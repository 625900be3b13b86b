/** Shortest and longest pause between two attempts to connect, in milliseconds. */
const FIRST_MS = 50;
const LONGEST_MS = 2000;
/** Shortest pause while commands wait. */
const AWAITED_MS = 200;

/** Returns the pause before an attempt: doubled each time, with a fifth of jitter so that workers do not reconnect in step. */
export const backoffMs = (attempt: number, random: () => number = Math.random): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 10)) * (0.8 + 0.2 * random());

/** A client that can connect. */
export interface Connecting {
  readonly status: string;
  connect(): Promise<unknown>;
}

/** Brings the next attempt forward while commands wait: an idle process reconnects later than a busy one. */
export const createWake = (client: Connecting, lastAttempt: () => number): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const attempt = (): void => {
    timer = undefined;
    if (client.status !== "reconnecting") return;
    clearTimeout(Reflect.get(client, "reconnectTimeout")); // the client's own attempt, which it would not know of any more
    client.connect().catch(() => {}); // commands hear of it; the client tries on
  };
  return () => {
    if (timer !== undefined || client.status !== "reconnecting") return;
    timer = setTimeout(attempt, Math.max(0, lastAttempt() + AWAITED_MS - performance.now()));
    timer.unref();
  };
};
