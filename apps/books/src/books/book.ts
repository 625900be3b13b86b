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

const title = z
  .string()
  .max(500)
  .refine((text) => text.trim() !== "", "must not be blank");
const name = z.string().max(200);

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
export const BooksQuery = z.object({ genre: z.string().optional() });
