import { App, HttpError, Response } from "@framework/core";
import { eachClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { cachedApp } from "./cached-app.test-kit.ts";
import { caching } from "./index.ts";

const makeApp = () => {
  const app = new (App.with(caching))().enableCaching();
  let calls = 0;
  app.get("/count", () => ({ calls: ++calls }));
  app.get("/web", () => globalThis.Response.json({ calls: ++calls }));
  app.get("/tagged", () => {
    const headers = {
      etag: '"v1"',
      "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT",
      "content-language": "en",
    };
    return new Response("0123456789", { headers });
  });
  app.get(
    "/internal",
    () => new Response(`${++calls}`, { headers: { "X-Cache-TTL": "60", "X-Cache-Tags": "a, b" } }),
  );
  app.get("/refused", () => {
    throw new HttpError(404, "gone", { headers: { "x-cache-ttl": "60", "x-cache-tags": "a" } });
  });
  app.post("/internal", () => new Response("", { headers: { "X-Cache-Tags": "a" } }));
  app.get("/bytes", () => new Response(new Uint8Array([0, 255, 128, 10])));
  app.use(async (request, next) => {
    const response = await next(request);
    if (request.query.has("outer")) response.setHeader("x-cache-tags", "added outside");
    return response;
  });
  return app;
};

eachClient(test, makeApp, {
  "stores the JSON of a web Response": async (client) => {
    const replies = [await client.get("/web"), await client.get("/web")];
    expect(replies.map(({ headers }) => headers.get("x-cache"))).toEqual(["MISS", "HIT"]);
    expect(replies[1]?.text).toBe(replies[0]?.text);
    expect(replies[0]?.headers.get("etag")).toBe(replies[1]?.headers.get("etag"));
  },
  "answers the second GET from the store": async (client) => {
    const first = await client.get("/count");
    const second = await client.get("/count");
    expect([first.headers.get("x-cache"), second.headers.get("x-cache")]).toEqual(["MISS", "HIT"]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get("content-type")).toBe("application/json");
    expect(first.headers.get("cache-status")).toBe("framework; fwd=uri-miss; stored");
    expect(second.headers.get("cache-status")).toMatch(/^framework; hit; ttl=(?:300|299)$/);
    expect(first.headers.get("cache-control")).toBe("no-cache");
    expect(second.headers.get("cache-control")).toBe("no-cache");
    expect(first.headers.get("age")).toBeNull();
    expect(second.headers.get("age")).toBe("0");
  },
  "answers HEAD from the reply to GET, with its length and no body, but not GET from HEAD": async (
    client,
  ) => {
    expect((await client.head("/count")).headers.get("x-cache")).toBe("MISS");
    const got = await client.get("/count");
    expect(got.headers.get("x-cache")).toBe("MISS");
    const head = await client.head("/count");
    expect(head.headers.get("x-cache")).toBe("HIT");
    expect(head.headers.get("content-length")).toBe(String(got.text.length));
    expect(head.text).toBe("");
  },
  "a stored body of bytes is unchanged": async (client) => {
    await client.get("/bytes");
    const hit = await client.get("/bytes");
    expect([...hit.bytes]).toEqual([0, 255, 128, 10]);
    expect(hit.headers.get("x-cache")).toBe("HIT");
  },
  "answers a conditional request with 304 from the store": async (client) => {
    await client.get("/tagged");
    for (const headers of [
      { "if-none-match": '"v1"' },
      { "if-none-match": '"v0", W/"v1"' },
      { "if-none-match": "*" },
      { "if-modified-since": "Thu, 01 Jan 2026 00:00:00 GMT" },
    ]) {
      const reply = await client.get("/tagged", { headers });
      expect(reply.status).toBe(304);
      expect(reply.text).toBe("");
      expect(reply.headers.get("etag")).toBe('"v1"');
      expect(reply.headers.get("cache-control")).toBe("no-cache");
      expect(reply.headers.get("age")).toBe("0");
      expect(reply.headers.get("content-type")).toBeNull();
    }
    const other = await client.get("/tagged", { headers: { "if-none-match": '"v2"' } });
    expect([other.status, other.text, other.headers.get("x-cache")]).toEqual([200, "0123456789", "HIT"]);
  },
  "answers a conditional request with 304 on a miss, and stores the complete reply": async (client) => {
    const reply = await client.get("/tagged", { headers: { "if-none-match": '"v1"' } });
    expect([reply.status, reply.headers.get("x-cache")]).toEqual([304, "MISS"]);
    expect((await client.get("/tagged")).headers.get("x-cache")).toBe("HIT");
  },
  "answers a range request from a stored reply": async (client) => {
    await client.get("/tagged");
    const part = await client.get("/tagged", { headers: { range: "bytes=2-4" } });
    expect([part.status, part.text]).toEqual([206, "234"]);
    expect(part.headers.get("content-range")).toBe("bytes 2-4/10");
    expect(part.headers.get("content-length")).toBe("3");
    expect((await client.get("/tagged", { headers: { range: "bytes=-3" } })).text).toBe("789");
    expect((await client.get("/tagged", { headers: { range: "bytes=8-" } })).text).toBe("89");
    const beyond = await client.get("/tagged", { headers: { range: "bytes=10-" } });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */10"]);
    expect(beyond.headers.get("x-cache")).toBe("HIT");
    expect((await client.get("/tagged", { headers: { range: "bytes=2-3,4-4" } })).text).toBe("234");
    for (const range of ["bytes=0-1,3-4", "lines=1-2", "bytes=4-2", "bytes=x-"]) {
      expect((await client.get("/tagged", { headers: { range } })).status).toBe(200);
    }
  },
  "a range is sent only if If-Range matches": async (client) => {
    await client.get("/tagged");
    const status = async (ifRange: string) =>
      (await client.get("/tagged", { headers: { range: "bytes=0-0", "if-range": ifRange } })).status;
    expect(await status('"v1"')).toBe(206);
    expect(await status("Thu, 01 Jan 2026 00:00:00 GMT")).toBe(206);
    expect(await status('"v0"')).toBe(200);
    expect(await status('W/"v1"')).toBe(200);
    expect(await status("Thu, 01 Jan 2026 00:00:01 GMT")).toBe(200);
  },
  "X-Cache-TTL and X-Cache-Tags are never sent to clients": async (client) => {
    const requests = [
      () => client.get("/internal"),
      () => client.get("/internal"),
      () => client.get("/internal", { headers: { authorization: "Bearer x" } }),
      () => client.post("/internal"),
      () => client.get("/refused"),
      () => client.get("/nowhere", { query: { outer: true } }),
      () => client.get("/count", { query: { outer: true } }),
    ];
    const outcomes: (string | null)[] = [];
    for (const reply of await Promise.all(requests.map((call) => call()))) {
      outcomes.push(reply.headers.get("x-cache-tags"), reply.headers.get("x-cache-ttl"));
    }
    expect(outcomes.every((value) => value === null)).toBe(true);
  },
});

test("a stored reply is sent with its Age, and once it is stale the handler is called again", async () => {
  const { app, clock, get } = cachedApp({ ttl: 60 });
  let calls = 0;
  app.get("/", () => `${++calls}`);
  await get("/");
  await clock.advance(59.5 * 1000);
  const hit = await get("/");
  expect([hit.text, hit.headers.get("age"), hit.headers.get("cache-status")]).toEqual([
    "1",
    "59",
    "framework; hit; ttl=0",
  ]);
  await clock.advance(0.5 * 1000);
  const miss = await get("/");
  expect([miss.text, miss.outcome]).toEqual(["2", "MISS"]);
});

test("no-cache is added to Cache-Control: public", async () => {
  const { app, get } = cachedApp();
  app.get("/", () => new Response("x", { headers: { "cache-control": "public" } }));
  expect((await get("/")).headers.get("cache-control")).toBe("public, no-cache");
});

test("freshness fields set by a handler are sent unchanged", async () => {
  const { app, get } = cachedApp();
  app.get("/a", () => new Response("x", { headers: { "cache-control": "s-maxage=5" } }));
  app.get("/e", () => new Response("x", { headers: { expires: "Thu, 01 Jan 2026 01:00:00 GMT" } }));
  await get("/a");
  expect((await get("/a")).headers.get("cache-control")).toBe("s-maxage=5");
  await get("/e");
  const hit = await get("/e");
  expect([hit.outcome, hit.headers.get("cache-control"), hit.headers.get("expires")]).toEqual([
    "HIT",
    null,
    "Thu, 01 Jan 2026 01:00:00 GMT",
  ]);
});

test("HEAD on a miss has the same fields as GET", async () => {
  const { app, send } = cachedApp({ ttl: 60 });
  app.get("/", { cache: { vary: ["Accept-Language"] } }, () => "text");
  const head = await send("HEAD", "/");
  const get = await send("GET", "/");
  for (const name of ["cache-control", "vary", "content-length", "etag", "date"])
    expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  expect([head.outcome, get.outcome, get.headers.get("cache-control")]).toEqual(["MISS", "MISS", "no-cache"]);
});

test("an explicit HEAD route is always called, even if GET is stored", async () => {
  const { app, get, send } = cachedApp();
  app.get("/", () => "get");
  app.head("/", () => new Response(null, { headers: { "x-own": "yes" } }));
  await get("/");
  const head = await send("HEAD", "/");
  expect([head.headers.get("x-own"), head.outcome]).toEqual(["yes", "BYPASS"]);
});

test("Cache-Status is appended to the field of upstream caches, which is not stored", async () => {
  const { app, get } = cachedApp({ name: "edge" });
  app.get("/", () => new Response("x", { headers: { "cache-status": "upstream; hit" } }));
  expect((await get("/")).headers.get("cache-status")).toBe("upstream; hit, edge; fwd=uri-miss; stored");
  expect((await get("/")).headers.get("cache-status")).toBe("edge; hit; ttl=300");
});

test("hop-by-hop fields, and fields listed in Connection, are not stored", async () => {
  const { app, get } = cachedApp();
  const headers = {
    connection: "x-hop",
    "x-hop": "1",
    "keep-alive": "timeout=5",
    "proxy-authenticate": "Basic",
    age: "7",
    "x-end": "1",
  };
  app.get("/", () => new Response("x", { headers }));
  await get("/");
  const hit = await get("/");
  expect(
    ["connection", "x-hop", "keep-alive", "proxy-authenticate"].map((name) => hit.headers.get(name)),
  ).toEqual([null, null, null, null]);
  expect([hit.headers.get("x-end"), hit.headers.get("age"), hit.outcome]).toEqual(["1", "7", "HIT"]);
});

test("the stored body is a copy of the handler's", async () => {
  const { app, get } = cachedApp();
  const bytes = new TextEncoder().encode("first");
  app.get("/", () => new Response(bytes));
  await get("/");
  bytes.fill(0x78);
  expect((await get("/")).text).toBe("first");
});

test("the body of a web Response that a middleware drops is cancelled", async () => {
  const cancelled = Promise.withResolvers<void>();
  const app = new (App.with(caching))().enableCaching();
  app.use(async (request, next) => {
    await next(request);
    throw new HttpError(502, "dropped");
  });
  app.get("/", () => {
    const chunk = new Uint8Array(1000);
    const endless = new ReadableStream({
      start: (controller) => controller.enqueue(chunk),
      cancel: () => cancelled.resolve(),
    });
    return new globalThis.Response(endless, { headers: { "content-type": "text/plain" } });
  });
  await app.start({ log: { info() {}, warn() {}, error() {} } });
  const reply = await app.fetch(new Request("http://localhost/"));
  expect([reply.status, await reply.text()]).toEqual([502, expect.stringContaining("dropped")]);
  expect(await cancelled.promise).toBeUndefined();
});
