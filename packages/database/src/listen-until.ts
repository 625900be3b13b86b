import { orAborted } from "./deadlines.ts";

type Stop = () => Promise<void>;

/**
 * Starts listening, and stops when the signal aborts.
 *
 * @throws the signal's reason if it aborts before listening has started; listening is then stopped as soon as it has started
 */
export const listenUntil = async (listen: () => Promise<Stop>, signal?: AbortSignal): Promise<Stop> => {
  if (signal === undefined) return await listen();
  signal.throwIfAborted();
  const listening = listen();
  const stop = async (): Promise<void> => {
    signal.removeEventListener("abort", abort);
    const end = await listening;
    await end();
  };
  const abort = (): void => void stop().catch(() => {}); // after an abort no caller waits for the result
  signal.addEventListener("abort", abort, { once: true });
  try {
    await orAborted(listening, signal);
    signal.throwIfAborted();
    return stop;
  } catch (error) {
    signal.removeEventListener("abort", abort);
    throw error;
  }
};
