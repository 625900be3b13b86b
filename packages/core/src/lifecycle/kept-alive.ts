import { keepAlive } from "../runtime/keep-alive.ts";

/** Keeps the process alive until `work` settles: it may wait for a half-closed socket or a timer, neither of which keeps a process alive. */
export const keptAlive = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const release = keepAlive();
  try {
    return await work();
  } finally {
    release();
  }
};
