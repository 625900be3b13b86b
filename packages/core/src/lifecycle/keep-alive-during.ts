import { keepAlive } from "../runtime/keep-alive.ts";

/** Calls `work` and keeps the process alive until its promise settles, even if it waits only for a half-closed socket or an unreferenced timer. */
export const keepAliveDuring = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const release = keepAlive();
  try {
    return await work();
  } finally {
    release();
  }
};
