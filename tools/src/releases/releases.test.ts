import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { root } from "../root.ts";

const run = (cwd: string, program: string, ...args: string[]): void => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stdout}${stderr}`);
};

const write = (folder: string, path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

const versionOf = (folder: string, name: string): string =>
  JSON.parse(readFileSync(join(folder, "packages", name, "package.json"), "utf8")).version;

/** Runs changesets in a separate repository to compute and write the next versions. */
const release = (folder: string): void => {
  for (const path of ["package.json", "pnpm-workspace.yaml", ".changeset/config.json"]) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  run(folder, "git", "init", "--quiet", "--initial-branch=main");
  run(folder, "git", "add", "--all");
  run(
    folder,
    "git",
    "-c",
    "user.name=t",
    "-c",
    "user.email=t@localhost",
    "commit",
    "--quiet",
    "--message=all",
  );
  run(folder, process.execPath, join(root, "node_modules/@changesets/cli/bin.js"), "version");
};

const core = { "@framework/core": "workspace:^" };
const packages = {
  core: { name: "@framework/core", version: "1.0.0" },
  cache: { name: "@framework/cache", version: "1.3.0", peerDependencies: core, devDependencies: core },
  cors: { name: "@framework/cors", version: "2.0.4", peerDependencies: core, devDependencies: core },
};

test.each([
  ["core", "minor", { core: "1.1.0", cache: "1.3.0", cors: "2.0.4" }],
  ["core", "patch", { core: "1.0.1", cache: "1.3.0", cors: "2.0.4" }],
  ["cache", "minor", { core: "1.0.0", cache: "1.4.0", cors: "2.0.4" }],
])("a release of %s (%s) leaves the versions of the other packages unchanged", (name, bump, versions) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "release-"));
  for (const [home, manifest] of Object.entries(packages)) {
    write(folder.path, `packages/${home}/package.json`, JSON.stringify(manifest));
  }
  write(folder.path, ".changeset/one.md", `---\n"@framework/${name}": ${bump}\n---\n\nNews.\n`);
  release(folder.path);
  const found = Object.keys(versions).map((home) => [home, versionOf(folder.path, home)]);
  expect(Object.fromEntries(found)).toEqual(versions);
});
