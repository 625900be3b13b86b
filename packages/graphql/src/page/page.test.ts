import { brotliDecompressSync } from "node:zlib";
import { testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { library } from "../library.test-kit.ts";

const html = { accept: "text/html,*/*;q=0.8" };

test("a browser gets GraphiQL in development, and the app serves every URL in it", async () => {
  await using client = testClient(library().app);
  const page = await client.get("/graphql", { headers: html });
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const shared = await client.get("/graphql", { headers: html, query: { query: "{ hello }" } });
  expect(shared.text).toBe(page.text); // GraphiQL itself reads the query of the URL
  const addresses = Array.from(page.text.matchAll(/ (?:src|href)="(\.[^"]*)"/g), ([, url = ""]) => url);
  expect(addresses).toHaveLength(2);
  for (const address of addresses) {
    const { pathname } = new URL(address, "http://test.local/graphql");
    const file = await client.get(pathname);
    expect([file.status, file.headers.get("cache-control")]).toEqual([200, "max-age=31536000, immutable"]);
    const again = await client.get(pathname, {
      headers: { "if-none-match": file.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
  }
});

test("files are sent compressed to clients that accept Brotli and uncompressed to others, with different ETags", async () => {
  const { app } = library();
  await using client = testClient(app);
  const page = await client.get("/graphql", { headers: html });
  const [, address = ""] = / href="\.([^"]*css)"/.exec(page.text) ?? [];
  const fetchAs = async (coding: string) => {
    const reply = await app.fetch(
      new Request(new URL(address, "http://test.local"), { headers: { "accept-encoding": coding } }),
    );
    return { reply, bytes: new Uint8Array(await reply.arrayBuffer()) };
  };
  const [packed, plain] = [await fetchAs("gzip, br"), await fetchAs("identity, br;q=0")];
  expect(packed.reply.headers.get("content-encoding")).toBe("br");
  expect(plain.reply.headers.get("content-encoding")).toBeNull();
  expect(brotliDecompressSync(packed.bytes).equals(plain.bytes)).toBe(true);
  expect(new TextDecoder().decode(plain.bytes)).toContain("graphiql");
  const tags = [packed, plain].map(({ reply }) => reply.headers.get("etag"));
  expect(new Set(tags).size).toBe(2);
});

test("production has no page, unless enabled", async () => {
  await using production = testClient(library().app, { env: "production" });
  expect((await production.get("/graphql", { headers: html })).status).toBe(400);
  expect((await production.get("/graphql/graphiql-5.24.1/graphiql.css")).status).toBe(404);
  await using enabled = testClient(library({ playground: true }).app, { env: "production" });
  expect((await enabled.get("/graphql", { headers: html })).status).toBe(200);
});
