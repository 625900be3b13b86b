import type { LimitsConfig } from "../../config/limits-config.ts";
import { HttpError } from "../../errors/http-error.ts";
import { trimBlanks } from "../../http/field-grammar.ts";
import { isAuthority } from "../../http/authority.ts";
import { fieldsTooLong, lineTooLong } from "./head-limits.ts";
import { hasConnectionClose } from "./reply-head.ts";
import { readTarget } from "../../http/request-target.ts";

/** The unvalidated head of a request, from a parser. */
export interface RawHead {
  /** Method, as received. */
  readonly method: string;
  /** Request target, as received. */
  readonly target: string;
  /** Major version of HTTP. */
  readonly major: number;
  /** Minor version of HTTP. */
  readonly minor: number;
  /** name, value, name, value … */
  readonly fields: readonly string[];
}

/** A valid head, with the values derived from it. */
export interface RequestHead {
  /** Target in origin form. */
  readonly target: string;
  /** Host and port of the request's URL. */
  readonly authority: string;
  /** As received, except that the authority of an absolute-form target replaces Host (RFC 9112 3.2.2). */
  readonly fields: readonly string[];
  /** Bytes of the body, `null` for a chunked one. */
  readonly bodyLength: number | null;
  /** Whether the request has `Expect: 100-continue`, which has no effect without a body. */
  readonly expectsContinue: boolean;
  /** Whether an HTTP/1.0 request has `Connection: close`; for HTTP/1.1, `node:http` detects it. */
  readonly last: boolean;
}

const HOST = 1;
const CONTENT_LENGTH = 2;
const TRANSFER_ENCODING = 4;
const EXPECT = 8;

/** A field that the rules check. */
type WatchedField = readonly [name: string, bit: number];

/** One bit for each field. Fields above bit 8 are only checked for repetition. */
const watched: readonly WatchedField[] = [
  ["host", HOST],
  ["content-length", CONTENT_LENGTH],
  ["transfer-encoding", TRANSFER_ENCODING],
  ["expect", EXPECT],
  ["content-type", 16],
  ["authorization", 32],
  ["origin", 64],
  ["range", 128],
  ["if-range", 256],
];
/** Fields that may be repeated: their values are joined. */
const repeatable: number = TRANSFER_ENCODING | EXPECT;
/** Watched fields, indexed by the length of the name, which excludes most names. A map would first intern each received name. */
const byLength: readonly (readonly WatchedField[])[] = Array.from({ length: 18 }, (_, length) =>
  watched.filter(([name]) => name.length === length),
);

const badRequest = (detail: string): HttpError => new HttpError(400, detail);

/**
 * Validates a request's head by the rules of all transports (RFC 9112 2 to 6): version, limits, target, Host, repeated fields, and the framing of the body.
 * Nothing is repaired. An error is sent to the client, and the connection closes.
 */
export const readHead = (raw: RawHead, limits: LimitsConfig): RequestHead | HttpError => {
  const { method, major, minor, fields } = raw;
  if (major !== 1 || minor > 1) return new HttpError(505, "This server speaks HTTP/1.1 and HTTP/1.0");
  const tooLong = overLimits(raw, limits);
  if (tooLong !== null) return tooLong;
  const target = readTarget(method, raw.target);
  if (target === null) return badRequest("The request target is malformed");
  const values = watchedValues(fields);
  if (values instanceof HttpError) return values;
  const host = readHost(values.host, minor);
  if (host instanceof HttpError) return host;
  const bodyLength = readBodyLength(values.contentLength, values.transferEncoding, minor);
  if (bodyLength instanceof HttpError) return bodyLength;
  const expects = minor === 1 && values.expect !== null;
  if (expects && values.expect?.toLowerCase() !== "100-continue") {
    return new HttpError(417, "The only supported expectation is 100-continue");
  }
  return {
    target: target.target,
    authority: target.authority ?? host,
    fields: target.authority === null ? fields : withHost(fields, target.authority),
    bodyLength,
    expectsContinue: expects,
    last: minor === 0 && hasConnectionClose(fields),
  };
};

const overLimits = ({ method, target, fields }: RawHead, limits: LimitsConfig): HttpError | null => {
  if (method.length + target.length + " HTTP/1.1 ".length > limits.maxRequestLine) {
    return lineTooLong(limits);
  }
  if (fields.length > 2 * limits.maxHeaderFields) {
    return new HttpError(431, `There are more than ${limits.maxHeaderFields} header fields`);
  }
  let bytes = fields.length * 2; // `: ` and CRLF of each field
  for (const text of fields) bytes += text.length;
  return bytes > limits.maxHeaderBytes ? fieldsTooLong(limits, largestOf(fields)) : null;
};

const largestOf = (fields: readonly string[]): string => {
  const size = (at: number): number => (fields[at]?.length ?? 0) + (fields[at + 1]?.length ?? 0);
  let largest = 0;
  for (let at = 2; at < fields.length; at += 2) if (size(at) > size(largest)) largest = at;
  return fields[largest] ?? "";
};

interface WatchedValues {
  host: string | null;
  contentLength: string | null;
  transferEncoding: string | null;
  expect: string | null;
}

const watchedValues = (fields: readonly string[]): WatchedValues | HttpError => {
  const values: WatchedValues = {
    host: null,
    contentLength: null,
    transferEncoding: null,
    expect: null,
  };
  let seen = 0;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] ?? "";
    const bit = bitOf(name);
    if ((seen & bit & ~repeatable) !== 0)
      return badRequest(`The field ${name.toLowerCase()} must not be repeated`);
    seen |= bit;
    if (bit !== 0 && bit <= EXPECT) storeValue(values, bit, fields[at + 1] ?? "");
  }
  return values;
};

/** The bit of a watched field; 0 for any other. */
const bitOf = (name: string): number => {
  const alike = byLength[name.length];
  if (alike === undefined) return 0;
  for (const [lowerName, bit] of alike) if (isNamed(name, lowerName)) return bit;
  return 0;
};

/** Compares a name case-insensitively. Exact, because `| 0x20` maps no other token character to a letter or hyphen of the watched names. */
const isNamed = (name: string, lowerName: string): boolean => {
  for (let at = 0; at < lowerName.length; at++) {
    if ((name.charCodeAt(at) | 0x20) !== lowerName.charCodeAt(at)) return false;
  }
  return true;
};

const storeValue = (values: WatchedValues, bit: number, value: string): void => {
  if (bit === HOST) values.host = value;
  else if (bit === CONTENT_LENGTH) values.contentLength = value;
  else if (bit === EXPECT) values.expect = joinValues(values.expect, value);
  else values.transferEncoding = joinValues(values.transferEncoding, value);
};

const joinValues = (first: string | null, second: string): string =>
  first === null ? second : `${first}, ${second}`;

const readHost = (host: string | null, minor: number): string | HttpError => {
  if (host === null) return minor === 0 ? "" : badRequest("The field host is missing");
  return isAuthority(host) ? host : badRequest("The field host is malformed");
};

const readBodyLength = (
  contentLength: string | null,
  transferEncoding: string | null,
  minor: number,
): number | null | HttpError => {
  if (transferEncoding !== null) {
    if (contentLength !== null) return badRequest("A message has either content-length or transfer-encoding");
    return minor === 0 ? badRequest("HTTP/1.0 has no transfer-encoding") : readCodings(transferEncoding);
  }
  if (contentLength === null) return 0;
  if (!/^\d+$/.test(contentLength)) return badRequest("The field content-length is malformed");
  const length = Number(contentLength);
  return Number.isSafeInteger(length) ? length : new HttpError(413, "The request body is too large");
};

/** Accepts only `chunked`. If it is not last or is repeated, the length is unknown (RFC 9112 6.3). */
const readCodings = (value: string): null | HttpError => {
  const codings = value.split(",").map((coding) => trimBlanks(coding).toLowerCase());
  if (codings.length === 1 && codings[0] === "chunked") return null;
  if (codings.indexOf("chunked") !== codings.length - 1 || codings.includes("")) {
    return badRequest("The field transfer-encoding is malformed");
  }
  return new HttpError(501, "The only supported transfer coding is chunked");
};

const withHost = (fields: readonly string[], authority: string): readonly string[] => {
  const changed = fields.slice();
  const at = fields.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  if (at === -1) changed.push("Host", authority);
  else changed[at + 1] = authority;
  return changed;
};
