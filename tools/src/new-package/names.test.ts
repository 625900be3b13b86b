import { expect, test } from "@jest/globals";
import { deriveNames, NewPackageError } from "./names.ts";

test("every spelling is derived from one word", () => {
  expect(deriveNames("etag")).toEqual({
    name: "etag",
    file: "etag",
    feature: "etag",
    Feature: "Etag",
    Header: "X-Etag",
  });
});

test("two words become camel case", () => {
  expect(deriveNames("rate-limit")).toMatchObject({
    file: "rate-limit",
    feature: "rateLimit",
    Feature: "RateLimit",
  });
});

test("the feature is named after its method, if that differs from the package", () => {
  expect(deriveNames("cache", "enableCaching")).toEqual({
    name: "cache",
    file: "caching",
    feature: "caching",
    Feature: "Caching",
    Header: "X-Caching",
  });
});

test.each([
  "",
  "Cache",
  "rate_limit",
  "../core",
  "-cache",
  "cache-",
  "a--b",
  "9lives",
  "x".repeat(41),
  "utils",
])("%j is refused as a package name", (name) => {
  expect(() => deriveNames(name)).toThrow(NewPackageError);
});

test.each(["", "caching", "enable", "enablecaching", "enableCaching()", "Enablecaching"])(
  "%j is refused as a method name",
  (method) => {
    expect(() => deriveNames("cache", method)).toThrow(NewPackageError);
  },
);

test("a feature name that is a reserved word is refused", () => {
  expect(() => deriveNames("new")).toThrow("pass another with --feature");
});
