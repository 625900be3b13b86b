import { execFileSync } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "@jest/globals";
import { App } from "../app.ts";
import { HttpError } from "../errors/http-error.ts";
import { BodyStream, type Payload } from "../exchange/payload.ts";
import { errorReply } from "../kernel/error-reply.ts";
import { payloadBytes } from "./readable-stream.ts";
import { Response } from "./response.ts";

const folder = mkdtempSync(join(tmpdir(), "file-reply-"));
const large = randomBytes(1_048_576);
const at = (name: string) => join(folder, name);
writeFileSync(at("empty.txt"), "");
writeFileSync(at("one.txt"), "x");
writeFileSync(at("large.bin"), large);
writeFileSync(at("page.html"), "<p>é</p>");
mkdirSync(at("folder"));
symlinkSync(at("page.html"), at("link.html"));

afterAll(() => rmSync(folder, { recursive: true }));

/** Files in the folder that this process has open. */
const openFiles = () =>
  readdirSync("/proc/self/fd")
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return ""; // the descriptor that listed the directory
      }
    })
    .filter((path) => path.startsWith(folder));

const bytesOf = async (payload: Payload) => Buffer.from(await payloadBytes(payload));
const fieldsOf = (response: Response) => Object.fromEntries(response.headers);
const contentOf: Readonly<Record<string, Buffer>> = {
  "empty.txt": Buffer.of(),
  "one.txt": Buffer.from("x"),
  "large.bin": large,
};

test("sends a complete file with its type and length, and closes it", async () => {
  const response = await Response.sendFile(at("page.html"));
  expect([response.status, response.contentLength]).toEqual([200, 9]);
  expect(fieldsOf(response)).toEqual({
    "content-type": "text/html; charset=utf-8",
    etag: expect.stringMatching(/"9-[\da-f]+"$/),
    "last-modified": expect.any(String),
  });
  expect(String(await bytesOf(response.payload))).toBe("<p>é</p>");
  expect(openFiles()).toEqual([]);
});

test.each(Object.keys(contentOf))("sends every byte of %s in chunks of at most 64 KiB", async (name) => {
  const { payload, contentLength } = await Response.sendFile(at(name));
  const chunks: Uint8Array[] = [];
  if (payload instanceof BodyStream) for await (const chunk of payload.chunks) chunks.push(chunk);
  expect(contentLength).toBe(contentOf[name]?.length);
  expect(Buffer.concat(chunks).equals(contentOf[name] as Buffer)).toBe(true);
  expect(Math.max(0, ...chunks.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
  expect(openFiles()).toEqual([]);
});

test("a path may be a file URL or a link", async () => {
  expect(String(await bytesOf((await Response.sendFile(pathToFileURL(at("one.txt")))).payload))).toBe("x");
  expect(await (await Response.sendFile(at("link.html"))).text()).toBe("<p>é</p>");
});

test("an unknown extension is octet-stream, and contentType overrides the extension", async () => {
  const plain = await Response.sendFile(at("large.bin"));
  const named = await Response.sendFile(at("large.bin"), { contentType: "image/png" });
  expect([plain.contentType, named.contentType]).toEqual(["application/octet-stream", "image/png"]);
  for (const { payload } of [plain, named]) await (payload as BodyStream).cancel();
  expect(openFiles()).toEqual([]);
});

test("an invalid contentType throws before the file is opened", async () => {
  const bad = expect.objectContaining({ code: "CORE_BAD_HEADER" });
  await expect(Response.sendFile(at("one.txt"), { contentType: "a\r\nb: c" })).rejects.toEqual(bad);
  await expect(Response.file(at("one.txt"), { contentType: "a\r\nb: c" })).rejects.toEqual(bad);
  await expect(Response.fileRange(at("one.txt"), "bytes=0-0", { contentType: "a\n" })).rejects.toEqual(bad);
  expect(openFiles()).toEqual([]);
});

test.each<[string, Record<string, string>, string]>([
  ["the path", {}, 'attachment; filename="page.html"'],
  ["an ASCII name", { filename: "a b.txt" }, 'attachment; filename="a b.txt"'],
  [
    "another name",
    { filename: "naïve €.txt" },
    "attachment; filename=\"na_ve _.txt\"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt",
  ],
  ["quotes", { filename: 'a"b.txt' }, "attachment; filename=\"a_b.txt\"; filename*=UTF-8''a%22b.txt"],
  [
    "a percent",
    { filename: "100%41.txt" },
    "attachment; filename=\"100_41.txt\"; filename*=UTF-8''100%2541.txt",
  ],
  [
    "marks",
    { filename: "é'(*).txt" },
    "attachment; filename=\"_'(*).txt\"; filename*=UTF-8''%C3%A9%27%28%2A%29.txt",
  ],
  ["line breaks", { filename: "a\r\nset-cookie: b=1" }, 'attachment; filename="a__set-cookie: b=1"'],
  ["separators", { filename: "../..\\x" }, 'attachment; filename=".._.._x"'],
  ["half a character", { filename: "\ud800" }, "attachment; filename=\"_\"; filename*=UTF-8''%EF%BF%BD"],
])("the file name of a download is %s", async (_what, options, disposition) => {
  const response = await Response.file(at("page.html"), options);
  expect(response.headers.get("content-disposition")).toBe(disposition);
  expect(await response.text()).toBe("<p>é</p>");
});

test.each([
  ["nothing", "absent"],
  ["a folder", "folder"],
  ["a path below a file", "one.txt/x"],
  ["a path with NUL", "one\0.txt"],
  ["a path that is too long", "x".repeat(5000)],
])("%s is not found, and the reply does not contain the path", async (_what, name) => {
  for (const send of [
    (path: string) => Response.sendFile(path),
    (path: string) => Response.file(path),
    (path: string) => Response.fileRange(path, "bytes=0-"),
  ]) {
    await expect(send(at(name))).rejects.toMatchObject({ status: 404, detail: "The file does not exist" });
  }
  expect(openFiles()).toEqual([]);
});

test("a pipe and a socket are not found, without blocking", async () => {
  execFileSync("sh", ["-c", 'mkfifo "$0"', at("pipe")]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(at("socket"), resolve));
  for (const name of ["pipe", "socket"]) {
    await expect(Response.sendFile(at(name))).rejects.toMatchObject({ status: 404 });
  }
  await new Promise((resolve) => server.close(resolve));
  expect(openFiles()).toEqual([]);
});

test("a system error is not reported as a missing file", async () => {
  await expect(Response.sendFile(new URL("https://example.com/x"))).rejects.toMatchObject({
    code: "ERR_INVALID_URL_SCHEME",
  });
});

test("cancelling closes the file: unread, between chunks, during a read, and twice", async () => {
  for (const reads of [0, 1, 2]) {
    const { payload } = await Response.sendFile(at("large.bin"));
    const iterator = (payload as BodyStream).chunks[Symbol.asyncIterator]();
    if (reads > 0) await iterator.next();
    const pending = reads > 1 ? iterator.next() : null;
    await iterator.return?.();
    await (payload as BodyStream).cancel();
    await pending;
    const deadline = Date.now() + 60_000;
    while (openFiles().length > 0 && Date.now() < deadline) await new Promise(setImmediate);
    expect(openFiles()).toEqual([]);
  }
});

test("a truncated file fails the body and is closed", async () => {
  writeFileSync(at("shrinking.bin"), large);
  const { payload } = await Response.sendFile(at("shrinking.bin"));
  const iterator = (payload as BodyStream).chunks[Symbol.asyncIterator]();
  await iterator.next();
  truncateSync(at("shrinking.bin"), 100_000);
  const rest = async () => {
    while ((await iterator.next()).done !== true);
  };
  await expect(rest()).rejects.toMatchObject({ code: "CORE_SHORT_FILE" });
  expect(openFiles()).toEqual([]);
});

test("a file that grows sends the announced length", async () => {
  writeFileSync(at("growing.bin"), "0123456789");
  const response = await Response.sendFile(at("growing.bin"));
  writeFileSync(at("growing.bin"), "0123456789abc");
  expect(await response.text()).toBe("0123456789");
});

test("a file that is replaced after it was opened does not reach the client", async () => {
  writeFileSync(at("swapped.txt"), "before");
  const response = await Response.sendFile(at("swapped.txt"));
  rmSync(at("swapped.txt"));
  writeFileSync(at("swapped.txt"), "secret");
  expect(await response.text()).toBe("before");
});

/** A field and the parts of an existing file that it selects, as [start, end] pairs; `null`: the complete file; empty: none. */
const ranges: readonly (readonly [
  string | null | undefined,
  string,
  readonly (readonly [number, number])[] | null,
])[] = [
  [null, "large.bin", null],
  [undefined, "one.txt", null],
  ["bytes=0-0", "empty.txt", []],
  ["bytes=-1", "empty.txt", null],
  ["bytes=x", "empty.txt", null],
  ["bytes=0-0", "one.txt", [[0, 0]]],
  ["bytes=1-1", "one.txt", []],
  ["bytes=-5", "one.txt", [[0, 0]]],
  ["bytes=0-0,-1", "one.txt", [[0, 0]]],
  ["bytes=100-200000", "large.bin", [[100, 200_000]]],
  ["bytes=65535-65536", "large.bin", [[65_535, 65_536]]],
  ["bytes=-3", "large.bin", [[1_048_573, 1_048_575]]],
  ["bytes=1048576-", "large.bin", []],
  [
    "bytes=0-0,10-70000,-2",
    "large.bin",
    [
      [0, 0],
      [10, 70_000],
      [1_048_574, 1_048_575],
    ],
  ],
  [
    "bytes=-2,0-0",
    "large.bin",
    [
      [1_048_574, 1_048_575],
      [0, 0],
    ],
  ],
  [
    `bytes=${Array.from({ length: 11 }, (_, index) => `${index * 9}-${index * 9}`).join()}`,
    "large.bin",
    null,
  ],
  ["chapters=1-2", "large.bin", null],
];

/** Parts of a multipart body (RFC 2046 5.1.1): their fields and their bytes. */
const partsOf = (whole: Buffer, boundary: string): { head: string; bytes: Buffer }[] => {
  const parts: { head: string; bytes: Buffer }[] = [];
  let from = whole.indexOf(`--${boundary}\r\n`) + boundary.length + 4;
  for (;;) {
    const blank = whole.indexOf("\r\n\r\n", from);
    const end = whole.indexOf(`\r\n--${boundary}`, blank);
    parts.push({ head: String(whole.subarray(from, blank)), bytes: whole.subarray(blank + 4, end) });
    from = end + boundary.length + 6;
    if (String(whole.subarray(end + boundary.length + 4)) === "--\r\n") return parts;
  }
};

/** Status, `Content-Range` of the reply or of each part, and a digest of each piece of the body. */
const seenOf = async (response: Response) => {
  const body = await bytesOf(response.payload);
  expect(response.contentLength).toBe(body.length);
  const [, boundary] = /^multipart\/byteranges; boundary=([\w-]+)$/.exec(response.contentType ?? "") ?? [];
  const parts =
    boundary === undefined ? [{ head: rangeLine(response), bytes: body }] : partsOf(body, boundary);
  return {
    status: response.status,
    heads: parts.map(({ head }) => head),
    pieces: parts.map(({ bytes }) => digest(bytes)),
  };
};

const replyTo = (error: Error) =>
  errorReply(error, { path: null, accept: null }, { debug: false, env: "production" });
const rangeLine = ({ headers }: Response) => String(headers.get("content-range"));
const digest = (bytes: Uint8Array) => hash("sha1", bytes);

const expectedOf = (content: Buffer, parts: readonly (readonly [number, number])[] | null) => {
  if (parts === null) return { status: 200, heads: ["null"], pieces: [digest(content)] };
  const pieces = parts.map(([start, end]) => digest(content.subarray(start, end + 1)));
  const names = parts.map(([start, end]) => `bytes ${start}-${end}/${content.length}`);
  if (names.length === 0)
    return { status: 416, heads: [`bytes */${content.length}`], pieces: [digest(noSuchRange)] };
  if (names.length === 1) return { status: 206, heads: names, pieces };
  const heads = names.map((name) => `content-type: application/octet-stream\r\ncontent-range: ${name}`);
  return { status: 206, heads, pieces };
};

const noSuchRange = Buffer.from(
  '{"error":"Range Not Satisfiable","detail":"The file has no bytes in the requested range","status":416}',
);

test.each(ranges)("range %s of %s", async (field, name, expected) => {
  const response = await Response.fileRange(at(name), field).catch(replyTo);
  expect(await seenOf(response)).toEqual(expectedOf(contentOf[name] as Buffer, expected));
  expect(response.headers.get("accept-ranges")).toBe("bytes");
  expect(openFiles()).toEqual([]);
});

test("an unsatisfiable range is an error like others: the client chooses its form, and exception handlers restyle it", async () => {
  const app = new App();
  app.get("/", (request) => Response.fileRange(at("one.txt"), request.getHeader("range")));
  const ask = (on: App, accept: string) =>
    on.fetch(new Request("http://host.test/", { headers: { range: "bytes=5-", accept } }));
  const plain = await ask(app, "*/*");
  expect([plain.status, await plain.text()]).toEqual([416, noSuchRange.toString()]);
  const problem = await ask(app, "application/problem+json");
  expect(problem.headers.get("content-type")).toBe("application/problem+json");
  expect(problem.headers.get("vary")).toBe("Accept");
  expect(problem.headers.get("content-range")).toBe("bytes */1");
  await app.stop();
  const restyled = new App().exceptionHandler(HttpError, (_request, { status }) => ({ mine: status }));
  restyled.get("/", (request) => Response.fileRange(at("one.txt"), request.getHeader("range")));
  expect(await (await ask(restyled, "*/*")).json()).toEqual({ mine: 416 });
  await restyled.stop();
});

test("the length of a multipart body counts the bytes of its type, not characters", async () => {
  const response = await Response.fileRange(at("large.bin"), "bytes=0-0,9-9", {
    contentType: "text/plain; title=é",
  });
  expect(response.contentLength).toBe((await bytesOf(response.payload)).length);
});
