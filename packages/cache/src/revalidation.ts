import type { HttpRequest, Response } from "@framework/core";
import { matchesWeakly, parseHttpDate, precondition } from "@framework/core/http";
import { fieldOf } from "./reply-from-entry.ts";
import type { StoredReply } from "./store/cache-store.ts";
import { withFields } from "./origin-request.ts";
import type { ReplyFacts } from "./rules/reply-facts.ts";

/** The request that the handler gets. */
export interface Conditional {
  readonly request: HttpRequest;
  /** Whether it has the stored reply's validators: a 304 then confirms that reply. */
  readonly validates: boolean;
  /** Whether the client's conditions were removed or replaced. */
  readonly isSimplified: boolean;
}

/**
 * Replaces the client's conditions (RFC 9111 4.3.1) with the validators of the stored reply, or removes them if other requests wait for a complete
 * reply; otherwise the client's conditions stay.
 */
export const conditionalRequest = (
  request: HttpRequest,
  entry: StoredReply | undefined,
  wantsWhole: boolean,
): Conditional => {
  const etag = entry === undefined ? null : handlersTag(entry);
  const lastModified = entry === undefined ? null : fieldOf(entry.fields, "last-modified");
  const validates = request.method !== "HEAD" && (etag !== null || lastModified !== null);
  const hasConditions =
    request.getHeader("if-none-match") !== null || request.getHeader("if-modified-since") !== null;
  const isSimplified = hasConditions && (validates || wantsWhole);
  if (!validates && !isSimplified) return { request, validates, isSimplified };
  const changes = new Map([
    ["if-none-match", validates ? etag : null],
    ["if-modified-since", validates ? lastModified : null],
  ]);
  return { request: withFields(request, changes), validates, isSimplified };
};

/** Returns the `ETag` that the handler sent; `null` if it sent none. */
const handlersTag = ({ fields, hasOwnTag }: StoredReply): string | null =>
  hasOwnTag ? null : fieldOf(fields, "etag");

/** Whether the client's conditions show that it already has the reply. */
export const isHeldBy = (
  request: HttpRequest,
  { status }: Response,
  { etag, lastModified }: ReplyFacts,
): boolean => {
  if (status < 200 || status > 299 || status === 206) return false;
  const lastModifiedMs = lastModified === null ? null : parseHttpDate(lastModified);
  return precondition(request, { etag, lastModifiedMs }) === "not-modified";
};

/** Whether a 304 confirms the stored reply: its `ETag` matches the stored one, or the 304 has none (RFC 9111 4.3.4). */
export const confirms = ({ etag }: ReplyFacts, entry: StoredReply): boolean => {
  if (etag === null) return true;
  const stored = handlersTag(entry);
  return stored !== null && matchesWeakly(stored, etag);
};

/** Whether a status shows that the stored reply is outdated. */
export const supersedes = (status: number): boolean =>
  (status < 400 && status !== 206 && status !== 304) || status === 404 || status === 410;
