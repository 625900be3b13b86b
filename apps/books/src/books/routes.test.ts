import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";
import { booksFacts } from "./books-facts.test-kit.ts";

booksFacts(async () => ({
  app: createBooksApp(booksSettings({ DATABASE_URL: "sqlite://:memory:", BOOKS_LOG: "silent" })),
  end: async () => {},
}));
