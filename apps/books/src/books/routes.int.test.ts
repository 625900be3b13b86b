import { openDatabase, sql } from "@framework/database";
import { withServer } from "@framework/services";
import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";
import { booksFacts } from "./books-facts.test-kit.ts";

withServer("postgres", (url) => {
  let made = 0;

  booksFacts(async () => {
    const schema = `books_${process.pid}_${++made}`;
    const admin = openDatabase({ url, poolSize: 1 });
    await admin.execute`CREATE SCHEMA ${sql.identifier(schema)}`;
    const own = new URL(url);
    own.searchParams.set("options", `-c search_path=${schema}`);
    return {
      app: createBooksApp(booksSettings({ DATABASE_URL: own.href, BOOKS_LOG: "silent" })),
      end: async () => {
        await admin.execute`DROP SCHEMA ${sql.identifier(schema)} CASCADE`;
        await admin.close();
      },
    };
  });
});
