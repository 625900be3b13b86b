import type { OutgoingHttpHeaders } from "node:http2";
import type { GrpcCall } from "../call/grpc-call.ts";
import type { GrpcError } from "../status/grpc-error.ts";
import { GrpcStatus } from "../status/grpc-status.ts";
import { encodeDetails } from "../status/status-details-codec.ts";
import { statusMessage } from "../status/status-message.ts";

/** The head of an answer whose handler sets no metadata. */
const plainHead: OutgoingHttpHeaders = Object.freeze({
  ":status": 200,
  "content-type": "application/grpc+proto",
});

/** The trailers of an answer whose handler sets none. */
const plainTrailers: OutgoingHttpHeaders = Object.freeze({ "grpc-status": "0" });

const statusFields = (code: number, message: string): OutgoingHttpHeaders => ({
  "grpc-status": `${code}`,
  "grpc-message": encodeURI(message),
});

/** The trailers of an answer whose own trailers HTTP/2 forbids. */
export const unsendableTrailers: OutgoingHttpHeaders = Object.freeze(
  statusFields(GrpcStatus.INTERNAL, "The metadata of the call cannot be sent"),
);

/** The head that ends a call whose own head HTTP/2 forbids. */
export const unsendableHead: OutgoingHttpHeaders = Object.freeze({ ...unsendableTrailers, ...plainHead });

type Values = Iterable<readonly [name: string, value: string | Uint8Array]>;

/** Returns the head before a message. */
export const headOf = ({ headersToSend }: GrpcCall): OutgoingHttpHeaders =>
  headersToSend === null ? plainHead : { ...metadataOf(headersToSend), ...plainHead };

/** Returns the trailers after a message. */
export const trailersOf = ({ trailersToSend }: GrpcCall): OutgoingHttpHeaders =>
  trailersToSend === null ? plainTrailers : { ...metadataOf(trailersToSend), ...plainTrailers };

/** Returns the head that ends a failed call: its status and trailers, without a message. */
export const failedHead = (error: GrpcError, { trailersToSend }: GrpcCall): OutgoingHttpHeaders => {
  const message = statusMessage(error.message);
  const { statusCode, details, metadata } = error;
  return {
    ...(trailersToSend !== null && metadataOf(trailersToSend)),
    ...metadataOf(Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value])),
    ...(details.length > 0 && {
      "grpc-status-details-bin": text(encodeDetails(statusCode, message, details)),
    }),
    ...statusFields(statusCode, message),
    ...plainHead,
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
