import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The fields of a package.json that documents are compared with. */
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

/** The packages of the workspace that are in `packages`, each with its folder. */
export const packagesOf = (root: string): (Manifest & { readonly folder: string })[] =>
  globSync("packages/*/package.json", { cwd: root }).map((path) => ({
    ...manifestOf(root, path),
    folder: dirname(path).replaceAll("\\", "/"),
  }));
