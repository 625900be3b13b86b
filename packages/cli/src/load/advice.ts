/** Measurements for `adviseWorkers`. */
export interface CapacityFacts {
  /** Requests per second of one worker. */
  readonly capacity: number;
  /** CPU share that the worker used at its capacity. */
  readonly cpu: number;
  readonly processors: number;
  /** Requests per second that the service should serve; `null` without a target. */
  readonly target: number | null;
}

/** A number of workers, and its reason. */
export interface WorkerAdvice {
  readonly workers: number;
  readonly reason: string;
}

/** Share of its capacity at which a worker should run. */
const HEADROOM = 0.7;
/** CPU share above which the worker's own code is the limit. */
const BUSY = 0.8;

/** Advises how many workers the service should have. */
export const adviseWorkers = ({ capacity, cpu, processors, target }: CapacityFacts): WorkerAdvice => {
  const used = `${Math.round(cpu * 100)} % of a CPU at capacity`;
  if (capacity === 0) return { workers: 1, reason: "no rate was within the limits" };
  if (cpu < BUSY)
    return {
      workers: 1,
      reason: `${used}: the worker waits for something else, such as a database or the client; more workers help little`,
    };
  if (target === null)
    return { workers: processors, reason: `${used}: one worker for each of the ${processors} processors` };
  const workers = Math.ceil(target / (capacity * HEADROOM));
  const enough = workers <= processors ? "" : `; this machine has ${processors} processors: use more hosts`;
  return {
    workers,
    reason: `${target} requests/s at ${HEADROOM * 100} % of ${Math.round(capacity)} each${enough}`,
  };
};
