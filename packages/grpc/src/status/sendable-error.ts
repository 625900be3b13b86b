import { messageOf } from "@framework/core/feature";
import { metadataBytes, metadataProblem } from "../metadata/metadata-rules.ts";
import { GrpcError, type GrpcErrorOptions } from "./grpc-error.ts";
import type { GrpcStatusName } from "./grpc-status.ts";
import type { StatusDetail } from "./status-detail.ts";
import { encodeDetails } from "./status-details-codec.ts";
import { encodedLength, statusMessage } from "./status-message.ts";

/** Maximum bytes of message, metadata and details together: many clients reject trailers above 8 KiB. */
const MAX_BYTES = 8000;

/** An error that can be sent, and the reasons for its omissions. */
export interface SendableError {
  readonly error: GrpcError;
  /** A reason for each value of metadata that was omitted. */
  readonly problems: readonly string[];
}

/** Returns an error without the metadata and details that cannot be sent; the same error if all can. @param otherBytes bytes of the other trailers */
export const sendableError = (error: GrpcError, otherBytes: number): SendableError => {
  try {
    return checkedError(error, otherBytes);
  } catch (cause) {
    // An untyped program may pass details of an unknown kind; a throw would end the process.
    return { error: withParts(error, {}), problems: [messageOf(cause)] };
  }
};

const checkedError = (error: GrpcError, otherBytes: number): SendableError => {
  const names = Object.keys(error.metadata);
  if (names.length === 0 && error.details.length === 0) return { error, problems: [] };
  const problems: string[] = [];
  let remaining = MAX_BYTES - otherBytes - encodedLength(statusMessage(error.message));
  const metadata: Record<string, string | Uint8Array> = Object.create(null) as Record<string, never>;
  for (const [given, value] of Object.entries(error.metadata)) {
    const name = given.toLowerCase();
    const problem =
      metadataProblem(name, value) ??
      (name in metadata ? `the name ${name} occurs twice` : null) ??
      (metadataBytes(name, value) > remaining ? `the value of ${name} is too long` : null);
    if (problem !== null) {
      problems.push(problem);
      continue;
    }
    metadata[name] = value;
    remaining -= metadataBytes(name, value);
  }
  const details = detailsWithin(error, remaining);
  if (problems.length === 0 && details === error.details) return { error, problems };
  return { error: withParts(error, { metadata, details }), problems };
};

/** Returns the error with other metadata and details. */
const withParts = (error: GrpcError, parts: Pick<GrpcErrorOptions, "metadata" | "details">): GrpcError => {
  const status = error.status as Exclude<GrpcStatusName, "OK">; // never OK: the constructor does not accept it
  return new GrpcError(status, error.message, { ...parts, cause: error });
};

/** Returns the details that fit; lists of invalid fields are shortened to fit. */
const detailsWithin = (error: GrpcError, maxBytes: number): readonly StatusDetail[] => {
  const { details, statusCode } = error;
  const text = statusMessage(error.message); // the details repeat it
  const fits = (some: readonly StatusDetail[]): boolean =>
    metadataBytes("grpc-status-details-bin", encodeDetails(statusCode, text, some)) <= maxBytes;
  if (details.length === 0 || fits(details)) return details;
  const fitting: StatusDetail[] = [];
  for (const detail of details) {
    const part = shorten(detail, (some) => fits([...fitting, some]));
    if (part !== null) fitting.push(part);
  }
  return fitting;
};

const shorten = (detail: StatusDetail, fits: (detail: StatusDetail) => boolean): StatusDetail | null => {
  if (fits(detail)) return detail;
  if (detail.kind !== "badRequest") return null;
  for (let count = detail.violations.length >> 1; count > 0; count >>= 1) {
    const part: StatusDetail = { kind: "badRequest", violations: detail.violations.slice(0, count) };
    if (fits(part)) return part;
  }
  return null;
};
