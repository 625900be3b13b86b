import type { HttpRequest, Response } from "@framework/core";
import { BodyStream } from "@framework/core/feature";
import { parseHttpDate, precondition } from "@framework/core/http";

/** Whether a reply may become 304: a successful one to GET or HEAD (RFC 9110 13.2.1), except parts. */
export const mayBeUnchanged = ({ method }: HttpRequest, { ok, status }: Response): boolean =>
  (method === "GET" || method === "HEAD") && ok && status !== 206;

/** Whether the client has the content of a reply already. */
export const isUnchanged = (request: HttpRequest, reply: Response): boolean => {
  if (!mayBeUnchanged(request, reply)) return false;
  if (request.getHeader("if-none-match") === null && request.getHeader("if-modified-since") === null)
    return false; // most requests are unconditional
  const { headers } = reply;
  const tag = headers.get("etag");
  const lastModified = headers.get("last-modified");
  if (tag === null && lastModified === null) return false; // nothing to compare, such as for an event stream
  const lastModifiedMs = lastModified === null ? null : parseHttpDate(lastModified);
  return precondition(withoutIfMatch(request), { etag: tag, lastModifiedMs }) === "not-modified";
};

/** Hides the conditions that lead to 412: the handler has already run, and checks them itself with `requireMatch`. */
const withoutIfMatch = (request: HttpRequest) => ({
  method: request.method,
  getHeader: (name: string) =>
    name === "if-match" || name === "if-unmodified-since" ? null : request.getHeader(name),
});

/** Changes the reply in place, which keeps the annotations of features, and removes the fields that describe a body (RFC 9110 15.4.5). */
export const notModified = (reply: Response): Response => {
  if (reply.payload instanceof BodyStream) void reply.payload.cancel().catch(() => {}); // the body is not read, so its error is irrelevant
  reply.payload = null;
  reply.status = 304;
  for (const name of bodyFields) reply.headers.delete(name);
  return reply;
};

const bodyFields = [
  "content-type",
  "content-length",
  "content-encoding",
  "content-language",
  "content-range",
];
