import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { runCli, runCliJson } from "../run-cli.test-kit.ts";

const create = join(import.meta.dirname, "../../../create");

/** Creates a folder that has `@framework/create` installed, as a link to the package itself. */
const folderWithCreate = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  mkdirSync(join(folder, "node_modules/@framework"), { recursive: true });
  symlinkSync(create, join(folder, "node_modules/@framework/create"), "junction");
  return folder;
};

test("a service is written by the installed @framework/create", async () => {
  const cwd = folderWithCreate();
  const { exitCode, out } = await runCli(["new", "notes", "--variant", "minimal"], { cwd });
  expect(exitCode).toBe(0);
  expect(out).toBe(`notes/
  .gitignore
  README.md
  package.json
  src/app.test.ts
  src/app.ts
  src/main.ts
  tsconfig.json

Next:
  cd notes && npm install
  npm run dev
`);
  expect(JSON.parse(readFileSync(join(cwd, "notes/package.json"), "utf8"))).toMatchObject({ name: "notes" });
  const again = await runCliJson(["new", "notes"], { cwd });
  expect(again).toMatchObject({ error: { code: "CREATE_NOT_EMPTY" } });
});

test("an invalid service name is a usage error", async () => {
  const cwd = folderWithCreate();
  expect(await runCli(["new", "My_Service"], { cwd })).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining("cannot name a service"),
  });
  expect(existsSync(join(cwd, "My_Service"))).toBe(false);
});

test.each(["--help", "--variant"])("%s after -- is an invalid name, not an option", async (name) => {
  expect(await runCli(["new", "--", name], { cwd: folderWithCreate() })).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining(`${name} cannot name a service`),
  });
});

/** Creates an environment with a fake npm that runs the given shell lines. */
const environmentWithNpm = (lines: string): Readonly<Record<string, string>> => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  writeFileSync(join(folder, "npm"), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  return { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
};

test("without an installed @framework/create, npm fetches the latest version and passes name and variant to it", async () => {
  const environment = environmentWithNpm(
    `printf '\\n> npx\\n> create\\n\\n{ "name": "%s", "files": ["a.ts"], "next": ["cd notes"] }' "$*"`,
  );
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  expect(await runCliJson(["new", "notes", "--variant", "full"], { cwd, environment })).toMatchObject({
    name: "exec --yes -- @framework/create notes --json --variant full",
  });
});

test.each([
  [
    `printf '{ "error": { "code": "CREATE_NOT_EMPTY", "message": "notes is not empty" } }'; exit 1`,
    "CREATE_NOT_EMPTY",
  ],
  [`printf '{ "error": { "code": null, "message": "not empty: EACCES" } }'; exit 1`, null],
  ["echo 'npm error code ECONNREFUSED' >&2; echo 'npm error no connection' >&2; exit 1", "CLI_NPM_FAILED"],
])("if npm fails, the error has its message: %j", async (lines, code) => {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  const { exitCode, out } = await runCli(["new", "notes", "--json"], {
    cwd,
    environment: environmentWithNpm(lines),
  });
  expect([exitCode, JSON.parse(out)]).toMatchObject([
    1,
    { error: { code, message: expect.stringMatching(/not empty|no connection/) } },
  ]);
});
