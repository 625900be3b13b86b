import { hash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { App } from "../app.ts";
import { HttpError } from "../errors/http-error.ts";
import { errorReply } from "../pipeline/error-reply.ts";
import { Response } from "./response.ts";
import { bytesOf, testFiles } from "./test-files.test-kit.ts";

const { pathOf, contentOf, openFiles } = testFiles();

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
const resultOf = async (response: Response) => {
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

test.each(ranges)("the range %s of %s selects the expected bytes", async (field, name, expected) => {
  const response = await Response.fileRange(pathOf(name), field).catch(replyTo);
  expect(await resultOf(response)).toEqual(expectedOf(contentOf[name] as Buffer, expected));
  expect(response.headers.get("accept-ranges")).toBe("bytes");
  expect(openFiles()).toEqual([]);
});

test("an unsatisfiable range is handled like other errors: Accept selects its format, and exception handlers can replace it", async () => {
  const app = new App();
  app.get("/", (request) => Response.fileRange(pathOf("one.txt"), request.getHeader("range")));
  const get = (on: App, accept: string) =>
    on.fetch(new Request("http://host.test/", { headers: { range: "bytes=5-", accept } }));
  const plain = await get(app, "*/*");
  expect([plain.status, await plain.text()]).toEqual([416, noSuchRange.toString()]);
  const problem = await get(app, "application/problem+json");
  expect(problem.headers.get("content-type")).toBe("application/problem+json");
  expect(problem.headers.get("vary")).toBe("Accept");
  expect(problem.headers.get("content-range")).toBe("bytes */1");
  await app.stop();
  const custom = new App().exceptionHandler(HttpError, (_request, { status }) => ({ mine: status }));
  custom.get("/", (request) => Response.fileRange(pathOf("one.txt"), request.getHeader("range")));
  expect(await (await get(custom, "*/*")).json()).toEqual({ mine: 416 });
  await custom.stop();
});

test("the length of a multipart body counts the bytes of its type, not characters", async () => {
  const response = await Response.fileRange(pathOf("large.bin"), "bytes=0-0,9-9", {
    contentType: "text/plain; title=é",
  });
  expect(response.contentLength).toBe((await bytesOf(response.payload)).length);
});
