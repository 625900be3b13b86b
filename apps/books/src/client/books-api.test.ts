import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generateClient } from "@framework/client";
import { expect, test } from "@jest/globals";
import { createClient } from "./books-api.ts";
import { createProtectedApp } from "../protected-app.ts";

const app = createProtectedApp();

const documentOf = async (): Promise<unknown> =>
  (await app.fetch(new Request("http://localhost/openapi.json"))).json();

test("the client is up to date with the document; `pnpm --filter @framework/books client` writes it", async () => {
  const source = readFileSync(join(import.meta.dirname, "books-api.ts"), "utf8");
  expect(generateClient(await documentOf())).toBe(source);
});

test("the client logs in, adds a book and reads it, with replies typed by status", async () => {
  const send = (request: Request): Promise<Response> => app.fetch(request);
  await using anonymous = createClient("http://localhost", { fetch: send });
  const refused = await anonymous.postBooks({ body: { title: "Emma" } });
  expect(refused.status).toBe(403); // a request without credentials may come from a page of another site
  const login = await anonymous.postToken({ body: { user: "librarian", password: "p" } });
  if (login.status !== 200) throw new Error(`status ${login.status}`);
  await using client = createClient("http://localhost", {
    fetch: send,
    credentials: { bearerAuth: login.body.token },
  });
  const added = await client.postBooks({ body: { title: "Emma", author: "Jane Austen" } });
  if (added.status !== 201) throw new Error(`status ${added.status}`);
  const id = String(added.body.id);
  expect(await client.getBooksId({ params: { id } })).toMatchObject({ ok: true, body: { title: "Emma" } });
  expect(await client.getBooksId({ params: { id: "999" } })).toMatchObject({ status: 404, ok: false });
  await app.stop();
});
