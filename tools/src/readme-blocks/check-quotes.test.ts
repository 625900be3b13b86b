import { expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { checkQuotes } from "./check-quotes.ts";

const quote = (code: string, path = "tools/src/root.ts") => [{ document: "a.md", line: 3, path, code }];

test("lines of the file are accepted, even with other line breaks", () => {
  expect(checkQuotes(root, quote("export const root: string =\n"))).toEqual([]);
  expect(checkQuotes(root, quote("export const\n  root: string =\n"))).toEqual([]);
});

test("other lines and missing files are reported", () => {
  expect(checkQuotes(root, quote("export const roof: string =\n"))).toEqual([
    "a.md:3 tools/src/root.ts does not have these lines",
  ]);
  expect(checkQuotes(root, quote("", "tools/src/roof.ts"))).toEqual([
    "a.md:3 there is no file tools/src/roof.ts",
  ]);
});
