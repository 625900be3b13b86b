import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { CsrfConfig, SecurityHeadersConfig } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

const tableOf = (record: string): Record<string, unknown> => {
  const table = readme.slice(readme.indexOf(`| \`${record}\``)).split("\n\n")[0] ?? "";
  const rows = [...table.matchAll(/^\| `(\w+)` +\|.*\| `(.*)` +\|$/gm)];
  return Object.fromEntries(rows.map(([, name = "", value = ""]) => [name, JSON.parse(value)]));
};

test("the README's tables have every option with its default", () => {
  expect(tableOf("SecurityHeadersConfig")).toEqual(SecurityHeadersConfig.of());
  const { secret, session, ...plain } = CsrfConfig.of();
  expect(tableOf("CsrfConfig")).toEqual(plain);
  expect([secret, session]).toEqual([undefined, undefined]);
});
