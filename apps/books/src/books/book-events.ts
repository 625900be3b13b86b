import type { Transaction } from "@framework/database";
import { topic } from "@framework/messaging";
import type { BooksApp } from "../books-app.ts";
import { Book } from "./book.ts";

/** What happens to books, for other services and for workers of this one. */
export const bookEvents = topic("books", { "book.created": Book });

/** Publishes a new book in the transaction that stores it: with the book, or not at all. */
export const publishCreated =
  ({ messaging }: BooksApp) =>
  async (tx: Transaction, book: Book): Promise<void> => {
    await messaging.send(bookEvents, { type: "book.created", key: String(book.id), data: book }, { tx });
  };
