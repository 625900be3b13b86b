import type { RequestSource } from "@framework/core/feature";
import type { Refusal } from "../access/refusal.ts";

/** Maximum number of bytes in a body. */
const MAX_BYTES = 128 * 1024;

/** Reads a JSON body. Forms, which other sites can send without a preflight, are refused. */
export const readJson = async (
  source: RequestSource,
): Promise<{ readonly value: unknown } | { readonly refusal: Refusal }> => {
  if (!/^application\/json *(?:;|$)/i.test(source.field("content-type") ?? ""))
    return { refusal: { status: 415, message: "The body must be JSON" } };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source.chunks()) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) return { refusal: { status: 413, message: "The body is too large" } };
    chunks.push(chunk);
  }
  try {
    return { value: JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown };
  } catch {
    return { refusal: { status: 400, message: "The body is not valid JSON" } };
  }
};
