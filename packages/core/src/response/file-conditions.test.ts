import { mkdtempSync, readdirSync, readlinkSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { App } from "../app.ts";
import { Response } from "./response.ts";

const folder = mkdtempSync(join(tmpdir(), "file-conditions-"));
const old = join(folder, "old.txt");
const fresh = join(folder, "fresh.txt");
const modified = "Fri, 02 Jan 2026 03:04:05 GMT";
const earlier = "Fri, 02 Jan 2026 03:04:04 GMT";
writeFileSync(old, "0123456789");
writeFileSync(fresh, "0123456789");
utimesSync(old, new Date(modified), new Date(modified));

const app = new App();
app.get("/old", (request) => Response.fileRange(old, request));
app.get("/fresh", (request) => Response.fileRange(fresh, request));
app.get("/whole", () => Response.sendFile(old));
app.get("/download", () => Response.file(old));

let running: Awaited<ReturnType<App["run"]>>;
let tag: string;
beforeAll(async () => {
  const log = { info() {}, warn() {}, error() {} };
  running = await app.run({ exitOnError: false, argv: [], environment: {}, port: 0, log });
  tag = (await send("/old")).headers.get("etag") ?? "";
});
afterAll(async () => {
  await running.close();
  rmSync(folder, { recursive: true });
});

const send = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
  const reply = await fetch(running.url + path, { headers, method });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
};

const openFiles = () =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false; // the descriptor that listed the directory
    }
  });

test.each(["/old", "/whole", "/download"])("%s has validators of the file", async (path) => {
  const { status, headers, text } = await send(path);
  expect([status, text, headers.get("last-modified")]).toEqual([200, "0123456789", modified]);
  expect(headers.get("etag")).toMatch(/^"a-[\da-f]+"$/);
});

test.each<[string, number, (tag: string) => Record<string, string>, string]>([
  ["If-None-Match of the tag", 304, (own) => ({ "if-none-match": own }), ""],
  ["If-None-Match of the tag in weak form", 304, (own) => ({ "if-none-match": `W/${own}` }), ""],
  [
    "If-None-Match of another tag, which overrides If-Modified-Since",
    200,
    () => ({ "if-none-match": '"x"', "if-modified-since": modified }),
    "0123456789",
  ],
  ["If-Modified-Since of the date", 304, () => ({ "if-modified-since": modified }), ""],
  ["If-Modified-Since of an earlier date", 200, () => ({ "if-modified-since": earlier }), "0123456789"],
  ["a range", 206, () => ({ range: "bytes=2-4" }), "234"],
  ["a range and If-Range of the tag", 206, (own) => ({ range: "bytes=2-4", "if-range": own }), "234"],
  [
    "a range and If-Range of a weak tag",
    200,
    (own) => ({ range: "bytes=2-4", "if-range": `W/${own}` }),
    "0123456789",
  ],
  [
    "a range and If-Range of another tag",
    200,
    () => ({ range: "bytes=2-4", "if-range": '"x"' }),
    "0123456789",
  ],
  ["a range and If-Range of the date", 206, () => ({ range: "bytes=2-4", "if-range": modified }), "234"],
  [
    "a range and If-Range of another date",
    200,
    () => ({ range: "bytes=2-4", "if-range": earlier }),
    "0123456789",
  ],
  ["a range and If-None-Match of the tag", 304, (own) => ({ range: "bytes=2-4", "if-none-match": own }), ""],
  [
    "a range after the end and If-Range of another tag",
    200,
    () => ({ range: "bytes=90-", "if-range": '"x"' }),
    "0123456789",
  ],
])("a request with %s gets %i and the validators of the file", async (_what, status, fields, body) => {
  const reply = await send("/old", fields(tag));
  expect([reply.status, reply.text]).toEqual([status, body]);
  expect([reply.headers.get("etag"), reply.headers.get("last-modified")]).toEqual([tag, modified]);
  expect(reply.headers.has("content-type")).toBe(status !== 304);
  expect(openFiles()).toEqual([]);
});

test.each([{ "if-match": '"x"' }, { "if-unmodified-since": earlier }])(
  "a request with %j gets 412",
  async (fields) => {
    expect((await send("/old", fields)).status).toBe(412);
    expect(openFiles()).toEqual([]);
  },
);

test("fileRange rejects an argument that is not a request, and leaves no file open", async () => {
  await expect(Response.fileRange(old, {} as never)).rejects.toThrow(TypeError);
  await expect(Response.fileRange(old, 5 as never)).rejects.toThrow(TypeError);
  expect(openFiles()).toEqual([]);
});

test("HEAD ignores a range, and has the fields of GET", async () => {
  const { status, headers, text } = await send("/old", { range: "bytes=2-4" }, "HEAD");
  expect([status, headers.get("content-length"), headers.get("etag"), text]).toEqual([200, "10", tag, ""]);
});

test("a file that has just changed has a weak ETag, which If-Range ignores, and no Last-Modified", async () => {
  const ahead = new Date(Date.now() + 1000); // the file counts as just changed for the whole test
  utimesSync(fresh, ahead, ahead);
  const { headers } = await send("/fresh");
  const own = headers.get("etag") ?? "";
  expect([own, headers.get("last-modified")]).toEqual([expect.stringMatching(/^W\/"a-/), null]);
  expect((await send("/fresh", { range: "bytes=2-4", "if-range": own })).status).toBe(200);
  expect((await send("/fresh", { range: "bytes=2-4" })).status).toBe(206);
  expect((await send("/fresh", { "if-none-match": own })).status).toBe(304);
});

test("a multipart reply also has the validators", async () => {
  const { status, headers } = await send("/old", { range: "bytes=0-0,5-5", "if-range": tag });
  expect([status, headers.get("etag"), headers.get("last-modified")]).toEqual([206, tag, modified]);
});

test("fileRange with a Range value instead of a request ignores conditions", async () => {
  const reply = await Response.fileRange(old, "bytes=1-1");
  expect([reply.status, await reply.text(), reply.headers.get("etag")]).toEqual([206, "1", tag]);
});
