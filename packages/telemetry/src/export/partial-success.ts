import type { IExportTraceServiceResponse } from "@opentelemetry/otlp-transformer";
import type { ExportOutcome } from "./batch-exporter.ts";

/** Adds details to outcomes that the SDK only logs: rejected spans, and warnings of the collector. */
export class PartialSuccess {
  /** Details of the last response, until the SDK reports its outcome in the same turn of the event loop. */
  private details: Omit<ExportOutcome, "code"> | null = null;

  /** Records the details of a collector's response, and returns the response. */
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
