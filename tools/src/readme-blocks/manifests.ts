import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The fields of package.json with which documents are compared. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Reads one package.json. */
export const manifestOf = (root: string, path: string): Manifest =>
  JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;

/** Returns the packages in the folder `packages`, each with its folder. */
export const packagesOf = (root: string): (Manifest & { readonly folder: string })[] =>
  globSync("packages/*/package.json", { cwd: root }).map((path) => ({
    ...manifestOf(root, path),
    folder: dirname(path).replaceAll("\\", "/"),
  }));
