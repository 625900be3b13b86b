import { z } from "zod";

/** A book as clients see it. */
export const Book = z.object({
  id: z.int().positive(),
  title: z.string(),
  author: z.string(),
  genre: z.string(),
  year: z.int().nullable(),
});
export type Book = z.infer<typeof Book>;

/** No database can be relied on to keep a NUL in text. */
const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((value) => !value.includes("\0"), "must not hold a NUL character");
const title = text(500).refine((value) => value.trim() !== "", "must not be blank");
const name = text(200);

/** What a client sends to create a book. */
export const NewBook = z.object({
  title,
  author: name.default("Unknown"),
  genre: name.default("General"),
  year: z.int().nullable().default(null),
});
export type NewBook = z.infer<typeof NewBook>;

/** What a client sends to change a book; absent fields keep their value, an `id` is ignored. */
export const BookChanges = z.object({
  title: title.optional(),
  author: name.optional(),
  genre: name.optional(),
  year: z.int().nullable().optional(),
});
export type BookChanges = z.infer<typeof BookChanges>;

export const BookList = z.object({ books: z.array(Book), total: z.int() });
export const DeletedBook = z.object({ deleted: z.literal(true), id: z.int() });
export const BookError = z.object({ error: z.string(), id: z.int().optional() });

/** Books of one reply at most, so that a million of them cost no memory. */
export const MAX_PAGE = 1000;
const wholeNumber = (pattern: RegExp) =>
  z.string().regex(pattern, "must be a whole number").transform(Number);

/** A page of the list: the books after an id, a thousand at most. */
export const BooksQuery = z.object({
  genre: name.optional(),
  after: wholeNumber(/^\d{1,15}$/).optional(),
  limit: wholeNumber(/^(?:[1-9]\d{0,2}|1000)$/).optional(),
});
