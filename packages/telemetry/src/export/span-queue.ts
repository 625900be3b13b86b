import { type Context, TraceFlags } from "@opentelemetry/api";
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace";
import { aborted, type Clock, toError } from "@framework/core/feature";
import type { BatchExporter, ExportOutcome, SpanBatch } from "./batch-exporter.ts";

/** Options of `SpanQueue`. */
export interface SpanQueueOptions {
  readonly exporter: BatchExporter;
  /** Maximum number of queued spans; further spans are dropped. */
  readonly queueSize: number;
  /** Maximum number of spans of one export. */
  readonly batchSize: number;
  /** Maximum milliseconds that a span waits for its batch to fill. */
  readonly delayMs: number;
  /** Milliseconds after which an export without a response counts as failed. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Runs an export with tracing suppressed for its own calls. */
  readonly withoutTracing: (work: () => void) => void;
  /** Called with the error of an export and the number of lost spans, which is 0 for a warning of the collector. */
  readonly onFailure: (error: Error, spans: number) => void;
}

/** Reason for which spans were dropped. */
export type DropReason = "full" | "failed" | "stopped";

/**
 * Bounded queue of finished spans. Exports never overlap, and every sampled span is counted as sent or dropped.
 *
 * Requests never wait for the queue: if the collector is slow or unavailable, only the queue fills.
 */
export class SpanQueue implements SpanProcessor {
  /** Spans that the collector has accepted. */
  sent = 0;
  readonly dropped: Record<DropReason, number> = { full: 0, failed: 0, stopped: 0 };
  private waiting = 0;
  /** Batches that are full, oldest first. */
  private full: SpanBatch[] = [];
  private filling: SpanBatch;
  private inFlight = 0;
  /** Cancels the current timer: of an export that waits for its batch to fill, or of the export in flight. */
  private cancelTimer: (() => void) | null = null;
  private isFlushing = false;
  private isClosed = false;
  private readonly idle: (() => void)[] = [];
  private readonly options: SpanQueueOptions;

  constructor(options: SpanQueueOptions) {
    this.options = options;
    this.filling = options.exporter.newBatch();
  }

  /** Spans that are queued or being sent. */
  get size(): number {
    return this.waiting + this.inFlight;
  }

  onStart(_span: unknown, _parent: Context): void {}

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
    if (this.isClosed) this.dropped.stopped++;
    else if (this.waiting >= this.options.queueSize) this.dropped.full++;
    else if (this.hasAdded(span)) {
      this.waiting++;
      if (this.filling.size >= this.options.batchSize) {
        this.full.push(this.filling);
        this.filling = this.options.exporter.newBatch();
      }
      this.schedule();
    }
  }

  /** Returns whether a span could be encoded. An error must not reach the program, which only ends its span. */
  private hasAdded(span: ReadableSpan): boolean {
    try {
      this.filling.add(span);
      return true;
    } catch (error) {
      this.dropped.failed++;
      this.options.onFailure(toError(error), 1);
      return false;
    }
  }

  /** Sends all queued spans; resolves when the queue is empty or closed. */
  forceFlush(): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    this.isFlushing = true;
    const flushed = new Promise<void>((resolve) => void this.idle.push(resolve));
    this.schedule();
    return flushed;
  }

  /** Sends queued spans until `deadline` aborts; the other spans are dropped and counted. */
  async close(deadline: AbortSignal): Promise<void> {
    await Promise.race([this.forceFlush(), aborted(deadline)]);
    this.isClosed = true;
    this.dropped.stopped += this.size;
    this.waiting = 0;
    this.full = [];
    this.inFlight = 0;
    this.stopTimer();
    this.settle(); // this flush and the program's own have nothing left to send
    void this.options.exporter.shutdown().catch(() => {}); // all spans are already counted
  }

  shutdown(): Promise<void> {
    return this.close(AbortSignal.timeout(this.options.timeoutMs));
  }

  private schedule(): void {
    const { delayMs, clock } = this.options;
    if (this.inFlight > 0 || this.isClosed) return;
    if (this.full.length > 0 || (this.isFlushing && this.waiting > 0)) return this.send();
    if (this.waiting === 0) return this.settle();
    this.cancelTimer ??= clock.after(delayMs, () => {
      this.cancelTimer = null;
      if (this.inFlight === 0) this.send();
    });
  }

  private settle(): void {
    this.isFlushing = false;
    for (const done of this.idle.splice(0)) done();
  }

  private send(): void {
    const { timeoutMs, clock, withoutTracing } = this.options;
    this.stopTimer();
    const batch = this.oldest();
    const { size } = batch;
    this.waiting -= size;
    this.inFlight = size;
    let hasEnded = false;
    const finish = (outcome: ExportOutcome): void => {
      if (hasEnded) return;
      hasEnded = true;
      this.stopTimer();
      this.settleBatch(size, outcome);
    };
    const fail = (error: Error): void => finish({ code: 1, error });
    this.cancelTimer = clock.after(timeoutMs, () => fail(new Error(`no response within ${timeoutMs} ms`)));
    withoutTracing(() => {
      try {
        batch.export(finish);
      } catch (error) {
        fail(toError(error));
      }
    });
  }

  private stopTimer(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
  }

  private oldest(): SpanBatch {
    const full = this.full.shift();
    if (full !== undefined) return full;
    const { filling } = this;
    this.filling = this.options.exporter.newBatch();
    return filling;
  }

  private settleBatch(spans: number, { code, error, rejected = 0 }: ExportOutcome): void {
    if (this.isClosed) return; // counted as stopped
    const lost = code === 0 ? Math.min(spans, rejected) : spans;
    this.inFlight = 0;
    this.sent += spans - lost;
    this.dropped.failed += lost;
    if (lost > 0 || error !== undefined)
      this.options.onFailure(error ?? new Error("the export failed"), lost);
    this.schedule();
  }
}
