import { addCounts, latencyBounds, noCounts, percentile, totalOf } from "../src/traffic/buckets.ts";
import type { TrafficReport } from "../src/traffic/traffic-meter.ts";

/** Moments of a chart: one a second. */
const MAX_MOMENTS = 120;
/** A report counts for so long: workers send one each second. */
const FRESH_MS = 3000;

/** What all workers together did in a second. */
export interface Moment {
  readonly requests: number;
  readonly failed: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly late: number;
  readonly lateMost: number;
}

/** The requests of all workers over the last two minutes. */
export class Traffic {
  readonly moments: Moment[] = [];
  private readonly latest: Map<string, { readonly report: TrafficReport; readonly at: number }> = new Map();
  private arrived: { readonly at: number; readonly latencies: readonly number[] }[] = [];

  take(worker: string, report: TrafficReport, at: number): void {
    this.latest.set(worker, { report, at });
    this.arrived.push({ at, latencies: report.latencies });
  }

  /** Adds a moment; called once a second. */
  tick(now: number): void {
    this.arrived = this.arrived.filter(({ at }) => at > now - MAX_MOMENTS * 1000);
    const reports = [...this.latest.values()].filter(({ at }) => at > now - FRESH_MS);
    if (reports.length === 0 && this.moments.length === 0) return;
    const counts = noCounts(latencyBounds);
    for (const { report } of reports) addCounts(counts, report.latencies);
    const a = (of: (report: TrafficReport) => number): number =>
      reports.reduce((sum, { report }) => sum + of(report) / Math.max(0.001, report.secs), 0);
    this.moments.push({
      requests: a(({ replies }) => totalOf(replies)),
      failed: a(({ replies }) => replies[4] ?? 0),
      p50: percentile(latencyBounds, counts, 0.5),
      p95: percentile(latencyBounds, counts, 0.95),
      p99: percentile(latencyBounds, counts, 0.99),
      late: Math.max(0, ...reports.map(({ report }) => report.lateMs[0])),
      lateMost: Math.max(0, ...reports.map(({ report }) => report.lateMs[1])),
    });
    if (this.moments.length > MAX_MOMENTS) this.moments.shift();
  }

  /** The latencies of the last two minutes by `latencyBounds`. */
  latencies(): readonly number[] {
    const counts = noCounts(latencyBounds);
    for (const { latencies } of this.arrived) addCounts(counts, latencies);
    return counts;
  }
}
