import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundledSources } from "./bundled-sources.ts";

const folderOfPackages = join(dirname(import.meta.dirname), "../../packages");

/** The fields of package.json that `bundledPackages` reads. */
export interface TestedManifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface Package extends TestedManifest {
  readonly folder: string;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * Returns the paths of the bundled entry points of all direct and indirect dependencies in the workspace, by name: `@framework/core`, `@framework/core/feature`
 * and so on.
 *
 * The files share their modules, so all entry points export the same class objects. Packages from npm are not bundled: the tests and the bundle load the same files.
 *
 * One bundle serves the tests of all packages. A change of the tested package does not require a new bundle, because its dependencies cannot depend on it.
 */
export const bundledPackages = (tested: TestedManifest): Readonly<Record<string, string>> => {
  const packages = readPackages();
  const entryPoints = [...packages.values()].flatMap(entryPointsOf);
  const own = packages.get(tested.name)?.folder;
  const folder = bundledSources(Object.fromEntries(entryPoints.map(({ entry, source }) => [entry, source])), {
    npm: "outside",
    ...(own !== undefined && { ignoredPrefix: join(own, "/") }),
  });
  const used = usedBy(tested, packages);
  return Object.fromEntries(
    entryPoints
      .filter(({ of }) => used.has(of))
      .map(({ name, entry }) => [name, join(folder, `${entry}.mjs`)]),
  );
};

const readPackages = (): ReadonlyMap<string, Package> =>
  new Map(
    readdirSync(folderOfPackages).map((name) => {
      const folder = join(folderOfPackages, name);
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Omit<
        Package,
        "folder"
      >;
      return [manifest.name, { ...manifest, folder }];
    }),
  );

interface EntryPoint {
  /** Name of the package. */
  readonly of: string;
  /** Name of the entry point in an import. */
  readonly name: string;
  /** Name of the bundled file. */
  readonly entry: string;
  readonly source: string;
}

const entryPointsOf = ({ name: of, folder, exports }: Package): EntryPoint[] =>
  Object.entries(exports).flatMap(([path, { "@framework/source": source }]) => {
    if (source === undefined) return [];
    const name = of + path.slice(1);
    return [{ of, name, entry: name.slice(1).replaceAll("/", "."), source: join(folder, source) }];
  });

const usedBy = (tested: TestedManifest, packages: ReadonlyMap<string, Package>): ReadonlySet<string> => {
  const used = new Set<string>();
  const add = ({ dependencies, peerDependencies, devDependencies }: TestedManifest): void => {
    for (const name of Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies })) {
      const found = packages.get(name);
      if (found === undefined || used.has(name)) continue;
      used.add(name);
      add(found);
    }
  };
  add(tested);
  return used;
};
