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

test("a prerelease is upgraded to its release", async () => {
  const cwd = project({ [scope("core")]: "^2.0.0-rc.1" }, [core("2.0.0-rc.1")]);
  const changes = "# core\n\n## 2.0.0\n\n- Done.\n\n## 2.0.0-rc.1\n\n- Nearly.\n";
  await using registry = await loopbackRegistry(cwd, [core("2.0.0-rc.1"), core("2.0.0", changes)]);
  const options = { cwd, environment: registry.environment };
  const { upgraded } = await runCliJson<UpgradePlan>(["upgrade", "--dry-run"], options);
  expect(upgraded).toEqual([
    {
      name: scope("core"),
      from: "2.0.0-rc.1",
      to: "2.0.0",
      kind: "patch",
      changes: [{ version: "2.0.0", text: "- Done." }],
    },
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

test("a malformed package.json in a folder above the project is not read as a workspace", async () => {
  const root = mkdtempSync(join(tmpdir(), "cli-"));
  const cwd = join(root, "shop");
  mkdirSync(cwd);
  writeFileSync(join(root, "package.json"), "{");
  const dependencies = { [scope("core")]: "^1.0.0", missing: "^1.0.0" };
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ dependencies }));
  await using registry = await loopbackRegistry(cwd, [core("1.1.0")]);
  const { exitCode, err } = await runCli(["upgrade"], { cwd, environment: registry.environment });
  expect([exitCode, err]).toEqual([1, expect.stringContaining("npm install failed")]);
});

test("in a workspace, the package manager of the workspace's lock file installs", async () => {
  const root = mkdtempSync(join(tmpdir(), "cli-"));
  const [cwd, programs] = [join(root, "packages/shop"), join(root, "programs")];
  for (const folder of [cwd, programs]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, "pnpm-workspace.yaml"), "packages: [packages/*]\n");
  writeFileSync(join(root, "pnpm-lock.yaml"), "lock: 1\n");
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ dependencies: { [scope("core")]: "^1.0.0" } }));
  const spoil = 'echo "lock: 2" > ../../pnpm-lock.yaml; echo "pnpm $* in $PWD" >&2; exit 1';
  writeFileSync(join(programs, "pnpm"), `#!/bin/sh\n${spoil}\n`, { mode: 0o755 });
  await using registry = await loopbackRegistry(root, [core("1.1.0")]);
  const environment = {
    ...registry.environment,
    PATH: `${programs}:${registry.environment["PATH"]}`,
  };
  const { exitCode, err } = await runCli(["upgrade"], { cwd, environment });
  expect([exitCode, err]).toEqual([
    1,
    expect.stringContaining(`pnpm install failed: pnpm install in ${cwd}`),
  ]);
  expect(readFileSync(join(root, "pnpm-lock.yaml"), "utf8")).toBe("lock: 1\n");
});

test("the peer ranges of packages installed in the workspace's folder are respected", async () => {
  const audit = { name: "audit", version: "3.0.0", peerDependencies: { [scope("core")]: "^1.0.0" } };
  const cwd = join(project({}, [core("1.1.0"), audit]), "packages/shop");
  mkdirSync(cwd, { recursive: true });
  const dependencies = { [scope("core")]: "^1.0.0", audit: "^3.0.0" };
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ dependencies }));
  await using registry = await loopbackRegistry(cwd, [core("1.1.0"), core("1.2.0"), core("2.0.0")]);
  const options = { cwd, environment: registry.environment };
  const { upgraded, held } = await runCliJson<UpgradePlan>(["upgrade", "--dry-run"], options);
  expect(upgraded.map(({ name, from, to }) => [name, from, to])).toEqual([[scope("core"), "1.1.0", "1.2.0"]]);
  expect(held).toMatchObject([{ name: "audit", peer: scope("core"), range: "^1.0.0", found: "2.0.0" }]);
});

test("the byte order mark and indentation of a package.json are preserved", () => {
  const text = '\u{feff}{\n\t"dependencies": {\n\t\t"a": "^1.0.0"\n\t}\n}\n';
  expect(withVersions(text, new Map([["a", "1.2.0"]]))).toBe(text.replace("1.0.0", "1.2.0"));
});

test("the line breaks of a package.json are preserved", () => {
  const text = '{\r\n  "dependencies": {\r\n    "a": "^1.0.0"\r\n  }\r\n}\r\n';
  expect(withVersions(text, new Map([["a", "1.2.0"]]))).toBe(text.replace("1.0.0", "1.2.0"));
});

test.each([
  [{ [scope("own")]: "workspace:^" }, "no package of the framework has a range that can be upgraded"],
  [{ left: "^1.0.0" }, "package.json names no package of the framework"],
])(
  "dependencies %j, without a package to upgrade, are not reported as up to date",
  async (dependencies, message) => {
    const { exitCode, out } = await runCli(["upgrade"], { cwd: project(dependencies, []) });
    expect([exitCode, out.split("\n")[0]]).toEqual([0, message]);
  },
);

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
