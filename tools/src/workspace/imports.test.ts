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

test.each([
  ["an example in a doc comment", 'export interface F {\n /** @example import { x } from "redis"; */\n}'],
  ["a line comment", 'export const read = (): void => {\n// starts from "zero"\n};'],
  ["a template literal", 'const code = `\nimport "redis";\nimport("redis");\n`;'],
  ["a comment after a statement", 'f(); // import("z")'],
  ["a computed specifier", "import(name);"],
])("%s is not an import", (_title, text) => {
  expect(readImports(text)).toEqual({ static: [], dynamic: [] });
});

test("an import with a comment among its names is found", () => {
  expect(readImports(`import {\n  a, // the app's\n} from "b";`).static).toEqual(["b"]);
});

test("an export of another module, and an import within an expression or a type, are found once", () => {
  const text = `export { a } from "a";\nexport * from "b";\nimport "a";\ntype T = import("c").T;\nf(import(\n  "d"), import("d"));`;
  expect(readImports(text)).toEqual({ static: ["a", "b"], dynamic: ["c", "d"] });
});

test("code that cannot be parsed is an error", () => {
  expect(() => readImports("import {")).toThrow(SyntaxError);
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
  ["fs", null],
  ["fs/promises", null],
  ["../core/src/app.ts", null],
])("the package of %s is %s", (specifier, expected) => {
  expect(packageOf(specifier)).toBe(expected);
});
