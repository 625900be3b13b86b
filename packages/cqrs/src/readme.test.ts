import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { CqrsConfig } from "./index.ts";
import {
  MAX_KEY_LENGTH,
  MAX_LANE,
  MAX_QUEUED_BYTES,
  MAX_QUEUED_INPUT_BYTES,
  MAX_ROUTE_KEYS,
  MAX_RUNNING,
} from "./limits.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

const rowsOf = (title: string): readonly (readonly string[])[] => {
  const [section = ""] = readme.split(`## ${title}\n\n`)[1]?.split("\n\n") ?? [];
  return section
    .split("\n")
    .slice(2)
    .map((line) => line.split(" | ").map((cell) => cell.replaceAll(/^\| |[`]| +\|?$/g, "").trim()));
};

test("the README's table lists every option with its default", () => {
  const documented = rowsOf("Options").map(([name = "", , value = ""]) => [
    name,
    value === "–" ? undefined : (JSON.parse(value) as unknown),
  ]);
  expect(Object.fromEntries(documented)).toEqual(CqrsConfig.of());
});

test("the README's limits match the sources", () => {
  const limits = rowsOf("Limits").map(([, limit = ""]) => Number(limit.replaceAll(",", "")));
  expect(limits).toEqual([
    MAX_RUNNING,
    MAX_ROUTE_KEYS,
    MAX_QUEUED_BYTES,
    MAX_QUEUED_INPUT_BYTES,
    MAX_LANE,
    MAX_KEY_LENGTH,
    100,
  ]);
});
