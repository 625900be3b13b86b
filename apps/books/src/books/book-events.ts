import type { Transaction } from "@framework/database";
import { topic } from "@framework/messaging";
import type { BooksApp } from "../books-app.ts";
import { Book } from "./book.ts";

/** Events of books, for other services and for workers of this one. */
export const bookEvents = topic("books", {
  "book.created": Book,
  "book.changed": Book,
  "book.deleted": Book.pick({ id: true }),
});

/** Publishes changes of books, each in the transaction of the change, so neither exists without the other. */
export interface Publish {
  readonly created: (tx: Transaction, book: Book) => Promise<void>;
  readonly changed: (tx: Transaction, book: Book) => Promise<void>;
  readonly deleted: (tx: Transaction, id: number) => Promise<void>;
}

/** Publishes to the topic `books`; the messages of one book stay in order. */
export const publishWith = ({ messaging }: BooksApp): Publish => ({
  created: async (tx, book) => {
    await messaging.send(bookEvents, { type: "book.created", key: String(book.id), data: book }, { tx });
  },
  changed: async (tx, book) => {
    await messaging.send(bookEvents, { type: "book.changed", key: String(book.id), data: book }, { tx });
  },
  deleted: async (tx, id) => {
    await messaging.send(bookEvents, { type: "book.deleted", key: String(id), data: { id } }, { tx });
  },
});
