import { existsSync, globSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readWorkspace } from "../workspace/read-workspace.ts";
import * as rules from "../workspace/rules.ts";
import { deriveNames } from "./names.ts";
import { newPackage } from "./new-package.ts";

const caching = deriveNames("cache", "enableCaching");
const workspace = (): { path: string; [Symbol.dispose](): void } =>
  mkdtempDisposableSync(join(tmpdir(), "new-package-"));

test("newPackage returns the paths of the package and its changeset", () => {
  using folder = workspace();
  expect(newPackage(folder.path, caching)).toEqual([
    ".changeset/cache.md",
    "packages/cache/README.md",
    "packages/cache/package.json",
    "packages/cache/src/caching.test-d.ts",
    "packages/cache/src/caching.test.ts",
    "packages/cache/src/caching.ts",
    "packages/cache/src/index.ts",
    "packages/cache/tsconfig.json",
  ]);
});

test.each(Object.entries(rules))("the new package passes %s", (_name, rule) => {
  using folder = workspace();
  newPackage(folder.path, caching);
  const packages = readWorkspace(folder.path);
  expect(packages).toHaveLength(1);
  expect(packages.flatMap((pkg) => rule(pkg))).toEqual([]);
});

test("no file contains a placeholder of the template", () => {
  using folder = workspace();
  const files = newPackage(folder.path, caching);
  const texts = files.map((file) => readFileSync(join(folder.path, file), "utf8"));
  expect(texts.filter((text) => /__\w+__|\*\*name\*\*/.test(text))).toEqual([]);
});

test("an existing folder is refused and not changed", () => {
  using folder = workspace();
  mkdirSync(join(folder.path, "packages/cache"), { recursive: true });
  expect(() => newPackage(folder.path, caching)).toThrow("packages/cache exists already");
  expect(globSync("**/*.*", { cwd: folder.path })).toEqual([]);
});

test("an existing changeset is refused before anything is written", () => {
  using folder = workspace();
  mkdirSync(join(folder.path, ".changeset"));
  writeFileSync(join(folder.path, ".changeset/cache.md"), "mine");
  expect(() => newPackage(folder.path, caching)).toThrow(".changeset/cache.md exists already");
  expect(existsSync(join(folder.path, "packages"))).toBe(false);
  expect(readFileSync(join(folder.path, ".changeset/cache.md"), "utf8")).toBe("mine");
});

test("a method of another package is refused", () => {
  using folder = workspace();
  newPackage(folder.path, caching);
  expect(() => newPackage(folder.path, deriveNames("store", "enableCaching"))).toThrow(
    "has enableCaching already",
  );
  expect(existsSync(join(folder.path, "packages/store"))).toBe(false);
});

test("a method name that another package only mentions is available", () => {
  using folder = workspace();
  mkdirSync(join(folder.path, "packages/core/src"), { recursive: true });
  const example = "/**\n * new BooksApp().enableCaching({ ttl: 60 })\n *   .enableCaching()\n */\n";
  writeFileSync(join(folder.path, "packages/core/src/app.ts"), example);
  expect(newPackage(folder.path, caching)).toHaveLength(8);
});
