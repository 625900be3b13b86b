import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Files that are not programs of the workspace: the template of `new:package`. */
const TEMPLATES = "tools/new-package/template/**";

/** Matches the compiler by name, or by path in packages where `tsc` is the slower compiler with an API. */
const COMPILES = /^(?:tsc|node [./]*\/node_modules\/typescript\/bin\/tsc) /;

const codeOf = (root: string, patterns: readonly string[]): string[] =>
  globSync([...patterns], { cwd: root, exclude: ["**/node_modules", "**/dist", "**/.tmp-*", TEMPLATES] });

/**
 * Returns the TypeScript files that no `build` compiles, whose types no check would see: the linter reads types, but only builds report
 * type errors.
 */
export const uncompiled = (root: string): string[] => {
  const compiled = globSync("{packages/*,apps/*,tests/*,bench,tools,tools/*}/tsconfig.json", { cwd: root })
    .map((path) => path.slice(0, -"/tsconfig.json".length))
    .filter((folder) => COMPILES.test(buildOf(root, folder)))
    .flatMap((folder) => [
      folder,
      ...furtherProjects(buildOf(root, folder)).map((path) => `${folder}/${path}`),
    ])
    .flatMap((folder) =>
      includedBy(root, folder).map((part) => `${folder}/${/\*/.test(part) ? part : `${part}/**/*.ts`}`),
    );
  const covered = new Set(codeOf(root, compiled));
  return codeOf(root, ["**/*.ts"]).filter((path) => !covered.has(path));
};

const json = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

const buildOf = (root: string, folder: string): string => {
  const { scripts = {} } = json(join(root, folder, "package.json")) as { scripts?: Record<string, string> };
  return scripts["build"] ?? "";
};

/** Returns the folders inside a package that its build also compiles: `tsc -b && tsc -p templates`. */
const furtherProjects = (build: string): string[] =>
  [...build.matchAll(/tsc -p ([\w-]+)/g)].map(([, path = ""]) => path);

const includedBy = (root: string, folder: string): readonly string[] => {
  const { include = [], exclude } = json(join(root, folder, "tsconfig.json")) as {
    include?: string[];
    exclude?: string[];
  };
  return exclude === undefined ? include : [];
};
