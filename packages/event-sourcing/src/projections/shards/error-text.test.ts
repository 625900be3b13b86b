import { expect, test } from "@jest/globals";
import { errorText } from "./error-text.ts";

test.each<[string, unknown, string]>([
  [
    "an error with a stack",
    Object.assign(new Error("no"), { stack: "Error: no\n at view" }),
    "Error: no\n at view",
  ],
  [
    "an error whose stack and message are not strings",
    Object.assign(new Error("no"), { stack: 7, message: {} }),
    "{}",
  ],
  ["a string", "a\u0000b", "ab"],
  ["an object without a prototype", Object.create(null), "{}"],
])("errorText describes %s", (_name, error, text) => {
  expect(errorText(error)).toBe(text);
});
