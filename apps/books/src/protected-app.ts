import { createBooksApp } from "./app.ts";
import type { BooksApp } from "./books-app.ts";
import { booksSettings } from "./settings.ts";

/** Creates the service on an in-memory database, with login: routes that write require a token or a session. */
export const createProtectedApp = (): BooksApp =>
  createBooksApp(
    booksSettings({
      DATABASE_URL: "sqlite://:memory:",
      BOOKS_LOG: "silent",
      BOOKS_WORK: "off",
      BOOKS_SECRET: "0123456789abcdef0123456789abcdef",
      BOOKS_PASSWORD: "p",
    }),
  );
