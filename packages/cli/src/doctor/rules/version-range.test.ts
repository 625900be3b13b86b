import { expect, test } from "@jest/globals";
import { satisfies } from "./version-range.ts";

test.each([
  ["1.2.3", "^1.2.0", true],
  ["1.9.0", "^1.2.0", true],
  ["1.1.9", "^1.2.0", false],
  ["2.0.0", "^1.2.0", false],
  ["0.2.5", "^0.2.3", true],
  ["0.3.0", "^0.2.3", false],
  ["0.0.4", "^0.0.3", false],
  ["1.2.9", "~1.2.3", true],
  ["1.3.0", "~1.2.3", false],
  ["3.0.0", ">=1.2.3", true],
  ["1.2.3", "1.2.3", true],
  ["1.2.4", "1.2.3", false],
  ["2.1.0", "^1.0.0 || ^2.0.0", true],
  ["5.0.0", "*", true],
])("%s within %s: %s", (version, range, expected) => {
  expect(satisfies(version, range)).toBe(expected);
});
