import { timeoutMs } from "../metadata/grpc-timeout.ts";
import { isMetadataBase64, isMetadataText } from "../metadata/metadata-rules.ts";
import { GrpcStatus } from "../status/grpc-status.ts";
import { statusMessage } from "../status/status-message.ts";

/** Header fields in the format of `node:http2`. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Rules for the request headers of calls. */
export interface HeaderRules {
  /** The methods by `service/method`. */
  readonly methods: { has(name: string): boolean };
  readonly maxMetadataBytes: number;
}

/** A reply that has only header fields. */
export type HeadersOnlyReply = Readonly<Record<string, string | number>>;

const CONTENT_TYPE = /^application\/grpc(?:\+proto)?\s*(?:;|$)/i;

/** First character of the names of pseudo-header fields. */
const COLON = 58;

/**
 * Returns the reply that refuses a call whose headers break the protocol or a limit, or whose method does not exist; otherwise `null`.
 *
 * @param raw alternating names and values
 */
export const refusalOfHeaders = (
  headers: HeaderFields,
  raw: readonly string[],
  { methods, maxMetadataBytes }: HeaderRules,
): HeadersOnlyReply | null => {
  if (headers[":method"] !== "POST") return { ":status": 405, allow: "POST" };
  const type = textOf(headers["content-type"]);
  if (type !== "application/grpc" && !CONTENT_TYPE.test(type)) return { ":status": 415 };
  if (sizeOf(raw) > maxMetadataBytes)
    return trailersOnly(
      GrpcStatus.RESOURCE_EXHAUSTED,
      `The metadata is larger than the limit of ${maxMetadataBytes} bytes`,
    );
  const path = textOf(headers[":path"]);
  if (!methods.has(path.slice(1)))
    return trailersOnly(GrpcStatus.UNIMPLEMENTED, `The method ${path} does not exist`);
  const timeout = headers["grpc-timeout"];
  if (timeout !== undefined && timeoutMs(textOf(timeout)) === null)
    return trailersOnly(GrpcStatus.INTERNAL, "The value of grpc-timeout is malformed");
  const name = malformedField(raw);
  return name === null ? null : trailersOnly(GrpcStatus.INTERNAL, `The value of ${name} is malformed`);
};

const textOf = (value: HeaderFields[string]): string => (typeof value === "string" ? value : "");

/** Size as HTTP/2 counts it (RFC 9113 6.5.2). */
const sizeOf = (raw: readonly string[]): number => {
  let bytes = raw.length * 16;
  for (const text of raw) bytes += text.length;
  return bytes;
};

const malformedField = (raw: readonly string[]): string | null => {
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? "";
    const value = raw[at + 1] ?? "";
    if (name.charCodeAt(0) === COLON) continue;
    if (!(name.endsWith("-bin") ? isMetadataBase64(value) : isMetadataText(value))) return name;
  }
  return null;
};

/** Returns a Trailers-Only reply. */
const trailersOnly = (code: number, message: string): HeadersOnlyReply => ({
  ":status": 200,
  "content-type": "application/grpc+proto",
  "grpc-status": code,
  "grpc-message": encodeURI(statusMessage(message)),
});
