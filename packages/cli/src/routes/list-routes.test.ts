import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { said, saidJson } from "../said.test-kit.ts";

const cwd = `${import.meta.dirname}/..`;
const module = "notes-app.test-program.ts";

test("the routes of an app are listed with method, path, guards, tags and origin", async () => {
  const { exitCode, out } = await said(["routes", module], { cwd });
  expect(exitCode).toBe(0);
  const lines = out.split("\n");
  expect(lines[0]).toMatch(/^METHOD +PATH +GUARDS +TAGS +FROM$/);
  expect(lines).toContainEqual(expect.stringMatching(/^GET +\/notes\/\{id\} +– +notes +app$/));
  expect(lines).toContainEqual(expect.stringMatching(/^GET +\/secret\/plan +onlyFriends +– +app$/));
  expect(out).toMatch(/\n\n13 routes\n$/);
});

test("--path and --method select routes, and --json has the data", async () => {
  expect(await saidJson(["routes", module, "--path", "notes", "--method", "get"], { cwd })).toEqual({
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
    expect(await saidJson(["routes", path])).toMatchObject({
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
])("routes %s fails and says why", async (path, message) => {
  const { exitCode, err } = await said(["routes", path], { cwd });
  expect([exitCode, err]).toEqual([1, expect.stringContaining(message)]);
});

test("without a module, the conventional ones are tried and named", async () => {
  const { exitCode, err } = await said(["routes"], { cwd: import.meta.dirname });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("none of src/app.ts, app.ts")]);
});

test("an app that is exported itself is used as it is", async () => {
  const { exitCode, out } = await said(["routes", `${module}#other`], { cwd });
  expect([exitCode, out]).toEqual([0, expect.stringContaining("0 routes")]);
});
