import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";

/** The service as `pnpm --filter @framework/books client` reads its document: on a database in memory, with every route protected. */
export const app = createBooksApp(
  booksSettings({
    DATABASE_URL: "sqlite://:memory:",
    BOOKS_LOG: "silent",
    BOOKS_WORK: "off",
    BOOKS_SECRET: "0123456789abcdef0123456789abcdef",
    BOOKS_PASSWORD: "p",
  }),
);
