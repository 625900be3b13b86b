import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { redirectTarget } from "./redirect-target.ts";

const badRedirect = expect.objectContaining({ code: "CORE_BAD_REDIRECT", status: 400 });

test.each([
  ["/books?x=1#y", "/books?x=1#y"],
  ["https://example.com/a", "https://example.com/a"],
  ["//cdn.example.com/x", "//cdn.example.com/x"],
  ["myapp://callback", "myapp://callback"],
  [" /a ", "/a"],
  ["/a b", "/a%20b"],
  ["/größe/名", "/gr%C3%B6%C3%9Fe/%E5%90%8D"],
  ["/%2F%C3%B6", "/%2F%C3%B6"],
  ["/\ud800", "/%EF%BF%BD"],
  ["", ""],
])("%j becomes %s", (url, location) => {
  expect(redirectTarget(url)).toBe(location);
});

test("accepts a URL object", () => {
  expect(redirectTarget(new URL("https://example.com/a b"))).toBe("https://example.com/a%20b");
});

test.each([
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  " javascript:alert(1)",
  "\u00a0javascript:alert(1)",
  "java\tscript:alert(1)",
  "\u0001javascript:alert(1)",
  "data:text/html,x",
  "vbscript:x",
  "/a\r\nset-cookie: b=1",
  "/a\n",
  "\r/a",
  "/a\0",
  "/a\u007f",
  "/a\u0085",
])("rejects %j", (url) => {
  expect(() => redirectTarget(url)).toThrow(badRedirect);
});

test.each([
  "//evil.test",
  " //evil.test",
  "\u00a0//evil.test",
  "/\\evil.test",
  "\\\\evil.test",
  "/a\\b",
  "https://evil.test",
  "http:evil.test",
  "https:/evil.test",
  "mailto:a@evil.test",
  "/\t/evil.test",
  "///evil.test",
  "http://same-origin.invalid/x",
])("sameOrigin rejects %j", (url) => {
  expect(() => redirectTarget(url, { sameOrigin: true })).toThrow(badRedirect);
});

test.each(["/", "/a?next=//evil.test", "books/1", "?page=2", "#top", "/.//evil.test", "/a:b", ""])(
  "sameOrigin accepts %j",
  (url) => {
    expect(redirectTarget(url, { sameOrigin: true })).toBe(url);
  },
);

test("with sameOrigin a browser always stays on the site", () => {
  const unit = fc.constantFrom(
    "/",
    "\\",
    ":",
    ".",
    "@",
    "?",
    "#",
    " ",
    "\t",
    "e",
    "http",
    "//",
    "\u3000",
    "\uFF0F",
    "%2F",
    "%5C",
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 8 }), (url) => {
      let location: string;
      try {
        location = redirectTarget(url, { sameOrigin: true });
      } catch {
        return; // rejected
      }
      expect(new URL(location, "https://mine.test/deep/page").origin).toBe("https://mine.test");
    }),
    { numRuns: 1000 },
  );
});

test.each([[null], [undefined], [5]])(
  "a missing target is an error of the program, not a redirect to /%p",
  (url) => {
    expect(() => redirectTarget(url as never, { sameOrigin: true })).toThrow(
      expect.objectContaining({
        code: "CORE_BAD_ARGUMENT",
        message: `a redirect target must be a string or a URL, not ${url}`,
      }),
    );
  },
);
