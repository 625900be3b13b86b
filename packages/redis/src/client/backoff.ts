/** Shortest and longest pause between two attempts to connect, in milliseconds. */
const FIRST_MS = 50;
const LONGEST_MS = 2000;
/** Shortest pause while commands wait. */
const AWAITED_MS = 200;

/** The pause before an attempt, doubled each time, a fifth of it by chance so that workers do not come all at once. */
export const backoffMs = (attempt: number, random: () => number = Math.random): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 10)) * (0.8 + 0.2 * random());

/** What can be told to connect. */
export interface Connecting {
  readonly status: string;
  connect(): Promise<unknown>;
}

/** Brings the next attempt forward while somebody waits for it: a process without requests comes back at leisure, one with requests at once. */
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
