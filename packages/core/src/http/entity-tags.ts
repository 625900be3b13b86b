/** An entity tag (RFC 9110 8.8.3): `"…"`, or `W/"…"` when it is weak. */
export type EntityTag = string;

/** A list of entity tags, `*` for any, or `null` for a malformed or empty field. */
export type TagList = readonly EntityTag[] | "*" | null;

/** Maximum number of tags of one field. Ignoring the rest is safe: at worst the client gets a complete reply. */
const MAX_TAGS = 100;
/** The suffix that `codedTag` adds. It has two hyphens, because programs use a single hyphen in their own tags. */
const CODED = /--(br|gzip|zstd)"$/;
/** Blanks before a missing tag can match at one position only: two adjacent runs would take quadratic time. */
const ITEM = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(,|$)/y;

/** Whether a text is an entity tag. */
export const isEntityTag = (text: string): boolean => /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(text);

/** Parses an `If-Match` or `If-None-Match` field; commas within a tag belong to it. */
export const parseTagList = (field: string): TagList => {
  if (field.trim() === "*") return "*";
  const tags: EntityTag[] = [];
  ITEM.lastIndex = 0;
  while (tags.length < MAX_TAGS) {
    const found = ITEM.exec(field);
    if (found === null) return null;
    if (found[1] !== undefined) tags.push(found[1]);
    if (found[2] === "") break;
  }
  return tags.length === 0 ? null : tags;
};

/** Weak comparison (RFC 9110 8.8.3.2): whether two tags denote equivalent representations. */
export const matchesWeakly = (one: EntityTag, other: EntityTag): boolean => opaque(one) === opaque(other);

/** Strong comparison (RFC 9110 8.8.3.2): whether two tags denote representations with the same bytes. */
export const matchesStrongly = (one: EntityTag, other: EntityTag): boolean => one === other && !isWeak(one);

/** Makes a tag weak, for an equivalent representation whose bytes may differ. */
export const toWeakTag = (tag: EntityTag): EntityTag => (isWeak(tag) ? tag : `W/${tag}`);

/**
 * Returns the tag of a compressed representation: the tag of the plain one with the coding as a suffix, which `precondition` recognises. A weak tag is
 * unchanged, because all codings of a body share it.
 */
export const codedTag = (tag: EntityTag, coding: "br" | "gzip" | "zstd"): EntityTag =>
  isWeak(tag) ? tag : `${tag.slice(0, -1)}--${coding}"`;

/** Returns the coding that `codedTag` added to a tag; `null` for none. */
export const codingOfTag = (tag: EntityTag): string | null => CODED.exec(tag)?.[1] ?? null;

/** Returns the tag without the coding that `codedTag` added. */
export const plainTag = (tag: EntityTag): EntityTag => tag.replace(CODED, '"');

const isWeak = (tag: EntityTag): boolean => tag.startsWith("W/");

const opaque = (tag: EntityTag): string => (isWeak(tag) ? tag.slice(2) : tag);
