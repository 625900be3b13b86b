import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { StaticFilesConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README's table has every option with its default", () => {
  const [table = ""] = readme.split("## Options\n\n")[1]?.split("\n\n") ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` +\|.*\| (.*?) +\|$/gm)].slice(1);
  const documented = rows.map(([, name = "", value = ""]) => {
    if (value === "required") return [name, ""];
    return [name, value === "none" ? undefined : (JSON.parse(value.replaceAll("`", "")) as unknown)];
  });
  expect(Object.fromEntries(documented)).toEqual(StaticFilesConfig.of());
  expect(documented.map(([name]) => name)).toEqual(Object.keys(StaticFilesConfig.of()));
});
