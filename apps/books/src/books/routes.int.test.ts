import { databaseInSchema } from "@framework/database/testing";
import { withServer } from "@framework/services";
import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";
import { booksFacts } from "./books-facts.test-kit.ts";

withServer("postgres", (server) => {
  booksFacts(async () => {
    const schema = await databaseInSchema(server);
    return {
      app: createBooksApp(
        booksSettings({ DATABASE_URL: schema.url, BOOKS_LOG: "silent", BOOKS_DATABASE_SECS: "120" }),
      ),
      end: async () => await schema[Symbol.asyncDispose](),
    };
  });
});
