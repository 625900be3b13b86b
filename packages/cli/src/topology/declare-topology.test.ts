import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { said, saidJson } from "../said.test-kit.ts";

const source = (name: string): string =>
  JSON.stringify(join(import.meta.dirname, `../../../${name}/src/index.ts`));

/** Writes a module with an app whose broker lacks a topic until it is created, and lacks another one for ever when `isDifferent`. */
const appWith = (isDifferent: boolean): string => {
  const path = join(mkdtempSync(join(tmpdir(), "cli-")), "app.ts");
  writeFileSync(
    path,
    `import { App } from ${source("core")};
import { memoryBroker, messaging } from ${source("messaging")};
const inner = memoryBroker();
const found = new Set();
const topology = async ({ topics }, mode) => {
  if (mode === "create") for (const topic of topics) found.add(topic);
  const missing = topics.filter((topic) => !found.has(topic)).map((topic) => \`there is no topic \${topic}\`);
  return ${isDifferent} ? [...missing, "the queue has another length"] : missing;
};
const broker = { ...inner, name: "pigeon", open: (context) => ({ ...inner.open(context), topology }) };
export const app = new (App.with(messaging))().enableMessaging({ broker, topics: ["orders"] });`,
  );
  return path;
};

test("what is missing is created, unless it is only checked", async () => {
  const app = appWith(false);
  const checked = await said(["topology", "--check", "--app", app]);
  expect([checked.exitCode, checked.out]).toEqual([
    1,
    "problem default (pigeon): there is no topic orders\n",
  ]);
  const created = await said(["topology", "--app", app]);
  expect([created.exitCode, created.out]).toEqual([0, "current default (pigeon)\n"]);
  expect(await saidJson(["topology", "--check", "--app", app])).toEqual({
    brokers: [{ broker: "default", system: "pigeon", problems: [] }],
    check: true,
  });
});

test("what exists in another form is a failure", async () => {
  const { exitCode, out } = await said(["topology", "--app", appWith(true)]);
  expect([exitCode, out]).toEqual([1, "problem default (pigeon): the queue has another length\n"]);
});

test("an app without messaging is refused", async () => {
  const app = join(import.meta.dirname, "../notes-app.test-program.ts");
  const { exitCode, err } = await said(["topology", "--app", app]);
  expect([exitCode, err]).toEqual([1, expect.stringContaining("the app has no messaging")]);
});
