import { GrpcError } from "../status/grpc-error.ts";

/**
 * Tolerance in milliseconds: a cancellation this close to the deadline counts as the deadline. The client waits by its own clock, and the server counts
 * from the arrival of the call.
 */
const CLOCK_TOLERANCE_MS = 50;

/** Returns the error of a call whose stream was closed. @param clientDeadlineMs the client's deadline in Unix milliseconds; `null` for none */
export const cancellation = (clientDeadlineMs: number | null, nowMs: number): GrpcError =>
  clientDeadlineMs !== null && nowMs >= clientDeadlineMs - CLOCK_TOLERANCE_MS
    ? new GrpcError("DEADLINE_EXCEEDED", "Deadline exceeded")
    : new GrpcError("CANCELLED", "The client cancelled the call");
