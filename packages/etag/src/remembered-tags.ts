import { entityTag } from "./entity-tag.ts";

/** The tag of a body in memory. */
export type TagOf = (body: string | Uint8Array) => string;

/** Size of the cache, a power of two, and the maximum length of a text in UTF-16 units. */
const PLACES = 64;
const MAX_LENGTH = 1024;

interface Remembered {
  text: string;
  tag: string;
  /** Last tag of this slot. */
  made: string;
}

/**
 * `entityTag` with a cache of 64 short texts, because revalidated bodies repeat. Saves 20 % of the instructions of a request with five
 * features (callgrind).
 *
 * Direct-mapped: a text is cached when it occurs twice in a row in its slot, so texts that never repeat cost almost nothing.
 */
export const rememberedTags = (weak: boolean): TagOf => {
  const table = Array.from({ length: PLACES }, (): Remembered => ({ text: "", tag: "", made: "" }));
  return (body) => {
    if (typeof body !== "string" || body === "" || body.length > MAX_LENGTH) return entityTag(body, weak);
    const known = table[placeOf(body)] as Remembered;
    if (known.text === body) return known.tag;
    const tag = entityTag(body, weak);
    if (known.made === tag) {
      known.text = Buffer.from(body).toString(); // a slice of a long text would keep the whole text in memory
      known.tag = tag;
    }
    known.made = tag;
    return tag;
  };
};

/** Slot of a text: a hash of its length and of up to 8 characters spread over it. */
const placeOf = (text: string): number => {
  const step = (text.length >> 3) + 1;
  let mark = text.length;
  for (let at = text.length - 1; at >= 0; at -= step) mark = (Math.imul(mark, 31) + text.charCodeAt(at)) | 0;
  return (mark ^ (mark >>> 15)) & (PLACES - 1);
};
