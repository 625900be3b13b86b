import { socketClient, type TestClient, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { createBooksApp } from "./app.ts";
import { booksSettings } from "./settings.ts";

const withClient =
  (facts: (client: TestClient) => Promise<void>, env: Readonly<Record<string, string>> = {}) =>
  async () => {
    const app = createBooksApp(
      booksSettings({ DATABASE_URL: "sqlite://:memory:", BOOKS_LOG: "silent", ...env }),
    );
    await using client = socketClient(app);
    await facts(client);
  };

const dune = { title: "Dune", author: "Frank Herbert", genre: "SciFi", year: 1965 };

test(
  "a preflight from a listed origin is allowed, and a request from another origin gets no CORS header",
  withClient(
    async (client) => {
      const headers = { origin: "https://shop.example", "access-control-request-method": "POST" };
      const preflight = await client.request("OPTIONS", "/books", { headers });
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([
        204,
        "https://shop.example",
      ]);
      const denied = await client.get("/books", { headers: { origin: "https://other.example" } });
      expect(denied.headers.get("access-control-allow-origin")).toBe(null);
    },
    { BOOKS_ORIGINS: "https://shop.example, https://www.example" },
  ),
);

test(
  "every reply has a request id, a valid incoming id is kept, and security headers are set",
  withClient(async (client) => {
    const reply = await client.get("/books", { headers: { "x-request-id": "abc-1" } });
    expect(reply.headers.get("x-request-id")).toBe("abc-1");
    expect((await client.get("/nowhere")).headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  }),
);

test(
  "a list is compressed and cached, and revalidation gets 304",
  withClient(async (client) => {
    for (let n = 0; n < 20; n++) await client.post("/books", { json: { ...dune, title: `Dune ${n}` } });
    const headers = { "accept-encoding": "gzip" };
    const first = await client.get("/books", { headers });
    expect([first.headers.get("content-encoding"), first.headers.get("x-cache")]).toEqual(["gzip", "MISS"]);
    const tag = first.headers.get("etag") ?? "";
    const again = await client.get("/books", { headers: { ...headers, "if-none-match": tag } });
    expect([again.status, again.headers.get("x-cache")]).toEqual([304, "HIT"]);
  }),
);

test(
  "a body above the limit and requests above the rate limit get the standard error body",
  withClient(
    async (client) => {
      const large = await client.post("/books", { json: { title: "x".repeat(1_100_000) } });
      expect([large.status, large.json()]).toMatchObject([413, { error: "Payload Too Large", status: 413 }]);
      for (const _ of "12") await client.get("/books");
      const limited = await client.get("/books");
      expect([limited.status, limited.json()]).toMatchObject([
        429,
        { error: "Too Many Requests", status: 429 },
      ]);
      expect((await client.get("/health/live")).status).toBe(200);
    },
    { BOOKS_RATE: "2" },
  ),
);

test(
  "the page, the API document, health and metrics are served",
  withClient(async (client) => {
    expect((await client.get("/static/")).text).toContain("<h1>Books</h1>");
    expect((await client.get("/openapi.json")).json()).toMatchObject({
      openapi: expect.stringMatching(/^3\.1/),
      info: { title: "Books" },
    });
    expect((await client.get("/docs")).status).toBe(200);
    expect((await client.get("/health")).json()).toMatchObject({
      status: "healthy",
      components: { database: { status: "healthy" } },
    });
    await client.get("/books");
    expect((await client.get("/metrics")).text).toMatch(/requests_total\{[^}]*\} \d/);
  }),
);

test(
  "without a secret, writing is public",
  withClient(async (client) => {
    expect((await client.post("/books", { json: dune })).status).toBe(201);
    expect((await client.post("/token", { json: {} })).status).toBe(404);
  }),
);

test(
  "with a secret, writing needs a token or a session and reading is public, and the API document says so",
  withClient(
    async (client) => {
      expect((await client.post("/books", { json: dune })).status).toBe(403); // a request without credentials may come from a page of another site
      expect((await client.get("/books")).status).toBe(200);
      expect((await client.post("/token", { json: { user: "ada", password: "wrong" } })).status).toBe(401);
      const { token } = (await client.post("/token", { json: { user: "ada", password: "p" } })).json() as {
        token: string;
      };
      const headers = { authorization: `Bearer ${token}` };
      expect((await client.post("/books", { json: dune, headers })).status).toBe(201);
      expect(
        (await client.delete("/books/1", { headers: { authorization: `Bearer ${token}x` } })).status,
      ).toBe(401);
      const loan = { json: { member: "bob" } };
      expect((await client.post("/books/1/loan", loan)).status).toBe(403);
      expect((await client.post("/books/1/loan", { ...loan, headers })).status).toBe(201);
      expect((await client.get("/loans/open")).json()).toMatchObject({ loans: expect.any(Array) });
      expect((await client.delete("/books/1/loan")).status).toBe(403);
      expect((await client.delete("/books/1/loan", { headers })).status).toBe(204);
      expect((await client.delete("/books/1", { headers })).status).toBe(200);
      const { paths } = (await client.get("/openapi.json")).json() as {
        paths: Record<string, Record<string, { security?: readonly Readonly<Record<string, unknown>>[] }>>;
      };
      const secured = Object.entries(paths).flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([method, { security = [] }]) =>
          security.length > 0
            ? [`${method} ${path}: ${security.flatMap((way) => Object.keys(way)).join(" or ")}`]
            : [],
        ),
      );
      const either = "sessionCookie or bearerAuth";
      expect(secured.sort()).toEqual([
        `delete /books/{id}/loan: ${either}`,
        `delete /books/{id}: ${either}`,
        "delete /sessions: sessionCookie",
        `post /books/{id}/loan: ${either}`,
        `post /books: ${either}`,
        `post /orders/{id}/shipment: ${either}`,
        `put /books/{id}/stock: ${either}`,
        `put /books/{id}: ${either}`,
        `put /orders/{id}: ${either}`,
      ]);
    },
    { BOOKS_SECRET: "0123456789abcdef0123456789abcdef", BOOKS_PASSWORD: "p" },
  ),
);

test("the feed sends every change", async () => {
  const app = createBooksApp(booksSettings({ DATABASE_URL: "sqlite://:memory:", BOOKS_LOG: "silent" }));
  const service = await app.run({ port: 0, logs: false, argv: [], exitOnError: false, workers: 1 });
  const messages: unknown[] = [];
  const subscriber = new WebSocket(`${service.url.replace("http", "ws")}/feed`);
  subscriber.addEventListener("message", ({ data }) => messages.push(JSON.parse(String(data))));
  await new Promise((resolve) => subscriber.addEventListener("open", resolve));
  const send = (method: string, path: string, body?: object) =>
    fetch(`${service.url}${path}`, {
      method,
      ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
  await send("POST", "/books", dune);
  await send("PUT", "/books/1", { year: 1966 });
  await send("DELETE", "/books/1");
  await waitFor(() => messages.length === 3);
  expect(messages).toEqual([
    { event: "added", book: { id: 1, ...dune } },
    { event: "changed", book: { id: 1, ...dune, year: 1966 } },
    { event: "deleted", id: 1 },
  ]);
  await service.close();
});
