import type { PermitRule, Permits } from "../shared-state/permits/permits.ts";
import type { Task } from "./tasks.ts";

const POLL_MS = 50;
/** Ten years: the value `done` must outlive the service. A claim ends earlier, with its task or its process. */
const FOREVER_MS = 10 * 365 * 86_400_000;
/** Allows one claim. The permit of a process that exited counts as used, and returns after this window. */
const oneClaim: PermitRule = { kind: "bucket", capacity: 1, windowMs: 1 };

/**
 * Returns a task that only one worker of the service runs. The others wait until it is done, and workers that start later skip it.
 *
 * The claim needs no renewal, so the task may block the event loop for any time. A failure releases the claim and fails the start of its worker; another worker
 * then runs the task.
 *
 * @param key name of the task, the same in every worker
 */
export const oncePerService =
  (key: string, run: Task["run"]): Task["run"] =>
  async (settings, signal) => {
    const { values, permits } = settings.own ?? settings.shared;
    const isDone = async (): Promise<boolean> => (await values.get(key)) === "done";
    const claim = claimOf(permits, key);
    while (!(await isDone())) {
      if (await claim.take()) break;
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    try {
      signal.throwIfAborted(); // the start may have been cancelled during the pause
      if (await isDone()) return; // another worker may have finished between the last check and the claim
      await run(settings, signal);
      await values.set(key, "done", { ttlMs: FOREVER_MS });
    } finally {
      await claim.release().catch(() => {}); // the claim ends with this process; an error here must not replace the task's error
    }
  };

interface Claim {
  /** Resolves to whether this worker has the claim. */
  take(): Promise<boolean>;
  /** Releases the claim, if this worker has it. */
  release(): Promise<void>;
}

/** A claim is a lease of the key's only permit, which the primary process ends when the claimant exits. */
const claimOf = (permits: Permits, key: string): Claim => {
  const holder = crypto.randomUUID();
  const updateLease = async (max: 0 | 1): Promise<number> => {
    const lease = { holder, hold: 0, used: [], max, share: 1, leaseMs: FOREVER_MS, endsAtExit: true };
    return (await permits.take(key, oneClaim, { spend: 0, lease })).leased;
  };
  return { take: async () => (await updateLease(1)) === 1, release: async () => void (await updateLease(0)) };
};
