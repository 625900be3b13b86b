import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { run } from "../run-node.ts";
import { extractBlocks } from "../readme-blocks/extract-blocks.ts";
import { runProblems } from "../readme-blocks/run-problems.ts";
import { runPrograms } from "../readme-blocks/run-programs.ts";
import { root } from "../root.ts";
import { readPublished, readTable, tableProblems } from "./package-table.ts";
import type { Packument, PublishedManifest } from "./registry.ts";
import { endServices } from "../first-use/created-service.ts";
import { testCommands } from "../first-use/commands.test-kit.ts";
import { documentedCommands } from "../first-use/documented.ts";
import { testFirstUse } from "../first-use/first-use.test-kit.ts";
import { rehearse, type Rehearsal } from "./rehearse.ts";

/** Whether every package is installed, with dependencies from the registry of the environment; otherwise only a sample without third-party dependencies. */
const isWhole = process.env["FRAMEWORK_RELEASE"] === "all";
const SAMPLE = ["core", "cache"];
const LIMIT_MS = isWhole ? 1_800_000 : 300_000;

const folder = mkdtempSync(join(tmpdir(), "release-"));
let rehearsal: Rehearsal;
let names: readonly string[] = [];

beforeAll(async () => {
  const upstream = isWhole ? run(root, "npm", "config", "get", "registry").trim() : undefined;
  rehearsal = await rehearse(root, folder, upstream);
  names = rehearsal.packages.map(({ manifest }) => manifest.name);
  rehearsal.release();
}, LIMIT_MS);

afterAll(async () => {
  endServices();
  await rehearsal[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const published = async (name: string): Promise<Packument> => {
  const packument = await rehearsal.registry.packument(name);
  if (packument === null) throw new Error(`${name} is not published`);
  return packument;
};

const latest = async (name: string): Promise<[version: string, manifest: PublishedManifest]> => {
  const { "dist-tags": tags, versions } = await published(name);
  const version = tags["latest"] ?? "";
  return [version, versions[version] as PublishedManifest];
};

/** Returns the versions of all packages, by name. */
const versions = async (): Promise<Record<string, string>> => {
  const all = await Promise.all(names.map(async (name) => [name, (await latest(name))[0]]));
  return Object.fromEntries(all);
};

test("the release consumes every pending changeset", () => {
  expect(globSync(".changeset/*.md", { cwd: root }).length).toBeGreaterThan(0);
  expect(globSync(".changeset/*.md", { cwd: rehearsal.repository })).toEqual([]);
});

test("every package is published, and its ranges match the versions of the published siblings", async () => {
  const all = await versions();
  expect(all["@framework/core"]).toBe("1.0.0");
  for (const name of names) {
    const [version, { dependencies, peerDependencies }] = await latest(name);
    expect([name, version]).toEqual([name, expect.stringMatching(/^(?:0\.1|1\.0)\.0$/)]);
    const siblings = Object.entries({ ...dependencies, ...peerDependencies }).filter(([to]) => to in all);
    expect([name, siblings]).toEqual([name, siblings.map(([to]) => [to, `^${all[to]}`])]);
    const core = dependencies?.["@framework/core"] ?? peerDependencies?.["@framework/core"];
    expect([name, core]).toEqual([name, name === "@framework/core" ? undefined : "^1.0.0"]);
  }
});

/**
 * Installs only this package with plain npm and runs the first example of its README, or only imports the package if the example needs a server.
 * Returns the problems.
 */
const problemsOf = (name: string): string[] => {
  const home = join(folder, "alone", name.replace("@framework/", ""));
  const { folder: at = "" } = rehearsal.packages.find(({ manifest }) => manifest.name === name) ?? {};
  const readme = readFileSync(join(root, at, "README.md"), "utf8");
  const [, line = name] = /^ {4}npm install (.+)$/m.exec(readme) ?? [];
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), JSON.stringify({ name: "alone", private: true, type: "module" }));
  rehearsal.run(home, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline", ...line.split(/\s+/));
  const block = extractBlocks(`${at}/README.md`, readme).blocks.find(
    ({ language, isRun }) => language === "ts" && isRun,
  );
  const program = join(home, "program.ts");
  writeFileSync(program, block?.code ?? `import ${JSON.stringify(name)};\n`);
  const [result] = runPrograms([program], { timeoutMs: 120_000 });
  if (block !== undefined) return runProblems(block, result);
  return result?.status === 0 ? [] : [`${name}: ${result?.stderr}`];
};

test(
  "each package, installed alone by plain npm in an empty project, runs the first example of its README",
  () => {
    const installed = isWhole ? names : SAMPLE.map((name) => `@framework/${name}`);
    expect(installed.flatMap(problemsOf)).toEqual([]);
  },
  LIMIT_MS,
);

const project = testFirstUse(join(folder, "first-use"), () => rehearsal, LIMIT_MS);
testCommands(project, () => rehearsal, LIMIT_MS);

test("the table of packages has the published dependencies and approximately the published sizes", async () => {
  const all = await Promise.all(names.map((name) => readPublished(rehearsal.registry, name)));
  const table = readTable(readFileSync(join(root, "PACKAGES.md"), "utf8"));
  expect(tableProblems(table, all)).toEqual([]);
});

test(
  "a patch of core releases only core, and framework upgrade installs it in the created service and prints its changelog",
  async () => {
    const before = await versions();
    const changeset = '---\n"@framework/core": patch\n---\n\nFixes a bug.\n';
    writeFileSync(join(rehearsal.repository, ".changeset/patch.md"), changeset);
    rehearsal.release();
    expect(await versions()).toEqual({ ...before, "@framework/core": "1.0.1" });
    expect(Object.keys((await published("@framework/cache")).versions)).toEqual(["0.1.0"]);
    const { take } = documentedCommands("README.md", readFileSync(join(project, "README.md"), "utf8"));
    const dryRun = take("npx framework upgrade --dry-run");
    const upgrade = (command: string) =>
      JSON.parse(rehearsal.run(project, "bash", "-c", `${command} --json`));
    const changes = [{ version: "1.0.1", text: expect.stringContaining("Fixes a bug.") }];
    const upgraded = [{ name: "@framework/core", from: "1.0.0", to: "1.0.1", kind: "patch", changes }];
    expect(upgrade(dryRun)).toEqual({ upgraded, held: [], skipped: [], dryRun: true });
    expect(upgrade(dryRun.replace(" --dry-run", ""))).toMatchObject({ upgraded });
    const { version } = JSON.parse(
      readFileSync(join(project, "node_modules/@framework/core/package.json"), "utf8"),
    );
    expect(version).toBe("1.0.1");
  },
  LIMIT_MS,
);
