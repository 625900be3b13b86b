import { z } from "zod";

/** Text that a database can store: PostgreSQL has no NUL in text. */
export const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((value) => !value.includes("\0"), "must not contain a NUL character");

/** A whole number in a path or query. */
export const wholeNumber = (pattern: RegExp) =>
  z.string().regex(pattern, "must be a whole number").transform(Number);

/** Maximum number of entries in one reply, which bounds its memory. */
export const MAX_PAGE = 1000;

/** Query parameter of a page: only entries after this book. */
export const after = wholeNumber(/^\d{1,15}$/).optional();
