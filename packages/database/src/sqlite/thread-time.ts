import { threadCpuUsage } from "node:process";

/** Returns the CPU time of this thread so far, in milliseconds. */
export const threadTimeMs = (): number => {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
};
