import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const generate = (...args: string[]): { status: number | null; stderr: string } =>
  spawnSync(process.execPath, [join(import.meta.dirname, "main.ts"), ...args], { encoding: "utf8" });

test.each([
  [[], "usage: pnpm new:package NAME [--feature enableX]\n"],
  [["one", "two"], "usage: pnpm new:package NAME [--feature enableX]\n"],
  [["core"], "packages/core exists already; choose another name or remove it first\n"],
  [["Cache"], '"Cache" is not a package name: use one or two words in kebab-case, such as rate-limit\n'],
])("with %j the command fails and prints the reason in one line", (args, message) => {
  expect(generate(...args)).toMatchObject({ status: 1, stderr: message });
});

test("an unknown flag prints the usage", () => {
  const { status, stderr } = generate("cache", "--method", "enableCaching");
  expect(status).toBe(1);
  expect(stderr).toContain("usage: pnpm new:package");
});
