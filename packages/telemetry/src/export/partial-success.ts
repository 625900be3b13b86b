import type { IExportTraceServiceResponse } from "@opentelemetry/otlp-transformer";
import type { ExportOutcome } from "./batch-exporter.ts";

/** Adds to outcomes what the SDK only logs: spans that the collector rejected, and its warnings. */
export class PartialSuccess {
  /** Kept from a response until its outcome, which the SDK reports next, in the same turn. */
  private details: Omit<ExportOutcome, "code"> | null = null;

  /** Keeps the details of a collector's response, and returns the response. */
  record(response: IExportTraceServiceResponse): IExportTraceServiceResponse {
    const { rejectedSpans: rejected = 0, errorMessage: message = "" } = response.partialSuccess ?? {};
    const reason = message === "" ? "" : `: ${message}`;
    if (rejected > 0) this.details = { rejected, error: new Error(`the collector rejected them${reason}`) };
    else if (message !== "") this.details = { error: new Error(message) };
    return response;
  }

  /** Returns the outcome with the details of the last response. */
  addTo(outcome: ExportOutcome): ExportOutcome {
    const { details } = this;
    this.details = null;
    return details === null ? outcome : { ...outcome, ...details };
  }
}
