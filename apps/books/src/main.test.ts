import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Program } from "@framework/testing";
import { startBooks } from "./start-books.test-kit.ts";

test("the program serves the books, stops cleanly, and still has them after a restart", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "books-"));
  const env = { DATABASE_URL: `sqlite://${join(folder.path, "books.db")}` };
  {
    await using program = await startBooks(env);
    expect((await program.client.get("/books")).json()).toEqual({ books: [], total: 0 });
    await program.client.post("/books", { json: { title: "Dune" } });
    await program.client.post("/books", { json: { title: "Emma" } });
    await program.client.delete("/books/2");
    expect(await program.stop()).toEqual({ code: 0, signal: null });
  }
  await using again = await startBooks(env);
  expect((await again.client.get("/books/1")).json()).toMatchObject({ title: "Dune" });
  expect((await again.client.post("/books", { json: { title: "It" } })).json()).toMatchObject({ id: 3 });
});

describe("two workers", () => {
  const stack = new AsyncDisposableStack();
  let program: Program;
  beforeAll(async () => {
    const folder = stack.use(mkdtempDisposableSync(join(tmpdir(), "books-")));
    const env = { DATABASE_URL: `sqlite://${join(folder.path, "books.db")}` };
    program = stack.use(await startBooks(env, ["--workers", "2"]));
  });
  afterAll(() => stack.disposeAsync());

  /** Uses a new connection, so either worker may reply. */
  const send = (path: string, method = "GET", body?: object, headers = {}) =>
    fetch(`${program.url}${path}`, {
      method,
      headers: { "content-type": "application/json", connection: "close", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });

  test("share the books, and none serves an outdated list after a change", async () => {
    for (let n = 1; n <= 15; n++) {
      const added = await send("/books", "POST", { title: `T${n}` });
      expect(await added.json()).toMatchObject({ id: n });
      const reads = await Promise.all(Array.from({ length: 6 }, () => send("/books")));
      for (const read of reads) expect(await read.json()).toMatchObject({ total: n });
    }
  });

  test("share the loans: each shows a loan to requests with its token", async () => {
    for (let book = 1; book <= 8; book++) {
      const replies = await Promise.all(
        ["ann", "bob", "eve", "joe"].map((member) => send(`/books/${book}/loan`, "POST", { member })),
      );
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
      const token = replies.find(({ ok }) => ok)?.headers.get("consistency-token") ?? "";
      const views = await Promise.all(
        Array.from({ length: 6 }, () =>
          send("/loans/open", "GET", undefined, { "consistency-token": token }),
        ),
      );
      for (const reply of views) {
        const { loans } = (await reply.json()) as { loans: unknown[] };
        expect(loans).toHaveLength(book);
      }
    }
  });
});

test("several workers with a database in memory are refused", async () => {
  const started = startBooks({ DATABASE_URL: "sqlite://:memory:" }, ["--workers", "2"]);
  await expect(started).rejects.toThrow("its own database in memory");
});

test("invalid settings are reported before the start", async () => {
  const started = startBooks({
    DATABASE_URL: "sqlite://:memory:",
    BOOKS_RATE: "many",
    BOOKS_LOAN_DAYS: "long",
    BOOKS_REBUILD: "one",
    BOOKS_SECRET: "s",
  });
  await expect(started).rejects.toThrow(
    /BOOKS_RATE[\s\S]*BOOKS_LOAN_DAYS[\s\S]*BOOKS_REBUILD[\s\S]*BOOKS_PASSWORD/,
  );
});
