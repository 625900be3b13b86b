// oxlint-disable jest/no-standalone-expect -- eachClient registers the tests
import zlib from "node:zlib";
import { App } from "@framework/core";
import { eachClient, testClient } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { bodyLimit } from "./body-limit.ts";
import type { BodyEncoding, BodyLimitConfig } from "./body-limit-config.ts";

const encode: Readonly<Record<BodyEncoding, (body: string | Uint8Array) => Uint8Array<ArrayBuffer>>> = {
  gzip: (body) => new Uint8Array(zlib.gzipSync(body)),
  deflate: (body) => new Uint8Array(zlib.deflateSync(body)),
  br: (body) => new Uint8Array(zlib.brotliCompressSync(body)),
  zstd: (body) => new Uint8Array(zlib.zstdCompressSync(body)),
};
const codings = Object.keys(encode) as BodyEncoding[];

/** 8 MiB of zeros. */
const zeros = new Uint8Array(8 * 1024 * 1024);
const encodedZeros = codings.map((coding) => [coding, encode[coding](zeros)] as const);

const makeApp = (config: Partial<BodyLimitConfig> = {}) => {
  const app = new (App.with(bodyLimit))().enableBodyLimit({ decode: codings, ...config });
  app.post("/", (request) => request.json());
  app.post("/length", async (request) => (await request.body()).byteLength);
  return app;
};

const headersOf = (coding: string) => ({ "content-encoding": coding, "content-type": "application/json" });

eachClient(test, () => makeApp(), {
  "an encoded body is decoded for the handler, with and without a declared length": async (client) => {
    for (const coding of codings) {
      const body = encode[coding]('{"title":"Emma"}');
      for (const sent of [body, new Blob([body]).stream()]) {
        const reply = await client.post("/", { body: sent, headers: headersOf(coding) });
        expect([coding, reply.status, reply.json()]).toEqual([coding, 200, { title: "Emma" }]);
      }
    }
    const gzip = await client.post("/", { body: encode.gzip("1"), headers: headersOf("X-GZip") });
    expect(gzip.json()).toBe(1);
  },
  "a truncated or malformed body, or one with trailing data, gets 400": async (client) => {
    for (const coding of codings) {
      const body = encode[coding]('{"title":"Emma"}');
      for (const bad of [
        body.subarray(0, -3),
        Buffer.concat([body, Buffer.from("more")]),
        Buffer.from("none of it"),
      ]) {
        const reply = await client.post("/", { body: bad, headers: headersOf(coding) });
        expect([coding, reply.status, reply.json<{ detail: string }>().detail]).toEqual([
          coding,
          400,
          `The request body is not well-formed ${coding}`,
        ]);
      }
    }
  },
  "a body that expands beyond the ratio gets 413": async (client) => {
    for (const [coding, body] of encodedZeros) {
      const reply = await client.post("/length", { body, headers: headersOf(coding) });
      expect([coding, reply.status]).toEqual([coding, 413]);
    }
  },
});

test("the limit applies to the decoded bytes", async () => {
  await using client = testClient(makeApp({ maxBodyBytes: 1000 }));
  for (const coding of codings) {
    const send = (length: number) =>
      client.post("/length", { body: encode[coding]("x".repeat(length)), headers: headersOf(coding) });
    expect((await send(1000)).json()).toBe(1000);
    expect((await send(1001)).text).toContain("Decoded request body is larger than the limit of 1000B");
  }
});

test("the ratio is configurable", async () => {
  await using client = testClient(makeApp({ maxRatio: 100_000 }));
  const body = encode.gzip(zeros);
  expect((await client.post("/length", { body, headers: headersOf("gzip") })).json()).toBe(zeros.length);
});

test.each(["gzip, gzip", "br", "compress", "gzip;q=1", "<b>"])(
  "the Content-Encoding %s gets 415, and the reply lists the accepted codings",
  async (coding) => {
    await using client = testClient(makeApp({ decode: ["gzip", "zstd"] }));
    const reply = await client.post("/", { body: encode.gzip("1"), headers: headersOf(coding) });
    expect([reply.status, reply.headers.get("accept-encoding")]).toEqual([415, "gzip, zstd"]);
    expect(reply.text).not.toContain("<b>");
  },
);

test("with an empty decode no coding is accepted", async () => {
  await using client = testClient(makeApp({ decode: [] }));
  const reply = await client.post("/", { body: encode.gzip("1"), headers: headersOf("gzip") });
  expect([reply.status, reply.headers.get("accept-encoding")]).toEqual([415, "identity"]);
  expect((await client.post("/", { body: "1", headers: headersOf("identity") })).json()).toBe(1);
});
