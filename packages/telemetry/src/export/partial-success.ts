import type { IExportTraceServiceResponse } from "@opentelemetry/otlp-transformer";
import type { ExportOutcome } from "./batch-exporter.ts";

/** Adds to outcomes what the SDK only gives to its own log: that a collector rejected a part of the spans, or warns. */
export class PartialSuccess {
  /** From an answer to its outcome, which the SDK reports next, in the same turn. */
  private noted: Omit<ExportOutcome, "code"> | null = null;

  /** Notes a collector's answer, and returns it. */
  note(answer: IExportTraceServiceResponse): IExportTraceServiceResponse {
    const { rejectedSpans: rejected = 0, errorMessage: message = "" } = answer.partialSuccess ?? {};
    const reason = message === "" ? "" : `: ${message}`;
    if (rejected > 0) this.noted = { rejected, error: new Error(`the collector rejected them${reason}`) };
    else if (message !== "") this.noted = { error: new Error(message) };
    return answer;
  }

  /** Returns the outcome of the answer that was noted last. */
  addTo(outcome: ExportOutcome): ExportOutcome {
    const { noted } = this;
    this.noted = null;
    return noted === null ? outcome : { ...outcome, ...noted };
  }
}
