import type { Admission, Kernel, WorkRate } from "@framework/durable/feature";

interface Grant {
  readonly granted: number;
  readonly began_at: number;
  /** Milliseconds until the period ends. */
  readonly rest: number;
}

/** Pause before the next request for permits, because other processes may return theirs. Doubles up to a minute while none is granted. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/**
 * Limits the rate of attempts at a job over all processes: the current period is a row, with times of the database's clock.
 *
 * If a process is killed between getting a permit and claiming a job, the permit is lost until the period ends.
 */
export const rateLimit = (kernel: Kernel, job: string, { limit, perSecs }: WorkRate): Admission => {
  const periodMs = Math.ceil(perSecs * 1000);
  let pauseMs = FIRST_PAUSE_MS;
  return async (wanted) => {
    const requested = Math.min(wanted, limit);
    const { granted, began_at: beganAt, rest } = await take({ kernel, job, requested, limit, periodMs });
    const retryInMs = Math.max(Math.min(rest, pauseMs), 1);
    pauseMs = granted > 0 ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, MAX_PAUSE_MS);
    return {
      permits: granted,
      retryInMs,
      async giveBack(count) {
        await kernel.db.execute`UPDATE framework_job_rates SET used = used - ${count}
          WHERE job = ${job} AND began_at = ${beganAt} AND used >= ${count}`;
      },
    };
  };
};

interface Request {
  readonly kernel: Kernel;
  readonly job: string;
  readonly requested: number;
  readonly limit: number;
  readonly periodMs: number;
}

/**
 * Takes permits in one statement. A period that has ended is replaced by one that begins now; so is one that begins more than a period in the future, because
 * the database's clock was set back. One that begins slightly in the future was started by another process while this statement waited for the row. More permits than
 * the limit are used if another version of the app has a higher limit.
 */
const take = async ({ kernel: { db, now }, job, requested, limit, periodMs }: Request): Promise<Grant> => {
  const [row] = await db.query<Grant>`INSERT INTO framework_job_rates AS r (job, began_at, used, granted)
    VALUES (${job}, ${now}, ${requested}, ${requested})
    ON CONFLICT (job) DO UPDATE SET
      began_at = CASE WHEN excluded.began_at - r.began_at BETWEEN ${-periodMs} AND ${periodMs - 1} THEN r.began_at ELSE excluded.began_at END,
      granted = CASE
        WHEN excluded.began_at - r.began_at NOT BETWEEN ${-periodMs} AND ${periodMs - 1} OR r.used + excluded.granted <= ${limit} THEN excluded.granted
        WHEN r.used >= ${limit} THEN 0
        ELSE ${limit} - r.used END,
      used = CASE
        WHEN excluded.began_at - r.began_at NOT BETWEEN ${-periodMs} AND ${periodMs - 1} THEN excluded.granted
        WHEN r.used + excluded.granted <= ${limit} THEN r.used + excluded.granted
        WHEN r.used >= ${limit} THEN r.used
        ELSE ${limit} END
    RETURNING granted, began_at, began_at + ${periodMs} - ${now} AS rest`;
  if (row === undefined) throw new Error("jobs: the rate of a job was not stored");
  return row;
};
