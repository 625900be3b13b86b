import { expect, test } from "@jest/globals";
import { compareVersions, satisfies } from "./version-range.ts";

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

test("a prerelease is older than its release, and its identifiers are compared as numbers or words", () => {
  const ascending = [
    "1.9.9",
    "2.0.0-1",
    "2.0.0-alpha",
    "2.0.0-alpha.1",
    "2.0.0-alpha.beta",
    "2.0.0-rc.2",
    "2.0.0-rc.10",
    "2.0.0",
    "2.0.1-rc.1",
  ];
  const shuffled = [...ascending].reverse();
  expect(shuffled.sort(compareVersions)).toEqual(ascending);
  expect(compareVersions("2.0.0-rc.1", "2.0.0-rc.1")).toBe(0);
});
