// Tests of all routes of books in one file, because they run on every kind of database.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { socketClient, type TestClient } from "@framework/testing";
import type { BooksApp } from "../books-app.ts";

const dune = { title: "Dune", author: "Frank Herbert", genre: "SciFi", year: 1965 };

/** Creates an app; `end` cleans up after it. */
export type MakeApp = () => Promise<{ readonly app: BooksApp; readonly end: () => Promise<void> }>;

/** Declares the tests of the routes of books, over a socket. */
export const booksFacts = (make: MakeApp): void => {
  const withClient = (facts: (client: TestClient, app: BooksApp) => Promise<void>) => async () => {
    const { app, end } = await make();
    try {
      await using client = socketClient(app);
      await facts(client, app);
    } finally {
      await end();
    }
  };

  /** Starts one app with one book for several tests; returns its client. */
  const sharedClient = (): (() => TestClient) => {
    const stack = new AsyncDisposableStack();
    let client: TestClient;
    beforeAll(async () => {
      const { app, end } = await make();
      stack.defer(end);
      client = stack.use(socketClient(app));
      await client.post("/books", { json: dune });
    });
    afterAll(() => stack.disposeAsync());
    return () => client;
  };

  /** A service for tests of refused requests, which change no book. */
  const readOnly = sharedClient();
  /** A service for tests that add books. */
  const writable = sharedClient();
  const addBook = async (book: object): Promise<number> =>
    (await writable().post("/books", { json: book })).json<{ id: number }>().id;

  describe("GET /books", () => {
    test(
      "lists all books with their total number",
      withClient(async (client) => {
        expect((await client.get("/books")).json()).toEqual({ books: [], total: 0 });
        await client.post("/books", { json: dune });
        await client.post("/books", { json: { title: "Emma" } });
        const reply = await client.get("/books");
        expect(reply.status).toBe(200);
        expect(reply.json()).toEqual({
          books: [
            { id: 1, ...dune },
            { id: 2, title: "Emma", author: "Unknown", genre: "General", year: null },
          ],
          total: 2,
        });
      }),
    );

    test("filters by a genre in either Unicode form", async () => {
      const id = await addBook({ title: "T", genre: "Po\u00e9sie" });
      for (const genre of ["po\u00e9sie", "poe\u0301sie"])
        expect((await writable().get("/books", { query: { genre } })).json()).toMatchObject({
          books: [{ id }],
          total: 1,
        });
    });

    test("filters by the whole genre, case-insensitively", async () => {
      const emma = { title: "Emma", author: "Jane Austen", genre: "Novel", year: 1815 };
      const id = await addBook(emma);
      for (const genre of ["Novel", "novel", "NOVEL"]) {
        expect((await writable().get("/books", { query: { genre } })).json()).toEqual({
          books: [{ id, ...emma }],
          total: 1,
        });
      }
      expect((await writable().get("/books?genre=Nov")).json()).toEqual({ books: [], total: 0 });
    });
  });

  describe("GET /books/{id}", () => {
    test("returns the book, or 404 with the id as a number", async () => {
      expect((await writable().get("/books/1")).json()).toEqual({ id: 1, ...dune });
      const missing = await writable().get("/books/70");
      expect([missing.status, missing.json()]).toEqual([404, { error: "Book not found", id: 70 }]);
    });
  });

  describe("POST /books", () => {
    test(
      "creates a book with defaults, ids sequential from 1 and never reused",
      withClient(async (client) => {
        const first = await client.post("/books", { json: { title: "Emma" } });
        expect([first.status, first.json()]).toEqual([
          201,
          { id: 1, title: "Emma", author: "Unknown", genre: "General", year: null },
        ]);
        await client.delete("/books/1");
        expect((await client.post("/books", { json: dune })).json()).toEqual({ id: 2, ...dune });
      }),
    );

    test("an id that the client sends is ignored", async () => {
      const before = await addBook({ title: "Emma" });
      expect(await addBook({ id: 99, title: "Emma" })).toBe(before + 1);
    });
  });

  describe("POST /books without a title", () => {
    test.each([
      ["no body", { headers: { "content-type": "application/json" } }],
      ["an empty object", { json: {} }],
      ["no title", { json: { author: "A" } }],
      ["a blank title", { json: { title: "  " } }],
      ["a title that is not a string", { json: { title: 5 } }],
      ["a null title", { json: { title: null } }],
      ["an array", { json: [] }],
      ["a string", { json: "title" }],
      ["null", { json: null }],
    ])("%s gets 400", async (_name, init) => {
      const reply = await readOnly().post("/books", init);
      expect([reply.status, reply.json()]).toEqual([400, { error: "Field 'title' is required" }]);
      expect((await readOnly().get("/books")).json()).toMatchObject({ total: 1 });
    });
  });

  describe("PUT /books/{id}", () => {
    test("changes the fields of the body and keeps the others", async () => {
      const id = await addBook(dune);
      const path = `/books/${id}`;
      const changes = { title: "Dune Messiah", year: null, id: 50 };
      const reply = await writable().put(path, { json: changes });
      expect([reply.status, reply.json()]).toEqual([200, { ...dune, ...changes, id }]);
      expect((await writable().put(path, { json: {} })).json()).toMatchObject({ title: "Dune Messiah" });
    });

    test("an unknown book gets 404", async () => {
      const reply = await writable().put("/books/70", { json: { title: "T" } });
      expect([reply.status, reply.json()]).toEqual([404, { error: "Book not found" }]);
    });
  });

  describe("DELETE /books/{id}", () => {
    test("removes the book, once", async () => {
      const id = await addBook(dune);
      const reply = await writable().delete(`/books/${id}`);
      expect([reply.status, reply.json()]).toEqual([200, { deleted: true, id }]);
      const again = await writable().delete(`/books/${id}`);
      expect([again.status, again.json()]).toEqual([404, { error: "Book not found" }]);
    });
  });

  describe("invalid input gets a 4xx status and an error message", () => {
    const json = { "content-type": "application/json" };
    test.each([
      ["malformed JSON", "POST", "/books", { body: '{"title":', headers: json }, 400],
      ["trailing data", "POST", "/books", { body: '{"title":"T"} x', headers: json }, 400],
      ["invalid UTF-8", "POST", "/books", { body: new Uint8Array([0x22, 0xff, 0x22]), headers: json }, 400],
      ["deep nesting", "POST", "/books", { body: "[".repeat(10_000), headers: json }, 400],
      ["a year that is a string", "POST", "/books", { json: { title: "T", year: "1965" } }, 422],
      ["a year with a fraction", "POST", "/books", { json: { title: "T", year: 19.5 } }, 422],
      ["an author that is a list", "POST", "/books", { json: { title: "T", author: [] } }, 422],
      ["an overlong title", "POST", "/books", { json: { title: "T".repeat(501) } }, 422],
      ["a NUL in a title", "POST", "/books", { json: { title: "a\0b" } }, 422],
      [
        "an XML body",
        "POST",
        "/books",
        { body: "<book/>", headers: { "content-type": "application/xml" } },
        415,
      ],
      ["a malformed media type", "POST", "/books", { body: "{}", headers: { "content-type": "json" } }, 400],
      [
        "an empty media type",
        "POST",
        "/books",
        { body: '{"title":"T"}', headers: { "content-type": "" } },
        400,
      ],
      [
        "an unsupported charset",
        "POST",
        "/books",
        { body: "{}", headers: { "content-type": "application/json; charset=utf-16" } },
        415,
      ],
      ["a blank title on change", "PUT", "/books/1", { json: { title: "" } }, 422],
      ["a lone surrogate in a title", "PUT", "/books/1", { json: { title: "\ud800" } }, 422],
      ["changes that are a list", "PUT", "/books/1", { json: [] }, 422],
      ["an id that is not a number", "GET", "/books/one", {}, 400],
      ["an id with a fraction", "GET", "/books/1.5", {}, 400],
      ["an id in hexadecimal", "GET", "/books/0x1", {}, 400],
      ["the largest id", "GET", "/books/9007199254740991", {}, 404],
      ["an id too large for a number", "DELETE", `/books/${"9".repeat(400)}`, {}, 400],
      ["a negative id", "PUT", "/books/-1", { json: {} }, 404],
      ["a NUL in the id", "GET", "/books/%00", {}, 400],
      ["an invalid escape", "GET", "/books/%zz", {}, 400],
      ["an unsupported method", "PATCH", "/books/1", { json: {} }, 405],
      ["an unknown path", "GET", "/book", {}, 404],
      ["a trailing slash", "GET", "/books/", {}, 404],
    ] as const)("%s", async (_name, method, path, init, status) => {
      const reply = await readOnly().request(method, path, init);
      expect(reply.status).toBe(status);
      expect(reply.json()).toMatchObject({ error: expect.any(String) });
      expect((await readOnly().get("/books")).json()).toEqual({ books: [{ id: 1, ...dune }], total: 1 });
    });
  });

  test(
    "a page has the requested size and a link to the next one",
    withClient(async (client) => {
      for (const title of ["A", "B", "C"]) await client.post("/books", { json: { title } });
      const first = await client.get("/books?limit=2&genre=general");
      expect([first.json(), first.headers.get("link")]).toMatchObject([
        { books: [{ id: 1 }, { id: 2 }], total: 3 },
        '</books?limit=2&genre=general&after=2>; rel="next"',
      ]);
      const second = await client.get("/books?limit=2&genre=general&after=2");
      expect([second.json(), second.headers.get("link")]).toMatchObject([
        { books: [{ id: 3 }], total: 3 },
        null,
      ]);
      await client.post("/books", { json: { title: "D", genre: "SciFi" } });
      expect((await client.get("/books?limit=1")).json()).toMatchObject({ books: [{ id: 1 }], total: 4 });
      expect((await client.get("/books?limit=1&genre=SCIFI")).json()).toMatchObject({ total: 1 });
      expect((await client.get("/books?after=4")).json()).toEqual({ books: [], total: 4 });
      for (const query of ["limit=0", "limit=1001", "limit=a", "after=-1", "genre=%00"]) {
        expect([query, (await client.get(`/books?${query}`)).status]).toEqual([query, 422]);
      }
    }),
  );

  test(
    "a cached list is never older than the last acknowledged change",
    withClient(async (client) => {
      for (let n = 1; n <= 5; n++) {
        await client.post("/books", { json: { title: `T${n}` } });
        expect((await client.get("/books")).json()).toMatchObject({ total: n });
        expect((await client.get("/books")).headers.get("x-cache")).toBe("HIT");
      }
      await client.put("/books/1", { json: { genre: "Äther" } });
      expect((await client.get(`/books?genre=${encodeURIComponent("ÄTHER")}`)).json()).toMatchObject({
        books: [{ id: 1 }],
        total: 1,
      });
    }),
  );

  test(
    "version 1 of the API also shows the last acknowledged change",
    withClient(async (client) => {
      await client.post("/books", { json: dune });
      const book = { id: 1, name: "Dune", writer: "Frank Herbert" };
      expect((await client.get("/v1/books/1")).json()).toEqual(book);
      const again = await client.get("/v1/books/1");
      expect([again.headers.get("x-cache"), again.headers.get("cache-status")]).toEqual([
        "HIT",
        expect.stringMatching(/; ttl=(?:[0-9]|10)$/),
      ]);
      await client.put("/books/1", { json: { title: "Dune Messiah" } });
      expect((await client.get("/v1/books/1")).json()).toEqual({ ...book, name: "Dune Messiah" });
      await client.delete("/books/1");
      expect((await client.get("/v1/books/1")).status).toBe(404);
    }),
  );

  test(
    "books created concurrently have ids without gaps",
    withClient(async (client) => {
      const replies = await Promise.all(
        Array.from({ length: 40 }, (_, n) => client.post("/books", { json: { title: `T${n}` } })),
      );
      const ids = replies.map((reply) => (reply.json() as { id: number }).id).sort((a, b) => a - b);
      expect(ids).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    }),
  );

  test(
    "a database failure gets the service's own 500, without the reason",
    withClient(async (client, app) => {
      await client.get("/books");
      await app.db.execute("DROP TABLE books");
      const reply = await client.get("/books?genre=x");
      expect([reply.status, reply.json()]).toEqual([500, { error: "Internal server error" }]);
    }),
  );
};
