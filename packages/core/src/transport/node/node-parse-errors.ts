import { HttpError } from "../../errors/http-error.ts";

/** Error of node:http's parser. */
export interface ParseError extends Error {
  readonly code?: string;
  readonly reason?: string;
  /** Offset in `rawPacket` at which parsing stopped. */
  readonly bytesParsed?: number;
  /** Bytes of the last read only. */
  readonly rawPacket?: Uint8Array;
}

const badRequest = (detail: string): HttpError => new HttpError(400, detail);

/**
 * Returns the error to reply with for an error of node:http's parser; the same error as `readHead` returns for the message.
 *
 * `undecided` for an unknown method that is incomplete: the next read decides between a token (501) and a malformed line (400).
 *
 * @param atStart whether the bytes of the read start a message
 */
export const parseFailure = (error: ParseError, atStart: boolean): HttpError | "undecided" => {
  const { code, reason = "", rawPacket, bytesParsed = 0 } = error;
  switch (code) {
    case "HPE_INVALID_VERSION":
      return reason === "Invalid HTTP version" ? badVersion() : badRequest("The request line is malformed");
    case "HPE_PAUSED_H2_UPGRADE":
      return badVersion();
    case "HPE_INVALID_METHOD":
      return unknownMethod(rawPacket ?? new Uint8Array(), bytesParsed, atStart);
    case "HPE_INVALID_CONSTANT":
      return reason.startsWith("Invalid method")
        ? notImplemented()
        : badRequest("The request line is malformed");
    case "HPE_INVALID_URL":
      return badRequest("The request target is malformed");
    case "HPE_INVALID_CONTENT_LENGTH":
      return reason.includes("overflow")
        ? new HttpError(413, "The request body is too large")
        : badRequest("The field content-length is malformed");
    case "HPE_INVALID_TRANSFER_ENCODING":
      return badRequest("The field transfer-encoding is malformed");
    default:
      return badRequest("The request is malformed");
  }
};

/** Creates the 505 for an unsupported version, or for the start of HTTP/2. */
export const badVersion = (): HttpError => new HttpError(505, "This server speaks HTTP/1.1 and HTTP/1.0");

/** Creates the 501 for an unknown method that is a token. */
export const notImplemented = (): HttpError => new HttpError(501, "The method is not supported");

const isLineEnd = (byte: number | undefined): boolean => byte === 0x0d || byte === 0x0a;

const unknownMethod = (bytes: Uint8Array, stoppedAt: number, atStart: boolean): HttpError | "undecided" => {
  const isFirst = stoppedAt === 0 ? atStart : isLineEnd(bytes[stoppedAt - 1]);
  if (isFirst && !isTokenByte(bytes[stoppedAt])) return badRequest("The request line is malformed");
  return restOfMethod(bytes, stoppedAt);
};

/** Decides on an unknown method whose bytes before `from` were token characters. */
export const restOfMethod = (bytes: Uint8Array, from = 0): HttpError | "undecided" => {
  let at = from;
  while (isTokenByte(bytes[at])) at++;
  if (at === bytes.byteLength) return "undecided";
  return bytes[at] === 0x20 ? notImplemented() : badRequest("The request line is malformed");
};

const isTokenByte = (byte: number | undefined): boolean =>
  byte !== undefined && /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte));
