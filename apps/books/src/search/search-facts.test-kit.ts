// Tests of the search in one file, because they run on every broker.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { socketClient, type TestClient, waitFor } from "@framework/testing";
import type { BooksApp } from "../books-app.ts";

/** Declares the tests of the search, over a socket. */
export const searchFacts = (make: () => BooksApp | Promise<BooksApp>): void => {
  const stack = new AsyncDisposableStack();
  let client: TestClient;
  let app: BooksApp;
  beforeAll(async () => {
    app = await make();
    client = stack.use(socketClient(app));
  });
  afterAll(() => stack.disposeAsync());

  const found = async (word: string): Promise<unknown[]> => {
    const reply = await client.get("/search", { query: { word } });
    return (reply.json() as { books: unknown[] }).books;
  };
  const until = (isTrue: () => Promise<boolean>): Promise<unknown> =>
    waitFor(isTrue, { timeoutMs: 60_000, intervalMs: 10 });

  test("a book is found by the words of its title and author, case-insensitively", async () => {
    const book = { title: "Pride and Prejudice", author: "Jane Austen" };
    const { id } = (await client.post("/books", { json: book })).json() as { id: number };
    await until(async () => (await found("pride")).length === 1);
    for (const word of ["PREJUDICE", "austen"]) expect(await found(word)).toMatchObject([{ id, ...book }]);
    expect(await found("prid")).toEqual([]);
  }, 180_000);

  test("a word is found in either Unicode form, composed or decomposed", async () => {
    const title = "Caf\u00e9 Noir";
    const { id } = (await client.post("/books", { json: { title } })).json() as { id: number };
    await until(async () => (await found("noir")).length === 1);
    for (const word of ["caf\u00e9", "cafe\u0301"]) expect(await found(word)).toMatchObject([{ id, title }]);
    const decomposed = { title: "Cafe\u0301 Royal" };
    await client.post("/books", { json: decomposed });
    await until(async () => (await found("royal")).length === 1);
    expect(await found("caf\u00e9")).toMatchObject([{ title }, decomposed]);
  }, 180_000);

  test("a book that was deleted is not found", async () => {
    const { id } = (await client.post("/books", { json: { title: "Ulysses" } })).json() as { id: number };
    await until(async () => (await found("ulysses")).length === 1);
    await client.delete(`/books/${id}`);
    expect(await found("ulysses")).toEqual([]);
  }, 180_000);

  test("a book with a changed title is found by the new words, and not by the old ones", async () => {
    const { id } = (await client.post("/books", { json: { title: "First Impressions" } })).json() as {
      id: number;
    };
    await client.put(`/books/${id}`, { json: { title: "Second Thoughts" } });
    await until(async () => (await found("thoughts")).length === 1);
    expect(await found("impressions")).toEqual([]);
  }, 180_000);

  test("the index keeps no word of a book that was deleted", async () => {
    const { id } = (await client.post("/books", { json: { title: "Walden" } })).json() as { id: number };
    await client.delete(`/books/${id}`);
    await client.post("/books", { json: { title: "Emma" } });
    await until(async () => (await found("emma")).length === 1);
    const words = (): Promise<unknown> =>
      app.db.fetchValue`SELECT count(*) FROM book_words WHERE book = ${id}`;
    await until(async () => (await words()) === 0);
    expect(await found("emma")).toHaveLength(1);
  }, 180_000);

  test("a message that is sent in a rolled-back transaction is not published", async () => {
    const rolledBack = app.db.transaction(async (tx) => {
      await app.messaging.send("books", { type: "book.created", data: {} }, { tx });
      throw new Error("rolled back");
    });
    await expect(rolledBack).rejects.toThrow("rolled back");
    await client.post("/books", { json: { title: "Middlemarch" } });
    await until(async () => (await found("middlemarch")).length === 1);
    expect(app.messaging.status()).toMatchObject([{ topic: "books", group: "search", deadLettered: 0 }]);
  }, 180_000);
};
