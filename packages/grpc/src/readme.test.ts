import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { GrpcConfig, GrpcStatus } from "./index.ts";
import { statusOfHttp } from "./status/to-grpc-error.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

const section = (heading: string): string => readme.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";

test("the README's table has every option with its default", () => {
  const rows = [...section("Configuration").matchAll(/^\| `(\w+)` +\|.*\| (?:`(.*)`|unset) +\|$/gm)];
  const defaults = rows.map(([, name = "", value]) => [
    name,
    value === undefined ? undefined : (JSON.parse(value) as unknown),
  ]);
  expect(Object.fromEntries(defaults)).toEqual(GrpcConfig.of());
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(GrpcConfig.of()));
});

test("the README's table of statuses equals the table of the code", () => {
  const rows = [...section("Errors").matchAll(/^\| ([\d, ]+?) +\| `(\w+)` +\|$/gm)];
  const table = rows.flatMap(([, codes = "", status]) =>
    codes.split(", ").map((code) => [Number(code), status]),
  );
  expect(Object.fromEntries(table)).toEqual(statusOfHttp);
  for (const [, status] of table) expect(GrpcStatus).toHaveProperty(String(status));
});
