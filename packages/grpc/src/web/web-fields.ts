import type { HttpRequest } from "@framework/core";
import type { MetadataFields } from "../call/call-metadata.ts";
import type { CallOutcome } from "../call/call-runner.ts";
import type { GrpcCall } from "../call/grpc-call.ts";
import { timeoutMs } from "../metadata/grpc-timeout.ts";
import { isMetadataBase64 } from "../metadata/metadata-rules.ts";
import { GrpcError } from "../status/grpc-error.ts";
import { statusMessage } from "../status/status-message.ts";
import { encodeDetails } from "../status/status-details-codec.ts";

/** Fields of the transport, which are not metadata. */
const transportFields: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "grpc-accept-encoding",
  "grpc-encoding",
  "grpc-timeout",
  "host",
  "te",
  "transfer-encoding",
]);

/** Returns the metadata of a gRPC-Web request. @throws GrpcError INTERNAL for bytes that are not Base64 */
export const webFields = ({ headers }: HttpRequest): MetadataFields => {
  const fields: Record<string, (string | Uint8Array)[]> = Object.create(null) as Record<string, never>;
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    if (transportFields.has(name)) continue;
    (fields[name] ??= []).push(...(name.endsWith("-bin") ? decodeBinary(name, value) : [value]));
  }
  return fields;
};

/** Decodes values of binary metadata: Base64 with or without padding, possibly joined by commas. @throws GrpcError INTERNAL for other text */
const decodeBinary = (name: string, value: string): Uint8Array[] => {
  if (!isMetadataBase64(value)) throw new GrpcError("INTERNAL", `The value of ${name} is malformed`);
  return value.split(",").map((each) => Buffer.from(each.trim(), "base64"));
};

/** Returns the client's deadline in Unix milliseconds; `null` without one. @throws GrpcError INTERNAL for a malformed `grpc-timeout` */
export const webDeadline = (timeout: string | null, nowMs: number): number | null => {
  if (timeout === null) return null;
  const ms = timeoutMs(timeout);
  if (ms === null) throw new GrpcError("INTERNAL", "The value of grpc-timeout is malformed");
  return nowMs + ms;
};

/** Returns the trailers of an outcome, in the order in which they are sent. */
export const webTrailers = (
  outcome: CallOutcome,
  call: Pick<GrpcCall, "trailersToSend">,
): readonly (readonly [string, string])[] => {
  const trailers: [string, string][] = [["grpc-status", String(outcome?.statusCode ?? 0)]];
  const add = (name: string, value: string | Uint8Array): void =>
    void trailers.push([name, typeof value === "string" ? value : Buffer.from(value).toString("base64")]);
  if (outcome !== null) {
    const message = statusMessage(outcome.message);
    trailers.push(["grpc-message", encodeURIComponent(message)]);
    if (outcome.details.length > 0)
      add("grpc-status-details-bin", encodeDetails(outcome.statusCode, message, outcome.details));
    for (const [name, value] of Object.entries(outcome.metadata)) add(name.toLowerCase(), value);
  }
  // Metadata of the error replaces trailers of the same name, as on the gRPC port.
  const replaced = new Set(Object.keys(outcome?.metadata ?? {}).map((name) => name.toLowerCase()));
  for (const [name, value] of call.trailersToSend ?? []) if (!replaced.has(name)) add(name, value);
  return trailers;
};
