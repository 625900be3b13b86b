/** Elapsed time of some work, and processor time of all threads of the process. */
export interface Spent {
  readonly wallMs: number;
  readonly processorMs: number;
}

/** Starts a measurement; the returned function returns the time since then. Processor time hardly depends on other load of the machine. */
export const startMeter = (): (() => Spent) => {
  const [from, used] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(used);
    return { wallMs: performance.now() - from, processorMs: (user + system) / 1000 };
  };
};
