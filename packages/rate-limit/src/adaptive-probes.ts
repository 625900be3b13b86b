import process from "node:process";
import { getHeapStatistics } from "node:v8";

/** Sources of load and time of an adaptive limit. The sources of load are called once per second. @default this process */
export interface AdaptiveProbes {
  /** Utilization of one CPU, 0 to 1. @default the CPU time of this process since the last call */
  readonly cpu?: () => number;
  /** Utilization of the memory, 0 to 1. @default the higher of heap and container */
  readonly memory?: () => number;
  /**
   * Mean latency in milliseconds.
   * @default the mean of the last second's requests, and of earlier ones up to `minSamples`; 0 below `minSamples` in 10 s, or if the last second has none
   */
  readonly latencyMs?: () => number;
  /** Share of 5xx replies, 0 to 1. @default the share in the last 10 s; 0 below `minSamples` requests */
  readonly errorShare?: () => number;
  /** Monotonic clock in milliseconds. @default performance.now */
  readonly now?: () => number;
  /** Calls `run` every second. Returns a function that stops the calls. @default a timer that does not keep the process alive */
  readonly everySecond?: (run: () => void) => () => void;
}

/** Returns a function that returns the share of one CPU that this process has used since the previous call. */
export const processCpu = (now: () => number): (() => number) => {
  let usage = process.cpuUsage();
  let at = now();
  return () => {
    const used = process.cpuUsage(usage);
    const passedMs = now() - at;
    usage = process.cpuUsage();
    at += passedMs;
    return passedMs <= 0 ? 0 : Math.min(1, (used.user + used.system) / 1000 / passedMs);
  };
};

/** Returns the utilization of the JavaScript heap or of the container's memory limit, whichever is higher. */
export const processMemory = (): number => {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  const constrained = process.constrainedMemory();
  const available = process.availableMemory();
  // Without a limit Node returns 0 or an impossibly large number.
  const container = constrained > available && constrained < 2 ** 52 ? 1 - available / constrained : 0;
  return Math.max(used / limit, container);
};

/** Calls `run` every second. Returns a function that stops the calls. */
export const everySecond = (run: () => void): (() => void) => {
  const timer = setInterval(run, 1000);
  timer.unref();
  return () => clearInterval(timer);
};
