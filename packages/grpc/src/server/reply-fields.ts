import type { OutgoingHttpHeaders } from "node:http2";
import type { GrpcCall } from "../call/grpc-call.ts";
import type { GrpcError } from "../status/grpc-error.ts";
import { GrpcStatus } from "../status/grpc-status.ts";
import { encodeDetails } from "../status/status-details-codec.ts";
import { statusMessage } from "../status/status-message.ts";

/** Response headers of a call whose handler sets none. */
const plainHeaders: OutgoingHttpHeaders = Object.freeze({
  ":status": 200,
  "content-type": "application/grpc+proto",
});

/** Trailers of a successful call whose handler sets none. */
const plainTrailers: OutgoingHttpHeaders = Object.freeze({ "grpc-status": "0" });

const statusFields = (code: number, message: string): OutgoingHttpHeaders => ({
  "grpc-status": `${code}`,
  "grpc-message": encodeURI(message),
});

/** Trailers of a call whose own trailers HTTP/2 forbids. */
export const unsendableTrailers: OutgoingHttpHeaders = Object.freeze(
  statusFields(GrpcStatus.INTERNAL, "The metadata of the call cannot be sent"),
);

/** Trailers-Only headers of a call whose own headers HTTP/2 forbids. */
export const unsendableHeaders: OutgoingHttpHeaders = Object.freeze({
  ...unsendableTrailers,
  ...plainHeaders,
});

type Values = Iterable<readonly [name: string, value: string | Uint8Array]>;

/** Returns the response headers of a successful call. */
export const headersOf = ({ headersToSend }: GrpcCall): OutgoingHttpHeaders =>
  headersToSend === null ? plainHeaders : { ...metadataOf(headersToSend), ...plainHeaders };

/** Returns the trailers of a successful call. */
export const trailersOf = ({ trailersToSend }: GrpcCall): OutgoingHttpHeaders =>
  trailersToSend === null ? plainTrailers : { ...metadataOf(trailersToSend), ...plainTrailers };

/** Returns the Trailers-Only headers of a failed call: its status and trailers, with the metadata and details of the error. */
export const failureHeaders = (error: GrpcError, { trailersToSend }: GrpcCall): OutgoingHttpHeaders => {
  const message = statusMessage(error.message);
  const { statusCode, details, metadata } = error;
  return {
    ...(trailersToSend !== null && metadataOf(trailersToSend)),
    ...metadataOf(Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value])),
    ...(details.length > 0 && {
      "grpc-status-details-bin": text(encodeDetails(statusCode, message, details)),
    }),
    ...statusFields(statusCode, message),
    ...plainHeaders,
  };
};

const metadataOf = (values: Values): Record<string, string | string[]> => {
  const fields: Record<string, string | string[]> = Object.create(null) as Record<string, never>;
  for (const [name, value] of values) {
    const present = fields[name];
    if (present === undefined) fields[name] = text(value);
    else fields[name] = [...(typeof present === "string" ? [present] : present), text(value)];
  }
  return fields;
};

const text = (value: string | Uint8Array): string =>
  typeof value === "string" ? value : Buffer.from(value).toString("base64");
