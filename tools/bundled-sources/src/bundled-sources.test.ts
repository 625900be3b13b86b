import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { bundledSources } from "./bundled-sources.ts";
import { bundledPackages, bundledProgram, bundlePrograms } from "./index.ts";
import { withProcessLock } from "./process-lock.ts";

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

test("a bundled program behaves like its sources, and its modules have the paths of their sources", () => {
  const bundled = bundledProgram(writeProgram("hello"), at("cache"));
  expect(outputOf(bundled)).toBe(`hello ${at("greeting.ts")}`);
});

test("only uses of import.meta are replaced, even in a program with a hashbang", () => {
  const text = [
    "#!/usr/bin/env node",
    'console.log("import.meta.url", import.meta.url, import.meta.dirname, import.meta.resolve("node:fs"));',
  ];
  writeFileSync(at("program.ts"), text.join("\n"));
  const places = `${pathToFileURL(at("program.ts")).href} ${folder.path}`;
  expect(outputOf(bundledProgram(at("program.ts"), at("cache")))).toBe(`import.meta.url ${places} node:fs`);
});

test("a program is bundled again only when a source has changed; the last two bundles are kept", () => {
  const programs = ["one", "two!", "three"].map((greeting) => {
    const file = writeProgram(greeting);
    const bundled = bundledProgram(file, at("cache"));
    expect(bundledProgram(file, at("cache"))).toBe(bundled);
    return { bundled, output: outputOf(bundled).split(" ")[0] };
  });
  expect(programs.map(({ output }) => output)).toEqual(["one", "two!", "three"]);
  expect(programs.map(({ bundled }) => existsSync(bundled))).toEqual([false, true, true]);
});

test("a source that has changed since the bundler began is bundled again, alone and with others", () => {
  const later = new Date(Date.now() + 3_600_000);
  const outputAfter = (greeting: string): string => {
    const file = writeProgram(greeting);
    utimesSync(at("greeting.ts"), later, later);
    bundlePrograms(() => [file], at("joint"));
    return ["alone", "joint"].map((cache) => outputOf(bundledProgram(file, at(cache)))).join();
  };
  const place = at("greeting.ts");
  expect(outputAfter("one")).toBe(`one ${place},one ${place}`);
  expect(outputAfter("two")).toBe(`two ${place},two ${place}`);
});

test("a source that cannot be bundled is an error with the bundler's reason, and is not cached", () => {
  const file = writeProgram("hello");
  writeFileSync(at("greeting.ts"), "export const other = 1;");
  expect(() => bundledProgram(file, at("cache"))).toThrow(/cannot bundle .*program\.ts:[^]*greeting/);
  expect(outputOf(bundledProgram(writeProgram("hello"), at("cache")))).toContain("hello");
});

test("ES modules from npm are in the bundle, CommonJS is imported from its path", () => {
  const addPackage = (name: string, type: string, code: string): void => {
    mkdirSync(at(`node_modules/${name}`), { recursive: true });
    writeFileSync(at(`node_modules/${name}/package.json`), JSON.stringify({ name, type, main: "index.js" }));
    writeFileSync(at(`node_modules/${name}/index.js`), code);
  };
  addPackage("plain", "commonjs", "module.exports = __filename;");
  addPackage(
    "modern",
    "module",
    'import plain from "../plain/index.js"; export const text = `text ${plain}`;',
  );
  writeFileSync(at("program.ts"), 'import { text } from "modern"; console.log(text);');
  const bundled = bundledProgram(at("program.ts"), at("cache"));
  rmSync(at("node_modules/modern"), { recursive: true });
  expect(outputOf(bundled)).toBe(`text ${at("node_modules/plain/index.js")}`);
});

test("the bundled entry points of a package's dependencies share their modules; packages from npm are not bundled", () => {
  const entryPoints = bundledPackages({ name: "tested", dependencies: { "@framework/jobs": "", zod: "" } });
  const used = ["jobs", "durable", "database", "core", "core/feature"].map((name) => `@framework/${name}`);
  expect(Object.keys(entryPoints)).toEqual(expect.arrayContaining(used));
  expect(Object.keys(entryPoints)).not.toContain("@framework/graphql");
  const [folder = "", ...others] = new Set(Object.values(entryPoints).map(dirname));
  expect(others).toEqual([]);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".mjs"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  expect(files.filter((text) => /FrameworkError (?:= class )?extends Error/.test(text))).toHaveLength(1);
  expect(files.filter((text) => text.includes("ZodObject"))).toEqual([]);
});

test("a change of a source under ignoredPrefix creates no new bundle", () => {
  writeProgram("one");
  const bundled = (ignoredPrefix?: string): string =>
    bundledSources(
      { program: at("program.ts") },
      { cache: at("cache"), ...(ignoredPrefix !== undefined && { ignoredPrefix }) },
    );
  const first = bundled();
  writeFileSync(at("greeting.ts"), 'export const [greeting, place] = ["two!", ""];');
  expect(bundled(at("greeting"))).toBe(first);
  expect(bundled(at("other"))).not.toBe(first);
});

/** Writes three programs, of which two share a module; returns their files. */
const writePrograms = (): string[] => {
  writeFileSync(at("shared.ts"), "export const shared = { place: import.meta.filename, unused: 1 };");
  writeFileSync(at("one.ts"), 'import { shared } from "./shared.ts"; console.log("one", shared.place);');
  const late = [
    'import { shared } from "./shared.ts"; import { name } from "./two.ts";',
    "export const print = () => console.log(name, shared.place);",
  ];
  writeFileSync(at("late.ts"), late.join("\n"));
  const two = 'export const name = "two"; void import("./late.ts").then(({ print }) => print());';
  writeFileSync(at("two.ts"), two);
  writeFileSync(at("three.ts"), 'console.log("three");');
  return ["one.ts", "two.ts", "three.ts"].map(at);
};

test("programs that are bundled together run like separate ones, and are reused until one of their sources changes", () => {
  const programs = writePrograms();
  bundlePrograms(() => programs, at("cache"));
  const found = programs.map((file) => bundledProgram(file, at("cache")));
  const place = at("shared.ts");
  expect(found.map(outputOf)).toEqual([`one ${place}`, `two ${place}`, "three"]);
  expect(readdirSync(at("cache")).filter((name) => /^programs-|lock/.test(name))).toEqual([]);
  writeFileSync(at("shared.ts"), 'export const shared = { place: "changed" };');
  const again = programs.map((file) => bundledProgram(file, at("cache")));
  expect(again.map(outputOf)).toEqual(["one changed", "two changed", "three"]);
  expect(again.map((file, index) => file === found[index])).toEqual([false, false, true]);
});

test("programs are bundled together once per cache, except those with a bundle", () => {
  const [one = "", ...others] = writePrograms();
  const first = bundledProgram(one, at("cache"));
  bundlePrograms(() => [one], at("cache"));
  expect(bundledProgram(one, at("cache"))).toBe(first);
  bundlePrograms(() => {
    throw new Error("not again");
  }, at("cache"));
  expect(outputOf(bundledProgram(others[1] ?? "", at("cache")))).toBe("three");
});

test("if one program cannot be bundled, the others are bundled separately", () => {
  const programs = writePrograms();
  writeFileSync(at("broken.ts"), 'import { missing } from "./shared.ts"; console.log(missing);');
  bundlePrograms(() => [...programs, at("broken.ts")], at("cache"));
  expect(programs.map((file) => outputOf(bundledProgram(file, at("cache"))).split(" ")[0])).toEqual([
    "one",
    "two",
    "three",
  ]);
  expect(() => bundledProgram(at("broken.ts"), at("cache"))).toThrow(/missing/);
});

test("processes that need the same bundle concurrently create it once, and the lock of a dead process does not block the others", async () => {
  const file = writeProgram("hello");
  const dead = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(dead, "exit");
  mkdirSync(at("locks"));
  writeFileSync(at("locks/dead"), String(dead.pid));
  expect(withProcessLock(at("locks/dead"), () => readFileSync(at("locks/dead"), "utf8"))).toBe(
    String(process.pid),
  );
  expect(existsSync(at("locks/dead"))).toBe(false);
  const index = JSON.stringify(new URL("./index.ts", import.meta.url).href);
  const code = `import { bundledProgram } from ${index}; console.log(bundledProgram(${JSON.stringify(file)}, ${JSON.stringify(at("cache"))}));`;
  const outputs = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      return (await child.stdout.toArray()).join("");
    }),
  );
  expect(new Set(outputs).size).toBe(1);
  const [place = ""] = readdirSync(at("cache"));
  expect(readdirSync(at(`cache/${place}`)).filter((name) => name.startsWith("bundle-"))).toHaveLength(1);
});
