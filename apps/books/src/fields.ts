import { z } from "zod";

/** Text that a database stores unchanged: PostgreSQL allows no NUL in text, and UTF-8 cannot encode a lone surrogate. */
export const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((value) => !value.includes("\0"), "must not contain a NUL character")
    .refine((value) => value.isWellFormed(), "must not contain a lone surrogate");

/** Normalizes a text for comparison: lower case and one Unicode form, since é may be written as one character or two. */
export const comparable = (value: string): string => value.normalize("NFC").toLowerCase();

/** A whole number in a path or query. */
export const wholeNumber = (pattern: RegExp) =>
  z.string().regex(pattern, "must be a whole number").transform(Number);

/** Maximum number of entries in one reply, which bounds its memory. */
export const MAX_PAGE = 1000;

/** Query parameter of a page: only entries after this book. */
export const after = wholeNumber(/^\d{1,15}$/).optional();
