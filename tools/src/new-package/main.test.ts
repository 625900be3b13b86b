import { spawnSync } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../root.ts";
import { scratchFolder } from "../scratch-folder.ts";

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

test("without oxfmt the command writes the package, and fails with the reason", () => {
  using workspace = scratchFolder(root);
  for (const part of ["package.json", "new-package", "src/new-package", "src/root.ts"])
    cpSync(join(root, "tools", part), join(workspace.path, "tools", part), { recursive: true });
  const environment = Object.entries(process.env).filter(([name]) => !/^path$/i.test(name));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(workspace.path, "tools/src/new-package/main.ts"), "shelf"],
    { encoding: "utf8", env: { ...Object.fromEntries(environment), PATH: "" } },
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^the files are written but not formatted, because oxfmt failed: .+; run pnpm oxfmt packages\/shelf$/m,
  );
  expect(stdout).toContain("packages/shelf/package.json");
  expect(existsSync(join(workspace.path, "packages/shelf/package.json"))).toBe(true);
});
