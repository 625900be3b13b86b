// Above 250 lines: one table of heads with the scanner's result for each.
import { createServer } from "node:http";
import { Duplex } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { LimitsConfig } from "../../config/limits-config.ts";
import { isAuthority } from "../../http/authority.ts";
import { canonicalise, MAX_SEGMENTS } from "../../routing/canonical-path.ts";
import { CachedHead } from "./fast-cached-head.ts";
import { emptyFastHead } from "./fast-head.ts";
import { LONG_WINDOW, SHORT_WINDOW } from "./head-window.ts";
import { INCOMPLETE, MAX_FAST_BODY, readFastHead, UNSUPPORTED } from "./fast-request-head.ts";
import { readHead } from "../wire/request-head.ts";

const defaults = LimitsConfig.of();
const plain = "GET /a?b=c HTTP/1.1\r\nHost: a:80\r\n\r\n";
const post = (length: string): string => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
const getRequest = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
const withFields = (...fields: string[]): string =>
  `GET / HTTP/1.1\r\n${["Host: a", ...fields].join("\r\n")}\r\n\r\n`;

/** The parsed parts of bytes, one character each, from `start` on. */
const read = (text: string, limits: LimitsConfig = defaults, start = 0) => {
  const head = emptyFastHead();
  const bytes = Buffer.from(text, "latin1");
  const end = readFastHead(bytes, start, limits, head);
  if (end < 0) return end;
  return {
    method: head.method,
    target: text.slice(head.targetStart, head.targetEnd),
    host: text.slice(head.hostStart, head.hostEnd),
    fields: new CachedHead(bytes, head, "").toList(),
    bodyLength: head.bodyLength,
    last: head.last,
    end,
  };
};

test("parses an ordinary request at any offset", () => {
  const found = {
    method: "GET",
    target: "/a?b=c",
    host: "a:80",
    fields: ["Host", "a:80"],
    bodyLength: 0,
    last: false,
    end: plain.length,
  };
  expect(read(plain)).toEqual(found);
  expect(read(`xyz${plain}more`, defaults, 3)).toEqual({ ...found, end: plain.length + 3 });
});

test.each(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("accepts %s", (method) => {
  expect(read(plain.replace("GET", method))).toMatchObject({ method });
});

test("detects for each head whether the connection must close", () => {
  const head = emptyFastHead();
  const seen = ["Connection: close", "Connection: CLOSE", "X: close", "connection: keep-alive"].map(
    (line) => {
      readFastHead(Buffer.from(withFields(line)), 0, defaults, head);
      return head.last;
    },
  );
  expect(seen).toEqual([true, true, false, false]);
});

test.each([
  ["an unknown method", plain.replace("GET", "FOO")],
  ["a rare method", plain.replace("GET", "TRACE")],
  ["CONNECT", plain.replace("GET", "CONNECT")],
  ["a method in lower case", plain.replace("GET", "get")],
  ["a method with a known one as its prefix", plain.replace("GET", "GETX")],
  ["an empty line before the request", `\r\n${plain}`],
  ["two blanks", plain.replace(" /", "  /")],
  ["a tab instead of a blank", plain.replace(" /", "\t/")],
  ["absolute-form", plain.replace("/a", "http://a/")],
  ["asterisk-form", plain.replace("GET /a?b=c", "OPTIONS *")],
  ["a fragment", plain.replace("?", "#")],
  ["a non-ASCII target", plain.replace("?", "\xe9")],
  ["DEL in the target", plain.replace("?", "\x7f")],
  ["HTTP/1.0", plain.replace("1.1", "1.0")],
  ["HTTP/1.2", plain.replace("1.1", "1.2")],
  ["a version in lower case", plain.replace("HTTP", "http")],
  ["no version", plain.replace(" HTTP/1.1", "")],
  ["a blank after the version", plain.replace("1.1", "1.1 ")],
  ["LF instead of CRLF", plain.replace("\r\n", "\n")],
  ["CR instead of CRLF", plain.replace("\r\n", "\r")],
  ["no Host", plain.replace("Host", "Hose")],
  ["two Hosts", withFields("host: a")],
  ["a blank after the Host", plain.replace(":80", ":80 ")],
  ["a blank before the colon", withFields("X : 1")],
  ["an empty name", withFields(": 1")],
  ["no colon", withFields("X")],
  ["obs-fold", withFields("X: 1", " 2")],
  ["NUL in a value", withFields("X: \0")],
  ["LF in a value", withFields("X: 1\ny: 2")],
  ["CR in a value", withFields("X: 1\ry: 2")],
  ["a lone CR as the end of the head", withFields("X: 1").replace(/\r\n$/, "\rx")],
  ["Connection: close in a list", withFields("Connection: close, x")],
  ["Connection: close and a blank", withFields("Connection: close ")],
  ["two Connections", withFields("Connection: close", "Connection: keep-alive")],
  ["a list in Connection", withFields("Connection: keep-alive, x")],
  ["an empty Connection", withFields("Connection:")],
  ["Connection twice", withFields("Connection: keep-alive", "connection: keep-alive")],
  ["Proxy-Connection", withFields("Proxy-Connection: keep-alive")],
  ["Upgrade", withFields("Upgrade: h2c")],
  ["Expect", withFields("Expect: 100-continue")],
  ["Transfer-Encoding", withFields("Transfer-Encoding: chunked")],
  ["an empty Transfer-Encoding", withFields("Transfer-Encoding:")],
  ["Content-Length twice", withFields("Content-Length: 0", "Content-Length: 0")],
  ...[
    "",
    "+1",
    "-1",
    "0x1",
    "1,1",
    "1 1",
    "1 ",
    "1.0",
    "a",
    "\xb2",
    "000001",
    "65537",
    "99999",
    "9007199254740993",
  ].map((length): [string, string] => [`Content-Length ${JSON.stringify(length)}`, post(length)]),
  ...["Content-Type", "Authorization", "Origin", "Range", "If-Range"].map((name): [string, string] => [
    `${name} twice`,
    withFields(`${name}: a`, `${name.toUpperCase()}: a`),
  ]),
])("passes %s to node:http", (_, text) => {
  expect(read(text)).toBe(UNSUPPORTED);
});

test("accepts ordinary requests whose fields resemble unsupported fields", () => {
  const fields = ["Hos: 1", "Connectioo: close", "X-Upgrade: 1", "Expected: 1", "Rangf: 1", "TE: trailers"];
  expect(
    read(withFields(...fields, ...fields, "CONNECTION:\tKeep-Alive", "X:", "Y:  a  b\t ")),
  ).toMatchObject({
    fields: expect.arrayContaining(["CONNECTION", "Keep-Alive", "X", "", "Y", "a  b"]),
  });
});

test("accepts a body up to its bound", () => {
  expect(read(post(String(MAX_FAST_BODY)))).toMatchObject({ bodyLength: MAX_FAST_BODY });
  expect(read(post("00005"))).toMatchObject({ bodyLength: 5 });
  expect(read(post(String(MAX_FAST_BODY + 1)))).toBe(UNSUPPORTED);
});

test("reports every truncated ordinary request as incomplete", () => {
  const text =
    "POST /a?b HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\nContent-Length: 5\r\nX:\t1 \r\n\r\n";
  for (let end = 0; end < text.length; end++) expect(read(text.slice(0, end))).toBe(INCOMPLETE);
  expect(read(text)).toMatchObject({ bodyLength: 5 });
});

test("rejects an unsupported message at its first invalid byte, even if it is incomplete", () => {
  for (const start of [
    "X",
    "\r",
    "GETX",
    "GET x",
    "GET /\x01",
    "GET / HTTP/1.0",
    "GET / HTTP/1.1\n",
    "GET / HTTP/1.1\r\nX ",
  ]) {
    expect(read(start)).toBe(UNSUPPORTED);
  }
});

test("passes messages beyond a limit to node:http, complete or not", () => {
  const limits = LimitsConfig.of({ maxRequestLine: 100, maxHeaderBytes: 300, maxHeaderFields: 3 });
  const line = (length: number): string => `GET /${"a".repeat(length - 14)} HTTP/1.1\r\n`;
  const filled = (size: number): string => `Host: a\r\nX: ${"x".repeat(size - 9 - 5)}\r\n`;
  expect(read(`${line(100)}Host: a\r\n\r\n`, limits)).toMatchObject({ method: "GET" });
  expect(read(`${line(101)}Host: a\r\n\r\n`, limits)).toBe(UNSUPPORTED);
  expect(read(line(200).slice(0, 150), limits)).toBe(UNSUPPORTED);
  expect(read(`${line(20)}${filled(298)}\r\n`, limits)).toMatchObject({ method: "GET" });
  expect(read(`${line(20)}${filled(301)}\r\n`, limits)).toBe(UNSUPPORTED);
  expect(read(`${line(20)}${filled(400).slice(0, 310)}`, limits)).toBe(UNSUPPORTED);
  expect(read(`${line(20)}${"x".repeat(310)}`, limits)).toBe(UNSUPPORTED);
  expect(read(`${line(20)}Host: a\r\n${"a: b\r\n".repeat(2)}\r\n`, limits)).toMatchObject({ method: "GET" });
  expect(read(`${line(20)}Host: a\r\n${"a: b\r\n".repeat(3)}\r\n`, limits)).toBe(UNSUPPORTED);
});

test("accepts exactly the bytes that a name, a value and a target may contain", () => {
  for (let code = 0; code < 256; code++) {
    const byte = String.fromCharCode(code);
    const isToken = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(byte);
    expect(read(withFields(`X${byte}Y: 1`)) !== UNSUPPORTED).toBe(isToken || byte === ":");
    expect(read(withFields(`X: a${byte}b`)) !== UNSUPPORTED).toBe(
      byte === "\t" || (code >= 0x20 && code !== 0x7f),
    );
    expect(read(plain.replace("?", () => byte)) !== UNSUPPORTED).toBe(
      code > 0x20 && code < 0x7f && byte !== "#",
    );
  }
});

const name = fc.constantFrom(
  "Host",
  "host",
  "Accept",
  "Cookie",
  "Content-Length",
  "Connection",
  "Content-Type",
  "Range",
  "X",
  "Expect",
  "Upgrade",
  "__proto__",
  "Keep-Alive",
  "Transfer-Encoding",
  "Proxy-Connection",
  "Origin",
  "TE",
);
const value = fc.constantFrom(
  "a",
  "a:80",
  "0",
  "5",
  "12",
  "keep-alive",
  "Keep-Alive",
  "close",
  "chunked",
  "100-continue",
  "",
  "x\ty",
  "é",
  "[::1]:1",
);
const blank = fc.constantFrom("", " ", " ", " ", "\t", "  ");
const anyField = fc
  .tuple(name, blank, value, blank)
  .map(([key, before, text, after]) => `${key}:${before}${text}${after === " " ? "" : after}\r\n`);
const harmlessField = fc
  .tuple(fc.constantFrom("Accept", "Cookie", "cookie", "X", "__proto__", "TE"), blank, value, blank)
  .map(([key, before, text, after]) => `${key}:${before}${text}${after}\r\n`);
const framingField = fc.constantFrom(
  "Content-Length: 5\r\n",
  "content-length:\t12\r\n",
  "CONNECTION: Keep-Alive\r\n",
  "connection:Close\r\n",
  "Range: a\r\n",
);
const field = fc.oneof(
  { weight: 4, arbitrary: harmlessField },
  { weight: 2, arbitrary: framingField },
  anyField,
);
const message = fc
  .tuple(
    fc.constantFrom("GET", "POST", "HEAD", "OPTIONS", "PATCH", "PUT", "DELETE", "TRACE", "get"),
    fc.constantFrom("/", "/a/b?c=d", "//x", "*", "http://b/", '/%00\\^{|}"<>`'),
    fc.array(field, { maxLength: 4 }),
  )
  .map(([method, target, fields]) => `${method} ${target} HTTP/1.1\r\nHost: a\r\n${fields.join("")}\r\n`);
const mutatedMessage = fc
  .tuple(
    message,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom("", "\r", "\n", " ", "\t", "\0", ":", "\x7f", "\xff", "x", "1", "\r\n"),
        fc.nat(2),
      ),
      { maxLength: 2 },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce((bytes, [position, insert, cut]) => {
      const at = position % (bytes.length + 1);
      return bytes.slice(0, at) + insert + bytes.slice(at + cut);
    }, text),
  );

/** Passes bytes to `node:http`. Returns the requests that it parsed, each with its body. */
const parseWithNode = async (
  bytes: string,
): Promise<{ method: string; target: string; fields: string[]; body: string }[]> => {
  const found: { method: string; target: string; fields: string[]; body: string }[] = [];
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    const seen = {
      method: request.method ?? "",
      target: request.url ?? "",
      fields: request.rawHeaders,
      body: "",
    };
    found.push(seen);
    request.on("data", (chunk: Buffer) => (seen.body += chunk.toString("latin1")));
    response.end();
  });
  const socket = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  socket.on("error", () => {});
  server.on("clientError", () => socket.destroy());
  server.emit("connection", socket);
  socket.push(Buffer.from(bytes, "latin1"));
  await new Promise<void>((resolve) => void setImmediate(resolve));
  await new Promise<void>((resolve) => void setImmediate(resolve));
  socket.destroy();
  return found;
};

test("accepts only messages that llhttp and the shared rules accept, and parses them identically, including their end", async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(mutatedMessage, async (text) => {
      const found = read(text);
      if (typeof found === "number" || !isAuthority(found.host)) return;
      accepted++;
      const { method, target, fields, bodyLength, host, last, end } = found;
      const body = "b".repeat(bodyLength);
      const [first, second] = await parseWithNode(
        `${text.slice(0, end)}${body}GET /after HTTP/1.1\r\nHost: a\r\n\r\n`,
      );
      expect(first).toEqual({ method, target, fields, body });
      expect(second?.target).toBe(last ? undefined : "/after");
      expect(readHead({ method, target, major: 1, minor: 1, fields }, defaults)).toEqual({
        target,
        authority: host,
        fields,
        bodyLength,
        expectsContinue: false,
        last: false,
      });
    }),
    { numRuns: 1000 },
  );
  expect(accepted).toBeGreaterThan(100);
});

test("parses an accepted message independently of the bytes after it, and never beyond its end", () => {
  fc.assert(
    fc.property(mutatedMessage, fc.string({ unit: "binary-ascii", maxLength: 5 }), (text, after) => {
      const found = read(text);
      if (typeof found === "number") return;
      expect(found.end).toBeLessThanOrEqual(text.length);
      expect(read(text + after)).toEqual(found);
      for (let end = 0; end < found.end; end++) expect(read(text.slice(0, end))).toBe(INCOMPLETE);
    }),
  );
});

test("the number of bytes copied from a chunk grows at most linearly with its pipelined heads", () => {
  const set = jest.spyOn(Uint8Array.prototype, "set");
  const bytesCopied = (count: number, head: string): number => {
    const bytes = Buffer.from(head.repeat(count));
    set.mockClear();
    for (let start = 0; start < bytes.length;) start = readFastHead(bytes, start, defaults, emptyFastHead());
    return set.mock.calls.reduce((sum, [part]) => sum + part.length, 0);
  };
  try {
    const short = withFields();
    expect(bytesCopied(2000, short)).toBeGreaterThanOrEqual(2000 * short.length);
    expect(bytesCopied(2000, short)).toBeLessThanOrEqual(2000 * SHORT_WINDOW);
    const long = withFields(`X: ${"x".repeat(SHORT_WINDOW)}`);
    expect(bytesCopied(50, long)).toBeLessThanOrEqual(50 * (SHORT_WINDOW + LONG_WINDOW));
    expect(bytesCopied(1, long)).toBe(SHORT_WINDOW + long.length);
  } finally {
    set.mockRestore();
  }
});

test("a plain target is its own canonical path", () => {
  const target = fc.array(
    fc.oneof(
      fc.constantFrom("/", "a", "..", ".", "/.", "%41", "?", "%", "//", ":", "\\", "/a".repeat(31)),
      fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    ),
    { maxLength: 8 },
  );
  let plainTargets = 0;
  fc.assert(
    fc.property(target, (parts) => {
      const text = `/${parts.join("")}`;
      const head = emptyFastHead();
      if (
        readFastHead(Buffer.from(getRequest(text)), 0, defaults, head) < 0 ||
        !head.isPlain ||
        text.length > MAX_SEGMENTS
      )
        return true;
      plainTargets++;
      return isDeepStrictEqual(canonicalise(text), { path: text, search: "" });
    }),
    { numRuns: 3000 },
  );
  expect(plainTargets).toBeGreaterThan(300);
  const head = emptyFastHead();
  const isPlain = ["/", "/users/4711", `/${"a".repeat(999)}`, "/a?b", "/a.b"].map((path) => {
    readFastHead(Buffer.from(getRequest(path)), 0, defaults, head);
    return head.isPlain;
  });
  expect(isPlain).toEqual([true, true, true, false, false]);
});

test("parses a head longer than the short window like a short head, and passes a head longer than the long window to node:http", () => {
  const limits = LimitsConfig.of({ maxHeaderBytes: 200_000 });
  for (const size of [4000, 4050, 4060, 4070, 4080, 4100, 10_000, 60_000]) {
    const text = withFields(`X: ${"x".repeat(size)}`, "Y: z");
    expect(read(`abc${text}POST`, limits, 3)).toMatchObject({
      fields: ["Host", "a", "X", "x".repeat(size), "Y", "z"],
      end: text.length + 3,
    });
    expect(read(text.slice(0, -1), limits)).toBe(INCOMPLETE);
    expect(read(text.replace("Y:", "Y\0"), limits)).toBe(UNSUPPORTED);
  }
  const fill = LONG_WINDOW - withFields("X: ").length;
  expect(read(withFields(`X: ${"x".repeat(fill)}`), limits)).toMatchObject({ end: LONG_WINDOW });
  expect(read(withFields(`X: ${"x".repeat(fill + 1)}`), limits)).toBe(UNSUPPORTED);
  expect(read(withFields(`X: ${"x".repeat(fill + 1)}`).slice(0, -2), limits)).toBe(INCOMPLETE);
});
