import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { runCli, runCliJson } from "../run-cli.test-kit.ts";
import { loopbackRegistry, type TestRelease } from "./loopback-registry.test-kit.ts";
import { withVersions } from "./project-packages.ts";
import type { UpgradePlan } from "./upgrade-plan.ts";

const scope = (name: string): string => `@framework/${name}`;
const core = (version: string, changelog = ""): TestRelease => ({ name: scope("core"), version, changelog });
const cache = (version: string, range: string, changelog = ""): TestRelease => ({
  name: scope("cache"),
  version,
  changelog,
  peerDependencies: { [scope("core")]: range },
});

/** Creates a project that has versions of packages installed. */
const project = (dependencies: object, installed: readonly TestRelease[]): string => {
  const folder = mkdtempSync(join(tmpdir(), "cli-"));
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name: "shop", dependencies }, null, "\t")}\n`,
  );
  for (const release of installed) {
    const home = join(folder, "node_modules", release.name);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "package.json"), JSON.stringify(release));
  }
  return folder;
};

const manifest = (cwd: string): string => readFileSync(join(cwd, "package.json"), "utf8");
const versionOf = (cwd: string, name: string): string =>
  (JSON.parse(readFileSync(join(cwd, "node_modules", name, "package.json"), "utf8")) as TestRelease).version;

const installed = [core("1.0.0"), cache("1.0.0", "^1.0.0")];
const ranges = { [scope("core")]: "^1.0.0", [scope("cache")]: "~1.0.0", [scope("own")]: "file:../own" };

test("a dry run lists all upgrades with their changes, and a run installs them together", async () => {
  const cwd = project(ranges, installed);
  const changes =
    "# core\n\n## 2.0.0\n\n- Rename `a` to `b`.\n\n## 1.1.0\n\n- New.\n\n## 1.0.0\n\n- First.\n";
  mkdirSync(join(cwd, "../own"), { recursive: true });
  writeFileSync(join(cwd, "../own/package.json"), JSON.stringify({ name: scope("own"), version: "1.0.0" }));
  await using registry = await loopbackRegistry(cwd, [
    ...installed,
    core("2.0.0", changes),
    cache("1.4.0", "^2.0.0"),
  ]);
  const options = { cwd, environment: registry.environment };
  const before = manifest(cwd);
  const plan = await runCliJson<UpgradePlan>(["upgrade", "--dry-run"], options);
  expect(plan).toEqual({
    upgraded: [
      {
        name: scope("core"),
        from: "1.0.0",
        to: "2.0.0",
        kind: "major",
        changes: [
          { version: "2.0.0", text: "- Rename `a` to `b`." },
          { version: "1.1.0", text: "- New." },
        ],
      },
      { name: scope("cache"), from: "1.0.0", to: "1.4.0", kind: "minor", changes: [] },
    ],
    held: [],
    skipped: [{ name: scope("own"), range: "file:../own" }],
    dryRun: true,
  });
  expect([manifest(cwd), versionOf(cwd, scope("core"))]).toEqual([before, "1.0.0"]);
  const { exitCode, out } = await runCli(["upgrade"], options);
  expect([exitCode, out]).toEqual([0, expect.stringContaining("  - Rename `a` to `b`.\n")]);
  expect(manifest(cwd)).toBe(before.replace('"^1.0.0"', '"^2.0.0"').replace('"~1.0.0"', '"~1.4.0"'));
  expect([versionOf(cwd, scope("core")), versionOf(cwd, scope("cache"))]).toEqual(["2.0.0", "1.4.0"]);
  expect((await runCli(["upgrade"], options)).out).toContain(
    "every package of the framework has the newest compatible version",
  );
});

test("a package without a release for the newest core holds core back, and its range is named", async () => {
  const cwd = project({ ...ranges, [scope("own")]: "workspace:^" }, installed);
  await using registry = await loopbackRegistry(cwd, [
    ...installed,
    core("1.2.0"),
    core("2.0.0"),
    cache("1.3.0", "^1.1.0"),
  ]);
  const options = { cwd, environment: registry.environment };
  const { upgraded, held } = await runCliJson<UpgradePlan>(["upgrade", "--dry-run"], options);
  expect(upgraded.map(({ name, to }) => [name, to])).toEqual([
    [scope("core"), "1.2.0"],
    [scope("cache"), "1.3.0"],
  ]);
  expect(held).toMatchObject([
    { name: scope("cache"), peer: scope("core"), range: "^1.1.0", found: "2.0.0" },
  ]);
});

test("package.json and the lock file are restored when the installation fails, with npm's reason", async () => {
  const cwd = project({ [scope("core")]: "^1.0.0", missing: "^1.0.0" }, installed);
  writeFileSync(join(cwd, "package-lock.json"), "{}");
  await using registry = await loopbackRegistry(cwd, [core("1.1.0")]);
  const before = manifest(cwd);
  const { exitCode, err } = await runCli(["upgrade"], { cwd, environment: registry.environment });
  expect([exitCode, err]).toEqual([1, expect.stringMatching(/npm install failed: [\s\S]*missing/)]);
  expect([manifest(cwd), readFileSync(join(cwd, "package-lock.json"), "utf8")]).toEqual([before, "{}"]);
});

test("the byte order mark and indentation of a package.json are preserved", () => {
  const text = '\u{feff}{\n\t"dependencies": {\n\t\t"a": "^1.0.0"\n\t}\n}\n';
  expect(withVersions(text, new Map([["a", "1.2.0"]]))).toBe(text.replace("1.0.0", "1.2.0"));
});

test("an unreachable registry is a failure with npm's message", async () => {
  const cwd = project(ranges, installed);
  const environment = { ...(await closedRegistry(cwd)) };
  const { error } = await runCliJson<{ error: { code: string; message: string } }>(["upgrade"], {
    cwd,
    environment,
  });
  expect(error).toEqual({
    code: "CLI_NPM_FAILED",
    message: expect.stringMatching(/npm pack failed: [\s\S]*ECONNREFUSED/),
  });
});

const closedRegistry = async (cwd: string): Promise<Readonly<Record<string, string>>> => {
  await using registry = await loopbackRegistry(cwd, []);
  return registry.environment;
};

test("a folder without a package.json is an error", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "cli-"));
  expect(existsSync(join(cwd, "package.json"))).toBe(false);
  expect(await runCli(["upgrade"], { cwd })).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("no package.json"),
  });
});
