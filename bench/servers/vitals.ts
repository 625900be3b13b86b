/** Resource usage of this process. */
export interface Vitals {
  /** Processor time of all threads in user space, in microseconds. */
  readonly userMicros: number;
  /** The same in the kernel. */
  readonly kernelMicros: number;
  /** Bytes on the heap; after a garbage collection if the process runs with `--expose-gc`. */
  readonly heapBytes: number;
  /** Bytes of buffers outside the heap. */
  readonly bufferBytes: number;
  readonly residentBytes: number;
  /** Open handles by kind: sockets, timers, servers. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Reads only the processor time, so that reading costs little. */
export const readCpuTime = (): Pick<Vitals, "userMicros" | "kernelMicros"> => {
  const { user, system } = process.cpuUsage();
  return { userMicros: user, kernelMicros: system };
};

/** Collects garbage and reads the memory usage. */
export const readVitals = async (): Promise<Vitals> => {
  for (let pass = 0; pass < 4; pass++) {
    await new Promise((resolve) => setTimeout(resolve, 20)); // lets finalizers and closing handles run
    globalThis.gc?.();
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  return { ...readCpuTime(), heapBytes: heapUsed, bufferBytes: arrayBuffers, residentBytes: rss, resources };
};
