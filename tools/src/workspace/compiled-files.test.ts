import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { uncompiled } from "./compiled-files.ts";

test("a build compiles every TypeScript file of the workspace", () => {
  expect(uncompiled(root)).toEqual([]);
});

test("files outside the compiled folders, and all files of a package without a compiling build, are reported", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "compiled-"));
  for (const [path, text] of Object.entries({
    "packages/one/package.json": '{ "scripts": { "build": "tsc -b" } }',
    "packages/one/tsconfig.json": '{ "include": ["src"] }',
    "packages/one/src/deep/a.ts": "",
    "packages/one/bench/b.ts": "",
    "packages/one/node_modules/c.ts": "",
    "packages/two/package.json": '{ "scripts": { "build": "node build.mjs" } }',
    "packages/two/tsconfig.json": '{ "include": ["src"] }',
    "packages/two/src/d.ts": "",
    "packages/three/package.json":
      '{ "scripts": { "build": "node ../../node_modules/typescript/bin/tsc -p ." } }',
    "packages/three/tsconfig.json": '{ "include": ["src"] }',
    "packages/three/src/f.ts": "",
    "scripts/e.ts": "",
  })) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  expect(uncompiled(folder.path).sort()).toEqual([
    "packages/one/bench/b.ts",
    "packages/two/src/d.ts",
    "scripts/e.ts",
  ]);
});
