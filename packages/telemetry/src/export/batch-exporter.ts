import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";

/** Takes the outcome of an export. */
export type Exported = (outcome: ExportOutcome) => void;

/** Outcome of an export, as the SDK has it, and what it leaves out of a success in part. */
export interface ExportOutcome {
  /** 0 for a success. */
  readonly code: number;
  /** Why the export failed, or what the collector says about a success. */
  readonly error?: Error;
  /** Spans of a success that the collector rejected. @default 0 */
  readonly rejected?: number;
}

/** Finished spans on their way, in the form that their exporter takes. */
export interface SpanBatch {
  /** Number of spans. */
  readonly size: number;
  add(span: ReadableSpan): void;
  /** Sends the spans; called once. */
  export(done: Exported): void;
}

/** Makes batches, which it sends. */
export interface BatchExporter {
  newBatch(): SpanBatch;
  shutdown(): Promise<void>;
}

/** An exporter of the SDK, which takes lists of spans. */
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

  export(done: Exported): void {
    this.exporter.export(this.spans, done);
  }
}

/** Sends batches with an exporter of the SDK. */
export const listExporter = (exporter: ListExporter): BatchExporter => ({
  newBatch: () => new SpanList(exporter),
  shutdown: () => exporter.shutdown(),
});
