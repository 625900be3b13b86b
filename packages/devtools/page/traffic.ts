import { addCounts, latencyBounds, noCounts, percentile, totalOf } from "../src/traffic/buckets.ts";
import type { TrafficReport } from "../src/traffic/traffic-meter.ts";

/** Samples of a chart, one per second. */
const MAX_SAMPLES = 120;
/** Age from which a report is ignored; workers send one per second. */
const FRESH_MS = 3000;

/** Totals of all workers in one second. */
export interface TrafficSample {
  readonly requests: number;
  readonly failed: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly loopDelayMs: number;
  readonly maxLoopDelayMs: number;
}

/** The requests of all workers over the last two minutes. */
export class Traffic {
  readonly samples: TrafficSample[] = [];
  private readonly latest: Map<string, { readonly report: TrafficReport; readonly at: number }> = new Map();
  private arrived: { readonly at: number; readonly latencies: readonly number[] }[] = [];

  receive(worker: string, report: TrafficReport, at: number): void {
    this.latest.set(worker, { report, at });
    this.arrived.push({ at, latencies: report.latencies });
  }

  /** Adds a sample; called once a second. */
  tick(now: number): void {
    this.arrived = this.arrived.filter(({ at }) => at > now - MAX_SAMPLES * 1000);
    const reports = [...this.latest.values()].filter(({ at }) => at > now - FRESH_MS);
    if (reports.length === 0 && this.samples.length === 0) return;
    const counts = noCounts(latencyBounds);
    for (const { report } of reports) addCounts(counts, report.latencies);
    const a = (of: (report: TrafficReport) => number): number =>
      reports.reduce((sum, { report }) => sum + of(report) / Math.max(0.001, report.secs), 0);
    this.samples.push({
      requests: a(({ replies }) => totalOf(replies)),
      failed: a(({ replies }) => replies[4] ?? 0),
      p50: percentile(latencyBounds, counts, 0.5),
      p95: percentile(latencyBounds, counts, 0.95),
      p99: percentile(latencyBounds, counts, 0.99),
      loopDelayMs: Math.max(0, ...reports.map(({ report }) => report.loopDelaysMs[0])),
      maxLoopDelayMs: Math.max(0, ...reports.map(({ report }) => report.loopDelaysMs[1])),
    });
    if (this.samples.length > MAX_SAMPLES) this.samples.shift();
  }

  /** The latencies of the last two minutes by `latencyBounds`. */
  latencies(): readonly number[] {
    const counts = noCounts(latencyBounds);
    for (const { latencies } of this.arrived) addCounts(counts, latencies);
    return counts;
  }
}
