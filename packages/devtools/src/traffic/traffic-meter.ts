import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { HostInsight } from "@framework/core/feature";
import { bucketOf, latencyBounds, noCounts } from "./buckets.ts";

/** What happened in a worker since its last report. */
export interface TrafficReport {
  readonly secs: number;
  /** Replies whose status begins with 1 to 5, and lost connections without a reply. */
  readonly replies: readonly number[];
  /** Requests by `latencyBounds`: from their start until the reply was sent. */
  readonly latencies: readonly number[];
  /** Milliseconds for which timers were late: the 99th percentile, and the longest. */
  readonly lateMs: readonly [p99: number, most: number];
}

/** Milliseconds between two looks at the event loop. */
const LOOP_MS = 20;

/** Counts all requests of a worker, and watches its event loop, while it runs. Otherwise requests cost nothing. */
export class TrafficMeter {
  private readonly insight: Pick<HostInsight, "onOperation">;
  private readonly loop: ReturnType<typeof monitorEventLoopDelay>;
  private latencies = noCounts(latencyBounds);
  private replies = [0, 0, 0, 0, 0, 0];
  private since = 0;
  private unlisten: (() => void) | null = null;

  constructor(insight: Pick<HostInsight, "onOperation">) {
    this.insight = insight;
    this.loop = monitorEventLoopDelay({ resolution: LOOP_MS });
  }

  start(): void {
    if (this.unlisten !== null) return;
    this.unlisten = this.insight.onOperation({
      kinds: ["http"],
      start: () => null,
      end: ({ role, durationMs, attributes }) => {
        if (role === "server") this.count(durationMs ?? 0, attributes["http.response.status_code"]);
      },
    });
    this.loop.enable();
    this.take();
  }

  stop(): void {
    this.unlisten?.();
    this.unlisten = null;
    this.loop.disable();
  }

  /** Returns what happened since the last call. */
  take(): TrafficReport {
    const { latencies, replies, loop, since } = this;
    this.since = performance.now();
    this.latencies = noCounts(latencyBounds);
    this.replies = [0, 0, 0, 0, 0, 0];
    const late = (ns: number): number => (Number.isFinite(ns) ? Math.max(0, ns / 1e6 - LOOP_MS) : 0);
    const lateMs = [loop.count === 0 ? 0 : late(loop.percentile(99)), late(loop.max)] as const;
    loop.reset();
    return { secs: (this.since - since) / 1000, replies, latencies, lateMs };
  }

  private count(ms: number, status: unknown): void {
    const bucket = bucketOf(latencyBounds, ms);
    this.latencies[bucket] = (this.latencies[bucket] ?? 0) + 1;
    const kind = typeof status === "number" ? Math.floor(status / 100) - 1 : 5;
    this.replies[kind] = (this.replies[kind] ?? 0) + 1;
  }
}
