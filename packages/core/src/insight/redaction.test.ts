import { expect, test } from "@jest/globals";
import { redactSecrets, isSecretName, redactionFor } from "./redaction.ts";

const sent = {
  query: ["query-secret", "12", "tea pot"],
  fields: Object.entries({
    authorization: "Bearer token-secret",
    cookie: 'session_id=cookie-secret; theme="dark mode"',
    "x-api-key": "key-secret",
    "accept-encoding": "gzip",
    origin: "https://shop.example",
  }),
};
const body = JSON.stringify({
  user: "ann@example.com",
  pin: 123456,
  genre: "book",
  nested: [{ quote: 'a "quoted" one' }],
});
const redact = redactionFor({ ...sent, body });

test.each([
  ["no user ann@example.com", "no user (hidden)"],
  ["the key is query-secret", "the key is (hidden)"],
  ["token-secret, cookie-secret and key-secret", "(hidden), (hidden) and (hidden)"],
  ["session_id=cookie-secret", "(hidden)"],
  ["xxkey-secretxx", "xx(hidden)xx"],
  ["pin 123456 is wrong", "pin (hidden) is wrong"],
  ["tea pot, tea%20pot", "(hidden), (hidden)"],
  [String.raw`got "a \"quoted\" one"`, 'got "(hidden)"'],
  ["the circuit POST /books, genre book", "the circuit POST /books, genre (hidden)"],
  ["gzip for https://shop.example, page 12", "gzip for https://shop.example, page 12"],
])("without the values of its request, the reason %j is %j", (reason, shown) => {
  expect(redact(reason)).toBe(shown);
});

test.each([
  ["Bearer s3cr3tTokenValue99", "Bearer (hidden)"],
  ["bearer token-secret, other", "bearer (hidden), other"],
  ["Basic dXNlcjpwYXNzd29yZA==", "Basic (hidden)"],
  ["token: s3cr3tTokenValue99", "(hidden) (hidden)"],
  ["password=x Bearer abc.def.ghi", "password=(hidden) Bearer (hidden)"],
  ["prefix/Bearer hijklm", "(hidden)"],
  ["xaaaabbbbaaaabbbbaaaa", "x(hidden)"],
])("values of a request do not disable the recognition of credentials: %s becomes %s", (text, shown) => {
  const fields = Object.entries({
    authorization: "Bearer clienttoken123456",
    "x-b": "Basic zzzz",
    "x-c": "Bearer",
  });
  const query = ["token:", "prefix/Bearer hijklm", "aaaabbbb", "bbbbaaaa"];
  expect(redactionFor({ fields, query })(text)).toBe(shown);
});

test.each([
  ["ann@shop:hunter2pw was refused", "(hidden) was refused"],
  ["no user ann@shop with hunter2pw", "no user (hidden) with (hidden)"],
  ["the session abcdefgh ijk, quoted tea pot", "the session (hidden), quoted (hidden)"],
  [String.raw`{"user":"J\u00fcrgen M\u00fcller"}`, '{"user":"(hidden)"}'],
  ["no user Jürgen Müller", "no user (hidden)"],
])("values of the request are hidden as sent and as decoded: %s becomes %s", (text, shown) => {
  const fields = Object.entries({
    authorization: `Basic ${Buffer.from("ann@shop:hunter2pw").toString("base64")}`,
    "proxy-authorization": "Basic %%%",
    cookie: 'sid=abcdefgh%20ijk; q="tea%20pot"; bad=%zz%zz',
  });
  const escaped = String.raw`{"user":"J\u00fcrgen M\u00fcller"}`;
  expect(redactionFor({ fields, query: [], body: escaped })(text)).toBe(shown);
});

test("the fields of a form are hidden, and a body of an unknown format as a whole", () => {
  const redactBody = (text: string) => redactionFor({ fields: [], query: [], body: text });
  expect(redactBody("name=ann&word=form-secret")("form-secret")).toBe("(hidden)");
  expect(redactBody("whole body")("got whole body")).toBe("got (hidden)");
});

test.each([
  ["postgres://me:secret@db/x", "postgres://(hidden)@db/x"],
  ["postgres://me:se@cret@db/x?to=a@b", "postgres://(hidden)@db/x?to=(hidden)"],
  ["http://a:1@one,http://b:2@two", "http://(hidden)@one,http://(hidden)@two"],
  ["Authorization: Bearer abc.def", "Authorization: (hidden)"],
  ["sent Bearer abc.def on", "sent Bearer (hidden) on"],
  ["Cookie: a=1; b=2", "Cookie: (hidden)"],
  ["GET /x?access=1&page=2", "GET /x?access=(hidden)&page=(hidden)"],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.sig is no token", "(hidden) is no token"],
  ['{"password":"x","api_key":"y"}', '{"password":"(hidden)","api_key":"(hidden)"}'],
  ["pwd=hunter2;", "pwd=(hidden);"],
  ['password="two words" x', 'password="(hidden)" x'],
  ["password='two \\' words' x", "password='(hidden)' x"],
  ["key AKIAIOSFODNN7EXAMPLE is wrong", "key (hidden) is wrong"],
  [
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4\nab+/\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----(hidden)-----END RSA PRIVATE KEY-----",
  ],
  ["412 bytes are less than minSize 1024", "412 bytes are less than minSize 1024"],
])("redactSecrets changes %j to %j, and a second call changes nothing", (text, shown) => {
  expect(redactSecrets(text)).toBe(shown);
  expect(redactSecrets(shown)).toBe(shown);
});

test("long hostile texts take linear time", () => {
  for (const part of [
    "token",
    "a=",
    "?x=",
    "cookie ",
    "pwd='",
    'token="',
    "-----BEGIN PRIVATE KEY-----",
    "basic ",
    "eyJa.",
    "://",
    '"',
    "-",
  ]) {
    const time = (length: number): number => {
      const text = part.repeat(length / part.length);
      const since = process.cpuUsage();
      redactSecrets(text);
      const { user, system } = process.cpuUsage(since);
      return user + system;
    };
    time(20_000);
    expect([part, time(160_000) < 40 * Math.max(5000, time(20_000))]).toEqual([part, true]);
  }
});

test("names of secrets are recognised in their usual spellings", () => {
  for (const name of [
    "password",
    "DB_PASSWORD",
    "apiKey",
    "x-api-key",
    "accessToken",
    "Set-Cookie",
    "session_id",
    "passphrase",
  ])
    expect([name, isSecretName(name)]).toEqual([name, true]);
  for (const name of ["litres", "books", "obsession"])
    expect([name, isSecretName(name)]).toEqual([name, false]);
});
