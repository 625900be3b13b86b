import { z } from "zod";
import { after, text, wholeNumber } from "../fields.ts";

/** A book in replies. */
export const Book = z.object({
  id: z.int().positive(),
  title: z.string(),
  author: z.string(),
  genre: z.string(),
  year: z.int().nullable(),
});
export type Book = z.infer<typeof Book>;

const title = text(500).regex(/\S/, "must not be blank");
const name = text(200);

/** Body of a request that creates a book. */
export const NewBook = z.object({
  title,
  author: name.default("Unknown"),
  genre: name.default("General"),
  year: z.int().nullable().default(null),
});
export type NewBook = z.infer<typeof NewBook>;

/** Body of a request that changes a book; absent fields keep their value, an `id` is ignored. */
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

/** Query parameters of a page of books. */
export const BooksQuery = z.object({
  genre: name.optional(),
  after,
  limit: wholeNumber(/^(?:[1-9]\d{0,2}|1000)$/).optional(),
});
