import { unavailable } from "../errors.ts";

/** Hashes at one time: half of the threads that Node has for such work, and 64 MiB at the default cost. */
const maxRunning = 2;
/** Hashes that wait. */
const maxWaiting = 100;

/** Runs costly work in order of arrival, a few at a time, and refuses what would wait too long. */
export interface WorkQueue {
  /** @throws HttpError 503 AUTH_BUSY when too many wait */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Makes a queue with bounds of its own. */
export const createWorkQueue = (running: number = maxRunning, waiting: number = maxWaiting): WorkQueue => {
  const queue: (() => void)[] = [];
  let active = 0;
  return {
    async run(work) {
      if (active >= running) {
        if (queue.length >= waiting) throw unavailable("AUTH_BUSY");
        await new Promise<void>((resolve) => void queue.push(resolve)); // whoever ends hands its place on
      } else active++;
      try {
        return await work();
      } finally {
        const next = queue.shift();
        if (next === undefined) active--;
        else next();
      }
    },
  };
};

/** The one queue of this process: its threads are shared too. */
export const passwordQueue: WorkQueue = createWorkQueue();
