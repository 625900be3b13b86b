/** The longest period of a timer. */
const LONGEST_MS = 2_147_483_647;

/** Keeps the process running until the returned function is called: timers of the system clock do not, and neither does SQLite. */
export const keepAlive = (): (() => void) => {
  const timer = setInterval(() => {}, LONGEST_MS);
  return () => clearInterval(timer);
};
