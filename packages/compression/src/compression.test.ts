// oxlint-disable jest/no-standalone-expect -- the assertions run inside the tests that eachClient registers
import zlib from "node:zlib";
import { App, Response } from "@framework/core";
import { BodyStream } from "@framework/core/feature";
import { eachClient, testClient, type TestReply } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { large, makeApp, text } from "./compressed-app.test-kit.ts";
import { compression } from "./compression.ts";

const outcomeOf = ({ status, headers }: TestReply) => ({
  status,
  coding: headers.get("content-encoding"),
  vary: headers.get("vary"),
});

const coded = (coding: string, status = 200) => ({ status, coding, vary: "Accept-Encoding" });
const plain = (status = 200) => ({ status, coding: null, vary: "Accept-Encoding" });
const untouched = (status = 200) => ({ status, coding: null, vary: null });

eachClient(test, makeApp, {
  "a compressible body is sent in gzip, with its new length": async (client) => {
    for (const path of ["/text", "/bytes", "/svg", "/exact"]) {
      const reply = await client.get(path, { headers: { "accept-encoding": "gzip" } });
      expect([path, outcomeOf(reply)]).toEqual([path, coded("gzip")]);
      expect(zlib.gunzipSync(reply.bytes).toString()).toBe(path === "/exact" ? "x".repeat(1024) : text);
    }
    const json = await client.get("/json", { headers: { "accept-encoding": "gzip" } });
    expect(JSON.parse(zlib.gunzipSync(json.bytes).toString())).toEqual(large);
  },
  "errors are compressed like any reply": async (client) => {
    const reply = await client.get("/fails", { headers: { "accept-encoding": "gzip" } });
    expect(outcomeOf(reply)).toEqual({ ...coded("gzip", 409), vary: "Accept, Accept-Encoding" });
  },
  "replies that must not or need not be compressed are sent unchanged, with Vary": async (client) => {
    const headers = { "accept-encoding": "gzip" };
    const rows: [string, object][] = [
      ["/small", plain()],
      ["/below", plain()],
      ["/noise", plain()],
      ["/same", plain(304)],
      ["/image", plain()], // encoded for a client that refuses identity
      ["/off", untouched()],
      ["/fixed", plain()],
      ["/part", plain(206)], // its 200 varies (RFC 9110 15.3.7)
      ["/nothing", untouched(204)],
      ["/coded", { ...untouched(), coding: "gzip" }],
    ];
    for (const [path, expected] of rows) {
      expect([path, outcomeOf(await client.get(path, { headers }))]).toEqual([path, expected]);
    }
    expect(outcomeOf(await client.get("/text"))).toEqual(plain());
  },
  "HEAD has the fields of GET, including the length of the encoded body": async (client) => {
    const headers = { "accept-encoding": "gzip" };
    for (const path of ["/text", "/noise", "/small", "/tagged", "/fails"]) {
      const [get, head] = [await client.get(path, { headers }), await client.head(path, { headers })];
      const fields = (reply: TestReply) =>
        [...reply.headers].filter(([name]) => name !== "date" && name !== "connection");
      expect([path, head.status, head.text, fields(head)]).toEqual([path, get.status, "", fields(get)]);
    }
  },
  "HEAD with a stated length omits the fields that are unknown without the body": async (client) => {
    const fieldsOf = async (path: string, coding: string) => {
      const { status, headers } = await client.head(path, { headers: { "accept-encoding": coding } });
      const names = ["etag", "vary", "content-length", "accept-ranges", "content-encoding"];
      return [status, ...names.map((name) => headers.get(name))];
    };
    const length = String(text.length);
    const vary = "Accept-Encoding";
    expect(await fieldsOf("/stated", "gzip")).toEqual([200, 'W/"strong"', vary, null, null, null]);
    expect(await fieldsOf("/stated", "identity")).toEqual([200, '"strong"', vary, length, "bytes", null]);
    expect(await fieldsOf("/stated-small", "gzip")).toEqual([200, '"strong"', vary, "9", "bytes", null]);
    expect((await fieldsOf("/stated", "identity;q=0"))[0]).toBe(406);
  },
  "a 304 has the tag of the client's stored reply": async (client) => {
    const tagOf = async (storedTag: string, coding: string) => {
      const reply = await client.get("/kept", {
        headers: { "if-none-match": storedTag, "accept-encoding": coding },
      });
      return reply.headers.get("etag");
    };
    for (const storedTag of ['"strong--gzip"', '"strong--br"', 'W/"strong--gzip"', 'W/"strong"', '"strong"'])
      expect(await tagOf(`"other", ${storedTag}`, "gzip")).toBe(storedTag);
    expect(await tagOf('"strong", "strong--gzip"', "gzip")).toBe('"strong--gzip"');
    expect(await tagOf('"strong", "strong--gzip"', "identity")).toBe('"strong"');
    expect(await tagOf("*", "gzip")).toBe('W/"strong"'); // it is unknown whether the client's reply was compressed
    expect(await tagOf("*", "identity")).toBe('"strong"');
  },
  "a compressed reply loses the fields that describe the plain body": async (client) => {
    const { headers } = await client.get("/tagged", { headers: { "accept-encoding": "gzip" } });
    expect([headers.get("etag"), headers.get("accept-ranges")]).toEqual(['"strong--gzip"', null]);
    expect(headers.get("content-length")).not.toBe(String(text.length));
    const other = await client.get("/tagged");
    expect([other.headers.get("etag"), other.headers.get("accept-ranges")]).toEqual(['"strong"', "bytes"]);
  },
});

test.each([
  ["gzip", coded("gzip")],
  ["br;q=0.5, gzip;q=0.4", coded("br")],
  ["gzip, br, zstd", coded("zstd")],
  ["identity;q=0, br", coded("br")],
  ["deflate", plain()],
  ["identity, gzip;q=0.5", plain()],
])("Accept-Encoding: %s selects %j", async (field, expected) => {
  await using client = testClient(makeApp({ encodings: ["zstd", "br", "gzip"] }));
  expect(outcomeOf(await client.get("/text", { headers: { "accept-encoding": field } }))).toEqual(expected);
});

test("a client that refuses the plain body gets a compressed one, of any size and type", async () => {
  await using client = testClient(makeApp());
  for (const path of ["/small", "/image", "/noise"]) {
    const reply = await client.get(path, { headers: { "accept-encoding": "gzip, identity;q=0" } });
    expect([path, outcomeOf(reply)]).toEqual([path, coded("gzip")]);
  }
});

test("no-transform is obeyed for a client that refuses the plain body: it gets 406", async () => {
  await using client = testClient(makeApp());
  const get = async (encodings: string) =>
    await client.get("/fixed", { headers: { "accept-encoding": encodings } });
  expect((await get("gzip, identity;q=0")).status).toBe(406);
  expect(outcomeOf(await get("gzip"))).toEqual(plain());
});

test("a digest of the plain body is not sent with a compressed one", async () => {
  await using client = testClient(makeApp());
  for (const field of ["Content-Digest", "Repr-Digest", "Content-MD5"]) {
    const [kept, dropped] = [
      await client.get(`/with-${field}`, { headers: { "accept-encoding": "gzip" } }),
      await client.get(`/with-${field}`, { headers: { "accept-encoding": "gzip, identity;q=0" } }),
    ];
    expect([kept.headers.get(field), outcomeOf(kept)]).toEqual(["sha-256=:AA==:", plain()]);
    expect([dropped.headers.get(field), outcomeOf(dropped)]).toEqual([null, coded("gzip")]);
  }
});

test("a client that accepts no coding gets 406, but still receives errors", async () => {
  await using client = testClient(makeApp());
  const headers = { "accept-encoding": "identity;q=0, br" };
  expect((await client.get("/text", { headers })).status).toBe(406);
  expect((await client.get("/fails", { headers })).status).toBe(409);
});

test("a 406 keeps the fields that do not describe the body, and releases the body", async () => {
  const app = new (App.with(compression))().enableCompression();
  const { stream, isCancelled } = watchedStream();
  const fields = { "x-quota": "3", vary: "Origin", etag: '"1"', "cache-control": "max-age=9" };
  app.get("/", () => Object.assign(Response.text("", { headers: fields }), { payload: stream }));
  await using client = testClient(app);
  const { status, headers } = await client.get("/", { headers: { "accept-encoding": "identity;q=0" } });
  expect([status, headers.get("x-quota"), headers.get("vary")]).toEqual([
    406,
    "3",
    "Origin, Accept-Encoding, Accept",
  ]);
  expect([headers.get("etag"), headers.get("cache-control")]).toEqual([null, null]);
  expect([headers.get("content-type"), isCancelled()]).toEqual(["application/json", true]);
});

test("an unread compressed stream releases its source", async () => {
  const app = new (App.with(compression))().enableCompression({ streams: true });
  const { stream, isCancelled } = watchedStream();
  app.get("/", () => Object.assign(Response.text(""), { payload: stream }));
  await using client = testClient(app);
  const { headers } = await client.head("/", { headers: { "accept-encoding": "gzip" } });
  expect([headers.get("content-encoding"), isCancelled()]).toEqual(["gzip", true]);
});

/** A body that never yields, and records its cancellation. */
const watchedStream = () => {
  let cancelled = false;
  const chunks: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => chunks,
    next: () => new Promise(() => {}),
    return: async () => {
      cancelled = true;
      return { done: true, value: undefined };
    },
  };
  return { stream: new BodyStream(chunks), isCancelled: () => cancelled };
};

test("each coding decodes to the body, and its high level compresses more than its low one", async () => {
  const decoders = { gzip: zlib.gunzipSync, br: zlib.brotliDecompressSync, zstd: zlib.zstdDecompressSync };
  const lengths: Record<string, number[]> = { gzip: [], br: [], zstd: [] };
  for (const config of [
    { gzipLevel: 1, brotliQuality: 0, zstdLevel: 1 },
    { gzipLevel: 9, brotliQuality: 11, zstdLevel: 19 },
  ]) {
    await using client = testClient(makeApp({ ...config, encodings: ["gzip", "br", "zstd"] }));
    for (const [coding, decode] of Object.entries(decoders)) {
      const reply = await client.get("/text", { headers: { "accept-encoding": coding } });
      expect(decode(reply.bytes).toString()).toBe(text);
      lengths[coding]?.push(reply.bytes.byteLength);
    }
  }
  for (const [weak = 0, strong = 0] of Object.values(lengths)) expect(strong).toBeLessThan(weak);
});

test("a metrics report in OpenMetrics format is compressed", async () => {
  const app = new (App.with(compression))().enableCompression();
  const contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8";
  app.get("/", () => new Response("requests_total 1\n".repeat(1000), { contentType }));
  await using client = testClient(app);
  const { headers } = await client.get("/", { headers: { "accept-encoding": "gzip" } });
  expect([headers.get("content-encoding"), headers.get("vary")]).toEqual(["gzip", "Accept-Encoding"]);
});
