// oxlint-disable jest/no-standalone-expect -- eachClient registers the tests
import { createHash } from "node:crypto";
import { App, ConfigurationError, HttpError, key, Response } from "@framework/core";
import { type Feature, mapOutput } from "@framework/core/feature";
import { eachClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { etag } from "./etag.ts";

const text = "grüße";
const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
const weakTag = `W/"7-${digest}"`;
const modified = "Fri, 02 Jan 2026 03:04:05 GMT";

let cancelled = 0;
async function* twoChunks() {
  try {
    yield "one";
    yield "two";
  } finally {
    cancelled++;
  }
}

/** A web stream that takes a turn of the event loop for each chunk. */
const slowStream = () => {
  const chunks = ["one", "two"].map((part) => new TextEncoder().encode(part));
  return new ReadableStream({
    async pull(controller) {
      await new Promise(setImmediate);
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
};

const makeApp = () => {
  cancelled = 0;
  const app = new (App.with(etag))().enableEtag();
  app.get("/text", () => Response.text(text, { headers: { Vary: "Accept", "Cache-Control": "max-age=5" } }));
  app.get("/bytes", () => new TextEncoder().encode(text));
  app.get("/own", () => Response.text(text, { headers: { ETag: '"own"', "Last-Modified": modified } }));
  app.get("/dated", () => new Response(null, { headers: { "Last-Modified": modified } }));
  app.get("/web", () => new globalThis.Response(text));
  app.get("/web-stream", () => new globalThis.Response(slowStream()));
  app.get("/stream", () => twoChunks());
  app.get("/own-stream", () => Response.stream(twoChunks(), { headers: { ETag: '"s"' } }));
  app.get("/part", () => Response.text("gr", { status: 206 }));
  app.get("/nothing", () => null);
  app.get("/gone", () => {
    throw new HttpError(404, "not here");
  });
  app.post("/text", () => text);
  return app;
};

eachClient(test, makeApp, {
  "a body in memory gets its length and hash as a weak tag, as text and as bytes": async (client) => {
    for (const path of ["/text", "/bytes"]) {
      const reply = await client.get(path);
      expect([reply.status, reply.headers.get("etag"), reply.text]).toEqual([200, weakTag, text]);
    }
    expect((await client.post("/text")).headers.get("etag")).toBe(weakTag);
  },
  "errors are tagged, and never become 304": async (client) => {
    const first = await client.get("/gone");
    const tag = first.headers.get("etag") ?? "";
    expect(tag).toMatch(/^W\/"/);
    const again = await client.get("/gone", { headers: { "if-none-match": tag } });
    expect([again.status, again.headers.get("etag")]).toEqual([404, tag]);
  },
  "streams, empty replies and partial bodies get no tag, and no 304": async (client) => {
    for (const path of ["/stream", "/nothing", "/part"]) {
      const reply = await client.get(path, { headers: { "if-none-match": "*" } });
      expect([path, reply.headers.get("etag"), reply.status === 304]).toEqual([path, null, false]);
    }
  },
  "a web Response created from text has the tag of its bytes; one created from a slow stream has none":
    async (client) => {
      const reply = await client.get("/web");
      expect([reply.text, reply.headers.get("etag"), reply.headers.get("content-length")]).toEqual([
        text,
        weakTag,
        "7",
      ]);
      expect((await client.get("/web", { headers: { "if-none-match": weakTag } })).status).toBe(304);
      const streamed = await client.get("/web-stream");
      expect([streamed.text, streamed.headers.get("etag")]).toEqual(["onetwo", null]);
    },
  "a handler's own tag is kept": async (client) => {
    expect((await client.get("/own")).headers.get("etag")).toBe('"own"');
  },
  "a client that has the current reply gets 304 with the fields of the 200 and no body": async (client) => {
    for (const method of ["GET", "HEAD"]) {
      const reply = await client.request(method, "/text", { headers: { "if-none-match": weakTag } });
      expect([reply.status, reply.text]).toEqual([304, ""]);
      const {
        etag: tag,
        vary,
        "cache-control": control,
        "content-type": type,
      } = Object.fromEntries(reply.headers);
      expect([tag, vary, control, type]).toEqual([weakTag, "Accept", "max-age=5", undefined]);
    }
  },
  "a stream whose handler has set the current tag gets 304, and is cancelled at most once": async (
    client,
  ) => {
    const reply = await client.get("/own-stream", { headers: { "if-none-match": '"s"' } });
    expect([reply.status, reply.headers.get("etag")]).toEqual([304, '"s"']);
    expect(cancelled).toBeLessThanOrEqual(1);
  },
});

test.each([
  ["/text", { "if-none-match": weakTag }, 304],
  ["/text", { "if-none-match": weakTag.slice(2) }, 304],
  ["/text", { "if-none-match": `"a,b", ${weakTag}` }, 304],
  ["/text", { "if-none-match": "*" }, 304],
  ["/text", { "if-none-match": '"other"' }, 200],
  ["/text", { "if-none-match": "malformed" }, 200],
  ["/text", { "if-match": '"other"' }, 200],
  ["/text", { "if-match": '"other"', "if-none-match": weakTag }, 304],
  ["/own", { "if-none-match": 'W/"own"' }, 304],
  ["/own", { "if-modified-since": modified }, 304],
  ["/own", { "if-modified-since": "Fri, 02 Jan 2026 03:04:04 GMT" }, 200],
  ["/own", { "if-modified-since": modified, "if-none-match": '"other"' }, 200],
  ["/own", { "if-unmodified-since": "Fri, 02 Jan 2026 03:04:04 GMT" }, 200],
  ["/dated", { "if-modified-since": modified }, 304],
  ["/dated", { "if-modified-since": "yesterday" }, 200],
])("%s with %j is %i", async (path, headers, status) => {
  await using client = testClient(makeApp());
  expect((await client.get(path, { headers })).status).toBe(status);
});

test("a 304 keeps the annotations of its reply", async () => {
  const Note = key("note", "");
  const notes: string[] = [];
  const outer: Feature<object> = {
    name: "outer",
    install: (host) => {
      host.http.use("headers", (request, next) =>
        mapOutput(next(request), (reply) => (notes.push(reply.annotation(Note)), reply), null),
      );
      return {};
    },
  };
  const app = new (App.with(etag, outer))().enableEtag();
  app.get("/", () => Response.text(text).annotate(Note, "shared"));
  await using client = testClient(app);
  expect((await client.get("/", { headers: { "if-none-match": "*" } })).status).toBe(304);
  expect(notes).toEqual(["shared"]);
});

test("an unsafe request never gets 304", async () => {
  await using client = testClient(makeApp());
  expect((await client.post("/text", { headers: { "if-none-match": weakTag } })).status).toBe(200);
});

test("tags are strong with weak: false", async () => {
  const app = new (App.with(etag))().enableEtag({ weak: false });
  app.get("/", () => text);
  await using client = testClient(app);
  expect((await client.get("/")).headers.get("etag")).toBe(`"7-${digest}"`);
});

test("an invalid option is a start error", async () => {
  const app = new (App.with(etag))().enableEtag({ weak: "yes" as unknown as boolean });
  await expect(app.start()).rejects.toThrow(ConfigurationError);
});
