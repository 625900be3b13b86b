import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { checkHttpOptions } from "./http-options.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const MIB = 1_048_576;

test("the README's table has every option of httpClient with its default", () => {
  const table = readme.slice(readme.indexOf("| `httpClient`")).split("\n\n")[0] ?? "";
  const listed = Array.from(table.matchAll(/^\| `(\w+)` +\|.*\| (.*?) +\|$/gm), ([, name, value]) => [
    name,
    value,
  ]);
  const { options } = checkHttpOptions({ baseUrl: "http://stock.example" });
  const format = (value: unknown): string => {
    if (Array.isArray(value)) return value.length === 0 ? "none" : "host of the base URL";
    if (typeof value === "number")
      return value % MIB === 0 ? `${value / MIB} MiB` : value.toLocaleString("en-US");
    if (value === undefined) return "sockets";
    return typeof value === "object" ? "none" : `\`${JSON.stringify(value)}\``;
  };
  const expected = Object.entries(options).map(([name, value]) => [name, format(value)]);
  expect(Object.fromEntries(listed.slice(2))).toEqual(Object.fromEntries(expected));
  expect(listed[1]?.[0]).toBe("baseUrl");
});
