import { keepAlive } from "../runtime/keep-alive.ts";

/** Does work that must end before the process does: what it waits for may be a half-closed socket or a clock, neither of which keeps a process alive. */
export const keptAlive = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const release = keepAlive();
  try {
    return await work();
  } finally {
    release();
  }
};
