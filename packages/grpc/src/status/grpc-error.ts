import { FrameworkError } from "@framework/core";
import { GrpcStatus, type GrpcStatusName } from "./grpc-status.ts";
import type { StatusDetail } from "./status-detail.ts";

/** Options of a `GrpcError`. */
export interface GrpcErrorOptions {
  /** Structured details for the client (google.rpc error model). */
  readonly details?: readonly StatusDetail[];
  /** Metadata sent with the status; values of names that end in `-bin` are bytes. */
  readonly metadata?: Readonly<Record<string, string | Uint8Array>>;
  /** The underlying error, for the log only. */
  readonly cause?: unknown;
}

/**
 * A gRPC status other than OK: handlers throw it, and calls of a client reject with it.
 *
 * @example
 * throw new GrpcError("NOT_FOUND", "no book has this id");
 */
export class GrpcError extends FrameworkError {
  override readonly name = "GrpcError";
  /** Name of the status. */
  readonly status: GrpcStatusName;
  /** Number of the status, 1 to 16. */
  readonly statusCode: number;
  /** Structured details. */
  readonly details: readonly StatusDetail[];
  /** Metadata of the status. */
  readonly metadata: Readonly<Record<string, string | Uint8Array>>;

  constructor(
    status: Exclude<GrpcStatusName, "OK">,
    message: string,
    { details = [], metadata = {}, cause }: GrpcErrorOptions = {},
  ) {
    super(`GRPC_${status}`, message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.statusCode = GrpcStatus[status];
    this.details = details;
    this.metadata = metadata;
  }

  /** Whether a value is a `GrpcError`, including one from another copy of this package. */
  static override is(error: unknown): error is GrpcError {
    return FrameworkError.is(error) && typeof (error as { statusCode?: unknown }).statusCode === "number";
  }
}
