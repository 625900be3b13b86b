import { entityTag } from "./entity-tag.ts";

/** The tag of a body in memory. */
export type TagOf = (body: string | Uint8Array) => string;

/** Texts that are remembered at most, a power of two, and how long each of them may be in UTF-16 units. */
const PLACES = 64;
const MAX_LENGTH = 1024;

interface Remembered {
  text: string;
  tag: string;
  /** The tag that was made last at this place. */
  made: string;
}

/**
 * `entityTag`, which remembers the tags of short texts: where tags are of use, the same text is sent again and again, and hashing it takes
 * several times as long as comparing it.
 *
 * A text is kept when it comes twice in a row at its place, so that texts that never come again cost next to nothing. At most 64 of 1,024
 * characters are.
 */
export const rememberedTags = (weak: boolean): TagOf => {
  const table = Array.from({ length: PLACES }, (): Remembered => ({ text: "", tag: "", made: "" }));
  return (body) => {
    if (typeof body !== "string" || body === "" || body.length > MAX_LENGTH) return entityTag(body, weak);
    const known = table[placeOf(body)] as Remembered;
    if (known.text === body) return known.tag;
    const tag = entityTag(body, weak);
    if (known.made === tag) {
      known.text = Buffer.from(body).toString(); // a text that was cut out of a long one would keep all of that in memory
      known.tag = tag;
    }
    known.made = tag;
    return tag;
  };
};

/** Where a text is remembered: made of its length and of up to 8 characters all over it. */
const placeOf = (text: string): number => {
  const step = (text.length >> 3) + 1;
  let mark = text.length;
  for (let at = text.length - 1; at >= 0; at -= step) mark = (Math.imul(mark, 31) + text.charCodeAt(at)) | 0;
  return (mark ^ (mark >>> 15)) & (PLACES - 1);
};
