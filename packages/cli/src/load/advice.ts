/** Measurements for `adviseWorkers`. */
export interface CapacityFacts {
  /** Requests per second of one worker. */
  readonly capacity: number;
  /** CPU share that the worker used at its capacity. */
  readonly cpu: number;
  /** Whether the ramp exceeded the limits; otherwise the capacity may be higher. */
  readonly isReached: boolean;
  readonly processors: number;
  /** Requests per second that the service should serve; `null` if there is no target. */
  readonly target: number | null;
}

/** A number of workers, and its reason. */
export interface WorkerAdvice {
  readonly workers: number;
  readonly reason: string;
}

/** Share of its capacity at which a worker should run. */
const TARGET_UTILISATION = 0.7;
/** CPU share above which the worker's own code is the limit. */
const BUSY = 0.8;

/** Advises how many workers the service should have. */
export const adviseWorkers = ({
  capacity,
  cpu,
  isReached,
  processors,
  target,
}: CapacityFacts): WorkerAdvice => {
  const usage = `${Math.round(cpu * 100)} % of a CPU at capacity`;
  if (capacity === 0) return { workers: 1, reason: "no rate was within the limits" };
  if (!isReached && cpu < BUSY)
    return target === null || target <= capacity
      ? { workers: 1, reason: "one worker serves the last rate; raise --max to find its capacity" }
      : {
          workers: workersFor(target, capacity),
          reason: "an upper bound; raise --max to find the capacity of one worker",
        };
  if (cpu < BUSY)
    return {
      workers: 1,
      reason: `${usage}: the worker waits for something else, such as a database or the client; more workers help little`,
    };
  if (target === null)
    return { workers: processors, reason: `${usage}: one worker for each of the ${processors} processors` };
  const workers = workersFor(target, capacity);
  const hint = workers <= processors ? "" : `; this machine has ${processors} processors: use more hosts`;
  return {
    workers,
    reason: `${target} requests/s at ${TARGET_UTILISATION * 100} % of ${Math.round(capacity)} each${hint}`,
  };
};

const workersFor = (target: number, capacity: number): number =>
  Math.ceil(target / (capacity * TARGET_UTILISATION));
