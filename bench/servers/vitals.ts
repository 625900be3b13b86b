/** Resource usage of this process. */
export interface Vitals {
  /** Microseconds of processor time of all threads, in the program. */
  readonly userMicros: number;
  /** The same in the kernel. */
  readonly kernelMicros: number;
  /** Bytes on the heap, after a collection where the process runs with `--expose-gc`. */
  readonly heapBytes: number;
  /** Bytes of buffers outside the heap. */
  readonly bufferBytes: number;
  readonly residentBytes: number;
  /** Open handles by kind: sockets, timers, servers. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Reads the processor time only: a reading must not disturb what it measures. */
export const cpuTime = (): Pick<Vitals, "userMicros" | "kernelMicros"> => {
  const { user, system } = process.cpuUsage();
  return { userMicros: user, kernelMicros: system };
};

/** Collects garbage and reports the memory in use. */
export const vitals = async (): Promise<Vitals> => {
  for (let pass = 0; pass < 4; pass++) {
    await new Promise((resolve) => setTimeout(resolve, 20)); // lets finalizers and closing handles run
    globalThis.gc?.();
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  return { ...cpuTime(), heapBytes: heapUsed, bufferBytes: arrayBuffers, residentBytes: rss, resources };
};
