import { expect, test } from "@jest/globals";
import { packageOf, readImports, readRuntimeImports } from "./imports.ts";

const code = `import { a } from "./a.ts";
import type { B } from "@framework/b";
import {
  type C,
  type D,
} from "c";
export * from "./d.ts";
import "./effect.ts";
/**
 * @example
 * import { x } from "not-an-import";
 * await import("nor-this");
 */
// import("nor-that")
export const from = "not-an-import-either";
export const later = () => import("./later.ts");
`;

test("static imports are found, including multi-line ones", () => {
  expect(readImports(code).static).toEqual(["./a.ts", "@framework/b", "c", "./d.ts", "./effect.ts"]);
});

test("dynamic imports are distinguished from static ones", () => {
  expect(readImports(code).dynamic).toEqual(["./later.ts"]);
});

test("an import of types only is not a run-time import", () => {
  expect(readRuntimeImports(code).static).not.toContain("@framework/b");
  expect(readRuntimeImports(code).static).toContain("./a.ts");
});

test.each([
  ["@framework/core/testing", "@framework/core"],
  ["pg", "pg"],
  ["jose/jwt/verify", "jose"],
  ["node:fs", null],
  ["../core/src/app.ts", null],
])("the package of %s is %s", (specifier, expected) => {
  expect(packageOf(specifier)).toBe(expected);
});
