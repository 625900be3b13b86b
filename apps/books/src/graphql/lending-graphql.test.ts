import { waitFor } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createBooksApp } from "../app.ts";
import { booksSettings } from "../settings.ts";

interface Reply<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly extensions: Readonly<Record<string, unknown>> }[];
}

const stack = new AsyncDisposableStack();
let url: string;
let token: string;

const send = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  const app = createBooksApp(
    booksSettings({
      DATABASE_URL: "sqlite://:memory:",
      BOOKS_LOG: "silent",
      BOOKS_SECRET: "a secret of at least thirty-two bytes",
      BOOKS_PASSWORD: "demo",
    }),
  );
  const running = await app.run({ port: 0, logs: false, argv: [], exitOnError: false, workers: 1 });
  stack.defer(() => running.close());
  url = running.url.replace(/\/$/, "");
  ({ token } = (await (await send("/token", { user: "ann", password: "demo" })).json()) as { token: string });
});
afterAll(() => stack.disposeAsync());

const authHeaders = (): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });

const execute = async <Data>(
  query: string,
  variables: object = {},
  headers = authHeaders(),
): Promise<Reply<Data>> =>
  (await (await send("/graphql", { query, variables }, headers)).json()) as Reply<Data>;

const addBook = async (title: string): Promise<number> => {
  const reply = await send("/books", { title }, authHeaders());
  return ((await reply.json()) as { id: number }).id;
};

const BORROW = `mutation ($book: Int!, $member: String!, $key: String) {
  borrow(book: $book, member: $member, idempotencyKey: $key) { book member dueAt token }
}`;
const GIVE_BACK = "mutation ($book: Int!) { giveBack(book: $book) { book token } }";
const OPEN_LOANS =
  "query ($member: String, $token: String) { openLoans(member: $member, token: $token) { book title } }";

interface Borrowed {
  readonly borrow: { readonly book: number; readonly token: string };
}

test("a query with the consistency token of a loan sees the loan, and a query with the token of its return does not", async () => {
  const book = await addBook("Dune");
  const { data: borrowed } = await execute<Borrowed>(BORROW, { book, member: "ann" });
  expect(borrowed).toEqual({
    borrow: { book, member: "ann", dueAt: expect.stringMatching(/Z$/), token: expect.any(String) },
  });
  const variables = { member: "ann", token: borrowed?.borrow.token };
  expect(await execute(OPEN_LOANS, variables)).toEqual({ data: { openLoans: [{ book, title: "Dune" }] } });
  const counted = await execute<{ statistics: { books: object[] } }>(
    "query ($token: String) { statistics(token: $token) { books { book loans } } }",
    { token: borrowed?.borrow.token },
  );
  expect(counted.data?.statistics.books).toContainEqual({ book, loans: 1 });
  const { data } = await execute<{ giveBack: { token: string } }>(GIVE_BACK, { book });
  expect(await execute(OPEN_LOANS, { member: "ann", token: data?.giveBack.token })).toEqual({
    data: { openLoans: [] },
  });
});

test("errors of the lending rules have their codes, and invalid input has status 422", async () => {
  const book = await addBook("Emma");
  const errorOf = async (query: string, variables: object) =>
    (await execute(query, variables)).errors?.[0]?.extensions;
  expect(await errorOf(BORROW, { book: 7000, member: "ann" })).toMatchObject({
    status: 404,
    code: "BOOKS_NO_BOOK",
  });
  expect(await errorOf(GIVE_BACK, { book })).toMatchObject({ status: 409, code: "BOOKS_NOT_ON_LOAN" });
  expect(await errorOf(BORROW, { book, member: " " })).toMatchObject({ status: 422 });
  await execute(BORROW, { book, member: "ann" });
  expect(await errorOf(BORROW, { book, member: "bob" })).toMatchObject({
    status: 409,
    code: "BOOKS_ON_LOAN",
  });
});

test("a call that is repeated with its idempotency key creates one loan", async () => {
  const variables = { book: await addBook("Middlemarch"), member: "ann", key: "graphql-1" };
  const first = await execute(BORROW, variables);
  expect(first.errors).toBeUndefined();
  expect(await execute(BORROW, variables)).toEqual(first);
});

test("the same token gets the same status over HTTP and GraphQL, and reading needs no token", async () => {
  const book = await addBook("Ulysses");
  const statuses = async (headers: Readonly<Record<string, string>>) => {
    const overHttp = await fetch(`${url}/books/${book}/loan`, { method: "DELETE", headers });
    const { errors } = await execute(GIVE_BACK, { book }, headers);
    return [overHttp.status, errors?.[0]?.extensions["status"]];
  };
  expect(await statuses({})).toEqual([403, 401]); // the route also accepts sessions and so checks for CSRF; GraphQL reads no cookies
  expect(await statuses({ authorization: "Bearer nonsense" })).toEqual([401, 401]);
  expect(await statuses(authHeaders())).toEqual([409, 409]); // not on loan
  expect((await execute(OPEN_LOANS, {}, {})).errors).toBeUndefined();
});

test("subscribers see every change of loans in order, made through any interface", async () => {
  const [before, book] = [await addBook("Beloved"), await addBook("Walden")];
  const { data } = await execute<Borrowed>(BORROW, { book: before, member: "ann" });
  const messages: unknown[] = [];
  const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  socket.addEventListener("message", ({ data: text }) => messages.push(JSON.parse(String(text))));
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  socket.send(JSON.stringify({ type: "connection_init" }));
  const query = "subscription ($after: String) { loanChanges(after: $after) { kind book member } }";
  const payload = { query, variables: { after: data?.borrow.token } };
  await waitFor(() => messages.length === 1);
  socket.send(JSON.stringify({ type: "subscribe", id: "1", payload }));
  await execute(BORROW, { book, member: "bob" });
  await fetch(`${url}/books/${book}/loan`, { method: "DELETE", headers: authHeaders() });
  await waitFor(() => messages.length === 3, { timeoutMs: 60_000 });
  const next = (kind: string) => ({
    type: "next",
    id: "1",
    payload: { data: { loanChanges: { kind, book, member: "bob" } } },
  });
  expect(messages.slice(1)).toEqual([next("BORROWED"), next("RETURNED")]);
  socket.close();
});
