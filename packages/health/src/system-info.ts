import { cpus, hostname, totalmem } from "node:os";
import process from "node:process";
import type { Clock } from "@framework/core/feature";

/** The `system` member of the report. */
export interface SystemInfo {
  readonly uptime_seconds: number;
  /** Memory of this process. */
  readonly memory_mb: number;
  readonly hostname: string;
  /** Load of all CPUs of the machine since the previous sample. */
  readonly cpu_usage_percent: number;
  readonly memory_usage_percent: number;
  readonly memory_used_mb: number;
  /** Memory of the machine, or of the container if that is less. */
  readonly memory_total_mb: number;
}

/** Minimum interval of the CPU measurement; a report before that repeats the last value. */
const SAMPLE_MS = 1000;

/** Returns a function that reads the state of the machine; CPU load is measured from this call on. */
export const systemInfo = (clock: Clock): (() => SystemInfo) => {
  let before = cpuTimes();
  let since = clock.now();
  let cpu = 0;
  return () => {
    if (clock.now() - since >= SAMPLE_MS) {
      const now = cpuTimes();
      cpu = percent(now.busy - before.busy, now.all - before.all);
      before = now;
      since = clock.now();
    }
    const limit = process.constrainedMemory();
    const total = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
    const used = Math.max(0, total - process.availableMemory());
    return {
      uptime_seconds: Math.round(process.uptime()),
      memory_mb: megabytes(process.memoryUsage.rss()),
      hostname: hostname(),
      cpu_usage_percent: cpu,
      memory_usage_percent: percent(used, total),
      memory_used_mb: megabytes(used),
      memory_total_mb: megabytes(total),
    };
  };
};

const cpuTimes = (): { readonly busy: number; readonly all: number } => {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { busy: all - idle, all };
};

const percent = (part: number, whole: number): number =>
  whole > 0 ? Math.round((1000 * part) / whole) / 10 : 0;

const megabytes = (bytes: number): number => Math.round(bytes / 1_048_576);
