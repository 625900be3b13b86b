import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { run } from "../run-node.ts";
import type { WorkspacePackage } from "../workspace/read-workspace.ts";

const SCOPE = "@framework/";

/**
 * Copies the published packages of the workspace, with their build output and changesets, into a separate Git repository, so that a rehearsed release leaves the
 * workspace unchanged.
 *
 * Copied packages depend on the copies of each other; private and third-party packages are links to the installed ones.
 */
export const copyWorkspace = (root: string, folder: string, packages: readonly WorkspacePackage[]): void => {
  for (const path of ["package.json", "LICENSE", "tsconfig.base.json", ".changeset"])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  writeFileSync(join(folder, "pnpm-workspace.yaml"), workspaceSettings(root));
  writeFileSync(join(folder, ".gitignore"), "node_modules\n");
  linkAll(join(root, "node_modules"), join(folder, "node_modules"));
  const isCopied = (path: string): boolean => !/[/\\](?:node_modules|\.turbo)$|\.map$|\.test/.test(path);
  for (const { folder: home, manifest } of packages) {
    cpSync(join(root, home), join(folder, home), { recursive: true, filter: isCopied });
    removeReferences(join(folder, home, "tsconfig.json"));
    const modules = join(folder, home, "node_modules");
    linkAll(join(root, home, "node_modules"), modules);
    const { dependencies, devDependencies, peerDependencies } = manifest;
    for (const name of Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })) {
      if (!name.startsWith(SCOPE)) continue;
      const copy = packages.find((other) => other.manifest.name === name);
      const installed = join(root, home, "node_modules", name); // a private package
      link(copy === undefined ? installed : join(folder, copy.folder), join(modules, name));
    }
  }
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "--all"],
  ])
    run(folder, "git", ...args);
  commit(folder);
};

/** Commits all changes, as CI does before it publishes. */
export const commit = (folder: string): void => {
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
    "--message=Release",
  );
};

/** Removes the references of a tsconfig.json: private packages are not copied, and the bundler needs every referenced package. */
const removeReferences = (path: string): void => {
  const { references: _, ...config } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify(config));
};

/** Returns the settings of the workspace with only the published packages as members. */
const workspaceSettings = (root: string): string => {
  const text = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8");
  return text.replace(/^packages:\n(?: .*\n)+/m, "packages: [packages/*]\n");
};

/** Links the third-party packages and the `.bin` of a `node_modules`; packages of the workspace and other dot files are omitted. */
const linkAll = (from: string, to: string): void => {
  if (!existsSync(from)) return;
  for (const entry of readdirSync(from)) {
    if ((entry.startsWith(".") && entry !== ".bin") || entry === "@framework") continue;
    const names = entry.startsWith("@")
      ? readdirSync(join(from, entry)).map((name) => `${entry}/${name}`)
      : [entry];
    for (const name of names) link(join(from, name), join(to, name));
  }
};

const link = (target: string, path: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, "junction");
};
