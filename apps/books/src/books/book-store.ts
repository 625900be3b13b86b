import type { Awaitable } from "@framework/core";
import type { Book, BookChanges, NewBook } from "./book.ts";

/** Where books are kept. Ids are sequential from 1, without gaps, and never used again. */
export interface BookStore {
  /** Whether the books live and die with one process, so that several workers would disagree. */
  readonly isOfOneProcess: boolean;
  /** All books in the order of their ids; with a genre only those of it, compared without case. */
  list(genre: string | null): Awaitable<readonly Book[]>;
  get(id: number): Awaitable<Book | null>;
  add(book: NewBook): Awaitable<Book>;
  /** The changed book, or `null` when there is none. */
  change(id: number, changes: BookChanges): Awaitable<Book | null>;
  /** Tells whether there was one. */
  remove(id: number): Awaitable<boolean>;
}
