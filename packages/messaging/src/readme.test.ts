import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { messagingErrors } from "./index.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const rowsUnder = (heading: string): readonly (readonly string[])[] =>
  (readme.split(`## ${heading}\n\n`)[1]?.split("\n\n")[0] ?? "")
    .split("\n")
    .slice(2)
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split(/ +\| +|^\| +| +\|$/).slice(1, -1));

test("the README's error codes are those of the package, with the same text", () => {
  const documented = rowsUnder("Errors").map(([code = "", text = "", action]) => {
    const [, status, summary] = /^(?:(\d{3}): )?(.*)$/.exec(text) ?? [];
    return [code.replaceAll("`", ""), { ...(status && { status: Number(status) }), summary, action }];
  });
  expect(Object.fromEntries(documented)).toEqual(messagingErrors);
  const used = globSync("**/*.ts", { cwd: import.meta.dirname })
    .filter((path) => !/\.test(-kit|-program|-d)?\.ts$/.test(path) && path !== "error-codes.ts")
    .flatMap((path) => Array.from(read(`./${path}`).matchAll(/"(MESSAGING_[A-Z_]+)"/g), ([, code]) => code));
  expect(new Set(used)).toEqual(new Set(Object.keys(messagingErrors)));
});
