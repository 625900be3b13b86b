import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Names, NewPackageError } from "./names.ts";

const templates = join(import.meta.dirname, "../../new-package");

/**
 * Writes a package of the workspace in `root` and its changeset; returns the paths.
 *
 * Overwrites nothing: an existing folder, changeset or method is refused before the first file is written.
 *
 * @throws NewPackageError when a name is taken
 */
export const newPackage = (root: string, names: Names): string[] => {
  const folder = `packages/${names.name}`;
  const changeset = `.changeset/${names.name}.md`;
  assertFree(root, names, [folder, changeset]);
  const files: [from: string, to: string][] = [["changeset.md", changeset]];
  for (const path of globSync("**/*.*", { cwd: join(templates, "template") })) {
    files.push([join("template", path), join(folder, fill(path, names))]);
  }
  for (const [from, to] of files) {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    writeFileSync(join(root, to), fill(readFileSync(join(templates, from), "utf8"), names), { flag: "wx" });
  }
  return files.map(([, to]) => to).sort();
};

const fill = (text: string, names: Names): string =>
  text.replaceAll(/__(name|file|feature|Feature|Header)__/g, (_all, key: keyof Names) => names[key]);

const assertFree = (root: string, { Feature }: Names, paths: readonly string[]): void => {
  const taken = paths.find((path) => existsSync(join(root, path)));
  if (taken !== undefined)
    throw new NewPackageError(`${taken} exists already; choose another name or remove it first`);
  const method = new RegExp(`^\\s+enable${Feature}\\(`, "m"); // matches declarations, not calls
  for (const path of globSync("packages/*/src/**/*.ts", { cwd: root })) {
    if (!method.test(readFileSync(join(root, path), "utf8"))) continue;
    throw new NewPackageError(`${path} has enable${Feature} already; pass another with --feature enableX`);
  }
};
