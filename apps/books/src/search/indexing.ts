import type { Transaction } from "@framework/database";
import type { BooksApp } from "../books-app.ts";
import { bookEvents } from "../books/book-events.ts";
import { wordsOf } from "./words.ts";

/** Subscribes the worker that updates the word index. The words are written in the transaction that marks the message as processed. */
export const indexBooks = (app: BooksApp): void => {
  app.messaging.subscribe(
    bookEvents,
    { group: "search", order: "key", dedupe: "inbox" },
    async ({ type, data }, { tx }) => {
      await tx.execute`DELETE FROM book_words WHERE book = ${data.id}`;
      if (type !== "book.deleted") await insertWords(tx, data.id, `${data.title} ${data.author}`);
    },
  );
};

const insertWords = async (tx: Transaction, book: number, text: string): Promise<void> => {
  for (const word of wordsOf(text))
    await tx.execute`INSERT INTO book_words (word, book) VALUES (${word}, ${book})`;
};
