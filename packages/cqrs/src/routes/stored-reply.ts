import { Response } from "@framework/core";
import { BodyStream, payloadBytes, payloadLength } from "@framework/core/feature";
import type { StoredResult } from "../idempotency/stored-results.ts";

/** Statuses that refuse a request before it has any effect, or ask the client to retry. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 408, 409, 413, 415, 422, 425, 429]);

/** Header fields that belong to one exchange, connection or client, and are not stored with a reply. */
const unstoredFields: ReadonlySet<string> = new Set([
  "set-cookie",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "trailer",
  "upgrade",
  "date",
  "age",
  "x-request-id",
  "server-timing",
]);

/** Whether a reply is the final result of the request; after any other reply, the request may be retried. */
export const isResult = ({ status }: Response): boolean =>
  status >= 200 && status < 500 && !refusals.has(status);

/** Converts a reply for storage; `null` for a body above `maxBytes`, or of unknown length. */
export const toStoredResult = async (reply: Response, maxBytes: number): Promise<StoredResult | null> => {
  const length = payloadLength(reply.payload);
  if (length === null || length > maxBytes) return null;
  if (reply.payload instanceof BodyStream) reply.payload = await payloadBytes(reply.payload);
  const body = await payloadBytes(reply.payload);
  const fields = [...reply.headers.entries()].filter(([name]) => !unstoredFields.has(name));
  return {
    status: reply.status,
    headers: Object.fromEntries(fields),
    body: body.byteLength === 0 ? null : body,
  };
};

/** Creates the reply to a repeated request from the stored result. */
export const replayedReply = ({ status, headers, body }: StoredResult): Response =>
  new Response(body === null ? null : new Uint8Array(body), { status, headers });
