/** A request's bytes and the expected status; 200 means that it is served. */
export interface HeadRow {
  readonly name: string;
  readonly bytes: string;
  readonly status: number;
}

const row = (name: string, status: number, bytes: string): HeadRow => ({ name, status, bytes });
const get = (...fields: string[]): string =>
  `GET / HTTP/1.1\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`;
const withHost = (...fields: string[]): string => get("Host: a", ...fields);
const line = (text: string): string => `${text}\r\nHost: a\r\n\r\n`;

/** RFC 9112 2.2 and 3: the request line. */
export const requestLineRows: readonly HeadRow[] = [
  row("an ordinary request", 200, withHost()),
  row("one empty line before the request", 200, `\r\n${withHost()}`),
  row("LF for CRLF after the request line", 400, "GET / HTTP/1.1\nHost: a\r\n\r\n"),
  row("LF for CRLF after a field", 400, "GET / HTTP/1.1\r\nHost: a\n\r\n"),
  row("LF for CRLF at the end of the head", 400, "GET / HTTP/1.1\r\nHost: a\r\n\n"),
  row("CR for CRLF after the request line", 400, "GET / HTTP/1.1\rHost: a\r\n\r\n"),
  row("a tab between method and target", 400, line("GET\t/ HTTP/1.1")),
  row("a blank after the version", 400, line("GET / HTTP/1.1 ")),
  row("a blank before the method", 400, line(" GET / HTTP/1.1")),
  row("two blanks before the target", 400, line("GET  / HTTP/1.1")),
  row("two blanks before the version", 400, line("GET /  HTTP/1.1")),
  row("two empty lines before the request", 400, `\r\n\r\n${withHost()}`),
  row("a bare LF before the request", 400, `\n${withHost()}`),
  row("a lone CR before the request", 400, `\r${withHost()}`),
  row("no version, with fields", 505, "GET /\r\nHost: a\r\n\r\n"),
  row("version 0.9", 505, line("GET / HTTP/0.9")),
  row("version 1.2", 505, line("GET / HTTP/1.2")),
  row("version 2.0", 505, line("GET / HTTP/2.0")),
  row("the preface of HTTP/2", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  row("version without a dot", 400, line("GET / HTTP/11")),
  row("version with a tail", 400, line("GET / HTTP/1.1x")),
  row("version in lower case", 400, line("GET / http/1.1")),
  row("RTSP for HTTP", 400, line("GET / RTSP/1.0")),
  row("ICE for HTTP", 400, line("SOURCE / ICE/1.0")),
  row("an unknown method", 501, line("FOO / HTTP/1.1")),
  row("an unknown method that begins like a known one", 501, line("GETX / HTTP/1.1")),
  row("a known method cut short", 501, line("GE / HTTP/1.1")),
  row("a method in lower case", 501, line("get / HTTP/1.1")),
  row("a method of RTSP", 501, line("DESCRIBE / HTTP/1.1")),
  row("a method with a control character", 400, line("FO\x01O / HTTP/1.1")),
  row("the start of a TLS handshake", 400, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
  row("CONNECT", 501, "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"),
];

/** RFC 9112 3.2: request targets. */
export const targetRows: readonly HeadRow[] = [
  row("origin-form with a query", 200, line("GET /a/b?c=d&e HTTP/1.1")),
  row("origin-form with two slashes", 200, line("GET //evil/path HTTP/1.1")),
  row("absolute-form", 200, line("GET http://b/x HTTP/1.1")),
  row("absolute-form with a query and no path", 200, line("GET http://b?x HTTP/1.1")),
  row("absolute-form with an unsupported scheme", 400, line("GET ftp://b/x HTTP/1.1")),
  row("absolute-form with a user name", 400, line("GET http://u@b/x HTTP/1.1")),
  row("absolute-form without a host", 400, line("GET http:///x HTTP/1.1")),
  row("absolute-form with a bad port", 400, line("GET http://b:99999/x HTTP/1.1")),
  row("OPTIONS *", 200, line("OPTIONS * HTTP/1.1")),
  row("GET *", 400, line("GET * HTTP/1.1")),
  row("authority-form without CONNECT", 400, line("OPTIONS a:80 HTTP/1.1")),
  row("no slash at the start", 400, line("GET foo HTTP/1.1")),
  row("a fragment", 400, line("GET /a#b HTTP/1.1")),
  row("a byte beyond ASCII", 400, line("GET /\xe9 HTTP/1.1")),
  row("a control character in the target", 400, line("GET /\x01 HTTP/1.1")),
  row("DEL in the target", 400, line("GET /\x7f HTTP/1.1")),
];

/** RFC 9112 3.2 and RFC 9110 7.2: Host. */
export const hostRows: readonly HeadRow[] = [
  row("a host with a port", 200, get("Host: example.com:8080")),
  row("an IPv6 host", 200, get("Host: [::1]:80")),
  row("an IPv4 host", 200, get("Host: 255.0.0.1:80")),
  row("a host with an escape", 200, get("Host: %41.b")),
  row("no Host in HTTP/1.1", 400, get("Accept: */*")),
  row("no Host in HTTP/1.0", 200, "GET / HTTP/1.0\r\n\r\n"),
  row("two Hosts in HTTP/1.0", 400, "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"),
  row("two Hosts", 400, get("Host: a", "Host: b")),
  row("the same Host twice, in another case", 400, get("Host: a", "hOST: a")),
  ...[
    "",
    "u@a",
    "a/b",
    "a, b",
    "a b",
    "a:b",
    "a:",
    "a:99999",
    "a:-1",
    "[::1",
    "[zz]",
    "a?b",
    "a#b",
    "\xe9",
    "a\\b",
    "256.1.1.1",
    "1.2.3.4.5",
    "a.1",
    "a%2Fb",
    "a%00b",
  ].map((host) => row(`the Host ${JSON.stringify(host)}`, 400, get(`Host: ${host}`))),
];

/** RFC 9112 5 and RFC 9110 5.3: fields. */
export const fieldRows: readonly HeadRow[] = [
  row("a space before the colon", 400, get("Host : a")),
  row("an empty name", 400, withHost(": a")),
  row("no colon", 400, withHost("X")),
  row("obs-fold", 400, withHost("X: 1", " 2")),
  row("obs-fold with a tab", 400, withHost("X: 1", "\t2")),
  row("a space before the first field", 400, get(" X: 1", "Host: a")),
  row("CRLF, CR and a byte as the end of the head", 400, "GET / HTTP/1.1\r\nHost: a\r\n\rX: 1\r\n\r\n"),
  row("a lone CR in a value", 400, withHost("X: a\rY: b")),
  row("a value beyond ASCII", 200, withHost("X: \xe9")),
  row("list fields twice", 200, withHost("Accept: a", "Accept: b", "Cookie: a=1", "Cookie: b=2")),
  ...["Content-Type", "Authorization", "Origin", "Range", "If-Range"].map((name) =>
    row(`${name} twice`, 400, withHost(`${name}: a`, `${name.toLowerCase()}: a`)),
  ),
  row("prototype words as names", 200, withHost("__proto__: 1", "constructor: 2", "prototype: 3")),
];

/** RFC 9112 6: length of the body. */
export const framingRows: readonly HeadRow[] = [
  row("Content-Length with leading zeros", 200, withHost("Content-Length: 00")),
  row("Content-Length twice", 400, `${withHost("Content-Length: 5", "Content-Length: 5")}hello`),
  ...["+5", "-5", "5, 5", "5 5", "0x5", "5.0", "five", ""].map((length) =>
    row(`the Content-Length ${JSON.stringify(length)}`, 400, `${withHost(`Content-Length: ${length}`)}hello`),
  ),
  row("a Content-Length beyond 2^53", 413, withHost("Content-Length: 9007199254740993")),
  row("a Content-Length beyond 2^64", 413, withHost("Content-Length: 99999999999999999999999")),
  row(
    "Content-Length before Transfer-Encoding",
    400,
    withHost("Content-Length: 5", "Transfer-Encoding: chunked"),
  ),
  row(
    "Content-Length after Transfer-Encoding",
    400,
    withHost("Transfer-Encoding: chunked", "Content-Length: 5"),
  ),
  row("chunked in capitals", 200, `${withHost("Transfer-Encoding: CHUNKED", "Connection: close")}0\r\n\r\n`),
  row("chunked twice in a list", 400, withHost("Transfer-Encoding: chunked, chunked")),
  row(
    "chunked twice in two lines",
    400,
    withHost("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
  ),
  row("chunked that is not last", 400, withHost("Transfer-Encoding: chunked, gzip")),
  row("no chunked at all", 400, withHost("Transfer-Encoding: gzip")),
  row("a coding that begins like chunked", 400, withHost("Transfer-Encoding: chunkedx")),
  row("a quoted coding", 400, withHost('Transfer-Encoding: "chunked"')),
  row("an empty Transfer-Encoding", 400, withHost("Transfer-Encoding:")),
  row("an empty coding in a list", 400, withHost("Transfer-Encoding: , chunked")),
  row("a vertical tab before the coding", 400, withHost("Transfer-Encoding: \x0bchunked")),
  row("an unknown coding before chunked", 501, withHost("Transfer-Encoding: gzip, chunked")),
  row(
    "an unknown coding and chunked in two lines",
    501,
    withHost("Transfer-Encoding: gzip", "Transfer-Encoding: chunked"),
  ),
  row(
    "chunked in HTTP/1.0",
    400,
    "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ),
  row("an unknown expectation", 417, withHost("Expect: the-unexpected")),
  row("a list of expectations", 417, withHost("Expect: 100-continue, x")),
];
