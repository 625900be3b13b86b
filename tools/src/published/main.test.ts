import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";

const validPackage = {
  manifest: {
    version: "1.0.0",
    license: "MIT",
    type: "module",
    sideEffects: false,
    files: ["dist"],
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
  },
  files: {
    "dist/index.js": 'export { one } from "./one.js";\n',
    "dist/index.d.ts": 'export { one } from "./one.js";\n',
    "dist/one.js": "export const one = 1;\n",
    "dist/one.d.ts": "export declare const one: number;\n",
  },
};

type Fault = readonly [name: string, manifest: object, files: Readonly<Record<string, string>>];

const entry = (types: string, main: string): object => ({ exports: { ".": { types, default: main } } });

const faults: readonly (readonly [...Fault, problem: string])[] = [
  ["types-path", entry("./dist/main.d.ts", "./dist/index.js"), {}, "main.d.ts but the file does not exist"],
  ["no-file", entry("./dist/index.d.ts", "./dist/main.js"), {}, "main.js but the file does not exist"],
  ["not-packed", { files: ["dist/*.d.ts"] }, {}, "index.js but the file does not exist"],
  [
    "types-last",
    { exports: { ".": { default: "./dist/index.js", types: "./dist/index.d.ts" } } },
    {},
    "types should",
  ],
  ["common-js", { type: "commonjs" }, {}, "UnexpectedModuleSyntax"],
  ["common-js-code", {}, { "dist/index.js": 'exports.one = require("./one.js");\n' }, "written in CJS"],
  [
    "common-js-types",
    entry("./dist/index.d.cts", "./dist/index.js"),
    { "dist/index.d.cts": "export {};\n" },
    "FalseCJS",
  ],
  ["no-types", { exports: { ".": "./dist/index.js" }, files: ["dist/*.js"] }, {}, "no types"],
  ["inner-import", {}, { "dist/index.d.ts": 'export { one } from "./one";\n' }, "InternalResolutionError"],
];

/** Writes each package into a separate folder and runs the check over all of them. */
const check = (packages: readonly Fault[]): { status: number | null; output: string } => {
  using home = mkdtempDisposableSync(join(tmpdir(), "published-"));
  const folders = packages.map(([name, manifest, files]) => {
    const all = {
      "package.json": JSON.stringify({ name, ...validPackage.manifest, ...manifest }),
      ...validPackage.files,
      ...files,
    };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(home.path, name, path)), { recursive: true });
      writeFileSync(join(home.path, name, path), text);
    }
    return join(home.path, name);
  });
  const main = join(import.meta.dirname, "main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...folders], { encoding: "utf8" });
  return { status, output: (stdout + stderr).replaceAll(join(home.path, "/"), "") };
};

test("a package whose entries resolve passes", () => {
  expect(check([["sound", {}, {}]])).toEqual({ status: 0, output: "1 packages, 0 problems\n" });
});

test("wrong paths, missing files and CommonJS are reported, each with its package", () => {
  const { status, output } = check(faults.map(([name, manifest, files]) => [name, manifest, files]));
  expect(status).toBe(1);
  for (const [name, , , problem] of faults) {
    const own = output.split("\n").filter((line) => line.startsWith(`${name}: `));
    expect(own.join("\n")).toContain(problem);
  }
});
