import type { Transaction } from "@framework/database";
import type { Book, BookChanges, NewBook } from "./book.ts";

/** Query of a page of books, ordered by id. */
export interface BookQuery {
  /** Only books of this genre, case-insensitive. */
  readonly genre: string | null;
  /** Only books with a higher id. */
  readonly after: number;
  readonly limit: number;
}

/** Called in the transaction that removes a book; an error rolls it back. */
export type OnRemove = (tx: Transaction, id: number) => Promise<void>;

/** Called in the transaction that stores a book; an error rolls it back. */
export type OnStore = (tx: Transaction, book: Book) => Promise<void>;

/** The store of books. Ids are sequential from 1, without gaps, and never reused. */
export interface BookStore {
  list(query: BookQuery): Promise<readonly Book[]>;
  /** Returns the number of books, optionally of one genre. */
  count(query: Pick<BookQuery, "genre">): Promise<number>;
  get(id: number): Promise<Book | null>;
  add(book: NewBook, onStore: OnStore): Promise<Book>;
  /** Returns the changed book, or `null` when there is none. */
  change(id: number, changes: BookChanges, onStore: OnStore): Promise<Book | null>;
  /** Returns whether the book existed. */
  remove(id: number, onRemove: OnRemove): Promise<boolean>;
  /** Returns whether the book exists; if so, locks it, so that it cannot be removed before the transaction ends. */
  lock(tx: Transaction, id: number): Promise<boolean>;
}
