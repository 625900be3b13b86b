import { createHash } from "node:crypto";
import { type HttpRequest, Response } from "@framework/core";
import { precondition } from "@framework/core/http";

/** A constant reply. */
export interface CachedFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates a file from text; by default its ETag is a hash of the content. */
export const textFile = (
  text: string,
  contentType: string,
  {
    etag,
    headers = {},
  }: { readonly etag?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): CachedFile => {
  const bytes = new TextEncoder().encode(text);
  return { bytes, contentType, etag: etag ?? tagOf(bytes), headers };
};

const tagOf = (bytes: Uint8Array): string =>
  `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`;

/** Sends the file, or 304 to a client that has it (RFC 9110 13). */
export const sendFile = (
  request: HttpRequest,
  { bytes, contentType, etag, headers }: CachedFile,
): Response => {
  const fields = { ...headers, etag };
  if (precondition(request, { etag, lastModifiedMs: null }) === "not-modified") {
    const reply = new Response(null, { headers: fields });
    reply.status = 304;
    return reply;
  }
  return new Response(bytes, { contentType, headers: fields });
};
