import type { Transaction } from "@framework/database";
import type { Book, BookChanges, NewBook } from "./book.ts";

/** A page of books after an id, in the order of ids. */
export interface BookQuery {
  /** Only books of this genre, case-insensitive. */
  readonly genre: string | null;
  readonly after: number;
  readonly limit: number;
}

/** Called in the transaction that removes a book; what it throws undoes the removal. */
export type Removed = (tx: Transaction, id: number) => Promise<void>;

/** Called in the transaction that stores a book; what it throws undoes that. */
export type Stored = (tx: Transaction, book: Book) => Promise<void>;

/** The store of books. Ids are sequential from 1, without gaps, and never reused. */
export interface BookStore {
  list(query: BookQuery): Promise<readonly Book[]>;
  /** The number of all books, of a genre if one is given. */
  count(query: Pick<BookQuery, "genre">): Promise<number>;
  get(id: number): Promise<Book | null>;
  add(book: NewBook, stored: Stored): Promise<Book>;
  /** The changed book, or `null` when there is none. */
  change(id: number, changes: BookChanges, stored: Stored): Promise<Book | null>;
  /** Returns whether the book existed. */
  remove(id: number, removed: Removed): Promise<boolean>;
  /** Returns whether the book exists; if so, it is not removed before the transaction ends. */
  hold(tx: Transaction, id: number): Promise<boolean>;
}
