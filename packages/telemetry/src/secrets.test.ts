import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { redactStatement } from "./redaction/redact-statement.ts";
import { redactPath, redactQuery, redactText, redactUrl } from "./redaction/redact.ts";
import { get, tracedService } from "./traced-app.test-kit.ts";

const CANARY = "canaryCANARY0123456789";
const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${CANARY}`;
const text = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? String(member) : member));

test("no credential of a request is in its span: fields, cookies, query, path, credentials of the URL", async () => {
  await using service = await tracedService();
  service.app.get("/files/{token}", () => "x");
  const names = [
    "token",
    "access_token",
    "password",
    "api_key",
    "apikey",
    "client_secret",
    "sig",
    "code",
    "session_id",
    "X-Amz-Signature",
    "auth",
    "pass%77ord",
  ];
  const query = names.map((name) => `${name}=${CANARY}`).join("&");
  await get(service.app, `/files/${jwt}?page=2&${query}&next=${jwt}`, {
    authorization: `Bearer ${CANARY}`,
    cookie: `session=${CANARY}`,
    "x-api-key": CANARY,
  });
  const [span] = (await service.finish()).spans;
  expect(text(span)).not.toContain(CANARY);
  expect(span?.attributes["url.query"]).toMatch(/^page=2&token=REDACTED&/);
  expect(span?.attributes["url.path"]).toBe("/files/REDACTED");
});

test.each([
  "dsn=postgres://root:hunter2@db/x",
  "next=postgres%3A%2F%2Froot%3Ahunter2%40db%2Fx",
  "next=postgres%3a%2f%2froot%3Ahunter2%40db%2Fx%zz",
  "u=https://us:hunter2@h/",
  "u=https://us:hun+ter2@h/",
  "https://us:hunter2@h/",
  "h=Bearer%20abcdefghijklmnop",
  "h=Bearer+abcdefghijklmnop",
  "next=%2Fcallback%3Ftoken%3Dhunter2%26a%3D1",
  ...Array.from(
    { length: 40 },
    (_, at) =>
      `x=${"y".repeat(900)}&token=${"t".repeat(1060 + at)}&n=postgres%3A%2F%2Froot%3Ahunter2hunter2%40db`,
  ),
])("a span has no secret of the query %s", async (query) => {
  await using service = await tracedService();
  service.app.get("/q", () => "x");
  await get(service.app, `/q?page=2&${query}`);
  const [span] = (await service.finish()).spans;
  const exported = String(span?.attributes["url.query"]);
  expect(exported).toMatch(/^page=2&.*REDACTED/);
  expect(exported).not.toMatch(/hun|abcdefghij/);
  expect(redactUrl(`https://shop.test/q?page=2&${query}`)).not.toMatch(/hun|abcdefghij/);
});

test.each([
  ["postgres://ann:pw@db.test/shop?x=1", "postgres://REDACTED@db.test/shop?x=1"],
  ["https://shop.test/a?token=t#frag", "https://shop.test/a?token=REDACTED"],
  ["https://shop.test/", "https://shop.test/"],
  ["https://shop.test/done#access_token=hunter", "https://shop.test/done"],
  ["https://ann:hun#ter@shop.test/done#a?b=c", "https://REDACTED@shop.test/done"],
])("redactUrl changes %s to %s", (url, expected) => expect(redactUrl(url)).toBe(expected));

test.each([
  [
    "connect ECONNREFUSED postgres://ann:pw@db.test:5432",
    "connect ECONNREFUSED postgres://REDACTED@db.test:5432",
  ],
  ["sent Authorization: Bearer abcdefgh", "sent Authorization: REDACTED"],
  ["sent Authorization: Token abcdefgh\nand waited", "sent Authorization: REDACTED\nand waited"],
  ["sent Cookie: a=b; c=d", "sent Cookie: REDACTED"],
  ['{"authorization":"Token abc def","user":"ann"}', '{"authorization":"REDACTED","user":"ann"}'],
  ['{"password":"p,w;d&x \\" y","a":1}', '{"password":"REDACTED","a":1}'],
  ['body "{\\"password\\":\\"hunter2\\",\\"a\\":1}"', 'body "{\\"password\\":\\"REDACTED\\",\\"a\\":1}"'],
  ["password='correct horse' in use", "password='REDACTED' in use"],
  ["pwd=hunter2 access_token%3Dabcdefgh", "pwd=REDACTED access_token%3DREDACTED"],
  ["no host in postgres://ann:p?w@db.test/shop", "no host in postgres://REDACTED@db.test/shop"],
  ["key sk_live_abcdefghijkl is revoked", "key REDACTED is revoked"],
  ["AKIAABCDEFGHIJKLMNOP, ghp_abcdefghijklmnopqrstuvwxyz0123456789", "REDACTED, REDACTED"],
  [
    "-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----REDACTED-----END PRIVATE KEY-----",
  ],
  ["violates constraint pk_orders_customer_id", "violates constraint pk_orders_customer_id"],
  ["GET http://localhost:8080/users/a@b.test", "GET http://localhost:8080/users/a@b.test"],
  ["at file:///srv/a@1.2/b.ts:10:5", "at file:///srv/a@1.2/b.ts:10:5"],
  ['{"password":"hunter2"}', '{"password":"REDACTED"}'],
  [`bad token ${jwt}`, "bad token REDACTED"],
  ["the author of the book", "the author of the book"],
])("redactText changes %s to %s", (from, expected) => {
  expect(redactText(from)).toBe(expected);
});

test.each([
  ["INSERT INTO c VALUES (4111111111111111, -1.5e10, 0xDEADBEEF)", "INSERT INTO c VALUES (?, -?, ?)"],
  [
    "SELECT c1 FROM t2 WHERE a = $1 AND b = :2 AND c = ?3",
    "SELECT c1 FROM t2 WHERE a = $1 AND b = :2 AND c = ?3",
  ],
  ["SELECT $$canary$$, $tag$can$$ary$tag$ FROM a", "SELECT ?, ? FROM a"],
  ["SELECT * FROM a -- it's\nWHERE p = 'canary'", "SELECT * FROM a \nWHERE p = ?"],
  ["SELECT * FROM a # it's\nWHERE p = 'canary'", "SELECT * FROM a \nWHERE p = ?"],
  ["SELECT /* it's */ 'canary'", "SELECT  ?"],
  [`SELECT "it's", \`it's\`, 'canary'`, `SELECT "it's", \`it's\`, ?`],
  [String.raw`SELECT E'a\'canary', 'b' FROM a`, "SELECT ?, ? FROM a"],
  [String.raw`SELECT 'a\'canary', 'b' FROM a`, "SELECT ?"],
  [String.raw`SELECT 'C:\\', 'canary' FROM a`, "SELECT ?, ? FROM a"],
  ["SELECT 'it''s' FROM a WHERE b = $1 AND c = 'x", "SELECT ? FROM a WHERE b = $1 AND c = ?"],
])("redactStatement changes %s to %s", (from, expected) => expect(redactStatement(from)).toBe(expected));

test("the user agent is redacted, and an IPv6 address of the server has no brackets", async () => {
  await using service = await tracedService();
  service.app.get("/", () => "x");
  await service.app.fetch(
    new Request("http://[::1]:8080/", {
      headers: { "user-agent": `curl token=${CANARY} https://u:${CANARY}@h` },
    }),
  );
  const [span] = (await service.finish()).spans;
  expect(span?.attributes).toMatchObject({
    "user_agent.original": "curl token=REDACTED https://REDACTED@h",
    "server.address": "::1",
    "server.port": 8080,
  });
});

test("no part of a password in a URL or of a token remains, regardless of its length and where the text is truncated", () => {
  const secrets = [
    `postgres://app:${"Q".repeat(600)}@db.test/shop`,
    `postgres://app:${"Q".repeat(5000)}@db.test/shop`,
    `postgres://app:Q'Q"Q@Q@db.test/shop`,
    `bearer ${"Q".repeat(5000)}`,
    `password=${"Q".repeat(5000)}`,
  ];
  for (const secret of secrets) {
    expect(redactText(`lost ${secret}`)).not.toContain("Q");
    for (let at = 0; at < 60; at++) {
      const long = `postgres://app:${"x".repeat(4000 - at)}@db.test/ `;
      expect(redactText(long + `${"y".repeat(59)} ${secret}`)).not.toContain("Q");
    }
  }
  for (const url of secrets.slice(0, 3)) expect(redactUrl(url)).not.toContain("Q");
  expect(redactText(`lost ${secrets[0] ?? ""}`)).toBe("lost postgres://REDACTED@db.test/shop");
});

test("ordinary queries and paths are unchanged", () => {
  const query =
    "author=austen&page=2&id=0190f5c2-8f1e-7c3a-9d6b-3b1f6f6e2a11&q=a%20b&next=https%3A%2F%2Fshop.test&at=10:30&v=1.2.3&m=a+b@c.test";
  expect(redactQuery(query)).toBe(query);
  expect(redactPath("/skateboarding-shoes/asia-pacific-region/0190f5c2-8f1e-7c3a")).toBe(
    "/skateboarding-shoes/asia-pacific-region/0190f5c2-8f1e-7c3a",
  );
});

/** Any character: fast-check's unit `binary` first builds a map of all characters, which takes a second. */
const character = fc.nat({ max: 0x10f7ff }).map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800));

test("redaction of any text, even of 20,000 repeated delimiters, returns at most 1,024 characters", () => {
  const redactions = [redactUrl, redactQuery, redactPath, redactText, redactStatement];
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 3000 }), (value) => {
      for (const redact of redactions) expect(redact(value).length).toBeLessThanOrEqual(1024);
    }),
    { numRuns: 50 },
  );
  for (const piece of [
    "a://",
    "a://b:",
    "password=",
    'token="',
    "cookie:",
    "ey-",
    "'",
    "&",
    "bearer ",
    "$a$",
    "/*",
    "x".repeat(9),
  ])
    for (const redact of redactions) expect(redact(piece.repeat(20_000)).length).toBeLessThanOrEqual(1024);
});
