import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { App } from "@framework/core";
import type { Feature, RequestTrace } from "@framework/core/feature";
import { explainRequests } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { staticFiles } from "./index.ts";

test("every reply, with or without a file, has a reason", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "static-"));
  writeFileSync(join(folder.path, "a.txt"), "hello");
  writeFileSync(join(folder.path, "a.txt.gz"), gzipSync("hello"));
  mkdirSync(join(folder.path, "sub"));
  const makeApp = () => new (App.with(staticFiles))().enableStaticFiles({ directory: folder.path });
  const [first] = await explainRequests(makeApp, [["GET", "/static/a.txt"]]);
  const tag = first?.reply.headers.get("etag") ?? "";
  const explained = await explainRequests(makeApp, [
    ["GET", "/static/a.txt"],
    ["GET", "/static/a.txt", { headers: { "accept-encoding": "gzip" } }],
    ["GET", "/static/a.txt", { headers: { "if-none-match": tag } }],
    ["GET", "/static/a.txt", { headers: { range: "bytes=1-2" } }],
    ["GET", "/static/b.txt"],
    ["GET", "/static/.env"],
    ["GET", "/static/sub"],
    ["GET", "/static/sub/"],
  ]);
  expect(explained.map(({ reply, reasons }) => [reply.status, reasons("static-files")])).toEqual([
    [200, ["the file, whole"]],
    [200, ["the precompressed gzip file, whole"]],
    [304, ["the file matches the client's copy"]],
    [206, ["the requested ranges of the file"]],
    [404, ["the folder has no such file"]],
    [404, ["the path contains a name that is never served"]],
    [301, ["a folder: redirected to its path with a trailing /"]],
    [404, ["a folder without index.html, and directoryListing is false"]],
  ]);
});

/** Enables request tracing, as the dev page does. */
const tracing: Feature = {
  name: "tracing",
  install: ({ insight }) => {
    insight.traceRequests();
    return {};
  },
};

test("a tool that listens after the start, like the dev page, gets the reasons", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "static-"));
  writeFileSync(join(folder.path, "a.txt"), "hello");
  const app = new (App.with(tracing, staticFiles))().enableStaticFiles({ directory: folder.path });
  await app.start({ env: "development", debug: true, log: { info() {}, warn() {}, error() {} } });
  const traces: RequestTrace[] = [];
  const record = (trace: unknown): void => void traces.push(trace as RequestTrace);
  subscribe("framework.request.steps", record);
  await app.fetch(new Request("http://localhost/static/a.txt"));
  unsubscribe("framework.request.steps", record);
  await app.stop();
  const reasonsOf = (name: string | null): readonly string[] =>
    (traces[0]?.steps ?? []).filter(({ feature }) => feature === name).flatMap(({ reasons }) => reasons);
  expect(reasonsOf("static-files")).toEqual(["the file, whole"]);
});
