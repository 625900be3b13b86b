import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { WebSocketConfig } from "./index.ts";

test("the README's table has every option with its default", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, section = ""] = readme.split("## Configuration");
  const rows = [...section.matchAll(/^\| `(\w+)` +\| `(.*?)` +\|/gm)];
  expect(Object.fromEntries(rows.map(([, name = "", value = ""]) => [name, JSON.parse(value)]))).toEqual(
    WebSocketConfig.of(),
  );
});
