import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { HttpRequest, Middleware, Response } from "@framework/core";
import { mapAwaitable } from "@framework/core/feature";
import { bucketOf, latencyBounds, noCounts } from "./buckets.ts";

/** Traffic of a worker since its last report. */
export interface TrafficReport {
  readonly secs: number;
  /** Replies by the first digit of their status, 1 to 5. */
  readonly replies: readonly number[];
  /** Number of requests per bucket of `latencyBounds`, by the time until the reply is passed to the transport. */
  readonly latencies: readonly number[];
  /** Event loop delay in milliseconds: the 99th percentile, and the maximum. */
  readonly loopDelaysMs: readonly [p99: number, max: number];
}

/** Up to this number of requests between two reports, each is timed. Then every 16th is timed and counts for 16, because clock reads are most of the cost. */
const MAX_FULLY_TIMED = 50;
const SAMPLE_INTERVAL = 16;

/** Sampling interval of the event loop delay. */
const LOOP_MS = 20;

/** Counts all requests of a worker and measures its event loop delay while it runs; otherwise a request costs one check. */
export class TrafficMeter {
  private readonly loop: ReturnType<typeof monitorEventLoopDelay>;
  private latencies = noCounts(latencyBounds);
  private replies = [0, 0, 0, 0, 0];
  private requestCount = 0;
  private since = 0;
  private isOn = false;

  constructor() {
    this.loop = monitorEventLoopDelay({ resolution: LOOP_MS });
  }

  start(): void {
    if (this.isOn) return;
    this.isOn = true;
    this.loop.enable();
    this.take();
  }

  stop(): void {
    this.isOn = false;
    this.loop.disable();
  }

  /** Returns the report since the last call. */
  take(): TrafficReport {
    const { latencies, replies, loop, since } = this;
    this.since = performance.now();
    this.requestCount = 0;
    this.latencies = noCounts(latencyBounds);
    this.replies = [0, 0, 0, 0, 0];
    const delayMs = (ns: number): number => (Number.isFinite(ns) ? Math.max(0, ns / 1e6 - LOOP_MS) : 0);
    const loopDelaysMs = [loop.count === 0 ? 0 : delayMs(loop.percentile(99)), delayMs(loop.max)] as const;
    loop.reset();
    return { secs: (this.since - since) / 1000, replies, latencies, loopDelaysMs };
  }

  /** The outermost middleware of every request. */
  get middleware(): Middleware<HttpRequest, Response> {
    return (request, next) => {
      if (!this.isOn) return next(request);
      const isFullyTimed = this.requestCount++ < MAX_FULLY_TIMED;
      const since = isFullyTimed || this.requestCount % SAMPLE_INTERVAL === 0 ? performance.now() : null;
      return mapAwaitable(next(request), (reply) => {
        const kind = Math.floor(reply.status / 100) - 1;
        this.replies[kind] = (this.replies[kind] ?? 0) + 1;
        if (since !== null) this.time(performance.now() - since, isFullyTimed ? 1 : SAMPLE_INTERVAL);
        return reply;
      });
    };
  }

  private time(ms: number, weight: number): void {
    const bucket = bucketOf(latencyBounds, ms);
    this.latencies[bucket] = (this.latencies[bucket] ?? 0) + weight;
  }
}
