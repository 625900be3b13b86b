import { App, UnauthorizedError } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { csrf } from "./index.ts";

const secret = "0123456789abcdef0123456789abcdef";

test("a GET with an error reply sets no token; a refused POST without a token sets one, for the retry", async () => {
  const app = new (App.with(csrf))().enableCsrf({ secret });
  app.get("/page", () => "page");
  app.get("/private", () => {
    throw new UnauthorizedError();
  });
  app.post("/login", () => "in");
  await using client = testClient(app);
  const seen: unknown[] = [];
  for (const path of ["/private", "/absent", "/page"]) {
    const reply = await client.get(path);
    seen.push([reply.status, reply.cookies.has("_csrf")]);
  }
  expect(seen).toEqual([
    [401, false],
    [404, false],
    [200, true],
  ]);
  const refused = await client.post("/login");
  const token = refused.cookies.get("_csrf")?.value ?? "";
  const headers = { cookie: `_csrf=${token}`, "x-csrf-token": token };
  expect([refused.status, (await client.post("/login", { headers })).status]).toEqual([403, 200]);
});
