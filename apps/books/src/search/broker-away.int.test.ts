import { databaseInSchema } from "@framework/database/testing";
import { startProxy, withServer } from "@framework/services";
import { freePort } from "@framework/services/free-port";
import { socketClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";

withServer("postgres", (server) => {
  withServer("rabbitmq", (broker) => {
    test("while the broker is unavailable, at start or later, books can be added; they are found once it is back", async () => {
      await using schema = await databaseInSchema(server);
      const port = await freePort();
      const AMQP_URL = broker.replace(new URL(broker).host, `127.0.0.1:${port}`);
      const env = { DATABASE_URL: schema.url, AMQP_URL, BOOKS_LOG: "silent" };
      await using client = socketClient(createBooksApp(booksSettings(env)));
      for (const title of ["Middlemarch", "Villette"]) {
        const found = async (): Promise<unknown> =>
          (await client.get("/search", { query: { word: title } })).json();
        expect((await client.post("/books", { json: { title } })).status).toBe(201);
        expect((await client.get("/books")).status).toBe(200);
        expect(await found()).toEqual({ books: [] });
        await using _proxy = await startProxy(broker, { port });
        await waitFor(async () => JSON.stringify(await found()).includes(title), { timeoutMs: 100_000 });
      }
    }, 300_000);
  });
});
