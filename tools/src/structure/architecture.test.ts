import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../root.ts";

const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const core = join(root, "packages/core/src");

test("every file named in ARCHITECTURE.md exists", () => {
  const named = Array.from(page.matchAll(/`([\w-]+(?:\/[\w-]+)+\.ts)`/g), ([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => ![core, root].some((home) => existsSync(join(home, path))))).toEqual([]);
});

test("the tree in ARCHITECTURE.md has every folder of core", () => {
  const folders = readdirSync(core, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).filter((name) => !page.includes(`${name}/ `))).toEqual([]);
});

test("the layers in ARCHITECTURE.md are the layers of the check", async () => {
  const [, drawn = ""] = /layer and lower ones:\n\n((?: {4}.*\n)+)/.exec(page) ?? [];
  const lines = drawn
    .trim()
    .split("\n")
    .map((line) =>
      line
        .replace(/beside:.*/, "")
        .trim()
        .split(/\s+/),
    );
  const { layers } = (await import(join(root, ".dependency-cruiser.mjs"))) as { layers: string[][] };
  expect(lines.toReversed()).toEqual(layers);
});
