import { unavailable } from "../errors.ts";

/** Maximum number of concurrent hashes: half of Node's default thread pool, and 64 MiB at the default cost. */
const MAX_RUNNING = 2;
/** Maximum number of waiting hashes. */
const MAX_WAITING = 100;

/** Runs expensive work in order of arrival with limited concurrency; rejects work when the queue is full. */
export interface WorkQueue {
  /** @throws HttpError 503 AUTH_BUSY when the queue is full */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Creates a queue with its own bounds. */
export const createWorkQueue = (
  maxRunning: number = MAX_RUNNING,
  maxWaiting: number = MAX_WAITING,
): WorkQueue => {
  const queue: (() => void)[] = [];
  let active = 0;
  return {
    async run(work) {
      if (active >= maxRunning) {
        if (queue.length >= maxWaiting) throw unavailable("AUTH_BUSY");
        await new Promise<void>((resolve) => void queue.push(resolve)); // finished work passes its slot on
      } else active++;
      try {
        return await work();
      } finally {
        const startNext = queue.shift();
        if (startNext === undefined) active--;
        else startNext();
      }
    },
  };
};

/** One queue per process, because the process has one thread pool. */
export const passwordQueue: WorkQueue = createWorkQueue();
