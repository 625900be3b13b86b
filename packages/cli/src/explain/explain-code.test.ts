import { execFileSync } from "node:child_process";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { runCli } from "../run-cli.test-kit.ts";

const root = join(import.meta.dirname, "../../../..");

interface Listed {
  readonly code: string;
  readonly package: string;
  readonly summary: string;
  readonly action: string;
}

/** Runs the program in a separate process. */
const program = (cwd: string, ...words: readonly string[]): string =>
  execFileSync(
    process.execPath,
    ["--conditions=@framework/source", join(root, "packages/cli/src/main.ts"), ...words],
    { cwd, encoding: "utf8", timeout: 120_000, env: { ...process.env, NODE_OPTIONS: "" } },
  );

/** Creates a project with every package of the workspace installed. */
const projectWithEveryPackage = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  mkdirSync(join(folder, "node_modules/@framework"), { recursive: true });
  for (const name of readdirSync(join(root, "packages")))
    symlinkSync(join(root, "packages", name), join(folder, "node_modules/@framework", name), "junction");
  return folder;
};

/** Explains each code, all in one process, and prints the results. */
const PAGES = `import { commandLine } from ${JSON.stringify(join(root, "packages/cli/src/command-line.ts"))};
const pages = [];
for (const code of JSON.parse(process.argv[1])) {
  let out = "";
  const exitCode = await commandLine(["explain", code, "--json"], { write: (text) => (out += text) });
  pages.push({ exitCode, ...JSON.parse(out) });
}
process.stdout.write(JSON.stringify(pages), () => process.exit());`;

test("every code of every package's error-codes.ts is listed with cause and remedy, and one code of each package has a page", () => {
  const paths = globSync(["packages/*/src/error-codes.ts", "packages/core/src/errors/error-codes.ts"], {
    cwd: root,
  });
  const expected = paths.map((path) =>
    Array.from(
      readFileSync(join(root, path), "utf8").matchAll(/^ {2}([A-Z][A-Z0-9_]+): \{/gm),
      ([, code = ""]) => ({ code, package: `@framework/${path.split("/")[1]}` }),
    ),
  );
  expect(expected.flat().length).toBeGreaterThan(300);
  const cwd = projectWithEveryPackage();
  const { codes } = JSON.parse(program(cwd, "explain", "--json")) as { codes: Listed[] };
  expect(codes).toEqual(expect.arrayContaining(expected.flat().map((one) => expect.objectContaining(one))));
  for (const { code, summary, action } of codes)
    expect([code, summary.length > 5, action.length > 5]).toEqual([code, true, true]);
  const samples = expected.flatMap((ofPackage) => ofPackage.slice(0, 1));
  const flags = ["--conditions=@framework/source", "--input-type=module", "--eval", PAGES];
  const out = execFileSync(process.execPath, [...flags, JSON.stringify(samples.map(({ code }) => code))], {
    cwd,
    encoding: "utf8",
    timeout: 120_000,
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const pages = JSON.parse(out) as (Listed & { exitCode: number })[];
  expect(pages.map(({ exitCode, code, package: name }) => [exitCode, code, name])).toEqual(
    samples.map(({ code, package: name }) => [0, code, name]),
  );
});

test("without a code all codes are listed, with the package of each", () => {
  const { codes } = JSON.parse(program(project(), "explain", "--json")) as { codes: Listed[] };
  expect(codes).toContainEqual(
    expect.objectContaining({ code: "KETTLE_EMPTY", package: "@framework/kettle" }),
  );
  expect(codes).toContainEqual(expect.objectContaining({ code: "CLI_USAGE", package: "@framework/cli" }));
});

/** Creates a project with one installed package of the framework. */
const project = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  const home = join(folder, "node_modules/@framework/kettle");
  mkdirSync(join(home, "docs"), { recursive: true });
  writeFileSync(
    join(home, "package.json"),
    JSON.stringify({
      name: "@framework/kettle",
      version: "1.0.0",
      type: "module",
      exports: { ".": "./index.js" },
    }),
  );
  writeFileSync(
    join(home, "index.js"),
    `export const kettleErrors = { KETTLE_EMPTY: { status: 503, summary: "there is no water", action: "fill it" } };`,
  );
  writeFileSync(join(home, "README.md"), "# Kettle\n\n| `KETTLE_EMPTY` | there is no water | fill it |\n");
  writeFileSync(
    join(home, "docs/water.md"),
    "# Water\n\nNothing here.\n\n## Filling\n\n`KETTLE_EMPTY` appears below 100 ml.\n\nKETTLE_EMPTY_LONG is another.\n",
  );
  return folder;
};

test("the page of a code has package, status, cause, remedy and passages of the documents", () => {
  const out = program(project(), "explain", "kettle_empty");
  expect(out.split("\n").map((line) => line.trim())).toEqual([
    "KETTLE_EMPTY",
    "",
    "Package  @framework/kettle",
    "Status   503",
    "Cause    there is no water",
    "Remedy   fill it",
    "Page     https://framework.github.io/framework/errors/KETTLE_EMPTY/",
    "",
    "docs/water.md · Filling",
    "`KETTLE_EMPTY` appears below 100 ml.",
    "",
  ]);
});

test("a code block of the documents is neither quoted nor a heading, also if it has blank lines", async () => {
  const cwd = project();
  const path = join(cwd, "node_modules/@framework/kettle/docs/water.md");
  const block = "```sh\n# a comment\n\nKETTLE_EMPTY\n```\n\n";
  const nested = `\`${block.trimEnd()}\n\nKETTLE_EMPTY\n\`\`\`\`\n\n`;
  const text = readFileSync(path, "utf8").replace("`KETTLE_EMPTY` appears", `${block}${nested}$&`);
  writeFileSync(path, `${text}\n\n~~~\n\nKETTLE_EMPTY: a block without an end\n`);
  const { out } = await runCli(["explain", "KETTLE_EMPTY", "--json"], { cwd });
  expect((JSON.parse(out) as { documents: unknown }).documents).toEqual([
    { path: "docs/water.md", heading: "Filling", text: "`KETTLE_EMPTY` appears below 100 ml." },
  ]);
});

test("the project's own codes are explained with the project as their package", () => {
  const cwd = project();
  writeFileSync(
    join(cwd, "package.json"),
    JSON.stringify({ name: "shop", type: "module", framework: { errors: "codes.js" } }),
  );
  writeFileSync(
    join(cwd, "codes.js"),
    `export const shopErrors = { SHOP_SOLD_OUT: { status: 409, summary: "no copy is left", action: "ask again" } };`,
  );
  expect(program(cwd, "explain", "SHOP_SOLD_OUT").split("\n").slice(2, 6)).toEqual([
    "Package  shop",
    "Status   409",
    "Cause    no copy is left",
    "Remedy   ask again",
  ]);
});

test("codes of the command line are explained in any folder", async () => {
  const { exitCode, out } = await runCli(["explain", "CLI_NO_APP"], { cwd: tmpdir() });
  expect([exitCode, out]).toEqual([0, expect.stringContaining("Remedy   pass the path")]);
});

test("for an unknown code the nearest code is suggested", async () => {
  const { exitCode, err } = await runCli(["explain", "CLI_NO_APPS"], { cwd: tmpdir() });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("did you mean CLI_NO_APP?")]);
});

test("a method without a path is a usage error", async () => {
  const { exitCode, err } = await runCli(["explain", "GET"]);
  expect([exitCode, err]).toEqual([2, "error: explain GET needs the path of a request, such as /books/1\n"]);
});
