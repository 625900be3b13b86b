import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The parts of a published package that the site shows. */
export interface PublishedPackage {
  /** Path from the root, such as `packages/core`. */
  readonly folder: string;
  /** Name without the scope, such as `core`. */
  readonly short: string;
  readonly name: string;
  readonly description: string;
  /** Entries by their name in `exports`, such as `./testing`, with the path of their declarations. */
  readonly entries: ReadonlyMap<string, string>;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly exports?: Readonly<Record<string, { readonly types?: string }>>;
}

/** Reads the manifests of all packages that are published, by name. */
export const publishedPackages = (root: string): readonly PublishedPackage[] =>
  globSync("packages/*/package.json", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .sort()
    .flatMap((path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;
      return manifest.private === true ? [] : [published(dirname(path), manifest)];
    });

const published = (folder: string, { name, description = "", exports = {} }: Manifest): PublishedPackage => ({
  folder,
  short: name.slice(name.indexOf("/") + 1),
  name,
  description,
  entries: new Map(
    Object.entries(exports).map(([entry, { types = "" }]) => [entry, `${folder}/${types.slice(2)}`]),
  ),
});
