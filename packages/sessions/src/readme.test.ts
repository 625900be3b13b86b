import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { SessionsConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

test("the README's table has every option with its default", () => {
  const table = readme.slice(readme.indexOf("| `SessionsConfig`")).split("\n\n")[0] ?? "";
  const rows = [...table.matchAll(/^\| `(\w+)` +\|.*\| (.*?) +\|$/gm)];
  const listed = Object.fromEntries(rows.slice(1).map(([, name = "", value = ""]) => [name, value]));
  const { clock, store, secret, secure, ...plain } = SessionsConfig.of();
  const written = Object.entries(plain).map(([name, value]) => [name, `\`${JSON.stringify(value)}\``]);
  expect(Object.keys(listed).sort()).toEqual(Object.keys(SessionsConfig.of()).sort());
  expect(listed).toMatchObject(Object.fromEntries(written));
  expect([store, secret, secure, typeof clock]).toEqual([undefined, undefined, undefined, "object"]);
});
