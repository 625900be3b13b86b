import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildPackages } from "../built-packages.ts";
import { readWorkspace, type WorkspacePackage } from "../workspace/read-workspace.ts";
import { type Registry, startRegistry, storageOf } from "./registry.ts";
import { shipChangelogs } from "./ship-changelogs.ts";
import { storeThirdParty } from "./third-party.ts";
import { commit, copyWorkspace } from "./workspace-copy.ts";

/** A release of the workspace on a local registry. */
export interface Rehearsal extends AsyncDisposable {
  readonly registry: Registry;
  /** The repository that is released. */
  readonly repository: string;
  /** The packages that a release publishes. */
  readonly packages: readonly WorkspacePackage[];
  /** Writes the versions of the pending changesets, commits and publishes, with the steps of the release workflow. */
  release(): void;
  /** Runs a program that uses the registry; returns its output. @throws Error with the output when it fails */
  run(cwd: string, program: string, ...args: string[]): string;
}

/**
 * Prepares a release in a folder: a registry, and a copy of the workspace.
 *
 * @param upstream see `startRegistry`
 */
export const rehearse = async (root: string, folder: string, upstream?: string): Promise<Rehearsal> => {
  buildPackages(root);
  const packages = readWorkspace(root).filter(({ manifest }) => manifest.private !== true);
  if (upstream === undefined) storeThirdParty(storageOf(folder), join(root, CREATE), namesFor(packages));
  const registry = await startRegistry(folder, upstream);
  const repository = join(folder, "repository");
  copyWorkspace(root, repository, packages);
  const env = { ...registry.env, GIT_COMMITTER_NAME: "release", GIT_COMMITTER_EMAIL: "release@localhost" }; // for its tags
  const run = (cwd: string, program: string, ...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8", env });
    if (status !== 0) throw new Error(`${program} ${args.join(" ")} in ${cwd}: ${stdout}${stderr}`);
    return stdout;
  };
  const changeset = (command: string): string =>
    run(repository, process.execPath, join(root, "node_modules/@changesets/cli/bin.js"), command);
  return {
    registry,
    repository,
    packages,
    release() {
      changeset("version");
      commit(repository);
      shipChangelogs(repository);
      changeset("publish");
    },
    run,
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  };
};

/** The package that creates services; its devDependencies are the dependencies of the services. */
const CREATE = "packages/create";

const namesFor = (packages: readonly WorkspacePackage[]): readonly string[] => {
  const create = packages.find(({ folder }) => folder === CREATE);
  const isPublic = (name: string): boolean =>
    !name.startsWith("@framework/") || packages.some(({ manifest }) => manifest.name === name);
  return Object.keys(create?.manifest.devDependencies ?? {}).filter(isPublic);
};
