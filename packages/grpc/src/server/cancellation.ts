import type { GrpcCall } from "../call/grpc-call.ts";
import { ClientDeadlineError } from "../status/client-deadline-error.ts";
import { GrpcError } from "../status/grpc-error.ts";

/** Returns the error of a call whose stream the client closed. @param nowMs the current time in Unix milliseconds */
export const cancellation = (call: GrpcCall, nowMs: number): GrpcError =>
  call.isAtClientDeadline(nowMs)
    ? new ClientDeadlineError()
    : new GrpcError("CANCELLED", "The client cancelled the call");
