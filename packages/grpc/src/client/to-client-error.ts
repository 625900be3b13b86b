import { messageOf } from "@framework/core/feature";
import type { ServiceError } from "@grpc/grpc-js";
import { GrpcError } from "../status/grpc-error.ts";
import { type GrpcStatusName, statusName } from "../status/grpc-status.ts";
import { decodeDetails } from "../status/status-details-codec.ts";

const DETAILS = "grpc-status-details-bin";

/** Fields of a response that are not metadata. A status without a message arrives in one block with them. */
const notMetadata: ReadonlySet<string> = new Set([DETAILS, "content-length", "content-type"]);

/** Matches messages of grpc-js, with the code INTERNAL, for a connection that was lost or that the server ended with an error code. */
const LOST_SESSION =
  /^Received RST_STREAM with code \d+ triggered by internal client error: (?:Session closed with error code|(?:read|write) E[A-Z]+)/;

/** Returns the error of a call as a `GrpcError`, with the metadata and details that the server sent. @param cause the client's own error that ended the call, if any */
export const toClientError = (error: unknown, cause: unknown = error): GrpcError => {
  if (GrpcError.is(error)) return error;
  if (isWithoutStatus(error))
    return new GrpcError(
      "INTERNAL",
      "The response is compressed without a grpc-encoding, or with an unsupported one",
      { cause: error },
    );
  if (!isServiceError(error)) return new GrpcError("INTERNAL", messageOf(error), { cause: error });
  const status = LOST_SESSION.test(error.details) ? "UNAVAILABLE" : statusName(error.code);
  const metadata: Record<string, string | Uint8Array> = Object.create(null) as Record<string, never>;
  for (const [name, value] of Object.entries(error.metadata?.getMap() ?? {}))
    if (!notMetadata.has(name)) metadata[name] = value;
  const [details] = error.metadata?.get(DETAILS) ?? [];
  return new GrpcError(status as Exclude<GrpcStatusName, "OK">, error.details, {
    metadata,
    cause,
    details: details instanceof Uint8Array ? decodeDetails(details) : [],
  });
};

/** Whether grpc-js refused the compression of a message: it then cancels the call with a status that has neither code nor details. */
const isWithoutStatus = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  "code" in error &&
  error.code === undefined &&
  "details" in error &&
  error.details === undefined;

const isServiceError = (
  error: unknown,
): error is Pick<ServiceError, "code" | "details"> & Partial<Pick<ServiceError, "metadata">> =>
  typeof error === "object" &&
  error !== null &&
  typeof (error as { code?: unknown }).code === "number" &&
  typeof (error as { details?: unknown }).details === "string";
