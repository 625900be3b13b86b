import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { importInstalled } from "../app/import-installed.ts";
import { eventLoopClock, runCli } from "../run-cli.test-kit.ts";

/** Creates a project whose `@framework/client` writes a line for the title and each path of a document. */
const project = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  const home = join(folder, "node_modules/@framework/client");
  mkdirSync(home, { recursive: true });
  const manifest = { name: "@framework/client", version: "1.0.0", type: "module", exports: "./index.js" };
  writeFileSync(join(home, "package.json"), JSON.stringify(manifest));
  writeFileSync(
    join(home, "index.js"),
    "export const generateClient = ({ info, paths }) => [`// ${info.title}`, ...Object.keys(paths), ''].join('\\n');",
  );
  return folder;
};

const document = (...paths: readonly string[]): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Notes" },
    paths: Object.fromEntries(paths.map((path) => [path, {}])),
  });

test("a client is written once, and --check reports a changed API", async () => {
  const cwd = project();
  const words = ["client", "src/api.ts", "--document", "api.json"];
  writeFileSync(join(cwd, "api.json"), document("/notes"));
  expect((await runCli([...words, "--check"], { cwd })).exitCode).toBe(1);
  expect(await runCli(words, { cwd })).toEqual({ exitCode: 0, out: "wrote src/api.ts\n", err: "" });
  expect(readFileSync(join(cwd, "src/api.ts"), "utf8")).toBe("// Notes\n/notes\n");
  expect((await runCli(words, { cwd })).out).toBe("src/api.ts is up to date\n");
  expect(await runCli([...words, "--check"], { cwd })).toMatchObject({
    exitCode: 0,
    out: "src/api.ts is current\n",
  });
  writeFileSync(join(cwd, "api.json"), document("/notes", "/tags"));
  const { exitCode, out } = await runCli([...words, "--check"], { cwd });
  expect([exitCode, out.split("\n").slice(0, 3)]).toEqual([
    1,
    ["src/api.ts differs from the API in line 3", "-", "+ /tags"],
  ]);
  expect(readFileSync(join(cwd, "src/api.ts"), "utf8")).toBe("// Notes\n/notes\n");
});

test("the document of an app is read without a server", async () => {
  const cwd = project();
  const path = join(cwd, "app.mjs");
  const core = join(import.meta.dirname, "../../../core/src/index.ts");
  writeFileSync(
    path,
    `import { App } from ${JSON.stringify(core)};
export const createApp = () => {
  const app = new App();
  app.get("/openapi.json", () => (${document("/books")}));
  return app;
};`,
  );
  expect((await runCli(["client", "api.ts"], { cwd })).exitCode).toBe(0);
  expect(readFileSync(join(cwd, "api.ts"), "utf8")).toBe("// Notes\n/books\n");
  const { exitCode, err } = await runCli(["client", "api.ts", "--path", "/none.json"], { cwd });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("the reply to GET /none.json has status 404")]);
});

test("a byte order mark in a document, and Windows line breaks in the checked file, do not count as differences", async () => {
  const cwd = project();
  const words = ["client", "api.ts", "--document", "api.json"];
  writeFileSync(join(cwd, "api.json"), `\u{feff}${document("/notes")}`);
  expect(await runCli(words, { cwd })).toEqual({ exitCode: 0, out: "wrote api.ts\n", err: "" });
  writeFileSync(join(cwd, "api.ts"), "// Notes\r\n/notes\r\n");
  expect((await runCli([...words, "--check"], { cwd })).out).toBe("api.ts is current\n");
});

test("an output of - is standard output", async () => {
  const cwd = project();
  writeFileSync(join(cwd, "api.json"), document("/notes"));
  const words = ["client", "-", "--document", "api.json"];
  expect(await runCli(words, { cwd })).toEqual({ exitCode: 0, out: "// Notes\n/notes\n", err: "" });
  expect(readdirSync(cwd)).not.toContain("-");
  expect((await runCli([...words, "--check"], { cwd })).exitCode).toBe(2);
});

test("the error for a missing package has the command that installs it", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  // Not @framework/client itself: jest also finds packages that pnpm links for the whole workspace.
  await expect(importInstalled("@framework/unknown", cwd)).rejects.toMatchObject({
    code: "CLI_NO_PACKAGE",
    message: expect.stringContaining("npm install @framework/unknown") as unknown,
  });
});

test.each([
  [
    "above 32 MiB",
    'for (let part = 0; part < 40; part++) yield "x".repeat(1_000_000);',
    {},
    "is longer than 33554432 bytes",
  ],
  [
    "that pauses",
    'yield "{"; await new Promise(() => {});',
    { clock: eventLoopClock },
    "no reply within 30 s",
  ],
])("a document %s ends the command with an error", async (_, chunks, options, message) => {
  const cwd = project();
  const core = join(import.meta.dirname, "../../../core/src/index.ts");
  writeFileSync(
    join(cwd, "app.mjs"),
    `import { App, Response } from ${JSON.stringify(core)};
export const createApp = () => {
  const app = new App();
  app.get("/openapi.json", () => Response.stream((async function* () { ${chunks} })()));
  return app;
};`,
  );
  const { exitCode, err } = await runCli(["client", "api.ts"], { cwd, ...options });
  expect([exitCode, err]).toEqual([1, expect.stringContaining(message)]);
});
