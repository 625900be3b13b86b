import type { Transaction } from "@framework/database";
import type { BooksApp } from "../books-app.ts";
import { bookEvents } from "../books/book-events.ts";
import { wordsOf } from "./words.ts";

/** The worker that indexes new books. The words and the mark that the message is done are one transaction. */
export const indexNewBooks = (app: BooksApp): void => {
  app.messaging.subscribe(
    bookEvents,
    { group: "search", order: "key", dedupe: "inbox" },
    async ({ data: { id, title, author } }, { tx }) => await index(tx, id, `${title} ${author}`),
  );
};

const index = async (tx: Transaction, book: number, text: string): Promise<void> => {
  for (const word of wordsOf(text))
    await tx.execute`INSERT INTO book_words (word, book) VALUES (${word}, ${book}) ON CONFLICT DO NOTHING`;
};
