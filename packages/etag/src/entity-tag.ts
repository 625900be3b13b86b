import { hash } from "node:crypto";
import { payloadLength } from "@framework/core/feature";

/**
 * Returns the entity tag of a body in memory: its length and the first 16 digits of its SHA-256, both in hexadecimal.
 *
 * @param weak whether the tag is weak, so that all content codings of the body can share it
 */
export const entityTag = (body: string | Uint8Array, weak: boolean): string => {
  const length = (payloadLength(body) ?? 0).toString(16);
  const tag = `"${length}-${hash("sha256", body, "hex").slice(0, 16)}"`;
  return weak ? `W/${tag}` : tag;
};
