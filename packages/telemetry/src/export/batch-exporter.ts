import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";

/** Receives the outcome of an export. */
export type ExportCallback = (outcome: ExportOutcome) => void;

/** Outcome of an export, with the number of spans that the collector rejected. */
export interface ExportOutcome {
  /** 0 for a success. */
  readonly code: number;
  /** Error of the export, or the collector's warning about a success. */
  readonly error?: Error;
  /** Spans of a success that the collector rejected. @default 0 */
  readonly rejected?: number;
}

/** Finished spans to export, in the form of their exporter. */
export interface SpanBatch {
  /** Number of spans. */
  readonly size: number;
  add(span: ReadableSpan): void;
  /** Sends the spans; called once. */
  export(done: ExportCallback): void;
}

/** Creates batches and sends them. */
export interface BatchExporter {
  newBatch(): SpanBatch;
  shutdown(): Promise<void>;
}

/** An exporter of the SDK, which exports lists of spans. */
type ListExporter = Pick<SpanExporter, "export" | "shutdown">;

class SpanList implements SpanBatch {
  private readonly spans: ReadableSpan[] = [];
  private readonly exporter: ListExporter;

  constructor(exporter: ListExporter) {
    this.exporter = exporter;
  }

  get size(): number {
    return this.spans.length;
  }

  add(span: ReadableSpan): void {
    this.spans.push(span);
  }

  export(done: ExportCallback): void {
    this.exporter.export(this.spans, done);
  }
}

/** Sends batches with an exporter of the SDK. */
export const listExporter = (exporter: ListExporter): BatchExporter => ({
  newBatch: () => new SpanList(exporter),
  shutdown: () => exporter.shutdown(),
});
