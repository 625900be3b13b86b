import { HttpError, ValidationError } from "@framework/core";
import { GrpcError } from "./grpc-error.ts";
import type { GrpcStatusName } from "./grpc-status.ts";
import type { StatusDetail } from "./status-detail.ts";

type FailureName = Exclude<GrpcStatusName, "OK">;

/** The gRPC status for each HTTP status of an `HttpError`. The README has the same table. */
export const statusOfHttp: Readonly<Record<number, FailureName>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  410: "NOT_FOUND",
  412: "FAILED_PRECONDITION",
  413: "RESOURCE_EXHAUSTED",
  415: "INVALID_ARGUMENT",
  416: "OUT_OF_RANGE",
  422: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** Message that hides the cause from clients. */
const HIDDEN = "Internal Server Error";

/** Converts an error: a `GrpcError` is unchanged, an `HttpError` is mapped by its status, all others are INTERNAL. @param debug whether clients see the messages of internal errors */
export const toGrpcError = (error: unknown, debug: boolean): GrpcError => {
  if (GrpcError.is(error)) return error;
  if (!HttpError.is(error)) {
    const message = debug && Error.isError(error) ? error.message : HIDDEN;
    return new GrpcError("INTERNAL", message, { cause: error });
  }
  const status = statusOfHttp[error.status] ?? (error.status < 500 ? "FAILED_PRECONDITION" : "INTERNAL");
  const message = error.status === 500 && !debug ? HIDDEN : error.detail;
  return new GrpcError(status, message, { details: detailsOf(error), cause: error });
};

const detailsOf = (error: HttpError): readonly StatusDetail[] => {
  const details: StatusDetail[] = [];
  if (error instanceof ValidationError) {
    const violations = error.issues.map(({ loc, msg }) => ({ field: loc.join("."), description: msg }));
    details.push({ kind: "badRequest", violations });
  }
  const { retry_after: retryAfterSecs } = error.extras;
  if (typeof retryAfterSecs === "number") details.push({ kind: "retryInfo", delayMs: retryAfterSecs * 1000 });
  return details;
};
