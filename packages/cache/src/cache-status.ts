import type { Response } from "@framework/core";

/** Outcome of a request: the values of `X-Cache`. */
export type Outcome = "MISS" | "HIT" | "STALE" | "REVALIDATED" | "BYPASS";

/** Reason for a call of the handler: the `fwd` values of `Cache-Status` (RFC 9211 2.2). */
export type ForwardReason = "uri-miss" | "vary-miss" | "stale" | "request" | "bypass";

/** One element of `Cache-Status` (RFC 9211), without the cache's name. */
export interface Status {
  readonly forwarded?: ForwardReason;
  /** Status of the handler's reply, if it differs from the status sent. */
  readonly forwardStatus?: number;
  readonly stored?: boolean;
  readonly collapsed?: boolean;
  /** Remaining freshness in seconds; negative for a stale reply. */
  readonly ttlSecs?: number;
}

/** Sets `X-Cache` and appends an element to `Cache-Status`, after the elements of caches closer to the origin. */
export const mark = (response: Response, name: string, outcome: Outcome, status: Status): Response => {
  const { headers } = response;
  headers.set("x-cache", outcome);
  headers.append("cache-status", statusText(name, status));
  return response;
};

/** Serializes an element of `Cache-Status`. */
export const statusText = (name: string, status: Status): string => {
  const { forwarded, forwardStatus, stored, collapsed, ttlSecs } = status;
  let text = forwarded === undefined ? `${name}; hit` : `${name}; fwd=${forwarded}`;
  if (forwardStatus !== undefined) text += `; fwd-status=${forwardStatus}`;
  if (ttlSecs !== undefined) text += `; ttl=${ttlSecs}`;
  if (stored === true) text += "; stored";
  if (collapsed === true) text += "; collapsed";
  return text;
};
