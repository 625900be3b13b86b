import { Blueprint } from "@framework/core";
import type { Database } from "@framework/database";
import { z } from "zod";
import { Book } from "../books/book.ts";
import type { BooksApp } from "../books-app.ts";
import { comparable, MAX_PAGE, text } from "../fields.ts";
import { MAX_WORD } from "./words.ts";

/** The route that searches the word index. */
export const searchRoutes = (db: Database): Blueprint<"/search", BooksApp> => {
  const routes: Blueprint<"/search", BooksApp> = new Blueprint("/search", { tags: ["books"] });
  routes.get(
    "",
    {
      summary: "Find books by a word",
      description: `A whole word of title or author, case-insensitive. Ordered by id, at most ${MAX_PAGE}. New and changed books appear slightly later.`,
      query: z.object({ word: text(MAX_WORD).min(1) }),
      responses: { 200: z.object({ books: z.array(Book) }) },
      cache: false, // the worker indexes a change only after its reply was sent
    },
    async ({ input: { query } }) => ({
      books:
        await db.query<Book>`SELECT id, title, author, genre, year FROM book_words JOIN books ON books.id = book_words.book
        WHERE word = ${comparable(query.word)} ORDER BY book LIMIT ${MAX_PAGE}`,
    }),
  );
  return routes;
};
