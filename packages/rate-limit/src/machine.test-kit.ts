import type { AdaptiveProbes } from "./adaptive-probes.ts";

/** The load and the time of a machine. */
export interface Machine {
  readonly load: { cpu: number; memory: number; latencyMs: number; errorShare: number };
  readonly time: { now: number };
  /** Callbacks that run every second. */
  readonly ticks: (() => void)[];
  readonly probes: Required<AdaptiveProbes>;
}

/** Creates a machine whose load and time a test controls. */
export const machine = (): Machine => {
  const ticks: (() => void)[] = [];
  const load = { cpu: 0, memory: 0, latencyMs: 0, errorShare: 0 };
  const time = { now: 0 };
  const probes = {
    cpu: () => load.cpu,
    memory: () => load.memory,
    latencyMs: () => load.latencyMs,
    errorShare: () => load.errorShare,
    now: () => time.now,
    everySecond: (run: () => void) => {
      ticks.push(run);
      return () => void ticks.splice(ticks.indexOf(run), 1);
    },
  };
  return { load, time, ticks, probes };
};
