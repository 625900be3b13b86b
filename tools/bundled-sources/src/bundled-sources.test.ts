import { execFileSync } from "node:child_process";
import { existsSync, mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { bundledCore, bundledProgram } from "./index.ts";

let folder: ReturnType<typeof mkdtempDisposableSync>;
beforeEach(() => {
  folder = mkdtempDisposableSync(join(tmpdir(), "bundled-"));
});
afterEach(() => folder.remove());

const at = (name: string): string => join(folder.path, name);

/** Writes a program of two modules; returns its file. */
const writeProgram = (greeting: string): string => {
  const module = `export const greeting: string = ${JSON.stringify(greeting)}; export const place = import.meta.filename;`;
  writeFileSync(at("greeting.ts"), module);
  writeFileSync(
    at("program.ts"),
    'import { greeting, place } from "./greeting.ts"; console.log(greeting, place);',
  );
  return at("program.ts");
};

const outputOf = (file: string): string =>
  execFileSync(process.execPath, [file], { encoding: "utf8" }).trim();

test("a bundled program does what its sources do, and its modules know the places of their sources", () => {
  const bundled = bundledProgram(writeProgram("hello"), at("cache"));
  expect(outputOf(bundled)).toBe(`hello ${at("greeting.ts")}`);
});

test("it is bundled again when a source has changed, and only then; the last two bundles are kept", () => {
  const programs = ["one", "two!", "three"].map((greeting) => {
    const file = writeProgram(greeting);
    const bundled = bundledProgram(file, at("cache"));
    expect(bundledProgram(file, at("cache"))).toBe(bundled);
    return { bundled, output: outputOf(bundled).split(" ")[0] };
  });
  expect(programs.map(({ output }) => output)).toEqual(["one", "two!", "three"]);
  expect(programs.map(({ bundled }) => existsSync(bundled))).toEqual([false, true, true]);
});

test("a source that cannot be bundled is an error with the bundler's reason, and is not remembered", () => {
  const file = writeProgram("hello");
  writeFileSync(at("greeting.ts"), "export const other = 1;");
  expect(() => bundledProgram(file, at("cache"))).toThrow(/cannot bundle .*program\.ts:[^]*greeting/);
  expect(outputOf(bundledProgram(writeProgram("hello"), at("cache")))).toContain("hello");
});

test("the doors of core share their modules, in few files", () => {
  const doors = Object.values(bundledCore());
  const folders = new Set(doors.map(dirname));
  const files = [...folders].flatMap((place) =>
    readdirSync(place).map((name) => readFileSync(join(place, name), "utf8")),
  );
  expect(doors.filter((file) => existsSync(file))).toHaveLength(4);
  expect(files.filter((text) => /FrameworkError (?:= class )?extends Error/.test(text))).toHaveLength(1);
  expect(files.length).toBeLessThan(30);
});
