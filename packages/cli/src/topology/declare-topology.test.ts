import { expect, test } from "@jest/globals";
import { said, saidJson } from "../said.test-kit.ts";

const cwd = import.meta.dirname;
const module = "pigeon-app.test-program.ts";

test("what is missing is created, unless it is only checked", async () => {
  const app = `${module}#lacking`;
  const checked = await said(["topology", "--check", "--app", app], { cwd });
  expect([checked.exitCode, checked.out]).toEqual([
    1,
    "problem default (pigeon): there is no topic orders\n",
  ]);
  const created = await said(["topology", "--app", app], { cwd });
  expect([created.exitCode, created.out]).toEqual([0, "current default (pigeon)\n"]);
  expect(await saidJson(["topology", "--check", "--app", app], { cwd })).toEqual({
    brokers: [{ broker: "default", system: "pigeon", problems: [] }],
    check: true,
  });
});

test("what exists in another form is a failure", async () => {
  const { exitCode, out } = await said(["topology", "--app", `${module}#different`], { cwd });
  expect([exitCode, out]).toEqual([1, "problem default (pigeon): the queue has another length\n"]);
});

test("an app without messaging is refused", async () => {
  const { exitCode, err } = await said(["topology", "--app", "../notes-app.test-program.ts"], { cwd });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("the app has no messaging")]);
});
