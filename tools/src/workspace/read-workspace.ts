import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** The parts of a package.json that the rules read. */
export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly homepage?: string;
  readonly bugs?: string;
  readonly repository?: { readonly type: string; readonly url: string; readonly directory: string };
  readonly private?: boolean;
  readonly license?: string;
  readonly type?: string;
  readonly sideEffects?: boolean;
  readonly main?: string;
  readonly files?: readonly string[];
  readonly engines?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** One package or application of the workspace. */
export interface WorkspacePackage {
  /** Path from the root, such as `packages/core`. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** Paths in `references` of tsconfig.json, as written; `null` without that file. */
  readonly references: readonly string[] | null;
  /** Texts of README.md, of the pages in docs and of the TypeScript files in src, by path from the folder. */
  readonly files: ReadonlyMap<string, string>;
}

/** Reads every package, application, test suite and the benchmarks. The tools themselves are excluded, because they contain code as text. */
export const readWorkspace = (root: string): WorkspacePackage[] =>
  globSync("{packages/*,apps/*,tests/*,bench}/package.json", { cwd: root })
    .map((path) => path.slice(0, -"/package.json".length).replaceAll("\\", "/"))
    .sort()
    .map((folder) => readPackage(root, folder));

const readPackage = (root: string, folder: string): WorkspacePackage => {
  const cwd = join(root, folder);
  const json = (name: string): unknown => JSON.parse(readFileSync(join(cwd, name), "utf8"));
  const read = (): { references?: { path: string }[] } => json("tsconfig.json") as object;
  const references = existsSync(join(cwd, "tsconfig.json")) ? (read().references ?? []) : null;
  const paths = globSync(["README.md", "docs/*.md", "src/**/*.ts"], { cwd });
  return {
    folder,
    manifest: json("package.json") as Manifest,
    references: references?.map(({ path }) => path) ?? null,
    files: new Map(
      paths.sort().map((path) => [path.replaceAll("\\", "/"), readFileSync(join(cwd, path), "utf8")]),
    ),
  };
};

/** Returns the names of the folders in packages/, apps/ and tests/ with src, README.md or tsconfig.json but without package.json. */
export const strayFolders = (root: string): string[] =>
  globSync("{packages,apps,tests}/*/{src,README.md,tsconfig.json}", { cwd: root })
    .map((path) => join(path, ".."))
    .filter((folder, index, all) => all.indexOf(folder) === index)
    .filter((folder) => globSync(join(folder, "package.json"), { cwd: root }).length === 0)
    .map((folder) => basename(folder));
