import { entityTag } from "./entity-tag.ts";

/** Computes the tag of a body in memory. */
export type TagOf = (body: string | Uint8Array) => string;

/** Size of the cache, a power of two, and the maximum length of a cached text in UTF-16 code units. */
const SLOTS = 64;
const MAX_LENGTH = 1024;

interface CachedTag {
  text: string;
  tag: string;
  /** Tag of the last text in this slot. */
  latest: string;
}

/**
 * `entityTag` with a cache of 64 short texts, because revalidated bodies repeat. Saves 20 % of the instructions of a request with five
 * features (callgrind).
 *
 * Direct-mapped: a text is cached when it occurs twice in a row in its slot, so texts that never repeat are not copied.
 */
export const cachedTags = (weak: boolean): TagOf => {
  const table = Array.from({ length: SLOTS }, (): CachedTag => ({ text: "", tag: "", latest: "" }));
  return (body) => {
    if (typeof body !== "string" || body === "" || body.length > MAX_LENGTH) return entityTag(body, weak);
    const known = table[slotOf(body)] as CachedTag;
    if (known.text === body) return known.tag;
    const tag = entityTag(body, weak);
    if (known.latest === tag) {
      known.text = Buffer.from(body).toString(); // a slice of a long text would keep the whole text in memory
      known.tag = tag;
    }
    known.latest = tag;
    return tag;
  };
};

/** Returns the slot of a text: a hash of its length and of up to 8 characters spread over it. */
const slotOf = (text: string): number => {
  const step = (text.length >> 3) + 1;
  let hashed = text.length;
  for (let at = text.length - 1; at >= 0; at -= step)
    hashed = (Math.imul(hashed, 31) + text.charCodeAt(at)) | 0;
  return (hashed ^ (hashed >>> 15)) & (SLOTS - 1);
};
