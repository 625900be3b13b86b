import { App, ConfigurationError } from "@framework/core";
import { testClient, type TestReply } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { compression } from "./compression.ts";
import { CompressionConfig } from "./compression-config.ts";
import { makeApp, text } from "./compressed-app.test-kit.ts";

const outcomeOf = ({ status, headers }: TestReply) => ({
  status,
  coding: headers.get("content-encoding"),
  vary: headers.get("vary"),
});

const coded = (coding: string, status = 200) => ({ status, coding, vary: "Accept-Encoding" });

const plain = (status = 200) => ({ status, coding: null, vary: "Accept-Encoding" });

test("the minimum size is configurable, as a number or in the record", async () => {
  for (const config of [5, { minSize: 5 }]) {
    await using client = testClient(makeApp(config));
    const reply = await client.get("/exact", { headers: { "accept-encoding": "gzip" } });
    expect(outcomeOf(reply)).toEqual(coded("gzip"));
  }
  await using client = testClient(makeApp(1025));
  expect(outcomeOf(await client.get("/exact", { headers: { "accept-encoding": "gzip" } }))).toEqual(plain());
});

test("the snapshot counts replies and bytes", async () => {
  const app = makeApp();
  await using client = testClient(app);
  await client.get("/text", { headers: { "accept-encoding": "gzip" } });
  expect(app.snapshot()).toEqual({
    compression: { gzip: { replies: 1, before: text.length, after: expect.any(Number) } },
  });
});

test("all mistakes of a configuration are reported together, at start", async () => {
  const app = makeApp({
    minSize: -1,
    encodings: ["gzip", "gzip"],
    streams: 1 as never,
    gzipLevel: 10,
    brotliQuality: 12,
    zstdLevel: 0,
  });
  app.get("/odd", { compress: "no" as unknown as boolean }, () => "");
  const error: unknown = await app.start().catch((thrown: unknown) => thrown);
  const messages = (error as ConfigurationError).problems.map(({ message }) => message);
  expect(messages.map((message) => /CompressionConfig\.\w+|compress: .*/.exec(message)?.[0])).toEqual([
    "CompressionConfig.minSize",
    "CompressionConfig.encodings",
    "CompressionConfig.streams",
    "CompressionConfig.gzipLevel",
    "CompressionConfig.brotliQuality",
    "CompressionConfig.zstdLevel",
    "compress: must be true or false",
  ]);
});

test("the level of a coding that is not offered is refused at start", async () => {
  await expect(makeApp({ encodings: ["br"], brotliQuality: 5, gzipLevel: 9 }).start()).rejects.toThrow(
    'CompressionConfig.gzipLevel has no effect without "gzip" in encodings',
  );
  await makeApp({ encodings: ["br"], brotliQuality: 5 }).start();
});

test("the record that `of` returns, with every field, is accepted", async () => {
  for (const config of [CompressionConfig.of(), CompressionConfig.of({ encodings: ["br"] })]) {
    const app = new (App.with(compression))().enableCompression(config);
    await expect(app.start({ log: { info() {}, warn() {}, error() {} } })).resolves.toBeDefined();
    await app.stop();
  }
});
