import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { runCli, runCliJson } from "../run-cli.test-kit.ts";

const cwd = `${import.meta.dirname}/..`;
const module = "notes-app.test-program.ts";

test("the routes of an app are listed with method, path, guards, tags and origin", async () => {
  const { exitCode, out } = await runCli(["routes", module], { cwd });
  expect(exitCode).toBe(0);
  const lines = out.split("\n");
  expect(lines[0]).toMatch(/^METHOD +PATH +GUARDS +TAGS +FROM$/);
  expect(lines).toContainEqual(expect.stringMatching(/^GET +\/notes\/\{id\} +– +notes +app$/));
  expect(lines).toContainEqual(expect.stringMatching(/^GET +\/secret\/plan +onlyFriends +– +app$/));
  expect(out).toMatch(/\n\n14 routes\n$/);
});

test("--path and --method select routes, and --json has the data", async () => {
  expect(await runCliJson(["routes", module, "--path", "notes", "--method", "get"], { cwd })).toEqual({
    routes: [
      {
        method: "GET",
        path: "/notes/{id}",
        guards: [],
        auth: [],
        tags: ["notes"],
        feature: null,
        summary: "one note",
      },
    ],
  });
});

test.each(["await app.run({ port: 0 });", "void app.run({ port: 0 }); export { app };"])(
  "a module that calls run is refused, and not run: %s",
  async (call) => {
    const path = join(mkdtempSync(join(tmpdir(), "cli-")), "app.ts");
    const core = JSON.stringify(join(import.meta.dirname, "../../../core/src/index.ts"));
    writeFileSync(path, `import { App } from ${core};\nconst app = new App();\n${call}\n`);
    const message = `${path} calls run itself; export the app and call run in another file`;
    expect(await runCliJson(["routes", path])).toMatchObject({
      error: { code: "CLI_NO_APP", message: expect.stringContaining(message) },
    });
  },
);

test.each([
  [`${module}#version`, "version of"],
  [`${module}#createBrokenApp`, "failed: DATABASE_URL is missing\nframework explain CLI_APP_FAILED"],
  ["nowhere.ts", "there is no file nowhere.ts in"],
  [
    "error-codes.ts",
    "exports no app: export one as default, app, or a function createApp (its exports: cliErrors)",
  ],
])("routes %s fails with the reason", async (path, message) => {
  const { exitCode, err } = await runCli(["routes", path], { cwd });
  expect([exitCode, err]).toEqual([1, expect.stringContaining(message)]);
});

test("without a module, the conventional ones are tried, and named in the error", async () => {
  const { exitCode, err } = await runCli(["routes"], { cwd: import.meta.dirname });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("none of src/app.ts, app.ts")]);
});

test("an exported app is used directly", async () => {
  const { exitCode, out } = await runCli(["routes", `${module}#other`], { cwd });
  expect([exitCode, out]).toEqual([0, expect.stringContaining("0 routes")]);
});

/** The members of an app that commands use, without core. */
const APP = "{ routes: [], start() {}, stop() {}, fetch() {}, run() {}, snapshot() {} }";

test("folders and files may have a # in their names", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "cli-")), "my proj ü#1");
  mkdirSync(folder);
  const path = join(folder, "app#2.mjs");
  writeFileSync(path, `export const app = ${APP};\nexport const other = app;\n`);
  expect((await runCli(["routes", path])).out).toMatch(/\n0 routes\n$/);
  expect((await runCli(["routes", `${path}#other`])).out).toMatch(/\n0 routes\n$/);
  expect(await runCli(["routes", `${folder}/none.ts`])).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining(`there is no file ${folder}/none.ts in`),
  });
});

test.each([
  ["", 'there is no file "" in'],
  ["src", "there is no file src in"],
])("framework.app of package.json must name a file: %j", async (app, problem) => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ framework: { app } }));
  expect((await runCliJson<Failed>(["routes"], { cwd: folder })).error).toEqual({
    code: "CLI_NO_APP",
    message: `${problem} ${folder}, which framework.app of package.json names`,
  });
});

interface Failed {
  readonly error: { readonly code: string; readonly message: string };
}

test.each([["routes"], ["doctor"], ["upgrade"]])(
  "%s names a package.json that is not a JSON object, and reads one with a byte order mark",
  async (command) => {
    const folder = mkdtempSync(join(tmpdir(), "cli-"));
    const path = join(folder, "package.json");
    for (const text of ['{ "name": ', "null", "[]", ""]) {
      writeFileSync(path, text);
      const { error } = await runCliJson<Failed>([command], { cwd: folder });
      expect(error).toEqual({
        code: "CLI_BAD_PACKAGE_JSON",
        message: expect.stringContaining(`${path} cannot be read: `),
      });
    }
    writeFileSync(path, `\u{feff}${JSON.stringify({ framework: { app: "app.mjs" } })}`);
    writeFileSync(join(folder, "app.mjs"), `export const app = ${APP};\n`);
    expect(await runCli([command], { cwd: folder })).toMatchObject({ exitCode: 0, err: "" });
  },
);
