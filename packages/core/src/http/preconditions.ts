import { negotiateEncoding } from "./accept-encoding.ts";
import {
  codingOfTag,
  type EntityTag,
  matchesStrongly,
  matchesWeakly,
  parseTagList,
  plainTag,
} from "./entity-tags.ts";
import { parseHttpDate } from "./http-date.ts";

/** Validators of a resource's state; `null` where unknown. */
export interface Validators {
  /** The current entity tag; `null` without one. */
  readonly etag?: EntityTag | null | undefined;
  /** Last modification in Unix milliseconds; fractions of a second are ignored. */
  readonly lastModifiedMs?: number | null | undefined;
  /** `Date` of the reply, in Unix milliseconds: `lastModifiedMs` is weak unless it is at least a second older (RFC 9110 8.8.2.2). @default none: it is strong */
  readonly dateMs?: number | null | undefined;
}

/** Outcome of a conditional request: the ordinary reply, 304, or 412. */
export type Precondition = "proceed" | "not-modified" | "failed";

/** Members of a request that the conditions need. */
export interface ConditionalRequest {
  /** Method of the request. */
  readonly method: string;
  /** Returns a header field, or `null`. */
  getHeader(name: string): string | null;
}

/**
 * Evaluates a request's conditions against the current state (RFC 9110 13.2.2): `If-Match`, else `If-Unmodified-Since`; then `If-None-Match`,
 * else `If-Modified-Since`. A malformed field is ignored, except that a malformed `If-Match` fails.
 *
 * The tag of a compressed reply (`codedTag`) denotes the same state as the plain tag. For GET and HEAD it counts only if the client would get that coding now.
 *
 * @param current validators of the resource, `null` if it does not exist
 */
export const precondition = (request: ConditionalRequest, current: Validators | null): Precondition => {
  const ifMatch = request.getHeader("if-match");
  if (ifMatch !== null) {
    if (!isAmong(ifMatch, request, current, matchesStrongly)) return "failed";
  } else if (modifiedSince(request.getHeader("if-unmodified-since"), current) === true) return "failed";

  const reads = isRead(request);
  const ifNoneMatch = request.getHeader("if-none-match");
  if (ifNoneMatch !== null) {
    if (!isAmong(ifNoneMatch, request, current, matchesWeakly)) return "proceed";
    return reads ? "not-modified" : "failed";
  }
  const unchanged = reads && modifiedSince(request.getHeader("if-modified-since"), current) === false;
  return unchanged ? "not-modified" : "proceed";
};

/** Whether a `Range` applies: without `If-Range`, or when it identifies exactly the current state (RFC 9110 13.1.5). */
export const ifRangeHolds = (request: ConditionalRequest, current: Validators): boolean => {
  const field = request.getHeader("if-range");
  if (field === null) return true;
  if (field.endsWith('"')) return typeof current.etag === "string" && matchesStrongly(field, current.etag);
  const date = parseHttpDate(field);
  return (
    date !== null &&
    typeof current.lastModifiedMs === "number" &&
    seconds(current.lastModifiedMs) === seconds(date) &&
    (current.dateMs ?? Infinity) - current.lastModifiedMs >= 1000
  );
};

const isRead = ({ method }: ConditionalRequest): boolean => method === "GET" || method === "HEAD";

const isAmong = (
  field: string,
  request: ConditionalRequest,
  current: Validators | null,
  matches: (one: EntityTag, other: EntityTag) => boolean,
): boolean => {
  const wanted = parseTagList(field);
  if (wanted === null || current === null) return false;
  if (wanted === "*") return true;
  const { etag } = current;
  if (typeof etag !== "string") return false;
  return wanted.some((tag) => matches(tag, etag) || (isCoded(tag, request) && matches(plainTag(tag), etag)));
};

/**
 * Whether a tag may be compared without its coding. For GET and HEAD the reply must have that coding, and the request no range, because ranges refer to
 * the plain body.
 */
const isCoded = (tag: EntityTag, request: ConditionalRequest): boolean => {
  const coding = codingOfTag(tag);
  if (coding === null || !isRead(request)) return coding !== null;
  if (request.getHeader("range") !== null) return false;
  return negotiateEncoding(request.getHeader("accept-encoding"), [coding]) === coding;
};

/** Whether the state changed after a date; `null` if unknown. */
const modifiedSince = (field: string | null, current: Validators | null): boolean | null => {
  if (field === null || typeof current?.lastModifiedMs !== "number") return null;
  const date = parseHttpDate(field);
  return date === null ? null : seconds(current.lastModifiedMs) > seconds(date);
};

const seconds = (ms: number): number => Math.floor(ms / 1000);
