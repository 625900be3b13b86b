import { expect, test } from "@jest/globals";
import type { Manifest, WorkspacePackage } from "./read-workspace.ts";
import * as rules from "./rules.ts";

const manifest: Manifest = {
  name: "@framework/cache",
  version: "1.2.3",
  description: "Caches replies.",
  keywords: ["cache"],
  homepage: "https://github.com/framework/framework/tree/main/packages/cache#readme",
  bugs: "https://github.com/framework/framework/issues",
  repository: {
    type: "git",
    url: "git+https://github.com/framework/framework.git",
    directory: "packages/cache",
  },
  license: "MIT",
  type: "module",
  sideEffects: false,
  files: ["dist", "!**/*.test*", "!**/*.map", "!dist/.tsbuildinfo"],
  engines: { node: ">=24" },
  scripts: { build: "tsc -b", test: "jest" },
  exports: {
    ".": {
      "@framework/source": "./src/index.ts",
      types: "./dist/index.d.ts",
      default: "./dist/index.js",
    },
  },
  peerDependencies: { "@framework/core": "workspace:^" },
  devDependencies: { "@framework/core": "workspace:^" },
};

interface Change {
  readonly manifest?: Partial<Manifest>;
  readonly references?: readonly string[] | null;
  readonly files?: Readonly<Record<string, string>>;
}

const cache = ({
  manifest: fields = {},
  references = ["../core"],
  files = {},
}: Change = {}): WorkspacePackage => ({
  folder: "packages/cache",
  manifest: { ...manifest, ...fields },
  references,
  files: new Map(Object.entries({ "README.md": "# Cache", "src/index.ts": "", ...files })),
});

const core = (files: Readonly<Record<string, string>>): WorkspacePackage => ({
  folder: "packages/core",
  manifest: { name: "@framework/core" },
  references: [],
  files: new Map(Object.entries(files)),
});

test.each(Object.entries(rules))("%s accepts a valid package", (_name, rule) => {
  expect(rule(cache())).toEqual([]);
});

test("a dependency without a reference is reported", () => {
  expect(rules.referencesFollowDependencies(cache({ references: [] }))).toEqual([
    "tsconfig.json has no reference to packages/core",
  ]);
});

test("a reference without a dependency is reported", () => {
  expect(rules.referencesFollowDependencies(cache({ references: ["../core", "../redis"] }))).toEqual([
    "tsconfig.json refers to packages/redis, which is not a dependency",
  ]);
});

test("a published package without tsconfig.json is reported, a private one may be plain JavaScript", () => {
  expect(rules.referencesFollowDependencies(cache({ references: null }))).toEqual([
    "tsconfig.json is missing",
  ]);
  const bench = cache({ references: null, manifest: { private: true } });
  expect(rules.referencesFollowDependencies(bench)).toEqual([]);
});

test.each([
  ["src/index.ts", 'import { Pool } from "pg";', "pg"],
  ["src/index.ts", 'const pg = () => import("pg");', "pg"],
  ["src/index.ts", 'import type { Redis } from "@framework/redis";', "@framework/redis"],
  ["src/cache.test.ts", 'import { redis } from "@framework/redis";', "@framework/redis"],
])("in %s the undeclared import of %s is reported", (path, code, name) => {
  expect(rules.importsAreDeclared(cache({ files: { [path]: code } }))).toEqual([
    `${path} imports ${name}, which package.json does not declare`,
  ]);
});

test("modules reachable from an entry may not import undeclared workspace packages; tests and their helpers may", () => {
  const fields = { devDependencies: { ...manifest.devDependencies, "@framework/redis": "workspace:^" } };
  const code = 'import { redis } from "@framework/redis";';
  const files = {
    "src/index.ts": 'export * from "./a.ts";',
    "src/a.ts": code,
    "src/b.test.ts": code,
    "src/c.ts": code,
  };
  expect(rules.importsAreDeclared(cache({ manifest: fields, files }))).toEqual([
    "src/a.ts imports @framework/redis, which package.json does not declare",
  ]);
});

test("every module of an application needs its imports declared", () => {
  const fields = { private: true, devDependencies: { pg: "8" } };
  const pkg = cache({ manifest: fields, files: { "src/books.ts": 'import { Pool } from "pg";' } });
  expect(rules.importsAreDeclared(pkg)).toHaveLength(1);
});

test.each(['declare module "@framework/core" {}', "declare global {}"])("%s is reported", (code) => {
  expect(rules.nothingIsAugmented(cache({ files: { "src/a.ts": code } }))).toHaveLength(1);
});

test("251 lines need a comment at the top, 250 do not, tests never do", () => {
  const lines = (count: number): string => "export {};\n".repeat(count);
  expect(rules.longFilesGiveReasons(cache({ files: { "src/a.ts": lines(250) } }))).toEqual([]);
  expect(rules.longFilesGiveReasons(cache({ files: { "src/a.ts": lines(251) } }))).toHaveLength(1);
  expect(
    rules.longFilesGiveReasons(cache({ files: { "src/a.ts": `// One table.\n${lines(251)}` } })),
  ).toEqual([]);
  expect(rules.longFilesGiveReasons(cache({ files: { "src/a.test.ts": lines(251) } }))).toEqual([]);
});

test("a remaining placeholder is reported", () => {
  expect(rules.templateIsFilledIn(cache({ files: { "README.md": "# __name__" } }))).toHaveLength(1);
});

test("core may not load a built-in module through static imports", () => {
  const pkg = core({
    "src/index.ts": 'export { a } from "./a/a.ts";',
    "src/a/a.ts": 'export { b } from "../b.ts";\nimport type { C } from "../c.ts";',
    "src/b.ts": 'import { readFileSync } from "node:fs";',
    "src/c.ts": 'import { connect } from "node:net";',
  });
  expect(rules.coreHasNoDependencies(pkg)).toEqual(["src/b.ts, loaded with src/index.ts, imports node:fs"]);
});

test("core may load a built-in module with a dynamic import", () => {
  const pkg = core({
    "src/index.ts": 'export const run = () => import("./run/run.ts");',
    "src/run/run.ts": 'import { createServer } from "node:http";',
  });
  expect(rules.coreHasNoDependencies(pkg)).toEqual([]);
});

test("core may not depend on a package", () => {
  const pkg = { ...core({}), manifest: { name: "@framework/core", dependencies: { pg: "8" } } };
  expect(rules.coreHasNoDependencies(pkg)).toEqual(["core depends on pg"]);
});

test.each<[Partial<Manifest>, string]>([
  [{ name: "@framework/caching" }, "name is not @framework/cache"],
  [{ version: "next" }, "version is not a semantic version"],
  [{ description: "" }, "description is missing"],
  [{ keywords: [] }, "keywords are missing"],
  [{ homepage: "https://example.com" }, "homepage is not the page of the README"],
  [{ bugs: "" }, "bugs is not the page of issues"],
  [
    { repository: { type: "git", url: "git+https://github.com/framework/framework.git", directory: "." } },
    "repository is not the URL and the folder of the package",
  ],
  [{ license: "ISC" }, "license is not MIT"],
  [{ type: "commonjs" }, "type is not module"],
  [{ sideEffects: true }, "sideEffects is not false"],
  [{ main: "./dist/index.js" }, "main and types must be absent; use exports"],
  [{ engines: {} }, "engines.node is not >=24"],
  [{ files: ["dist", "!**/*.test*", "!dist/.tsbuildinfo"] }, "files lacks !**/*.map"],
  [{ scripts: { build: "tsc -b" } }, "script test is missing"],
  [{ peerDependencies: { "@framework/core": "^1.0.0" } }, "@framework/core is not workspace:^"],
  [
    { dependencies: { "@framework/core": "workspace:^" } },
    "@framework/core is a dependency, not a peer: users would get a second copy",
  ],
  [{ devDependencies: {} }, "@framework/core is a peer but no development dependency"],
])("a manifest with %j is reported: %s", (fields, problem) => {
  expect(rules.manifestIsComplete(cache({ manifest: fields }))).toEqual([problem]);
});

test("an entry whose source is missing is reported", () => {
  const entry = {
    "@framework/source": "./src/gone.ts",
    types: "./dist/gone.d.ts",
    default: "./dist/gone.js",
  };
  expect(rules.manifestIsComplete(cache({ manifest: { exports: { "./gone": entry } } }))).toEqual([
    'exports["./gone"] refers to a missing file: "./src/gone.ts"',
  ]);
});

test("an entry must list the source condition first", () => {
  const entry = {
    types: "./dist/index.d.ts",
    default: "./dist/index.js",
    "@framework/source": "./src/index.ts",
  };
  expect(rules.manifestIsComplete(cache({ manifest: { exports: { ".": entry } } }))).toHaveLength(1);
});

test("a package without README.md is reported; private packages are exempt", () => {
  const bare = { ...cache(), files: new Map([["src/index.ts", ""]]) };
  expect(rules.manifestIsComplete(bare)).toEqual(["README.md is missing"]);
  expect(rules.manifestIsComplete({ ...bare, manifest: { ...manifest, private: true } })).toEqual([]);
});
