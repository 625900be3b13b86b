import process from "node:process";
import { getHeapStatistics } from "node:v8";

/** Sources of load and time of an adaptive limit, called once per second. @default this process */
export interface AdaptiveProbes {
  /** Utilization of one CPU, 0 to 1. @default that of this process since the last call */
  readonly cpu?: () => number;
  /** Utilization of the memory, 0 to 1. @default the higher of heap and container */
  readonly memory?: () => number;
  /** Mean latency in milliseconds. @default that of the last second's requests, and of earlier ones up to `minSamples`; 0 without any */
  readonly latencyMs?: () => number;
  /** Share of 5xx replies, 0 to 1. @default that of the last 10 s, 0 below `minSamples` requests */
  readonly errorShare?: () => number;
  /** Monotonic clock in milliseconds. @default performance.now */
  readonly now?: () => number;
  /** Calls back every second. Returns a function that stops it. @default a timer that does not keep the process alive */
  readonly everySecond?: (run: () => void) => () => void;
}

/** Returns the share of one CPU that this process used since the last call. */
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

/** Calls back every second. */
export const everySecond = (run: () => void): (() => void) => {
  const timer = setInterval(run, 1000);
  timer.unref();
  return () => clearInterval(timer);
};
