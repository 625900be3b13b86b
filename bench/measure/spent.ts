/** What work has taken: time on the clock, and processor time of the process in all its threads. */
export interface Spent {
  readonly wallMs: number;
  readonly processorMs: number;
}

/** Begins to measure; the function that it returns says what was taken since. Processor time is steady also while others use the machine. */
export const startMeter = (): (() => Spent) => {
  const [from, used] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(used);
    return { wallMs: performance.now() - from, processorMs: (user + system) / 1000 };
  };
};
