import { byteRanges, ifRangeHolds, parseHttpDate, precondition, type Validators } from "@framework/core/http";
import { HttpError, type HttpRequest, Response } from "@framework/core";
import type { StoredReply } from "./store/cache-store.ts";
import { addClientFreshness } from "./rules/client-freshness.ts";
import { mark, type Outcome, type Status, statusText } from "./cache-status.ts";

/** Values of `Cache-Status` and `X-Cache` for a reply from the store. */
export interface ReplyMarks {
  /** The cache's name in `Cache-Status`. */
  readonly name: string;
  readonly nowMs: number;
  /** Seconds for which the client may use a reply without explicit freshness. */
  readonly clientTtlSecs: number;
  readonly outcome: Outcome;
  readonly status: Status;
}

/**
 * Creates a reply from a stored one: complete, 304 if the client has it, or the requested range (RFC 9111 4.3.2, RFC 9110 14.2).
 *
 * @throws HttpError 416 for a range beyond the end of the body
 */
export const replyFromEntry = (entry: StoredReply, request: HttpRequest, marks: ReplyMarks): Response => {
  const isOk = entry.status >= 200 && entry.status <= 299;
  if (!isOk || !isConditional(request)) return markReply(full(entry), entry, marks);
  const validators = validatorsOf(entry);
  if (precondition(request, validators) === "not-modified")
    return markReply(notModified(entry), entry, marks);
  const range = entry.status === 200 && request.method === "GET" ? request.getHeader("range") : null;
  if (range === null || !ifRangeHolds(request, validators)) return markReply(full(entry), entry, marks);
  return markReply(partial(entry, range, marks), entry, marks);
};

/** Whether a request has `If-None-Match`, `If-Modified-Since` or `Range`. */
export const isConditional = (request: HttpRequest): boolean =>
  request.getHeader("if-none-match") !== null ||
  request.getHeader("if-modified-since") !== null ||
  request.getHeader("range") !== null;

const validatorsOf = ({ fields }: StoredReply): Validators => {
  const lastModified = fieldOf(fields, "last-modified");
  const date = fieldOf(fields, "date");
  return {
    etag: fieldOf(fields, "etag"),
    lastModifiedMs: lastModified === null ? null : parseHttpDate(lastModified),
    dateMs: date === null ? null : parseHttpDate(date),
  };
};

/** Returns the value of a field in a flat list, `null` if absent. */
export const fieldOf = (fields: readonly string[], name: string): string | null => {
  for (let at = 0; at + 1 < fields.length; at += 2) if (fields[at] === name) return fields[at + 1] ?? null;
  return null;
};

const full = (entry: StoredReply): Response => {
  const response = withFieldsOf(entry, entry.status);
  response.payload = entry.body;
  return response;
};

const withFieldsOf = ({ fields }: StoredReply, status: number): Response => {
  const response = new Response();
  response.status = status;
  const { headers } = response;
  for (let at = 0; at + 1 < fields.length; at += 2) headers.append(fields[at] ?? "", fields[at + 1] ?? "");
  return response;
};

/** Creates a 304 with the fields of the stored reply that do not describe its body (RFC 9110 15.4.5). */
const notModified = (entry: StoredReply): Response => {
  const response = withFieldsOf(entry, 304);
  for (const name of ["content-type", "content-encoding", "content-language"]) response.headers.delete(name);
  return response;
};

const partial = (entry: StoredReply, field: string, { name, outcome, status }: ReplyMarks): Response => {
  const { body, bodyBytes } = entry;
  const ranges = byteRanges(field, bodyBytes);
  if (ranges === "unsatisfiable") {
    throw new HttpError(416, `The range is beyond the end of ${bodyBytes} bytes`, {
      headers: {
        "content-range": `bytes */${bodyBytes}`,
        "x-cache": outcome,
        "cache-status": statusText(name, status),
      },
    });
  }
  const [range, ...others] = ranges === "whole" ? [] : ranges;
  if (range === undefined || others.length > 0) return full(entry);
  const { start, end } = range;
  const response = withFieldsOf(entry, 206);
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : (body ?? new Uint8Array());
  response.payload = bytes.subarray(start, end + 1);
  response.setHeader("content-range", `bytes ${start}-${end}/${bodyBytes}`);
  return response;
};

const markReply = (
  response: Response,
  entry: StoredReply,
  { name, nowMs, clientTtlSecs, outcome, status }: ReplyMarks,
): Response => {
  const ageMs = Math.max(0, nowMs - entry.bornMs);
  const ageSecs = Math.floor(ageMs / 1000);
  response.headers.append("age", String(ageSecs));
  if (entry.isImplicit) addClientFreshness(response, clientTtlSecs, ageSecs);
  const ttlSecs = Math.floor((entry.freshMs - ageMs) / 1000);
  return mark(response, name, outcome, status.forwarded === undefined ? { ...status, ttlSecs } : status);
};
