import type { Book, BookChanges, NewBook } from "./book.ts";

/** Which books to list: those after an id, in the order of ids. */
export interface BookQuery {
  /** Only books of this genre, compared without case. */
  readonly genre: string | null;
  readonly after: number;
  readonly limit: number;
}

/** Where books are kept. Ids are sequential from 1, without gaps, and never used again. */
export interface BookStore {
  list(query: BookQuery): Promise<readonly Book[]>;
  get(id: number): Promise<Book | null>;
  add(book: NewBook): Promise<Book>;
  /** The changed book, or `null` when there is none. */
  change(id: number, changes: BookChanges): Promise<Book | null>;
  /** Tells whether there was one. */
  remove(id: number): Promise<boolean>;
}
