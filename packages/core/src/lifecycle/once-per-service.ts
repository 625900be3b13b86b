import type { SharedValues } from "../shared-state/values/shared-values.ts";
import type { Task } from "./tasks.ts";

/** Time to live of a claim in milliseconds: another worker takes over this long after the claimant died. */
const CLAIM_MS = 20_000;
const RENEWAL_MS = 5000;
const POLL_MS = 50;
/** Ten years: the mark outlives the service. */
const DONE_MS = 10 * 365 * 86_400_000;

/**
 * Returns a task that one worker of the service runs; the others wait until it is done, and workers that start later skip it.
 *
 * A failure gives the claim back and fails the start of its worker.
 *
 * @param key names the task in every worker
 */
export const oncePerService =
  (key: string, run: Task["run"]): Task["run"] =>
  async (settings, signal) => {
    const { values } = settings.own ?? settings.shared;
    if (!(await claimed(values, key, signal))) return;
    const renewal = setInterval(() => void renew(values, key), RENEWAL_MS);
    try {
      await run(settings, signal);
    } catch (error) {
      await values.delete(key);
      throw error;
    } finally {
      clearInterval(renewal);
    }
    await values.set(key, "done", { ttlMs: DONE_MS });
  };

/** Resolves to whether this worker has to run the task; waits while another one does. */
const claimed = async (values: SharedValues, key: string, signal: AbortSignal): Promise<boolean> => {
  while (!(await values.set(key, "running", { ttlMs: CLAIM_MS, ifAbsent: true }))) {
    if ((await values.get(key)) === "done") return false;
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
};

const renew = async (values: SharedValues, key: string): Promise<void> => {
  try {
    await values.set(key, "running", { ttlMs: CLAIM_MS });
  } catch {
    // the state is away: the claim expires, as that of a dead worker does
  }
};
