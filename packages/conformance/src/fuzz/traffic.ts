// Above 250 lines because it is one grammar: valid and invalid traffic of a connection, from single bytes up to several messages.
import fc from "fast-check";

/** The traffic of one connection, in chunks, one character per byte. */
export interface Traffic {
  readonly pieces: readonly string[];
  /** Kind of disconnect, without waiting for a reply. @default the client waits for all replies */
  readonly disconnect?: "half-closes" | "resets";
}

const HOST = "Host: a\r\n";
const get = (target: string, fields = ""): string => `GET ${target} HTTP/1.1\r\n${HOST}${fields}\r\n`;
const post = (target: string, fields: string, body: string): string =>
  `POST ${target} HTTP/1.1\r\n${HOST}${fields}\r\n${body}`;

const ordinary: readonly string[] = [
  get("/"),
  get("/async", "Connection: keep-alive\r\nCookie: a=1\r\nAccept: */*\r\ncookie: b=2\r\n"),
  get("/stream?x=%20", "X: 1\r\nx:\t2 \r\n"),
  get("/204"),
  get("/close"),
  get("/").replace("GET", "HEAD"),
  get("/stream").replace("GET", "HEAD"),
  get("/async").replace("GET", "OPTIONS"),
  post("/read", "Content-Length: 5\r\nContent-Type: text/plain\r\n", "hello"),
  post("/", "content-length: 0\r\n", ""),
  post("/unread", "Content-Length: 12\r\n", "GET / HTTP/1"),
  post("/read", "Content-Length: 3\r\n", "abc").replace("POST", "DELETE"),
];
const unusual: readonly string[] = [
  post("/read", "Transfer-Encoding: chunked\r\n", "3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n"),
  post("/read", "Expect: 100-continue\r\nContent-Length: 2\r\n", "hi"),
  post("/read", "Content-Length: 70000\r\n", "z".repeat(70_000)),
  get("/", "Connection: close\r\n"),
  get("/", "Connection: Upgrade\r\nUpgrade: websocket\r\n"),
  get("http://b/x"),
  get("*").replace("GET", "OPTIONS"),
  get("/").replace("1.1", "1.0"),
  get("/", "Connection: keep-alive\r\n").replace("1.1", "1.0"),
  `\r\n${get("/")}`,
  get("/").replace("GET", "PROPFIND"),
  get("/").replace("GET", "FOO"),
  get("/", "Host: b\r\n"),
  get("/", "Connection: keep-alive, foo\r\n"),
];

/** Complete lines that change the meaning of a message. */
const lines: readonly string[] = [
  "Content-Length: 0",
  "Content-Length: 1",
  "Content-Length: 3",
  "Content-Length: +3",
  "Content-Length: 3, 3",
  "Content-Length: 0x3",
  "Content-Length: 99999999999999999999",
  "Content-Length : 3",
  "Content_Length: 3",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: CHUNKED ",
  "Transfer-Encoding: identity",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding:\tchunked",
  "Transfer-Encoding: \x0bchunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding:",
  " Transfer-Encoding: chunked",
  "Host: b",
  "Host:",
  "hOST: a",
  "Host: u@a",
  "Expect: 100-continue",
  "Expect: 200-ok",
  "Connection: close",
  "Connection: keep-alive",
  "Connection: close, keep-alive",
  "Connection: Keep-Alive, TE",
  "Connection: transfer-encoding, content-length",
  "Proxy-Connection: close",
  "Upgrade: h2c",
  "Content-Type: a",
  "Authorization: b",
  "Range: bytes=0-",
  "TE: trailers",
  "Trailer: X",
  "__proto__: 1",
  "X: \xff",
  ": x",
  "x",
  "\tx: y",
  "0",
  "3",
  "5;a=b",
  "GET / HTTP/1.1",
  "PRI * HTTP/2.0",
];
const fragments: readonly string[] = [
  ..."\r\n\0 \t:,;\"'01aF\x7f\x80\xff%#@/\\*-+_=?.".split(""),
  "\r\n",
  "\r\n\r\n",
  "\n\n",
  "\r\r\n",
  "\r\n ",
  "HTTP/1.0",
  "HTTP/1.1",
  "close",
  "chunked",
  "-1",
  "0\r\n\r\n",
  "ffffffffffffffff",
  get("/async"),
];

const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const letterCase = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text.toLowerCase(),
  (text) => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
);
const mostly = <Value>(usual: fc.Arbitrary<Value>, rare: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: rare });
const unusualField = fc
  .tuple(fc.constantFrom(...lines), letterCase)
  .map(([line, change]) => `${change(line)}\r\n`);
const harmless = fc
  .tuple(
    fc.constantFrom("Accept", "Cookie", "cookie", "X", "User-Agent", "X-Forwarded-For", "TE", "Connectio"),
    fc.constantFrom("", " ", "\t", "  "),
    fc.constantFrom("", "a", "a, b", "é", 'x"y', "a:b", "chunked", "5"),
    fc.constantFrom("", "", " ", "\t"),
  )
  .map(([name, before, value, after]) => `${name}:${before}${value}${after}\r\n`);

const content = fc.oneof(
  fc.string({ unit: "binary-ascii", maxLength: 12 }),
  fc.constantFrom(
    "",
    "0\r\n\r\n",
    "5\r\nhello\r\n",
    get("/async"),
    "GET /async HTTP/1.1\r\nX: ",
    "z".repeat(300),
  ),
);
const chunk = fc
  .tuple(
    content,
    fc.constantFrom<(size: number) => string>(
      (size) => size.toString(16),
      (size) => size.toString(16).toUpperCase(),
      (size) => `00${size.toString(16)}`,
    ),
    mostly(
      fc.constantFrom("", "", ";a", ";a=b", ';a="b;c"', ';a="\\""', ";a;b"),
      fc.constantFrom(";", "; a = b", " ;a", ";a=\x80", " "),
    ),
  )
  .map(([data, size, extension]) => `${size(data.length)}${extension}\r\n${data}\r\n`);
const chunks = fc
  .tuple(
    fc.array(chunk, { maxLength: 3 }),
    fc.constantFrom("0", "0", "000", "0;x"),
    fc.array(mostly(harmless, unusualField), { maxLength: 2 }),
  )
  .map(([parts, last, trailers]) => `${parts.join("")}${last}\r\n${trailers.join("")}\r\n`);
/** Fields and bytes of a body, with valid or invalid framing. */
const framed: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(["", ""] as const) },
  { weight: 6, arbitrary: content.map((body) => [`Content-Length: ${body.length}\r\n`, body] as const) },
  { weight: 6, arbitrary: chunks.map((body) => ["Transfer-Encoding: chunked\r\n", body] as const) },
  fc
    .tuple(fc.constantFrom(...lines), fc.oneof(chunks, content))
    .map(([line, body]) => [`${line}\r\n`, body] as const),
  fc.tuple(fc.constantFrom(...lines), chunks, fc.boolean()).map(([line, body, first]) => {
    const coding = "Transfer-Encoding: chunked\r\n";
    return [first ? `${line}\r\n${coding}` : `${coding}${line}\r\n`, body] as const;
  }),
);

/** One message of the grammar, sometimes with invalid framing. */
const message = fc
  .record({
    method: mostly(
      fc.constantFrom("GET", "POST", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH"),
      fc.constantFrom("QUERY", "TRACE", "get"),
    ),
    target: mostly(
      fc.constantFrom("/", "/read", "/read", "/async", "/stream", "/204", "//b/x", "http://b/read"),
      fc.constantFrom("/close", "*", "http://b", "/a#b", "a:1"),
    ),
    version: mostly(fc.constant("1.1"), fc.constantFrom("1.0", "1.2", "2.0")),
    before: fc.array(harmless, { maxLength: 2 }),
    extra: mostly(fc.constant(""), unusualField),
    body: framed,
    after: fc.array(harmless, { maxLength: 2 }),
  })
  .map(
    ({ method, target, version, before, extra, body: [framing, bytes], after }) =>
      `${method} ${target} HTTP/${version}\r\n${before.join("")}${HOST}${extra}${framing}${after.join("")}\r\n${bytes}`,
  );

type Edit = (bytes: string) => string;

const splice = (bytes: string, at: number, removed: number, inserted: string): string =>
  bytes.slice(0, at) + inserted + bytes.slice(at + removed);

const byteEdit = fc
  .tuple(
    place,
    fc.oneof(
      fc.constantFrom(...fragments),
      fc.nat(255).map((code) => String.fromCharCode(code)),
    ),
    fc.nat(3),
  )
  .map(
    ([where, inserted, removed]): Edit =>
      (bytes) =>
        splice(bytes, Math.trunc(where * bytes.length), removed, inserted),
  );

/** Splits bytes into lines that keep their ends, so joining them restores the bytes. */
const linesOf = (bytes: string): string[] => bytes.split(/(?<=\n)/);
const lineEdit = fc
  .tuple(place, place, fc.constantFrom("double", "drop", "swap", "insert"), fc.constantFrom(...lines))
  .map(([where, other, operation, line]): Edit => (bytes) => {
    const all = linesOf(bytes);
    const at = Math.trunc(where * all.length);
    const to = Math.trunc(other * all.length);
    const here = all[at] ?? "";
    if (operation === "double") return all.toSpliced(to, 0, here).join("");
    if (operation === "drop") return all.toSpliced(at, 1).join("");
    if (operation === "insert") return all.toSpliced(at, 0, `${line}\r\n`).join("");
    return all
      .with(at, all[to] ?? "")
      .with(to, here)
      .join("");
  });

/** Replaces the match at a relative position, from 0 to 1. */
const replaceMatch = (
  bytes: string,
  pattern: RegExp,
  where: number,
  replace: (found: string) => string,
): string => {
  const matches = [...bytes.matchAll(pattern)];
  const match = matches[Math.trunc(where * matches.length)];
  return match === undefined ? bytes : splice(bytes, match.index, match[0].length, replace(match[0]));
};
const lineEndEdit = fc
  .tuple(
    place,
    fc.constantFrom(
      "\n",
      "\r",
      "\r\r\n",
      "\n\r\n",
      " \r\n",
      "\t\r\n",
      "\r\n ",
      "\r\n\t",
      "\r\n\r\n",
      "",
      "\0\r\n",
    ),
  )
  .map(
    ([where, end]): Edit =>
      (bytes) =>
        replaceMatch(bytes, /\r\n/g, where, () => end),
  );
const numberEdit = fc
  .tuple(
    place,
    fc.constantFrom<(digits: string) => string>(
      (digits) => String(Number(digits) + 1),
      (digits) => String(Number(digits) - 1),
      (digits) => `0${digits}`,
      (digits) => `+${digits}`,
      (digits) => `-${digits}`,
      (digits) => `0x${digits}`,
      (digits) => `${digits} `,
      (digits) => ` ${digits}`,
      (digits) => `${digits},${digits}`,
      (digits) => `${digits}_0`,
      (digits) => `${digits}00000000000000000`,
    ),
  )
  .map(
    ([where, change]): Edit =>
      (bytes) =>
        replaceMatch(bytes, /[0-9]+/g, where, change),
  );
const repeatEdit = fc
  .tuple(place, fc.integer({ min: 1, max: 40 }), fc.constantFrom(2, 3, 10, 120))
  .map(([where, length, times]): Edit => (bytes) => {
    const at = Math.trunc(where * bytes.length);
    return splice(bytes, at, 0, bytes.slice(at, at + length).repeat(times - 1));
  });
const truncation = place.map(
  (where): Edit =>
    (bytes) =>
      bytes.slice(0, Math.trunc(where * bytes.length)),
);

const edit = fc.oneof(
  { weight: 5, arbitrary: byteEdit },
  { weight: 4, arbitrary: lineEdit },
  { weight: 3, arbitrary: lineEndEdit },
  { weight: 3, arbitrary: numberEdit },
  { weight: 1, arbitrary: repeatEdit },
  { weight: 1, arbitrary: truncation },
);

const whole = fc.oneof(
  { weight: 5, arbitrary: message },
  { weight: 3, arbitrary: fc.constantFrom(...ordinary) },
  { weight: 1, arbitrary: fc.constantFrom(...unusual) },
);

/** Clients repeat equal requests, which a transport may cache: an edit makes one of them differ. */
const repeated = fc
  .tuple(whole, fc.constantFrom(1, 1, 1, 2, 3, 6))
  .map(([bytes, times]) => bytes.repeat(times));

/** Bytes of a few messages, some of them malformed. */
export const connectionBytes: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(repeated, { minLength: 1, maxLength: 4 }),
    fc.oneof(fc.constant([]), fc.array(edit, { minLength: 1, maxLength: 3 })),
  )
  .map(([messages, edits]) =>
    edits.reduce((bytes, change) => change(bytes), messages.join("")).slice(0, 200_000),
  );

const cutAt = (bytes: string, places: readonly number[]): string[] => {
  const ends = [...new Set([...places, bytes.length])].filter((at) => at > 0).toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
};
const cutting = fc.oneof(
  { weight: 6, arbitrary: fc.array(place, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom("bytes" as const, "line ends" as const) },
  { weight: 2, arbitrary: fc.constant("head ends" as const) }, // most messages arrive whole, each in a separate read
);
const piecesOf = (bytes: string, cuts: readonly number[] | "bytes" | "line ends" | "head ends"): string[] => {
  if (cuts === "head ends" && bytes.length < 20_000) {
    return cutAt(
      bytes,
      [...bytes.matchAll(/\r\n\r\n/g)].map(({ index }) => index + 4),
    );
  }
  if (cuts === "line ends" && bytes.length < 2000) {
    return cutAt(
      bytes,
      [...bytes.matchAll(/\n/g)].flatMap(({ index }) => [index, index + 1]),
    );
  }
  if (cuts === "bytes" && bytes.length < 400) return bytes.split("");
  return cutAt(bytes, typeof cuts === "string" ? [] : cuts.map((cut) => Math.trunc(cut * bytes.length)));
};

/** Several messages, some of them malformed, split anywhere, from a client that usually waits for its replies. */
export const traffic: fc.Arbitrary<Traffic> = fc
  .tuple(
    connectionBytes,
    cutting,
    fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      fc.constantFrom("half-closes" as const, "resets" as const),
    ),
  )
  .map(([bytes, cuts, disconnect]) => ({
    pieces: piecesOf(bytes, cuts),
    ...(disconnect === undefined ? {} : { disconnect }),
  }));
