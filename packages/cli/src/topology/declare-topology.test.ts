import { expect, test } from "@jest/globals";
import { runCli, runCliJson } from "../run-cli.test-kit.ts";

const cwd = import.meta.dirname;
const module = "pigeon-app.test-program.ts";

test("missing topics are created, unless --check is given", async () => {
  const app = `${module}#withMissingTopic`;
  const checked = await runCli(["topology", "--check", "--app", app], { cwd });
  expect([checked.exitCode, checked.out]).toEqual([
    1,
    "problem default (pigeon): there is no topic orders\n",
  ]);
  const created = await runCli(["topology", "--app", app], { cwd });
  expect([created.exitCode, created.out]).toEqual([0, "current default (pigeon)\n"]);
  expect(await runCliJson(["topology", "--check", "--app", app], { cwd })).toEqual({
    brokers: [{ broker: "default", system: "pigeon", problems: [] }],
    check: true,
  });
});

test("an existing queue that differs is a failure", async () => {
  const { exitCode, out } = await runCli(["topology", "--app", `${module}#withDifferentQueue`], { cwd });
  expect([exitCode, out]).toEqual([1, "problem default (pigeon): the queue has another length\n"]);
});

test("an app without messaging is refused", async () => {
  const { exitCode, err } = await runCli(["topology", "--app", "../notes-app.test-program.ts"], { cwd });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("the app has no messaging")]);
});
