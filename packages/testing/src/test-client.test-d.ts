import { App } from "@framework/core";
import { eachClient } from "./each-client.ts";
import { testClient } from "./test-client.ts";

await using client = testClient(new App(), { env: "production", timeouts: {}, cookies: true });

const reply = await client.post("/books", { json: { title: "Emma" }, query: { page: 1, tag: ["a", "b"] } });
const book = reply.json<{ title: string }>();
book.title satisfies string;

// @ts-expect-error the type of a body is unknown until the caller states it
reply.json().title satisfies string;

// @ts-expect-error there are two environments
testClient(new App(), { env: "staging" });

// @ts-expect-error an option of `run` that clients do not accept
testClient(new App(), { port: 8000 });

// @ts-expect-error a misspelt option
await client.get("/books", { quary: {} });

// @ts-expect-error fields of a form are flat
await client.post("/books", { form: { author: { name: "Jane" } } });

class BooksApp extends App {
  readonly isBooks = true;
}
const register = (_name: string, _run: () => Promise<void>): void => {};
eachClient(register, () => new BooksApp(), {
  "a fact receives the app under test": (_client, app) => {
    app.isBooks satisfies true;
  },
});
