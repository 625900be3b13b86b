import { GrpcError } from "./grpc-error.ts";
import type { GrpcStatusName } from "./grpc-status.ts";

/** The HTTP status closest to each gRPC status (google.rpc.Code). */
const httpStatuses: Readonly<Record<GrpcStatusName, number>> = {
  OK: 200,
  CANCELLED: 499,
  UNKNOWN: 500,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DATA_LOSS: 500,
  UNAUTHENTICATED: 401,
};

/** Returns the HTTP status for the outcome of a call: 200 for `null`, which is OK; 500 for values that are not a `GrpcError`. */
export const httpStatusOf = (outcome: unknown): number => {
  if (outcome === null) return 200;
  return GrpcError.is(outcome) ? httpStatuses[outcome.status] : 500;
};
