// Above 250 lines because it is one table: every rule on the head of a message with the bytes that test it.
import { fieldRows, framingRows, type HeadRow, hostRows, requestLineRows, targetRows } from "./head-rows.ts";
import {
  get,
  HIDDEN,
  message,
  refused,
  served,
  servedLast,
  type WireRow,
  type WireTable,
} from "./wire-row.ts";

const line = (text: string): string => message(text, ["Host: a"]);
const host = (value: string): string => message("GET / HTTP/1.1", [`Host: ${value}`]);
const text = (value: string): string => JSON.stringify(value);

/** What every parser here refuses, of the tables that the conformance suite checks in other ways. */
const refusedOf = (rows: readonly HeadRow[], except: ReadonlySet<string> = new Set()): WireRow[] =>
  rows
    .filter(({ name, status }) => status !== 200 && !except.has(name))
    .map(({ name, bytes, status }) => refused(name, bytes, status));

/** Harmless, and not to be seen from outside node:http's parser. */
export const lenientRows: ReadonlySet<string> = new Set([
  "two blanks before the target",
  "two blanks before the version",
  "two empty lines before the request",
  "a bare LF before the request",
  "a lone CR before the request",
  "RTSP for HTTP",
  "ICE for HTTP",
]);

/** RFC 9112 2.2, 2.3 and 3: lines end with CRLF, and a request line is three words with one blank between them. */
export const requestLine: WireTable = {
  title: "request line",
  rows: [
    ...refusedOf(requestLineRows, lenientRows),
    ...[
      "HTTP/1.10",
      "HTTP/01.1",
      "HTTP/1,1",
      "HTTP/1.1.1",
      "HTTP/ 1.1",
      "HTTP /1.1",
      "HTTP/+1.1",
      "HTTP/1.",
      "HTTP/.1",
      "HTTP/1",
      "HTTP/",
      "HTTP",
      "HTTP/a.b",
      "http/1.1",
      "Http/1.1",
      "HTTPS/1.1",
      "XTTP/1.1",
      "ICY/1.1",
      "HTTP/1.1\t",
      "HTTP/1.1\0",
      "HTTP/1.\xb9",
    ].map((version) => refused(`the version ${text(version)}`, line(`GET / ${version}`))),
    ...["HTTP/0.9", "HTTP/1.2", "HTTP/1.9", "HTTP/2.0", "HTTP/3.0", "HTTP/9.9", "HTTP/0.0"].map((version) =>
      refused(`the version ${text(version)}, well-formed`, line(`GET / ${version}`), 505),
    ),
    ...["\0", "\x01", "\x0b", "\x0c", "\x1f", "\x7f", "\x80", "\xff", "\r", "\n", "\t"].flatMap((byte) => [
      refused(`the byte ${text(byte)} in the method`, line(`GE${byte}T / HTTP/1.1`)),
      refused(`the byte ${text(byte)} in the target`, line(`GET /a${byte}b HTTP/1.1`)),
    ]),
    ...["(GET)", "G,T", "G/T", "G:T", "G=T", "G@T", "G[T", 'G"T'].map((method) =>
      refused(`the method ${text(method)}`, line(`${method} / HTTP/1.1`)),
    ),
    ...["Get", "gET", "GET-", "GETT", "MGET", "X", "A".repeat(40)].map((method) =>
      refused(`the method ${text(method)}, a token`, line(`${method} / HTTP/1.1`), 501),
    ),
    refused("no target", line("GET HTTP/1.1")),
    refused("a blank inside the target", line("GET /a b HTTP/1.1")),
    refused("a whole second request line behind the version", line("GET / HTTP/1.1 GET /hidden HTTP/1.1")),
    refused("a bare LF and a request in the target", `GET /\n${HIDDEN}`),
    refused("CR CR LF behind the request line", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n"),
    refused("LF CR behind the request line", "GET / HTTP/1.1\n\rHost: a\r\n\r\n"),
    refused("bare LF everywhere", "GET / HTTP/1.1\nHost: a\n\n"),
    refused("bare CR everywhere", "GET / HTTP/1.1\rHost: a\r\r"),
    refused("an empty line behind the request line, and no Host", "GET / HTTP/1.1\r\n\r\nHost: a\r\n\r\n"),
    refused("blanks in the empty line at the end", "GET / HTTP/1.1\r\nHost: a\r\n \r\n\r\n"),
    refused("a blank at the start of the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
    served("one empty line before the request", `\r\n${get()}`),
  ],
};

/** RFC 9112 3.2, RFC 9110 7.2: four forms of a target, and one Host. */
export const targetAndHost: WireTable = {
  title: "target and Host",
  rows: [
    ...refusedOf(targetRows),
    ...refusedOf(hostRows),
    ...[
      "a",
      "a:1",
      "A.example:80",
      "a-b_c.d~e",
      "127.0.0.1:8080",
      "[::1]",
      "[::1]:65535",
      "[::ffff:1.2.3.4]",
      "a%41",
      "a.",
      "a:0",
    ].map((value) => served(`the Host ${text(value)}`, host(value))),
    ...[
      "a:65536",
      "a:1:2",
      "a:1a",
      "a: 1",
      ":80",
      "@",
      "a@",
      "@a",
      "u:p@a",
      "a,a",
      "a;b,c",
      "a\tb",
      "a%",
      "a%4",
      "a%zz",
      "[]",
      "[::1",
      "::1",
      "[::1]x",
      "[::1]:",
      "[::g]",
      "[v1.a]",
      "[::1%25lo]",
      "a/",
      "/a",
      "http://a",
      "//a",
      "a|b",
      "a<b",
      'a"b',
      "a^b",
      "a`b",
      "a{b}",
      "a\0",
      "a\x7f",
      "\xe9.de",
      "a".repeat(256),
    ].map((value) => refused(`the bad Host ${text(value)}`, host(value))),
    refused("no Host, with an absolute target", message("GET http://a/ HTTP/1.1", ["X: y"])),
    refused("two Hosts, with an absolute target", message("GET http://a/ HTTP/1.1", ["Host: a", "Host: a"])),
    refused("a bad Host, with an absolute target", message("GET http://a/ HTTP/1.1", ["Host: a b"])),
    refused("an empty Host, with an absolute target", message("GET http://a/ HTTP/1.1", ["Host:"])),
    refused("a Host on a folded line", message("GET / HTTP/1.1", ["Host:", " a"])),
    refused("a blank before the colon of Host", message("GET / HTTP/1.1", ["Host : a"])),
    refused("two Hosts, the first bad", message("GET / HTTP/1.1", ["Host: a b", "Host: a"])),
    refused(
      "two Hosts, far apart",
      message("GET / HTTP/1.1", ["Host: a", ...Array.from({ length: 60 }, (_, n) => `X${n}: y`), "HOST: b"]),
    ),
    served(
      "a field that only looks like Host",
      message("GET / HTTP/1.1", ["Host: a", "X-Host: b", "Hosts: c", "H-ost: d"]),
    ),
    served("an absolute target with another Host", message("GET http://b:81/x HTTP/1.1", ["Host: a"])),
    served("an absolute target in capitals", message("GET HTTP://B/x HTTP/1.1", ["Host: a"])),
    served("an absolute target with https", message("GET https://b/x HTTP/1.1", ["Host: a"])),
    served("an asterisk with OPTIONS", line("OPTIONS * HTTP/1.1")),
    served("an asterisk in a path", line("GET /* HTTP/1.1")),
    served("two slashes at the start", line("GET //b/x HTTP/1.1")),
    ...[
      "**",
      "*/",
      "/*#",
      "a:80",
      "a",
      "?x",
      "http:a",
      "http:/a",
      "http://",
      "http://?x",
      "http:///x",
      "http://@/",
      "http://u:p@b/",
      "http://a:b/",
      "http://[::1/",
      "http://a b/",
      "http://a\\b/",
      "http://a#b",
      "ws://a/",
      "file:///etc/passwd",
      "javascript:x",
      "/a#",
      "#",
      "\\a",
      "%2f",
    ].map((target) => refused(`the bad target ${text(target)}`, line(`GET ${target} HTTP/1.1`))),
    ...["POST", "GET", "HEAD", "TRACE"].map((method) =>
      refused(`an asterisk with ${method}`, line(`${method} * HTTP/1.1`)),
    ),
    servedLast("no Host in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n"),
  ],
};

/** RFC 9112 5, RFC 9110 5: names are tokens, values have no control characters, lines are not folded; what must not be repeated is not. */
export const fieldLines: WireTable = {
  title: "field lines",
  rows: [
    ...refusedOf(fieldRows),
    ...refusedOf(framingRows),
    ...[
      " ",
      "\t",
      "\0",
      "\x01",
      "\x0b",
      "\x0c",
      "\x7f",
      "\x80",
      "\xff",
      "(",
      ")",
      "<",
      ">",
      "@",
      ",",
      ";",
      "\\",
      '"',
      "/",
      "[",
      "]",
      "?",
      "=",
      "{",
      "}",
    ].flatMap((byte) => [
      refused(`${text(byte)} inside a name`, get(`X${byte}Y: z`)),
      refused(`${text(byte)} behind a name`, get(`X${byte}: z`)),
      refused(`${text(byte)} before a name`, get(`${byte}X: z`)),
    ]),
    ...["\0", "\x01", "\x08", "\x0b", "\x0c", "\x0e", "\x1f", "\x7f", "\r", "\n"].flatMap((byte) => [
      refused(`${text(byte)} inside a value`, get(`X: a${byte}b`)),
      refused(`${text(byte)} before a value`, get(`X: ${byte}b`)),
      refused(`${text(byte)} behind a value`, get(`X: a${byte}`)),
    ]),
    refused("CR CR LF behind a value", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\r\n\r\n"),
    refused("a line of nothing but a colon", get(":")),
    refused("a line of nothing but a value", get(": x")),
    refused("a line without a colon", get("X")),
    refused("a line that looks like a request", get("GET /hidden HTTP/1.1")),
    refused("a field on a folded line at the end", get("X: y", " ")),
    refused("a folded line behind Host", get("\tb")),
    refused("a fold before the end of the head", "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n \r\n\r\n"),
    refused("101 fields", get(...Array.from({ length: 100 }, (_, n) => `X-${n}: y`)), 431),
    refused("fields of more than 16 KiB", get(`X: ${"y".repeat(16_384)}`), 431),
    refused("a request line of more than 8 KiB", line(`GET /${"y".repeat(8192)} HTTP/1.1`), 414),
    served("100 fields", get(...Array.from({ length: 99 }, (_, n) => `X-${n}: y`))),
    served("no blank, blanks and tabs around values", get("X:y", "X: \t y \t ", "X:", "X:  ")),
    served(
      "colons, quotes and commas in a value",
      get("X: a:b", 'X: "c,d"', "X: ,;=()<>@\\/[]?{}", "X: \x80\xff"),
    ),
    served("every character of a token as a name", get("!#$%&'*+-.^_`|~09AZaz: x")),
  ],
};

/** RFC 9110 10.1.1: one expectation is known. */
export const expectations: WireTable = {
  title: "Expect",
  rows: [
    ...["100-continue", "100-Continue", " 100-CONTINUE "].map((value) =>
      served(
        `${text(value)}, with a body`,
        message("POST / HTTP/1.1", ["Host: a", `Expect: ${value}`, "Content-Length: 5"], "hello"),
      ),
    ),
    served(
      "100-continue, with a chunked body",
      message(
        "POST / HTTP/1.1",
        ["Host: a", "Expect: 100-continue", "Transfer-Encoding: chunked"],
        "5\r\nhello\r\n0\r\n\r\n",
      ),
    ),
    ...[
      "",
      "x",
      "200-ok",
      "100",
      "100-continue;q=1",
      "100-continue=1",
      '"100-continue"',
      "100-continue, 100-continue",
      "100-continue, x",
      "x, 100-continue",
      "100 continue",
    ].map((value) =>
      refused(
        `the expectation ${text(value)}`,
        message("POST / HTTP/1.1", ["Host: a", `Expect: ${value}`, "Content-Length: 5"], "hello"),
        417,
      ),
    ),
    refused(
      "two expectations",
      message(
        "POST / HTTP/1.1",
        ["Host: a", "Expect: 100-continue", "Expect: 100-continue", "Content-Length: 5"],
        "hello",
      ),
      417,
    ),
    servedLast(
      "an unknown expectation in HTTP/1.0, which is ignored",
      message("POST / HTTP/1.0", ["Expect: x", "Content-Length: 5"], "hello"),
    ),
    servedLast(
      "100-continue in HTTP/1.0, which is ignored",
      message("POST / HTTP/1.0", ["Expect: 100-continue", "Content-Length: 5"], "hello"),
    ),
  ],
};
