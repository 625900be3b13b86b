import { execFileSync } from "node:child_process";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { pathToFileURL } from "node:url";
import { expect, test } from "@jest/globals";
import { BodyStream } from "../exchange/payload.ts";
import { Response } from "./response.ts";
import { bytesOf, testFiles } from "./test-files.test-kit.ts";

const { pathOf, large, contentOf, openFiles } = testFiles();
const fieldsOf = (response: Response) => Object.fromEntries(response.headers);

test("sends a complete file with its type and length, and closes it", async () => {
  const response = await Response.sendFile(pathOf("page.html"));
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
  const { payload, contentLength } = await Response.sendFile(pathOf(name));
  const chunks: Uint8Array[] = [];
  if (payload instanceof BodyStream) for await (const chunk of payload.chunks) chunks.push(chunk);
  expect(contentLength).toBe(contentOf[name]?.length);
  expect(Buffer.concat(chunks).equals(contentOf[name] as Buffer)).toBe(true);
  expect(Math.max(0, ...chunks.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
  expect(openFiles()).toEqual([]);
});

test("a path may be a file URL or a symbolic link", async () => {
  expect(String(await bytesOf((await Response.sendFile(pathToFileURL(pathOf("one.txt")))).payload))).toBe(
    "x",
  );
  expect(await (await Response.sendFile(pathOf("link.html"))).text()).toBe("<p>é</p>");
});

test("a file with an unknown extension is application/octet-stream, and contentType overrides the extension", async () => {
  const plain = await Response.sendFile(pathOf("large.bin"));
  const named = await Response.sendFile(pathOf("large.bin"), { contentType: "image/png" });
  expect([plain.contentType, named.contentType]).toEqual(["application/octet-stream", "image/png"]);
  for (const { payload } of [plain, named]) await (payload as BodyStream).cancel();
  expect(openFiles()).toEqual([]);
});

test("options that are not an object, such as a file name, throw before the file is opened", async () => {
  const bad = expect.objectContaining({ code: "CORE_BAD_ARGUMENT" });
  const path = pathOf("one.txt");
  await expect(Response.sendFile(path, "text/html" as never)).rejects.toEqual(bad);
  await expect(Response.file(path, "report.txt" as never)).rejects.toEqual(bad);
  await expect(Response.fileRange(path, null, null as never)).rejects.toEqual(bad);
  expect(openFiles()).toEqual([]);
});

test("an invalid contentType throws before the file is opened", async () => {
  const bad = expect.objectContaining({ code: "CORE_BAD_HEADER" });
  await expect(Response.sendFile(pathOf("one.txt"), { contentType: "a\r\nb: c" })).rejects.toEqual(bad);
  await expect(Response.file(pathOf("one.txt"), { contentType: "a\r\nb: c" })).rejects.toEqual(bad);
  await expect(Response.fileRange(pathOf("one.txt"), "bytes=0-0", { contentType: "a\n" })).rejects.toEqual(
    bad,
  );
  expect(openFiles()).toEqual([]);
});

test.each<[string, Record<string, string>, string]>([
  ["a name from the path", {}, 'attachment; filename="page.html"'],
  ["an ASCII name", { filename: "a b.txt" }, 'attachment; filename="a b.txt"'],
  [
    "a non-ASCII name",
    { filename: "naïve €.txt" },
    "attachment; filename=\"na_ve _.txt\"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt",
  ],
  ["a quote", { filename: 'a"b.txt' }, "attachment; filename=\"a_b.txt\"; filename*=UTF-8''a%22b.txt"],
  [
    "a percent sign",
    { filename: "100%41.txt" },
    "attachment; filename=\"100_41.txt\"; filename*=UTF-8''100%2541.txt",
  ],
  [
    "punctuation",
    { filename: "é'(*).txt" },
    "attachment; filename=\"_'(*).txt\"; filename*=UTF-8''%C3%A9%27%28%2A%29.txt",
  ],
  ["line breaks", { filename: "a\r\nset-cookie: b=1" }, 'attachment; filename="a__set-cookie: b=1"'],
  ["path separators", { filename: "../..\\x" }, 'attachment; filename=".._.._x"'],
  ["a lone surrogate", { filename: "\ud800" }, "attachment; filename=\"_\"; filename*=UTF-8''%EF%BF%BD"],
])("Content-Disposition of a download with %s", async (_what, options, disposition) => {
  const response = await Response.file(pathOf("page.html"), options);
  expect(response.headers.get("content-disposition")).toBe(disposition);
  expect(await response.text()).toBe("<p>é</p>");
});

test.each([
  ["an absent file", "absent"],
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
    await expect(send(pathOf(name))).rejects.toMatchObject({
      status: 404,
      detail: "The file does not exist",
    });
  }
  expect(openFiles()).toEqual([]);
});

test("a pipe and a socket are not found, without blocking", async () => {
  execFileSync("sh", ["-c", 'mkfifo "$0"', pathOf("pipe")]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(pathOf("socket"), resolve));
  for (const name of ["pipe", "socket"]) {
    await expect(Response.sendFile(pathOf(name))).rejects.toMatchObject({ status: 404 });
  }
  await new Promise((resolve) => server.close(resolve));
  expect(openFiles()).toEqual([]);
});

test("a URL that is not a file URL is not reported as a missing file", async () => {
  await expect(Response.sendFile(new URL("https://example.com/x"))).rejects.toMatchObject({
    code: "ERR_INVALID_URL_SCHEME",
  });
});

test("cancelling closes the file before the first read, between chunks and during a read", async () => {
  for (const reads of [0, 1, 2]) {
    const { payload } = await Response.sendFile(pathOf("large.bin"));
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
  writeFileSync(pathOf("shrinking.bin"), large);
  const { payload } = await Response.sendFile(pathOf("shrinking.bin"));
  const iterator = (payload as BodyStream).chunks[Symbol.asyncIterator]();
  await iterator.next();
  truncateSync(pathOf("shrinking.bin"), 100_000);
  const rest = async () => {
    while ((await iterator.next()).done !== true);
  };
  await expect(rest()).rejects.toMatchObject({ code: "CORE_SHORT_FILE" });
  expect(openFiles()).toEqual([]);
});

test("the reply of a file that grows has the announced length", async () => {
  writeFileSync(pathOf("growing.bin"), "0123456789");
  const response = await Response.sendFile(pathOf("growing.bin"));
  writeFileSync(pathOf("growing.bin"), "0123456789abc");
  expect(await response.text()).toBe("0123456789");
});

test("a reply sends the file that was opened, even if the path is replaced", async () => {
  writeFileSync(pathOf("swapped.txt"), "before");
  const response = await Response.sendFile(pathOf("swapped.txt"));
  rmSync(pathOf("swapped.txt"));
  writeFileSync(pathOf("swapped.txt"), "secret");
  expect(await response.text()).toBe("before");
});
