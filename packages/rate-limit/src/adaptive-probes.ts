import process from "node:process";
import { getHeapStatistics } from "node:v8";

/** Where an adaptive limit reads load and time; what is absent is read from this process. Each is called once per second. */
export interface AdaptiveProbes {
  /** Share of one CPU in use, 0 to 1. @default what this process used since the last call */
  readonly cpu?: () => number;
  /** Share of the memory in use, 0 to 1. @default the fuller of the heap and the container */
  readonly memory?: () => number;
  /** Mean latency in milliseconds. @default of the requests of the last second, 0 without any */
  readonly latencyMs?: () => number;
  /** Share of 5xx replies, 0 to 1. @default of the requests of the last 10 s, 0 without any */
  readonly errorShare?: () => number;
  /** Monotonic clock in milliseconds. @default performance.now */
  readonly now?: () => number;
  /** Calls back every second until the returned function is called. @default a timer that does not keep the process alive */
  readonly everySecond?: (run: () => void) => () => void;
}

/** Share of one CPU that this process used between two calls. */
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

/** The fuller of the JavaScript heap and, where one limits the process, its container. */
export const processMemory = (): number => {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  const constrained = process.constrainedMemory();
  const available = process.availableMemory();
  // Without a limit Node gives 0 or a number far beyond any machine.
  const container = constrained > available && constrained < 2 ** 52 ? 1 - available / constrained : 0;
  return Math.max(used / limit, container);
};

/** Calls back every second. */
export const everySecond = (run: () => void): (() => void) => {
  const timer = setInterval(run, 1000);
  timer.unref();
  return () => clearInterval(timer);
};
