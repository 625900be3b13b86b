import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { RateLimitConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README's table has every option with its default", () => {
  const rows = [...readme.matchAll(/^\| `(\w+)` +\|.*\| (?:`(.+)`|–) +\|$/gm)];
  const defaults = rows.map(([, name = "", value]) => [
    name,
    value === undefined ? undefined : JSON.parse(value),
  ]);
  expect(Object.fromEntries(defaults)).toStrictEqual({ ...RateLimitConfig.of() });
});

test("the README lists at most twelve files that decide a request, and names every other file separately", () => {
  const [, section = ""] = readme.split("## How a request is decided\n");
  const [path = "", others = ""] = section.split("\n## ")[0]?.split("The other files") ?? [];
  const listed = Array.from(path.matchAll(/^\d+\. `([\w./-]+)`/gm), ([, file = ""]) => file);
  const otherFiles = Array.from(others.matchAll(/`([\w/-]+\.ts)`/g), ([, file = ""]) =>
    file.includes("/") ? file : `src/${file}`,
  );
  const sources = (folder: URL, prefix: string): string[] =>
    globSync("*.ts", { cwd: folder })
      .filter((file) => !file.includes(".test"))
      .map((file) => prefix + file);
  const present = [
    "README.md",
    ...sources(new URL("./", import.meta.url), "src/"),
    ...sources(new URL("../../core/src/shared-state/permits/", import.meta.url), "core/"),
  ];
  expect(listed.length).toBeLessThanOrEqual(12);
  expect([...listed, ...otherFiles].toSorted()).toEqual(present.toSorted());
});
