/** First and maximum delay between two attempts to connect, in milliseconds. */
const FIRST_MS = 50;
const MAX_MS = 2000;
/** Maximum delay while commands wait, in milliseconds. */
const WAITING_MS = 200;

/** Returns the delay before an attempt: exponential, with 20 % jitter so that workers do not reconnect simultaneously. */
export const backoffMs = (attempt: number, random: () => number = Math.random): number =>
  Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 10)) * (0.8 + 0.2 * random());

/** A client that can connect. */
export interface ReconnectingClient {
  readonly status: string;
  connect(): Promise<unknown>;
}

/** Returns a function that schedules the next attempt earlier because a command waits. */
export const createWake = (client: ReconnectingClient, lastAttempt: () => number): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const attempt = (): void => {
    timer = undefined;
    if (client.status !== "reconnecting") return;
    clearTimeout(Reflect.get(client, "reconnectTimeout")); // the client's own timer, which ioredis would not clear
    client.connect().catch(() => {}); // the waiting commands receive the error; the client retries
  };
  return () => {
    if (timer !== undefined || client.status !== "reconnecting") return;
    timer = setTimeout(attempt, Math.max(0, lastAttempt() + WAITING_MS - performance.now()));
    timer.unref();
  };
};
