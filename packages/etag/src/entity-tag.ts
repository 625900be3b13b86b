import { hash } from "node:crypto";
import { payloadLength } from "@framework/core/feature";

/**
 * Returns the tag of a body in memory: its length and 16 digits of its SHA-256, both in hexadecimal.
 *
 * @param weak makes a weak tag, which other codings of the body may share
 */
export const entityTag = (body: string | Uint8Array, weak: boolean): string => {
  const length = (payloadLength(body) ?? 0).toString(16);
  const tag = `"${length}-${hash("sha256", body, "hex").slice(0, 16)}"`;
  return weak ? `W/${tag}` : tag;
};
