import { App } from "@framework/core";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { csrf, csrfToken } from "./index.ts";
import { mask, unmask } from "./token-mask.ts";

test("each page has the token with a different mask, and all of them are valid", async () => {
  const app = new (App.with(csrf))().enableCsrf({ secret: "0123456789abcdef0123456789abcdef" });
  app.get("/form", (request) => csrfToken(request));
  app.get("/twice", (request) => csrfToken(request) === csrfToken(request));
  app.post("/change", () => "done");
  await using client = testClient(app);
  const cookie = `_csrf=${(await client.get("/form")).text}`;
  const form = async () => (await client.get("/form", { headers: { cookie } })).text;
  const tokens = [await form(), await form()];
  expect(new Set([...tokens, cookie.slice(6)]).size).toBe(3);
  for (const token of tokens)
    expect((await client.post("/change", { headers: { cookie, "x-csrf-token": token } })).status).toBe(200);
  expect((await client.get("/twice", { headers: { cookie } })).json()).toBe(true);
});

test("a masked string round-trips, and other values are rejected", () => {
  const text = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 99 });
  fc.assert(
    fc.property(text, fc.string(), (given, other) => {
      const value = mask(given);
      expect(unmask(value)).toBe(given);
      expect(value).toMatch(/^[\w-]+$/);
      expect(unmask(`${value}${other}`) === given).toBe(other === "");
    }),
  );
  expect(unmask("A".repeat(1_000_000))).toBe("");
});
