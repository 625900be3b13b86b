import { grpcClient } from "@framework/grpc/client";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";
import { lendingService } from "./lending-service.ts";

const stack = new AsyncDisposableStack();
const clientAt = (port: number | undefined) =>
  grpcClient(lendingService, `127.0.0.1:${port}`, { timeoutMs: 60_000 });
let client: ReturnType<typeof clientAt>;
let withToken: { readonly metadata: { readonly authorization: string } };
let send: (method: string, path: string, body?: object) => Promise<Response>;

beforeAll(async () => {
  const app = createBooksApp(
    booksSettings({
      DATABASE_URL: "sqlite://:memory:",
      BOOKS_LOG: "silent",
      BOOKS_GRPC: "127.0.0.1:0",
      BOOKS_SECRET: "a secret of at least thirty-two bytes",
      BOOKS_PASSWORD: "demo",
    }),
  );
  const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false, workers: 1 });
  stack.defer(() => running.close());
  client = clientAt(app.grpcAddress?.port);
  stack.defer(() => client.close());
  const jsonFields = { "content-type": "application/json" };
  const reply = await fetch(new URL("/token", running.url), {
    method: "POST",
    headers: jsonFields,
    body: JSON.stringify({ user: "ann", password: "demo" }),
  });
  const { token } = (await reply.json()) as { readonly token: string };
  const authorization = `Bearer ${token}`;
  withToken = { metadata: { authorization } };
  send = (method, path, body) =>
    fetch(new URL(path, running.url), {
      method,
      headers: { ...jsonFields, authorization },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
});
afterAll(() => stack.disposeAsync());

const addBook = async (title: string): Promise<number> =>
  ((await (await send("POST", "/books", { title })).json()) as { readonly id: number }).id;

const statusOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "OK",
    (error: unknown) => (error as { readonly status: string }).status,
  );

test("a call with the consistency token of a loan sees the loan, and a call with the token of its return does not", async () => {
  const book = await addBook("Dune");
  const borrowed = await client.Borrow({ book, member: "ann" }, withToken);
  expect(borrowed).toMatchObject({ book, member: "ann", token: expect.any(String) });
  const { loans } = await client.ListOpenLoans({ member: "ann", token: borrowed.token });
  expect(loans).toEqual([{ book, title: "Dune", member: "ann", dueAt: borrowed.dueAt }]);
  const { token } = await client.GiveBack({ book }, withToken);
  expect((await client.ListOpenLoans({ member: "ann", token })).loans).toEqual([]);
});

test("calls that write need the bearer token of the HTTP API, errors have the matching gRPC status, and reading needs no token", async () => {
  const book = await addBook("Emma");
  expect(await statusOf(client.GiveBack({ book }))).toBe("UNAUTHENTICATED");
  expect(await statusOf(client.GiveBack({ book }, { metadata: { authorization: "Bearer x" } }))).toBe(
    "UNAUTHENTICATED",
  );
  expect(await statusOf(client.GiveBack({ book }, withToken))).toBe("ABORTED"); // not on loan
  expect(await statusOf(client.Borrow({ book: 7000, member: "ann" }, withToken))).toBe("NOT_FOUND");
  expect(await statusOf(client.Borrow({ book, member: " " }, withToken))).toBe("INVALID_ARGUMENT");
  expect(await statusOf(client.ListOpenLoans({}))).toBe("OK");
});

test("a call that is repeated with its idempotency key creates one loan", async () => {
  const request = { book: await addBook("Middlemarch"), member: "ann", idempotencyKey: "grpc-1" };
  const first = await client.Borrow(request, withToken);
  expect(await client.Borrow(request, withToken)).toEqual(first);
});

test("a stream has every change after a position, made through any interface", async () => {
  const [before, book] = [await addBook("Beloved"), await addBook("Walden")];
  const { token } = await client.Borrow({ book: before, member: "ann" }, withToken);
  const changes = client.WatchLoans({ after: token })[Symbol.asyncIterator]();
  const next = async () => (await changes.next()).value as object;
  await client.Borrow({ book, member: "bob" }, withToken);
  expect(await next()).toMatchObject({ kind: "BORROWED", book, member: "bob" });
  await send("DELETE", `/books/${book}/loan`);
  expect(await next()).toMatchObject({ kind: "RETURNED", book, member: "bob" });
  await changes.return?.();
});
