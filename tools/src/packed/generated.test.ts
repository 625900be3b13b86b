import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { extractBlocks } from "../readme-blocks/extract-blocks.ts";
import { root } from "../root.ts";
import { generateWorkspace } from "./generated-workspace.ts";
import { type Packages, packWorkspace, unpack } from "./packages.ts";
import { FAULTY_FEATURE, MISTAKES, PROGRAM, tsconfig } from "./program.ts";
import { run, runTool } from "../run-node.ts";
import { tarballProblems } from "./tarball-problems.ts";

const folder = mkdtempSync(join(tmpdir(), "generated-"));
const greeting = join(folder, "packages/greeting");
const tarballs = join(folder, "tarballs");
const project = join(folder, "project");
let packages: Packages = new Map();

beforeAll(() => {
  packWorkspace(root, tarballs, ["core"]);
  generateWorkspace(root, folder, "greeting");
  runTool(greeting, root, "typescript/bin/tsc", "-b");
  run(greeting, process.execPath, "../../tools/bundle.mjs");
  run(greeting, "pnpm", "pack", "--pack-destination", tarballs);
  packages = unpack(tarballs);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "name": "project", "private": true, "type": "module" }');
  const files = ["core", "greeting"].map((name) => join(tarballs, `framework-${name}-0.0.0.tgz`));
  run(project, "npm", "install", "--offline", "--no-audit", "--no-fund", ...files);
  writeFileSync(join(project, "program.ts"), PROGRAM);
  writeFileSync(join(project, "(mistakes) of @ann.ts"), MISTAKES);
  mkdirSync(join(project, "node_modules/faulty"));
  writeFileSync(join(project, "node_modules/faulty/index.mjs"), FAULTY_FEATURE);
  writeFileSync(join(project, "node_modules/faulty/package.json"), '{ "exports": "./index.mjs" }');
  const { compilerOptions } = tsconfig([]);
  const typeRoots = [join(root, "node_modules/@types")];
  const settings = { files: ["program.ts"], compilerOptions: { ...compilerOptions, typeRoots } };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(settings));
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a package from the generator passes the linter", () => {
  expect(runTool(greeting, root, "oxlint/bin/oxlint", "src")).toContain("0 errors");
});

test("a package from the generator passes its own tests", () => {
  const flags = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning"];
  const jest = join(root, "node_modules/jest/bin/jest.js");
  run(greeting, process.execPath, ...flags, jest, "--config", "../../jest.config.js", "--rootDir", ".");
  expect(JSON.parse(readFileSync(join(greeting, "test-results.json"), "utf8"))).toMatchObject({
    failed: 0,
    passed: 3,
  });
});

test("the package's tarball contains builds, README and licence, but no tests, source maps or references to them", () => {
  expect(tarballProblems(packages.get("@framework/greeting") ?? "", 20_000)).toEqual([]);
});

test("a program that uses the tarballs compiles with their declarations checked, and runs on plain Node", async () => {
  runTool(project, root, "typescript/bin/tsc", "-p", ".");
  const child = spawn(process.execPath, ["program.js"], { cwd: project, env: { PATH: process.env["PATH"] } });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => (output += chunk));
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    output += chunk;
    const [, url] = /^listening (http\S+)\n/m.exec(output) ?? [];
    if (url === undefined || output.includes("socket")) continue;
    const reply = await fetch(new URL("/books/9", url));
    output += `socket ${reply.status} ${reply.headers.get("X-Greeting")}\n`;
    child.kill("SIGTERM");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(output).toContain('fetch 200 packed {"id":"7"}\n');
  expect(output).toContain("socket 404 on\n");
  expect([child.exitCode, child.signalCode, output]).toEqual([0, null, output]);
});

test("a start error of the installed build names lines of the program", () => {
  const { status, stderr } = spawnSync(process.execPath, ["(mistakes) of @ann.ts"], {
    cwd: project,
    encoding: "utf8",
  });
  const at = (line: number, column: number): string =>
    `${join(realpathSync(project), "(mistakes) of @ann.ts")}:${line}:${column}`;
  expect(status).toBe(1);
  expect(stderr).toContain(`GET /books is registered twice, at ${at(5, 5)} and ${at(6, 5)}: `);
  expect(stderr).toContain(`GET /misspelt (at ${at(7, 5)}): there is no option "summry"`);
  expect(stderr).toContain(`GET /faulty (at ${at(8, 5)}): timeoutSecs must be`);
  expect(stderr).not.toMatch(/node_modules|unknown place/);
});

test("the README's service reads HOST and PORT from the environment, as in a container, and prints them", async () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [example] = extractBlocks("README.md", readme).blocks.filter(({ language }) => language === "ts");
  writeFileSync(join(project, "app.ts"), example?.code ?? "");
  const env = { PATH: process.env["PATH"], FRAMEWORK_ENV: "production", HOST: "0.0.0.0", PORT: "0" };
  const child = spawn(process.execPath, ["app.ts", "--workers", "1"], { cwd: project, env });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => (output += chunk));
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    output += chunk;
    const [, port] = /"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(output) ?? [];
    if (port === undefined || !output.includes("replaces") || output.includes("outside")) continue;
    const reply = await fetch(`http://${addressOfThisMachine()}:${port}/notes`);
    output += `outside ${reply.status} ${await reply.text()}\n`;
    child.kill("SIGTERM");
  }
  expect(output).toContain("PORT=0 replaces port 8000 of the program");
  expect(output).toContain("outside 200 []\n");
  expect(output).not.toContain("CORE_LOOPBACK_IN_CONTAINER");
});

/** Returns an address that is not a loopback address; loopback on a machine without network. */
const addressOfThisMachine = (): string =>
  Object.values(networkInterfaces())
    .flat()
    .find((info) => info?.family === "IPv4" && !info.internal)?.address ?? "127.0.0.1";

test("the installed build prints its version", () => {
  expect(run(project, process.execPath, "program.ts", "--version")).toContain("framework 0.0.0\n");
});
