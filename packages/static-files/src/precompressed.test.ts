import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { PrecompressedSiblings } from "./precompressed.ts";
import { ServedFolder } from "./served-folder.ts";
import { send, canary, makeTree, servedApp } from "./served-app.test-kit.ts";

const script = "export const answer = 42;\n".repeat(50);
const tree = {
  "both.js": script,
  "both.js.br": brotliCompressSync(script),
  "both.js.gz": gzipSync(script),
  "gzip.js": script,
  "gzip.js.gz": gzipSync(script),
  "none.js": script,
  "photo.png": "png",
  "photo.png.gz": "never",
  "alone.js.br": brotliCompressSync(script),
  "folder.js": script,
  "folder.js.br/x": "x",
};

const decode: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  br: (bytes) => brotliDecompressSync(bytes).toString(),
  gzip: (bytes) => gunzipSync(bytes).toString(),
  identity: (bytes) => Buffer.from(bytes).toString(),
};

const makeApp = () => servedApp(tree);

test("the sibling with the client's highest weight is sent, with its Content-Encoding", async () => {
  const { app } = makeApp();
  const table: readonly (readonly [path: string, accept: string | null, coding: string])[] = [
    ["both.js", null, "identity"],
    ["both.js", "", "identity"],
    ["both.js", "gzip", "gzip"],
    ["both.js", "br", "br"],
    ["both.js", "gzip, br", "br"],
    ["both.js", "gzip, deflate, br, zstd", "br"],
    ["both.js", "gzip;q=1, br;q=0.5", "gzip"],
    ["both.js", "gzip, br;q=0", "gzip"],
    ["both.js", "gzip;q=0, br;q=0", "identity"],
    ["both.js", "*", "br"],
    ["both.js", "*;q=0", "identity"],
    ["both.js", "br;q=0, *", "gzip"],
    ["both.js", "identity, br;q=0.5", "identity"],
    ["both.js", "identity;q=0, gzip;q=0.1", "gzip"],
    ["both.js", "x-gzip", "gzip"],
    ["both.js", "deflate, zstd", "identity"],
    ["both.js", "BR", "br"],
    ["gzip.js", "gzip, br", "gzip"],
    ["gzip.js", "br", "identity"],
    ["gzip.js", "br, gzip;q=0", "identity"],
    ["none.js", "gzip, br", "identity"],
    ["none.js", "identity;q=0", "identity"],
    ["folder.js", "br", "identity"],
  ];
  for (const [path, accept, coding] of table) {
    const headers: Record<string, string> = accept === null ? {} : { "accept-encoding": accept };
    const reply = await app.fetch(new Request(`http://localhost/static/${path}`, { headers }));
    const sent = reply.headers.get("content-encoding") ?? "identity";
    const text = decode[sent]?.(await reply.bytes());
    expect([path, accept, sent, text === script]).toEqual([path, accept, coding, true]);
    expect(reply.headers.get("vary")).toBe("Accept-Encoding");
    expect(reply.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  }
});

test("every coding has its own strong tag, and If-None-Match compares it", async () => {
  const { app } = makeApp();
  const tagFor = async (accept: string) =>
    (await send(app, "/static/both.js", { headers: { "accept-encoding": accept } })).headers.get("etag") ??
    "";
  const tags = [await tagFor("br"), await tagFor("gzip"), await tagFor("identity")];
  expect(new Set(tags).size).toBe(3);
  expect(tags.every((tag) => tag.startsWith('"'))).toBe(true);
  for (const [at, accept] of ["br", "gzip", "identity"].entries()) {
    for (const [other, tag] of tags.entries()) {
      const headers = { "accept-encoding": accept, "if-none-match": tag };
      expect((await send(app, "/static/both.js", { headers })).status).toBe(at === other ? 304 : 200);
    }
  }
});

test("ranges apply to the encoded bytes", async () => {
  const { app } = makeApp();
  const coded = tree["both.js.br"];
  const reply = await app.fetch(
    new Request("http://localhost/static/both.js", {
      headers: { "accept-encoding": "br", range: "bytes=1-4" },
    }),
  );
  expect([reply.status, reply.headers.get("content-encoding"), reply.headers.get("content-range")]).toEqual([
    206,
    "br",
    `bytes 1-4/${coded.byteLength}`,
  ]);
  expect(Buffer.from(await reply.bytes()).equals(coded.subarray(1, 5))).toBe(true);
});

test("siblings of incompressible types are ignored, without Vary", async () => {
  const { app } = makeApp();
  const reply = await send(app, "/static/photo.png", { headers: { "accept-encoding": "gzip" } });
  expect([reply.text, reply.headers.get("vary"), reply.headers.get("content-encoding")]).toEqual([
    "png",
    null,
    null,
  ]);
});

test("a sibling without its file is served only under its own name", async () => {
  const { app } = makeApp();
  const headers = { "accept-encoding": "br" };
  expect((await send(app, "/static/alone.js", { headers })).status).toBe(404);
  const own = await send(app, "/static/alone.js.br", { headers });
  expect([own.status, own.headers.get("content-encoding"), own.headers.get("content-type")]).toEqual([
    200,
    null,
    "application/octet-stream",
  ]);
});

test("precompressed: false sends the files themselves", async () => {
  const { app } = servedApp({ "a.js": script, "a.js.gz": gzipSync(script) }, { precompressed: false });
  const reply = await send(app, "/static/a.js", { headers: { "accept-encoding": "gzip" } });
  expect([reply.text === script, reply.headers.get("vary"), reply.headers.get("content-encoding")]).toEqual([
    true,
    null,
    null,
  ]);
});

test("a sibling that is a link to the outside is ignored", async () => {
  const root = makeTree({ "public/a.js": script, "public/a.js.gz": { link: "../canary" }, canary });
  const { app } = servedApp({}, { directory: join(root, "public") });
  const reply = await send(app, "/static/a.js", { headers: { "accept-encoding": "gzip" } });
  expect([reply.text === script, reply.headers.get("content-encoding")]).toEqual([true, null]);
});

test("a missing sibling is cached for a second, and no file stays open", async () => {
  const root = makeTree({ "a.js": script });
  const folder = new ServedFolder(root);
  await folder.open();
  let nowMs = 0;
  const siblings = new PrecompressedSiblings(folder, () => nowMs);
  const request = { getHeader: () => "gzip" };
  const find = async () => {
    const found = await siblings.find(["a.js"], request);
    await found?.file.close();
    return found?.coding ?? null;
  };
  expect(await find()).toBeNull();
  writeFileSync(join(root, "a.js.gz"), gzipSync(script));
  nowMs = 999;
  expect(await find()).toBeNull();
  nowMs = 1000;
  expect(await find()).toBe("gzip");
  await waitFor(() => folder.openFiles === 0);
});
