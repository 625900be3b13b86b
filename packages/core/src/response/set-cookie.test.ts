import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type CookieOptions, deleteCookieLine, setCookieLine } from "./set-cookie.ts";
import { anyText } from "../http/testing/any-character.ts";

const bad = expect.objectContaining({ code: "CORE_BAD_COOKIE" });

/** Parses a line as browsers do (RFC 6265bis 5.6); deliberately independent of the implementation. */
const parse = (line: string): { name: string; value: string; attributes: Record<string, string> } => {
  const [pair = "", ...rest] = line.split(";");
  const equals = pair.indexOf("=");
  const attributes = rest.map((part): [string, string] => {
    const at = part.indexOf("=");
    const key = (at === -1 ? part : part.slice(0, at)).trim().toLowerCase();
    return [key, at === -1 ? "" : part.slice(at + 1).trim()];
  });
  return {
    name: pair.slice(0, equals).trim(),
    value: decodeURIComponent(pair.slice(equals + 1).trim()),
    attributes: Object.fromEntries(attributes),
  };
};

test("writes every attribute", () => {
  const line = setCookieLine("id", "a b;c", {
    maxAge: 60,
    domain: ".example.com",
    path: "/app",
    expires: new Date(Date.UTC(2030, 0, 2, 3, 4, 5)),
    httpOnly: true,
    secure: true,
    sameSite: "none",
    priority: "high",
    partitioned: true,
  });
  expect(line).toBe(
    "id=a%20b%3Bc; Max-Age=60; Domain=example.com; Path=/app; Expires=Wed, 02 Jan 2030 03:04:05 GMT; HttpOnly; Secure; SameSite=None; Priority=High; Partitioned",
  );
});

test("a partitioned cookie has Secure and Partitioned, even when it is deleted", () => {
  const options = { secure: true, partitioned: true };
  expect(setCookieLine("id", "1", options)).toBe("id=1; Path=/; Secure; Partitioned");
  expect(deleteCookieLine("id", options)).toMatch(/^id=; Max-Age=0; .*; Secure; Partitioned$/);
  expect(setCookieLine("id", "1", { partitioned: false })).toBe("id=1; Path=/");
});

test("has the path / and no other attribute by default", () => {
  expect(setCookieLine("id", "1")).toBe("id=1; Path=/");
});

test("a browser reads the given values back", () => {
  const options = fc.record(
    {
      maxAge: fc.nat(),
      path: fc.stringMatching(/^\/[ -:<-~]{0,10}[!-:<-~]$/),
      domain: fc.domain(),
      httpOnly: fc.boolean(),
      sameSite: fc.constantFrom("strict" as const, "Lax" as const),
    },
    { requiredKeys: [] },
  );
  const name = fc
    .stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,12}$/)
    .filter((text) => !text.startsWith("__"));
  fc.assert(
    fc.property(name, anyText, options, (key, value, given) => {
      const { name: readName, value: readValue, attributes } = parse(setCookieLine(key, value, given));
      expect([readName, readValue]).toEqual([key, value]);
      expect(attributes).toEqual({
        path: given.path ?? "/",
        ...(given.maxAge === undefined ? {} : { "max-age": String(given.maxAge) }),
        ...(given.domain === undefined ? {} : { domain: given.domain }),
        ...(given.httpOnly === true ? { httponly: "" } : {}),
        ...(given.sameSite === undefined ? {} : { samesite: given.sameSite === "Lax" ? "Lax" : "Strict" }),
      });
    }),
    { numRuns: 300 },
  );
});

const injections = [
  "; Domain=evil.test",
  "\r\nset-cookie: b=2",
  "\n",
  "\0",
  ";",
  "\u007f",
  "a;Secure",
  " ;",
  "é\r",
  "\u{1F36A};",
];
const attributes: readonly (keyof CookieOptions)[] = [
  "path",
  "domain",
  "sameSite",
  "priority",
  "maxAge",
  "expires",
  "secure",
  "httpOnly",
  "partitioned",
];

test.each(attributes.flatMap((attribute) => injections.map((text) => [attribute, text] as const)))(
  "%s rejects %j",
  (attribute, text) => {
    const value = attribute === "path" ? `/${text}` : text;
    expect(() => setCookieLine("id", "1", { [attribute]: value } as CookieOptions)).toThrow(bad);
  },
);

test.each(injections)("rejects %j in a name and encodes it in a value", (text) => {
  expect(() => setCookieLine(`a${text}`, "1")).toThrow(bad);
  const { value, attributes: read } = parse(setCookieLine("a", text));
  expect(value).toBe(text);
  expect(read).toEqual({ path: "/" });
});

test.each<[string, unknown]>([
  ["maxAge", 1.5],
  ["maxAge", -1],
  ["maxAge", Number.NaN],
  ["maxAge", Infinity],
  ["expires", new Date(Number.NaN)],
  ["expires", new Date(Date.UTC(1600, 0))],
  ["expires", new Date(8.64e15)],
  ["path", "app"],
  ["path", ""],
  ["path", "/a "],
  ["path", null],
  ["domain", ""],
  ["domain", "-a.test"],
  ["domain", "a..test"],
  ["domain", "bücher.example"],
  ["domain", "a.test:80"],
  ["domain", `${"a.".repeat(130)}test`],
  ["sameSite", "none"],
  ["sameSite", true],
  ["priority", "urgent"],
  ["secure", "false"],
  ["httpOnly", 1],
  ["partitioned", "yes"],
  ["partitioned", true],
])("%s rejects %p", (attribute, value) => {
  expect(() => setCookieLine("id", "1", { [attribute]: value } as CookieOptions)).toThrow(bad);
});

test.each<[string, CookieOptions]>([
  ["__Host-id", {}],
  ["__Host-id", { secure: true, path: "/app" }],
  ["__Host-id", { secure: true, domain: "a.test" }],
  ["__host-ID", {}],
  ["__Secure-id", {}],
  ["__SECURE-id", { secure: false }],
  ["__Http-id", { secure: true }],
  ["__Http-id", { httpOnly: true }],
  ["__Host-Http-id", { secure: true }],
  ["__Host-Http-id", { secure: true, httpOnly: true, path: "/a" }],
])("%s with %j violates its prefix", (name, options) => {
  expect(() => setCookieLine(name, "1", options)).toThrow(bad);
});

test.each<[string, CookieOptions]>([
  ["__Host-id", { secure: true }],
  ["__Secure-id", { secure: true, domain: "a.test", path: "/a" }],
  ["__Http-id", { secure: true, httpOnly: true, path: "/a" }],
  ["__Host-Http-id", { secure: true, httpOnly: true }],
  ["__Hosts", {}],
])("%s with %j satisfies its prefix", (name, options) => {
  expect(setCookieLine(name, "1", options)).toContain(`${name}=1; `);
});

test.each(["id", "__Host-id", "__Secure-id", "__Http-id", "__Host-Http-id"])("deletes %s", (name) => {
  const { value, attributes: read } = parse(deleteCookieLine(name));
  expect([value, read["max-age"], read["expires"]]).toEqual(["", "0", "Thu, 01 Jan 1970 00:00:00 GMT"]);
});

test("deletes with the path and domain of the cookie", () => {
  expect(deleteCookieLine("id", { path: "/a", domain: "a.test" })).toContain("Domain=a.test; Path=/a");
});

test("rejects cookies that a browser would not store completely", () => {
  expect(setCookieLine("a", "x".repeat(4086))).toHaveLength(4096);
  expect(() => setCookieLine("a", "x".repeat(4087))).toThrow(bad);
});

test("rejects a value that is not a string or has a lone surrogate", () => {
  for (const value of ["\ud800", 5, undefined, null]) {
    expect(() => setCookieLine("a", value as string)).toThrow(bad);
  }
});

test.each([
  [{ httponly: true }, 'there is no option "httponly"; did you mean "httpOnly"?'],
  [{ secure: true, maxage: 5 }, 'there is no option "maxage"; did you mean "maxAge"?'],
  [{ signed: true }, 'there is no option "signed"'],
])("options with an unknown name are rejected: %j", (options, problem) => {
  const badOption = expect.objectContaining({
    code: "CORE_BAD_COOKIE",
    message: expect.stringContaining(problem),
  });
  expect(() => setCookieLine("id", "1", options as never)).toThrow(badOption);
  expect(() => deleteCookieLine("id", options as never)).toThrow(badOption);
});
