import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { caching } from "@framework/cache";
import { compression } from "@framework/compression";
import { App, HttpError, NotFoundError, Response } from "@framework/core";
import { cors } from "@framework/cors";
import { etag } from "@framework/etag";
import { staticFiles } from "@framework/static-files";
import { virtualClock } from "@framework/testing";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "vary-"));
  const text = "a line of a file\n".repeat(100);
  await writeFile(join(directory, "page.txt"), text);
  await writeFile(join(directory, "page.txt.gz"), gzipSync(text));
  await writeFile(join(directory, "photo.png"), "not compressible");
  for (const name of ["page.txt", "page.txt.gz", "photo.png"]) await utimes(join(directory, name), 1e9, 1e9); // a file's tag changes when the file is two seconds old
});
afterAll(() => rm(directory, { recursive: true }));

const broken = new Error("broken");

/** Creates an app with every feature that reads a request field, and every kind of reply. */
const makeApp = (cached: boolean) => {
  const app = new (App.with(caching, compression, cors, etag, staticFiles))()
    .enableStaticFiles({ directory, prefix: "/files" })
    .enableCompression({ encodings: ["br", "gzip"], minSize: 100 })
    .enableCors(["https://one.test", "https://two.test"])
    .enableEtag();
  if (cached) app.enableCaching({ clock: virtualClock({ start: Date.parse("2026-01-01T00:00:00Z") }) });
  app.get("/text", () => "words ".repeat(100));
  app.get("/short", () => "word");
  app.get("/photo", () => new Response("png", { headers: { "content-type": "image/png" } }));
  app.get("/choice", (request) => (request.accepts("text/html") ? Response.html("<p>words") : { words: 1 }));
  app.get("/later", async (request) => {
    await Promise.resolve();
    return request.accepts("text/plain") ? "plain" : new Response(null, { status: 406 });
  });
  app.get("/lost", () => {
    throw new NotFoundError("lost", { headers: { "cache-control": "max-age=60", vary: "x-other" } });
  });
  app.get("/broken", () => {
    throw broken; // one error, because debug shows its stack
  });
  app.get("/teapot", () => {
    throw new HttpError(418, "short and stout");
  });
  app.use((request, next) =>
    request.path === "/closed" && request.accepts("text/html") ? Response.html("closed") : next(request),
  );
  app.get("/closed", () => "open");
  app.post("/text", () => "written");
  return app;
};

const paths = [
  "/text",
  "/short",
  "/photo",
  "/choice",
  "/later",
  "/lost",
  "/broken",
  "/teapot",
  "/closed",
  "/nowhere",
  "/%ff",
  "/files/page.txt",
  "/files/photo.png",
  "/files/absent",
];

const values: Readonly<Record<string, readonly (string | null)[]>> = {
  accept: [
    null,
    "*/*",
    "application/json",
    "application/problem+json",
    "text/html",
    "text/plain;q=0, image/*",
  ],
  "accept-encoding": [null, "gzip", "br", "br, gzip", "identity", "gzip;q=0", "identity;q=0, gzip", "*;q=0"],
  origin: [null, "https://one.test", "https://two.test", "https://other.test", "null"],
  "accept-language": [null, "de", "en"],
  "user-agent": [null, "curl/8", "Mozilla/5.0"],
  "x-requested-with": [null, "XMLHttpRequest"],
  "if-none-match": [null],
  range: [null],
};

const fields = fc.record(
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, fc.constantFrom(...all)])),
);

/** Serializes a reply without its date, age and cache outcome. */
const serialize = async (reply: globalThis.Response): Promise<string> => {
  const hidden = ["x-cache", "cache-status", "age", "date"];
  const visible = [...reply.headers].filter(([name]) => !hidden.includes(name));
  return JSON.stringify([reply.status, visible, await reply.bytes().then(String)]);
};

test.each([false, true])(
  "a reply that changes with a request field names the field in Vary; cached: %s",
  async (cached) => {
    const app = makeApp(cached);
    await app.start({ log: { info: () => {}, warn: () => {}, error: () => {} } });
    const send = async (method: string, path: string, given: Readonly<Record<string, string | null>>) => {
      const sent = Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
      const headers = Object.fromEntries(sent) as Record<string, string>;
      const reply = await app.fetch(new Request(`http://localhost${path}`, { method, headers }));
      return { vary: (reply.headers.get("vary") ?? "").toLowerCase(), content: await serialize(reply) };
    };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "HEAD", "POST", "OPTIONS", "PURGE"),
        fc.constantFrom(...paths),
        fields,
        fc.constantFrom(...Object.keys(values)),
        fc.nat(),
        async (method, path, given, name, choice) => {
          const others = values[name] ?? [];
          const changed = { ...given, [name]: others[choice % others.length] ?? null };
          const [one, other] = [await send(method, path, given), await send(method, path, changed)];
          if (one.content === other.content) return;
          const names = [one.vary, other.vary].map((vary) => vary.split(", ").includes(name));
          expect([method, path, name, given, changed, names]).toEqual([
            method,
            path,
            name,
            given,
            changed,
            [true, true],
          ]);
        },
      ),
      { numRuns: 600 },
    );
    await app.stop();
  },
);

test("the reply cache never gives problem+json to a client that asked for JSON, or the reverse", async () => {
  const app = makeApp(true);
  const headersFor = async (accept: string) =>
    (await app.fetch(new Request("http://localhost/lost", { headers: { accept } }))).headers;
  const types: (string | null)[] = [];
  for (const accept of [
    "application/problem+json",
    "application/json",
    "application/problem+json",
    "application/json",
  ])
    types.push((await headersFor(accept)).get("content-type"));
  expect(types).toEqual([
    "application/problem+json",
    "application/json",
    "application/problem+json",
    "application/json",
  ]);
  expect((await headersFor("application/json")).get("x-cache")).toBe("HIT");
  await app.stop();
});

test("the reply cache and the etag feature generate matching tags", async () => {
  const app = new (App.with(caching, etag))().enableCaching().enableEtag();
  app.get("/", () => "ä text");
  const tagOf = async (headers: Record<string, string>) =>
    (await app.fetch(new Request("http://localhost/", { headers }))).headers.get("etag");
  expect(await tagOf({ "cache-control": "no-store" })).toBe(`W/${await tagOf({})}`);
  await app.stop();
});
