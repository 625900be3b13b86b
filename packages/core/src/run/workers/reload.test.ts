import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Logger } from "../../log/logger.ts";
import { isSource, isSourceFolder, watchSources } from "./reload.ts";

const log: Logger = { info: () => {}, warn: () => {}, error: () => {} };
let root = "";
let seen: string[] = [];
let stop = (): void => {};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "reload-"));
  mkdirSync(join(root, "src/deep"), { recursive: true });
  mkdirSync(join(root, "node_modules/x"), { recursive: true });
  seen = [];
  stop = watchSources(root, log, (file) => seen.push(file));
});
afterEach(() => {
  stop();
  rmSync(root, { recursive: true, force: true });
});

const change = (file: string): void => writeFileSync(join(root, file), "// changed\n");

const until = async (isDone: () => boolean): Promise<void> => {
  const end = performance.now() + 60_000;
  while (!isDone() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
};

test("reports several changes in nested folders once, naming the last changed file", async () => {
  change("src/deep/a.ts");
  change("src/deep/a.ts");
  change("src/deep/b.json");
  await until(() => seen.length > 0);
  expect(seen).toEqual([join("src", "deep", "b.json")]);
});

test("reports a change of a .env file", async () => {
  change(".env.local");
  await until(() => seen.length > 0);
  expect(seen).toEqual([".env.local"]);
});

test("reports a file that an editor replaces by renaming", async () => {
  change("src/temporary.txt");
  renameSync(join(root, "src/temporary.txt"), join(root, "src/app.mts"));
  await until(() => seen.length > 0);
  expect(seen).toEqual([join("src", "app.mts")]);
});

test("reports files in folders created later, including one that replaces a removed folder of the same name", async () => {
  mkdirSync(join(root, "later/inner"), { recursive: true });
  change("later/inner/a.ts");
  await until(() => seen.length > 0);
  expect(seen).toEqual([join("later", "inner", "a.ts")]);
  rmSync(join(root, "later"), { recursive: true });
  mkdirSync(join(root, "later"));
  change("later/b.ts");
  await until(() => seen.includes(join("later", "b.ts")));
  seen = [];
  change("later/c.ts");
  await until(() => seen.length > 0);
  expect(seen).toEqual([join("later", "c.ts")]);
});

test("ignores other files, installed packages, and all changes after the watch was stopped", async () => {
  change("src/readme.md");
  change("node_modules/x/index.js");
  change("src/marker.ts");
  await until(() => seen.length > 0);
  expect(seen).toEqual([join("src", "marker.ts")]);
  seen = [];
  change("src/late.ts");
  stop();
  stop = watchSources(root, log, (file) => seen.push(`second ${file}`));
  change("src/last.ts");
  await until(() => seen.length > 0);
  expect(seen).toEqual([`second ${join("src", "last.ts")}`]);
});

test("swap and backup files of .env are not sources", () => {
  const names = [
    ".env.swp",
    ".env.swo",
    ".env.swx",
    ".env~",
    ".env.bak",
    ".env.tmp",
    ".env.orig",
    ".env.local.swp",
    ".env.un~",
    ".#.env",
  ];
  expect(names.filter(isSource)).toEqual([]);
  expect([".env.production", ".env.development.local", ".env.tmpfs", ".env.swim"].every(isSource)).toBe(true);
});

test("recognises sources by their extension, and ignores folders without sources", () => {
  const sources = "a.ts a.mts a.cts a.js a.mjs a.cjs a.json a.d.ts .env .env.local".split(" ");
  expect(sources.filter((name) => !isSource(name))).toEqual([]);
  expect(
    ["a.md", "ts", ".a.ts", ".env~", ".env.", ".environment", "a.ts~", "a.tsx", "4913"].some(isSource),
  ).toBe(false);
  expect(["node_modules", "dist", ".git", ".turbo"].some(isSourceFolder)).toBe(false);
  expect(isSourceFolder("src")).toBe(true);
});
