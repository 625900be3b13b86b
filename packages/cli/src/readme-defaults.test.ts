import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { commands } from "./commands.ts";

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), "utf8");
const readme = read("../README.md");
const limits = readme.slice(readme.indexOf("## Limits"), readme.indexOf("## Errors"));

/** Sources of a command. */
const sourcesOf = (command: string): string =>
  globSync(`${command}/*.ts`, { cwd: import.meta.dirname })
    .filter((path) => !path.includes(".test"))
    .map(read)
    .join("\n");

const numberIn = (text: string): number => Number(text.replaceAll(/[_,]/g, ""));

/** Commands with defaults of this package; `parked`, `jobs` and `sagas` use the defaults of the packages that they call. */
const ownCommands = commands.filter(({ name }) => !["parked", "jobs", "sagas"].includes(name));
const statedDefaults = ownCommands.flatMap(({ name, options }) =>
  options.flatMap((option) => {
    const [, value] = /(\d+)(?: requests\/s| ms)? by default/.exec(option.summary) ?? [];
    return option.kind === "number" && value !== undefined
      ? [[name, option.name, Number(value)] as const]
      : [];
  }),
);

test.each(statedDefaults)("%s --%s states its default: %d", (command, option, value) => {
  const used = Array.from(
    sourcesOf(command).matchAll(new RegExp(`number\\("${option}"\\) \\?\\? ([\\d_]+|[A-Z_]+)`, "g")),
    ([, text = ""]) => (/^\d/.test(text) ? numberIn(text) : constantOf(text, sourcesOf(command))),
  );
  expect(new Set(used)).toEqual(new Set([value]));
});

const constantOf = (name: string, text: string): number =>
  numberIn(new RegExp(`^(?:(?:export )?const| ) *${name} = ([\\d_]+)`, "m").exec(text)?.[1] ?? "");

test("more than ten options state their default", () => {
  expect(statedDefaults.length).toBeGreaterThan(10);
});

test.each([
  [
    "bytes of a reply that `request` prints",
    "request/send-request.ts",
    "MAX_SHOWN_BYTES",
    1_048_576,
    "1 MiB",
  ],
  ["documents that `explain` quotes", "explain/mentions.ts", "MAX_MENTIONS", 8, "8 paragraphs"],
  ["concurrent requests of `load` and `drain`", "load/open-loop.ts", "maxPending", 2000, "2,000 and"],
  ["concurrent requests of `load` and `drain`", "drain/steady-load.ts", "MAX_PENDING", 5000, "and 5,000,"],
  ["files of manifests that `doctor` reads", "doctor/manifests.ts", "MAX_FILES", 200, "200,"],
])("the limit of %s in the README is the limit in %s", (row, path, constant, value, words) => {
  expect(constantOf(constant, read(path))).toBe(value);
  expect(limits.split("\n").find((line) => line.startsWith(`| ${row}`))).toContain(words);
});
