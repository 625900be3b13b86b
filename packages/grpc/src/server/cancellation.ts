import { GrpcError } from "../status/grpc-error.ts";

/**
 * Milliseconds before a deadline in which a cancellation counts as the deadline: the client waits by its own clock, and the server counts from the
 * arrival of the call.
 */
const LATE_MS = 50;

/** Returns the error of a call whose stream was closed. @param clientMs the client's deadline, since 1970; `null` for none */
export const cancellation = (clientMs: number | null, nowMs: number): GrpcError =>
  clientMs !== null && nowMs >= clientMs - LATE_MS
    ? new GrpcError("DEADLINE_EXCEEDED", "Deadline exceeded")
    : new GrpcError("CANCELLED", "The client cancelled the call");
