import { readFileSync } from "node:fs";
import { FrameworkError } from "@framework/core";
import { expect, test } from "@jest/globals";
import { testingError, testingErrors } from "./errors.ts";

test("the README lists every code with the same words", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const rows = Array.from(readme.matchAll(/^\| `(TESTING_\w+)`\s+\| (.*?)\s+\|$/gm), ([, code, when]) => [
    code,
    when,
  ]);
  expect(Object.fromEntries(rows)).toEqual(testingErrors);
});

test("errors are the framework's, with the cause when there is one", () => {
  const cause = new Error("why");
  expect(FrameworkError.is(testingError("TESTING_TIMEOUT", "late"))).toBe(true);
  expect(testingError("TESTING_TIMEOUT", "late", cause).cause).toBe(cause);
  expect("cause" in testingError("TESTING_TIMEOUT", "late")).toBe(false);
});
