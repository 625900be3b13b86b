import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPackageJson } from "../app/read-package-json.ts";
import { compareVersions } from "../doctor/rules/version-range.ts";
import type { Context, RunCommand } from "../frame/command.ts";
import { npmError, tryNpm } from "../npm/run-npm.ts";
import { entriesBetween } from "./changelog.ts";
import { type Choosable, chooseVersions } from "./choose-versions.ts";
import { type ProjectPackages, readProject, versionIn, withVersions } from "./project-packages.ts";
import { fetchPackages, type PublishedPackage, releasedVersions } from "./published-packages.ts";
import { upgradeLines } from "./upgrade-lines.ts";
import type { PackageUpgrade, UpgradePlan } from "./upgrade-plan.ts";

export const upgradeProject: RunCommand = async (given, context) => {
  const { cwd, progress } = context;
  const project = readProject(cwd);
  progress.show(0.1, `requesting ${project.upgradable.length} packages from the registry`);
  const newest = await fetchPackages(
    project.upgradable.map(({ name }) => `${name}@latest`),
    context,
  );
  progress.show(0.5, "comparing peer ranges");
  const { versions, conflicts } = await choose(project, newest, context);
  const plan: UpgradePlan = {
    upgraded: await changesOf(project, newest, versions, context),
    held: conflicts,
    skipped: project.skipped,
    dryRun: given.flag("dry-run"),
  };
  if (!plan.dryRun && plan.upgraded.length > 0) {
    progress.show(0.7, "installing");
    await install(project, plan.upgraded, context);
  }
  return { ok: true, data: plan, lines: upgradeLines(plan, project.upgradable.length) };
};

const currentOf = ({ upgradable, installed }: ProjectPackages, name: string): string =>
  installed.get(name)?.version ?? versionIn(upgradable.find((each) => each.name === name)?.range ?? "");

/** Chooses the newest versions if they are compatible, as they nearly always are; else chooses among all released versions. */
const choose = async (
  project: ProjectPackages,
  newest: readonly PublishedPackage[],
  context: Context,
): Promise<ReturnType<typeof chooseVersions>> => {
  const others = [...project.installed.values()]
    .filter(({ name }) => !newest.some((each) => each.name === name))
    .map(({ name, version, manifest: { peerDependencies = {} } }): Choosable => ({
      name,
      current: version,
      candidates: [{ version, peerDependencies }],
    }));
  const choosable = (candidatesOf: (each: PublishedPackage) => Choosable["candidates"]): Choosable[] => [
    ...newest.map((each) => ({
      name: each.name,
      current: currentOf(project, each.name),
      candidates: candidatesOf(each),
    })),
    ...others,
  ];
  const simple = chooseVersions(choosable((each) => [each]));
  if (simple.conflicts.length === 0) return simple;
  const all = new Map<string, Choosable["candidates"]>();
  for (const { name } of newest)
    all.set(name, await releasedVersions(name, currentOf(project, name), context));
  return chooseVersions(choosable(({ name }) => all.get(name) ?? []));
};

const changesOf = async (
  project: ProjectPackages,
  newest: readonly PublishedPackage[],
  versions: ReadonlyMap<string, string>,
  context: Context,
): Promise<readonly PackageUpgrade[]> => {
  const raised = newest.flatMap((each) => {
    const [from, to] = [currentOf(project, each.name), versions.get(each.name) ?? ""];
    return to !== "" && compareVersions(to, from) > 0 ? [{ each, from, to }] : [];
  });
  const older = raised
    .filter(({ each, to }) => each.version !== to)
    .map(({ each, to }) => `${each.name}@${to}`);
  const fetched = await fetchPackages(older, context);
  return raised.map(({ each: { name, changelog }, from, to }) => {
    const own = fetched.find((each) => each.name === name)?.changelog ?? changelog;
    return { name, from, to, kind: kindOf(from, to), changes: entriesBetween(own, from, to) };
  });
};

const kindOf = (from: string, to: string): PackageUpgrade["kind"] => {
  const [[major, minor], [newMajor, newMinor]] = [from.split("."), to.split(".")];
  if (major !== newMajor) return "major";
  return minor === newMinor ? "patch" : "minor";
};

/** Lock files, with the package manager of each. */
const managers: Readonly<Record<string, string>> = {
  "package-lock.json": "npm",
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
};

/** Returns the lock file of a project, which may be in the folder of its workspace, and the package manager; `null` if there is none. */
const lockFor = (cwd: string): { readonly lockPath: string; readonly program: string } | null => {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const names = folder === cwd || isWorkspace(folder) ? Object.entries(managers) : [];
    const found = names.find(([file]) => existsSync(join(folder, file)));
    if (found !== undefined) return { lockPath: join(folder, found[0]), program: found[1] };
    if (folder === dirname(folder)) return null;
  }
};

const isWorkspace = (folder: string): boolean => {
  if (existsSync(join(folder, "pnpm-workspace.yaml"))) return true;
  try {
    return "workspaces" in readPackageJson(join(folder, "package.json"));
  } catch {
    return false; // absent, or a malformed one that does not belong to the project
  }
};

/** Writes package.json and installs. If that fails, package.json and the lock file are restored. @throws CLI_NPM_FAILED */
const install = async (
  { manifest }: ProjectPackages,
  upgraded: readonly PackageUpgrade[],
  { cwd, environment }: Context,
): Promise<void> => {
  const { lockPath, program } = lockFor(cwd) ?? { lockPath: join(cwd, "package-lock.json"), program: "npm" };
  const manifestPath = join(cwd, "package.json");
  const lockFile = existsSync(lockPath) ? readFileSync(lockPath) : null;
  writeFileSync(manifestPath, withVersions(manifest, new Map(upgraded.map(({ name, to }) => [name, to]))));
  const { failure } = await tryNpm(["install"], { cwd, environment, program });
  if (failure === null) return;
  writeFileSync(manifestPath, manifest);
  if (lockFile !== null) writeFileSync(lockPath, lockFile);
  throw npmError(["install"], `${failure}\npackage.json was restored`, program);
};
